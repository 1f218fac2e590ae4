// Package tickettest has a simulated GitHub and a simulated Jira. They accept only what the published
// OpenAPI documents allow, answer in the form of these documents, and fail on request.
package tickettest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

//go:embed testdata/*.json
var documents embed.FS

// Fault is a way for a call to fail.
type Fault int

// The faults.
const (
	None   Fault = iota
	Before       // 500, and nothing was done
	After        // 500, and it was done
	Cut          // it was done, and the connection ends without an answer
	Busy         // 429 with Retry-After, and nothing was done
)

// operation is one operation of an OpenAPI document.
type operation struct {
	Method  string                     `json:"method"`
	Path    string                     `json:"path"`
	Query   map[string]json.RawMessage `json:"query"`
	Body    json.RawMessage            `json:"body"`
	Answers map[string]json.RawMessage `json:"answers"`

	body    *jsonschema.Schema
	answers map[string]*jsonschema.Schema
}

// handler performs an operation; it is called with the lock held.
type handler func(c *call) (status int, answer any)

// call is a request that matches its document.
type call struct {
	*http.Request
	body map[string]any
}

// server is the common part of both simulations.
type server struct {
	t    testing.TB
	do   map[string]handler // by method and path in the document
	auth func(*http.Request) bool
	// stranger answers a request without a valid login; nil means 401.
	stranger func(http.ResponseWriter, *http.Request)
	mux      *http.ServeMux

	// Fault returns how the next call fails; nil means that it does not.
	Fault func() Fault

	mu    sync.Mutex
	calls []string
}

func (s *server) open(t testing.TB, name string) {
	t.Helper()
	raw, err := documents.ReadFile("testdata/" + name + ".json")
	require.NoError(t, err)
	var doc struct {
		Operations []*operation `json:"operations"`
		Components any          `json:"components"`
	}
	require.NoError(t, json.Unmarshal(raw, &doc))
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	at := "https://" + name + ".example/openapi.json"
	require.NoError(t, compiler.AddResource(at, whole))
	s.t, s.mux = t, http.NewServeMux()
	for i, op := range doc.Operations {
		pointer := fmt.Sprintf("%s#/operations/%d/", at, i)
		if string(op.Body) != "null" {
			op.body = compiler.MustCompile(pointer + "body")
		}
		op.answers = map[string]*jsonschema.Schema{}
		for code, answer := range op.Answers {
			if string(answer) == "null" || string(answer) == "{}" {
				continue
			}
			op.answers[code] = compiler.MustCompile(pointer + "answers/" + code)
		}
		do := s.do[op.Method+" "+op.Path]
		require.NotNil(t, do, "%s %s", op.Method, op.Path)
		s.mux.HandleFunc(op.Method+" "+op.Path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, op, do) })
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s has no operation %s %s", name, r.Method, r.URL.Path)
		w.WriteHeader(http.StatusNotFound)
	})
}

// Start serves until the test ends and returns the address.
func (s *server) Start(t testing.TB) string {
	t.Helper()
	h := httptest.NewServer(s.mux)
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return h.URL
}

// Calls returns the requests so far, as method and path.
func (s *server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.calls...)
}

func (s *server) serve(w http.ResponseWriter, r *http.Request, op *operation, do handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, r.Method+" "+r.URL.Path)
	c := &call{Request: r}
	s.fits(c, op)
	if !s.auth(r) {
		if s.stranger != nil {
			s.stranger(w, r)
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	fault := None
	if s.Fault != nil {
		fault = s.Fault()
	}
	switch fault {
	case Before:
		w.WriteHeader(http.StatusInternalServerError)
		return
	case Busy:
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case None, After, Cut:
	}
	status, answer := do(c)
	switch fault {
	case After:
		w.WriteHeader(http.StatusBadGateway)
		return
	case Cut:
		panic(http.ErrAbortHandler)
	case None, Before, Busy:
	}
	raw, err := json.Marshal(answer)
	require.NoError(s.t, err)
	if schema := op.answers[fmt.Sprint(status)]; schema != nil && answer != nil {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err == nil {
			err = schema.Validate(v)
		}
		if err != nil {
			s.t.Errorf("the simulation answers %s %s otherwise than the document says: %v", op.Method, op.Path, err)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if answer != nil {
		_, _ = w.Write(raw)
	}
}

// fits validates a request against the document.
func (s *server) fits(c *call, op *operation) {
	for name := range c.URL.Query() {
		if _, known := op.Query[name]; !known {
			s.t.Errorf("%s %s takes no %s in its query", op.Method, op.Path, name)
		}
	}
	raw, err := io.ReadAll(c.Body)
	if err != nil || op.body == nil {
		if len(raw) > 0 {
			s.t.Errorf("%s %s takes no body", op.Method, op.Path)
		}
		return
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err == nil {
		err = op.body.Validate(v)
	}
	if err == nil {
		err = json.Unmarshal(raw, &c.body)
	}
	if err != nil {
		s.t.Errorf("%s %s does not take this body: %v: %s", op.Method, op.Path, err, raw)
	}
	if got := c.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
		s.t.Errorf("%s %s is sent as %q", op.Method, op.Path, got)
	}
}

// Ticket is a ticket at a simulated tracker.
type Ticket struct {
	Key      string
	Title    string
	Body     string // for Jira, its document
	Labels   []string
	Closed   bool
	Comments []string
	Deleted  bool
}
