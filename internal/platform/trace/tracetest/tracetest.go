// Package tracetest provides an OTLP/HTTP collector for tests.
package tracetest

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	wire "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Span is a received span.
type Span struct {
	Trace, ID, Parent string // hex
	Name              string
	Failed            bool
	About             map[string]string
	Resource          map[string]string
}

// Collector stores the spans that it receives.
type Collector struct {
	URL string

	server  *httptest.Server
	release chan struct{}
	mu      sync.Mutex
	status  int
	hang    bool
	spans   []Span
	headers []http.Header
	astray  int
	raw     strings.Builder
}

// Start serves a collector on loopback until the test ends.
func Start(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{status: http.StatusOK, release: make(chan struct{})}
	c.server = httptest.NewServer(http.HandlerFunc(c.take))
	c.URL = c.server.URL
	t.Cleanup(func() {
		close(c.release)
		c.server.Close()
	})
	return c
}

// Answer makes the collector respond with a status and store nothing; 200 stores spans again.
func (c *Collector) Answer(status int) { c.mu.Lock(); defer c.mu.Unlock(); c.status = status }

// Hang makes the collector accept requests without answering until the test ends.
func (c *Collector) Hang() { c.mu.Lock(); defer c.mu.Unlock(); c.hang = true }

// Spans returns the spans received so far.
func (c *Collector) Spans() []Span { c.mu.Lock(); defer c.mu.Unlock(); return slices.Clone(c.spans) }

// Astray returns the number of requests to another path, such as that of a redirect.
func (c *Collector) Astray() int { c.mu.Lock(); defer c.mu.Unlock(); return c.astray }

// Headers returns the headers of each request.
func (c *Collector) Headers() []http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.headers)
}

// Text returns everything that was received, as text.
func (c *Collector) Text() string { c.mu.Lock(); defer c.mu.Unlock(); return c.raw.String() }

func (c *Collector) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c.mu.Lock()
	if r.URL.Path != "/v1/traces" {
		c.astray++
	}
	c.headers = append(c.headers, r.Header.Clone())
	status, hang := c.status, c.hang
	c.mu.Unlock()
	if hang {
		select {
		case <-c.release:
		case <-r.Context().Done():
		}
		return
	}
	var in collector.ExportTraceServiceRequest
	if err == nil && status == http.StatusOK {
		err = proto.Unmarshal(body, &in)
	}
	if err != nil {
		status = http.StatusBadRequest
	}
	if status == http.StatusOK {
		c.keep(&in)
	}
	if status/100 == 3 {
		w.Header().Set("Location", c.URL+"/elsewhere")
	}
	w.WriteHeader(status)
}

func (c *Collector) keep(in *collector.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = fmt.Fprintln(&c.raw, in)
	for _, r := range in.GetResourceSpans() {
		for _, scope := range r.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, Span{Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()),
					Parent: hex.EncodeToString(s.GetParentSpanId()), Name: s.GetName(), Failed: s.GetStatus().GetCode() == wire.Status_STATUS_CODE_ERROR,
					About: about(s.GetAttributes()), Resource: about(r.GetResource().GetAttributes())})
			}
		}
	}
}

func about(all []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, kv := range all {
		switch v := kv.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			out[kv.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			out[kv.GetKey()] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_DoubleValue:
			out[kv.GetKey()] = fmt.Sprint(v.DoubleValue)
		default:
			out[kv.GetKey()] = kv.GetValue().String()
		}
	}
	return out
}
