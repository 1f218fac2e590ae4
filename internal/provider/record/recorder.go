package record

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/resolve"
)

// opening is the first line of a file.
type opening struct {
	RecordedAt time.Time `json:"recordedAt"`
	Version    string    `json:"version"`
}

// exchange is a line with an answer of the provider. Of two lines with the same question, the later
// one counts.
type exchange struct {
	Path        string            `json:"path"`
	Query       string            `json:"query,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"` // those that select the answer
	Status      int               `json:"status"`
	ContentType string            `json:"contentType,omitempty"`
	Body        json.RawMessage   `json:"body,omitempty"`
	Text        string            `json:"text,omitempty"` // for a body that is not JSON
}

// lookup is a line with an answer of the DNS.
type lookup struct {
	Question string           `json:"question"`
	Lookup   *snapshot.Lookup `json:"lookup"`
}

// Recorder forwards requests and records the answers to reads. They stay in memory until Write,
// because names can only be replaced everywhere once all names of the account and its zones are
// known.
type Recorder struct {
	next http.RoundTripper
	base string // base path of the provider

	mu      sync.Mutex
	answers map[string]answer // by question
	lookups map[string]snapshot.Lookup
}

// answer is a raw answer with a compressed body.
type answer struct {
	path        string
	query       url.Values
	headers     map[string]string
	status      int
	contentType string
	body        []byte
}

// NewRecorder returns a recorder in front of next. base is the path of the provider's address.
func NewRecorder(next http.RoundTripper, base string) *Recorder {
	return &Recorder{next: next, base: strings.TrimRight(base, "/"), answers: map[string]answer{}, lookups: map[string]snapshot.Lookup{}}
}

// maxBody is the largest answer that is recorded; the client accepts none that is larger.
const maxBody = 16 << 20

// RoundTrip implements http.RoundTripper.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.next.RoundTrip(req)
	if err != nil || req.Method != http.MethodGet || resp.StatusCode == http.StatusTooManyRequests {
		return resp, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	_ = resp.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("the answer broke off: %w", err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if len(body) <= maxBody {
		// Cloned, because the encoder makes room for what does not get smaller.
		a := answer{path: strings.TrimPrefix(req.URL.Path, r.base), query: lasting(req.URL.Query()), headers: choosing(req.Header),
			status: resp.StatusCode, contentType: resp.Header.Get("Content-Type"), body: slices.Clone(s2.Encode(nil, body))}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.answers[question(a.path, a.query, a.headers)] = a
	}
	return resp, nil
}

// Names forwards look-ups and records their answers.
func (r *Recorder) Names(next resolve.Names) resolve.Names { return recordedNames{r, next} }

type recordedNames struct {
	recorder *Recorder
	next     resolve.Names
}

// Lookup implements resolve.Names.
func (n recordedNames) Lookup(ctx context.Context, q snapshot.Question) (snapshot.Lookup, error) {
	found, err := n.next.Lookup(ctx, q)
	if err == nil {
		n.recorder.mu.Lock()
		defer n.recorder.mu.Unlock()
		n.recorder.lookups[q.Scope()] = found
	}
	return found, err
}

// Write writes what was recorded, with everything replaced unless replacer is nil, and returns the
// number of answers. No request may be sent during the call.
func (r *Recorder) Write(out io.Writer, version string, replacer *Replacer, now time.Time) (int, error) {
	for _, a := range r.answers {
		if a.path == "/accounts" || a.path == "/zones" || strings.Count(a.path, "/") == 2 && strings.HasPrefix(a.path, "/accounts/") {
			body, err := a.unpacked()
			if err != nil {
				return 0, err
			}
			replacer.Own(names(body)...)
		}
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(opening{RecordedAt: now.UTC().Truncate(time.Second), Version: version}); err != nil {
		return 0, fmt.Errorf("write the record: %w", err)
	}
	for _, asked := range slices.Sorted(maps.Keys(r.answers)) {
		x, err := r.answers[asked].replaced(replacer)
		if err != nil {
			return 0, err
		}
		if err := e.Encode(x); err != nil {
			return 0, fmt.Errorf("write the record: %w", err)
		}
	}
	for _, asked := range slices.Sorted(maps.Keys(r.lookups)) {
		kind, name, _ := strings.Cut(asked, " ")
		found := r.lookups[asked]
		// One name may contain two domains: acme.example._report._dmarc.other.example.
		name = strings.Join(texts(replacer, strings.Split(name, "._")), "._")
		x := lookup{Question: snapshot.LookupScope(kind, name), Lookup: &snapshot.Lookup{Rcode: found.Rcode,
			Chain: texts(replacer, found.Chain), Answers: texts(replacer, found.Answers)}}
		if err := e.Encode(x); err != nil {
			return 0, fmt.Errorf("write the record: %w", err)
		}
	}
	return len(r.answers) + len(r.lookups), nil
}

func (a answer) unpacked() ([]byte, error) {
	body, err := s2.Decode(nil, a.body)
	if err != nil {
		return nil, fmt.Errorf("read the answer to %s again: %w", a.path, err)
	}
	return body, nil
}

func (a answer) replaced(by *Replacer) (exchange, error) {
	x := exchange{Path: by.Text(a.path), Status: a.status, ContentType: by.Text(a.contentType), Headers: map[string]string{}}
	query := url.Values{}
	for name, values := range a.query {
		for _, v := range values {
			if !slices.Contains([]string{"page", "per_page", "limit"}, name) {
				v = by.Text(v)
			}
			query.Add(by.Text(name), v)
		}
	}
	x.Query = query.Encode()
	for name, v := range a.headers {
		x.Headers[name] = by.Text(v)
	}
	body, err := a.unpacked()
	if err != nil {
		return x, err
	}
	if replaced, err := by.JSON(body); err == nil {
		x.Body = replaced
	} else {
		x.Text = by.Text(string(body))
	}
	return x, nil
}

// names returns the names of the objects in a list, or of a single object.
func names(body []byte) []string {
	type named struct {
		Name    string
		Account struct{ Name string }
	}
	var list struct{ Result []named }
	if json.Unmarshal(body, &list) != nil {
		var one struct{ Result named }
		_ = json.Unmarshal(body, &one)
		list.Result = []named{one.Result}
	}
	var out []string
	for _, x := range list.Result {
		out = append(out, x.Name, x.Account.Name)
	}
	return out
}

// lasting returns a query without its times, because the window of a log moves.
func lasting(q url.Values) url.Values {
	out := url.Values{}
	for name, values := range q {
		for _, v := range values {
			if !isDate(v) {
				out.Add(name, v)
			}
		}
	}
	return out
}

// choosing returns the headers that select an answer, such as the jurisdiction of buckets.
func choosing(h http.Header) map[string]string {
	out := map[string]string{}
	for name := range h {
		if strings.HasPrefix(name, "Cf-") {
			out[name] = h.Get(name)
		}
	}
	return out
}

func texts(by *Replacer, all []string) []string {
	out := slices.Clone(all)
	for i, s := range all {
		out[i] = by.Text(s)
	}
	return out
}
