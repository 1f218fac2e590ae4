package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/trace"
)

// Traces returns where spans are sent, and false when tracing is off.
func (c Config) Traces() (trace.Options, bool) {
	if !c.traced() {
		return trace.Options{}, false
	}
	at := c.OTLPTracesEndpoint
	if at == "" {
		at = strings.TrimRight(c.OTLPEndpoint, "/") + "/v1/traces"
	}
	about, _ := pairs(c.OTELResource) // validated by checkTraces, as is the next
	wait, _ := millis(cmp.Or(c.OTLPTracesTimeout, c.OTLPTimeout))
	return trace.Options{URL: at, Headers: c.traceHeaders(), Certificate: cmp.Or(c.OTLPTracesCertificate, c.OTLPCertificate), Timeout: wait,
		Service: cmp.Or(c.OTELService, about["service.name"], "edgeposture"), About: about, Sampler: strings.ToLower(c.OTELSampler),
		SamplerArg: c.OTELSamplerArg}, true
}

func (c Config) traced() bool {
	return !strings.EqualFold(c.OTELDisabled, "true") && c.OTELExporter != "none" && (c.OTLPEndpoint != "" || c.OTLPTracesEndpoint != "")
}

// traceHeaders returns the headers of exports. All are treated as secrets, because it is unknown
// which of them are.
func (c Config) traceHeaders() map[string]secret.Text {
	out, _ := headers(c.OTLPHeaders) // validated by checkTraces
	own, _ := headers(c.OTLPTracesHeaders)
	if len(own) > 0 {
		return own
	}
	return out
}

func headers(list secret.Text) (map[string]secret.Text, bool) {
	all, ok := pairs(list.Reveal())
	out := make(map[string]secret.Text, len(all))
	for name, value := range all {
		out[name] = secret.New(value)
	}
	return out, ok
}

// pairs parses the format of OTEL_EXPORTER_OTLP_HEADERS: comma-separated name=value, with values
// encoded as in a URL.
func pairs(list string) (map[string]string, bool) {
	out := map[string]string{}
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || err != nil || !token(name) || strings.ContainsAny(value, "\r\n\x00") {
			return nil, false
		}
		out[name] = value
	}
	return out, true
}

func token(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	}) < 0
}

func millis(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 600_000 {
		return 0, errors.New("is not a number of milliseconds from 1 to 600000")
	}
	return time.Duration(n) * time.Millisecond, nil
}

// checkTraces validates the variables even while tracing is off, so that enabling it brings no surprise.
func checkTraces(c Config) error {
	for name, at := range map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.OTLPEndpoint,
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": c.OTLPTracesEndpoint} {
		u, err := url.Parse(at)
		if at != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" ||
			u.Fragment != "") {
			return fmt.Errorf("%s is not a plain http or https address; use for example http://collector:4318, and OTEL_EXPORTER_OTLP_HEADERS for "+
				"credentials", name)
		}
	}
	for name, list := range map[string]secret.Text{"OTEL_EXPORTER_OTLP_HEADERS": c.OTLPHeaders,
		"OTEL_EXPORTER_OTLP_TRACES_HEADERS": c.OTLPTracesHeaders} {
		if _, ok := headers(list); !ok {
			return fmt.Errorf("%s is not understood; use name=value with commas between them, values encoded as in a URL", name)
		}
	}
	if _, ok := pairs(c.OTELResource); !ok {
		return errors.New("OTEL_RESOURCE_ATTRIBUTES is not understood; use name=value with commas between them, values encoded as in a URL")
	}
	for name, wait := range map[string]string{"OTEL_EXPORTER_OTLP_TIMEOUT": c.OTLPTimeout,
		"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": c.OTLPTracesTimeout} {
		if _, err := millis(wait); err != nil {
			return fmt.Errorf("%s %w", name, err)
		}
	}
	if p := cmp.Or(c.OTLPTracesProtocol, c.OTLPProtocol, "http/protobuf"); p != "http/protobuf" && p != "http/json" {
		return fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q, which is not spoken; use http/protobuf or http/json, on the collector's port 4318",
			p)
	}
	if c.OTELExporter != "" && c.OTELExporter != "otlp" && c.OTELExporter != "none" {
		return fmt.Errorf("OTEL_TRACES_EXPORTER is %q; use otlp or none", c.OTELExporter)
	}
	return trace.CheckSampler(strings.ToLower(c.OTELSampler), c.OTELSamplerArg)
}
