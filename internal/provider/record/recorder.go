package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// opening is the first line of a file.
type opening struct {
	RecordedAt time.Time `json:"recordedAt"`
	Version    string    `json:"version"`
}

// exchange is any other line: what was asked and what came. Of two with the same question the later counts.
type exchange struct {
	Path        string            `json:"path"`
	Query       string            `json:"query,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"` // those that choose what is answered
	Status      int               `json:"status"`
	ContentType string            `json:"contentType,omitempty"`
	Body        json.RawMessage   `json:"body,omitempty"`
	Text        string            `json:"text,omitempty"` // of a body that is not JSON
}

// Recorder passes requests on and keeps what reads are answered.
type Recorder struct {
	next     http.RoundTripper
	base     string // path below which the provider is
	replacer *Replacer

	mu      sync.Mutex
	out     *json.Encoder
	err     error
	answers int
}

// NewRecorder makes a recorder in front of next that writes to out. base is the path of the provider's address.
func NewRecorder(out io.Writer, next http.RoundTripper, base, version string, replacer *Replacer, now time.Time) *Recorder {
	r := &Recorder{next: next, base: strings.TrimRight(base, "/"), replacer: replacer, out: json.NewEncoder(out)}
	r.out.SetEscapeHTML(false)
	r.err = r.out.Encode(opening{RecordedAt: now.UTC().Truncate(time.Second), Version: version})
	return r
}

// Answers tells how many were kept, or why one could not be.
func (r *Recorder) Answers() (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.answers, fmt.Errorf("write the record: %w", r.err)
	}
	return r.answers, nil
}

// maxBody is the largest answer that is kept; the client takes none that is larger.
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
		r.keep(r.exchange(req, resp, body))
	}
	return resp, nil
}

func (r *Recorder) exchange(req *http.Request, resp *http.Response, body []byte) exchange {
	path := strings.TrimPrefix(req.URL.Path, r.base)
	if path == "/accounts" || path == "/zones" || strings.Count(path, "/") == 2 && strings.HasPrefix(path, "/accounts/") {
		r.replacer.Own(names(body)...)
	}
	x := exchange{Path: r.replacer.Text(path), Status: resp.StatusCode,
		ContentType: r.replacer.Text(resp.Header.Get("Content-Type"))}
	query := url.Values{}
	for name, values := range lasting(req.URL.Query()) {
		for _, v := range values {
			if !slices.Contains([]string{"page", "per_page", "limit"}, name) {
				v = r.replacer.Text(v)
			}
			query.Add(r.replacer.Text(name), v)
		}
	}
	x.Query = query.Encode()
	for name, v := range choosing(req.Header) {
		if x.Headers == nil {
			x.Headers = map[string]string{}
		}
		x.Headers[name] = r.replacer.Text(v)
	}
	if replaced, err := r.replacer.JSON(body); err == nil {
		x.Body = replaced
	} else {
		x.Text = r.replacer.Text(string(body))
	}
	return x
}

// names are those of the objects of a list, or of the one object.
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

func (r *Recorder) keep(x exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = r.out.Encode(x)
		r.answers++
	}
}

// lasting is a query without its times: the window of a log moves on.
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

// choosing are the headers that choose what is answered, such as the jurisdiction of buckets.
func choosing(h http.Header) map[string]string {
	out := map[string]string{}
	for name := range h {
		if strings.HasPrefix(name, "Cf-") {
			out[name] = h.Get(name)
		}
	}
	return out
}
