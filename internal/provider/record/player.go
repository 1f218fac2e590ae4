package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Player serves a recording. It shifts the times in answers by the time since the recording, so
// that what was about to expire still is.
type Player struct {
	answers map[string]exchange
	lookups map[string]snapshot.Lookup
	// phases holds any answer about the entrypoint of each phase. The first zone requests the phases
	// that its list does not show, and in a recording another zone may be the first.
	phases map[string]exchange
	passed time.Duration
	days   time.Duration // by which dates without a time are shifted
	months int           // by which versions named after a month are shifted
	times  *regexp.Regexp
	edits  *edits // nil for a read-only player
}

// NewPlayer reads a recording.
func NewPlayer(in io.Reader, now time.Time) (*Player, error) {
	d := json.NewDecoder(in)
	var first opening
	if err := d.Decode(&first); err != nil || first.RecordedAt.IsZero() {
		return nil, errors.New("the file is not a record: its first line does not tell when it was made")
	}
	then := first.RecordedAt
	p := &Player{answers: map[string]exchange{}, lookups: map[string]snapshot.Lookup{}, phases: map[string]exchange{},
		passed: now.Sub(then).Truncate(time.Second), days: midnight(now).Sub(midnight(then)), months: month(now) - month(then),
		times: regexp.MustCompile(`\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d| [+-]\d{4} UTC))?\b|` +
			release + `\d{4}\.\d{1,2}\b`)}
	for {
		var x struct {
			exchange
			lookup
		}
		err := d.Decode(&x)
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read answer %d of the record: %w", len(p.answers)+1, err)
		}
		if x.Lookup != nil {
			p.lookups[x.Question] = *x.Lookup
			continue
		}
		query, err := url.ParseQuery(x.Query)
		if err != nil || x.Status < 100 || x.Status > 999 {
			return nil, fmt.Errorf("answer %d of the record is damaged: its query or status is none", len(p.answers)+1)
		}
		p.answers[question(x.Path, query, x.Headers)] = x.exchange
		if phase := phaseOf(x.Path); phase != "" && p.phases[phase].Status < 300 {
			p.phases[phase] = x.exchange
		}
	}
}

// Answers returns the number of recorded answers.
func (p *Player) Answers() int { return len(p.answers) + len(p.lookups) }

// Lookup implements resolve.Names.
func (p *Player) Lookup(_ context.Context, q snapshot.Question) (snapshot.Lookup, error) {
	found, known := p.lookups[q.Scope()]
	if !known {
		return found, fmt.Errorf("the record has no look-up of %s", q.Scope())
	}
	return found, nil
}

func month(t time.Time) int { return t.UTC().Year()*12 + int(t.UTC().Month()) }

func midnight(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

func question(path string, query url.Values, headers map[string]string) string {
	parts := []string{path, query.Encode()}
	for name, v := range headers {
		parts = append(parts, name+": "+v)
	}
	slices.Sort(parts[2:])
	return strings.Join(parts, "\n")
}

// ServeHTTP implements http.Handler.
func (p *Player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, below := strings.CutPrefix(r.URL.Path, BasePath)
	query, headers := lasting(r.URL.Query()), choosing(r.Header)
	switch {
	case r.Method == http.MethodGet && below:
		p.read(w, path, query, headers)
	case r.Method == http.MethodGet:
		refuse(w, http.StatusNotFound, unknown, "The record has no answer to this.")
	case p.edits == nil:
		refuse(w, http.StatusForbidden, 10000, "A record can only be read.")
	default:
		p.edits.serve(w, r, place(path, headers))
	}
}

// Error codes: the recording does not know the path, or there is no such object.
const (
	unknown = 7003
	missing = 1002
)

func (p *Player) read(w http.ResponseWriter, path string, query url.Values, headers map[string]string) {
	x, known := p.answers[question(path, query, headers)]
	code := unknown
	if p.edits != nil {
		code = missing
		body, gone := p.edits.read(place(path, headers), query, known)
		if body != nil {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body) //nolint:gosec // JSON, for a client that is no browser
			return
		}
		known = known && !gone
	}
	if elsewhere, asked := p.phases[phaseOf(path)]; !known && asked {
		if x, known = elsewhere, elsewhere.Status >= 300; !known {
			refuse(w, http.StatusNotFound, 10003, "The zone has no entry point for this phase.")
			return
		}
	}
	if !known {
		refuse(w, http.StatusNotFound, code, "The record has no answer to this.")
		return
	}
	w.Header().Set("Content-Type", x.ContentType)
	w.WriteHeader(x.Status)
	_, _ = w.Write(p.body(x))
}

// body returns the body of an answer with its times shifted.
func (p *Player) body(x exchange) []byte {
	body := []byte(x.Text)
	if x.Body != nil {
		body = x.Body
	}
	return p.times.ReplaceAllFunc(body, p.moved)
}

// phaseOf returns the level and the phase of the entrypoint that a path reads, "" for other paths.
func phaseOf(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) != 7 || parts[3] != "rulesets" || parts[6] != "entrypoint" {
		return ""
	}
	return parts[1] + "/" + parts[5]
}

// release precedes a version that may be named after a month, such as that of a tunnel's connector.
const release = `version":"`

func (p *Player) moved(text []byte) []byte {
	layout := time.DateOnly
	if version, is := bytes.CutPrefix(text, []byte(release)); is {
		t, err := time.Parse("2006.1", string(version))
		if err != nil {
			return text
		}
		return []byte(release + t.AddDate(0, p.months, 0).Format("2006.1"))
	}
	if len(text) > len(layout) {
		layout += string(text[10:11]) + "15:04:05"
		if dot := bytes.IndexByte(text, '.'); dot > 0 {
			layout += "." + strings.Repeat("0", bytes.IndexAny(text[dot:], "Z+-")-1)
		}
		if layout += "Z07:00"; bytes.HasSuffix(text, []byte(" UTC")) {
			layout = "2006-01-02 15:04:05 -0700 UTC"
		}
	}
	t, err := time.Parse(layout, string(text))
	if err != nil {
		return text
	}
	if layout == time.DateOnly {
		return []byte(t.Add(p.days).Format(layout))
	}
	return []byte(t.Add(p.passed).Format(layout))
}

func refuse(w http.ResponseWriter, status, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"success":false,"errors":[{"code":%d,"message":%q}],"messages":[],"result":null}`, code, message)
}
