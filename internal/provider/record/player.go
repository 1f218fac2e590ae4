package record

import (
	"bytes"
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
)

// Player serves what was recorded. Times in the answers are moved by as much as has passed since, so that what was
// about to expire still is.
type Player struct {
	answers map[string]exchange
	// phases holds what was answered about the entry point of a phase somewhere. The first zone asks for those its list
	// does not show, and in a record another zone is the first.
	phases map[string]exchange
	passed time.Duration
	times  *regexp.Regexp
}

// NewPlayer reads a record.
func NewPlayer(in io.Reader, now time.Time) (*Player, error) {
	d := json.NewDecoder(in)
	var first opening
	if err := d.Decode(&first); err != nil || first.RecordedAt.IsZero() {
		return nil, errors.New("the file is not a record: its first line does not tell when it was made")
	}
	p := &Player{answers: map[string]exchange{}, phases: map[string]exchange{}, passed: now.Sub(first.RecordedAt).Truncate(time.Second),
		times: regexp.MustCompile(`\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?\b`)}
	for {
		var x exchange
		err := d.Decode(&x)
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read answer %d of the record: %w", len(p.answers)+1, err)
		}
		query, err := url.ParseQuery(x.Query)
		if err != nil || x.Status < 100 || x.Status > 999 {
			return nil, fmt.Errorf("answer %d of the record is damaged: its query or status is none", len(p.answers)+1)
		}
		p.answers[question(x.Path, query, x.Headers)] = x
		if phase := phaseOf(x.Path); phase != "" && p.phases[phase].Status < 300 {
			p.phases[phase] = x
		}
	}
}

// Answers tells how many questions it can answer.
func (p *Player) Answers() int { return len(p.answers) }

func question(path string, query url.Values, headers map[string]string) string {
	parts := []string{path, query.Encode()}
	for name, v := range headers {
		parts = append(parts, name+": "+v)
	}
	slices.Sort(parts[2:])
	return strings.Join(parts, "\n")
}

// BasePath is below what the answers are served.
const BasePath = "/client/v4"

// ServeHTTP implements http.Handler.
func (p *Player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		refuse(w, http.StatusForbidden, 10000, "A record can only be read.")
		return
	}
	path, below := strings.CutPrefix(r.URL.Path, BasePath)
	x, known := p.answers[question(path, lasting(r.URL.Query()), choosing(r.Header))]
	if elsewhere, asked := p.phases[phaseOf(path)]; !known && asked {
		if x, known = elsewhere, elsewhere.Status >= 300; !known {
			refuse(w, http.StatusNotFound, 10003, "The zone has no entry point for this phase.")
			return
		}
	}
	if !below || !known {
		refuse(w, http.StatusNotFound, 7003, "The record has no answer to this.")
		return
	}
	body := []byte(x.Text)
	if x.Body != nil {
		body = x.Body
	}
	w.Header().Set("Content-Type", x.ContentType)
	w.WriteHeader(x.Status)
	_, _ = w.Write(p.times.ReplaceAllFunc(body, p.moved))
}

// phaseOf names the level and the phase of the entry point a path reads, "" for other paths.
func phaseOf(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) != 7 || parts[3] != "rulesets" || parts[6] != "entrypoint" {
		return ""
	}
	return parts[1] + "/" + parts[5]
}

func (p *Player) moved(text []byte) []byte {
	layout := time.DateOnly
	if len(text) > len(layout) {
		layout += string(text[10:11]) + "15:04:05"
		if dot := bytes.IndexByte(text, '.'); dot > 0 {
			layout += "." + strings.Repeat("0", bytes.IndexAny(text[dot:], "Z+-")-1)
		}
		layout += "Z07:00"
	}
	t, err := time.Parse(layout, string(text))
	if err != nil {
		return text
	}
	if layout == time.DateOnly {
		return []byte(t.Add(p.passed.Round(24 * time.Hour)).Format(layout))
	}
	return []byte(t.Add(p.passed).Format(layout))
}

func refuse(w http.ResponseWriter, status, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"success":false,"errors":[{"code":%d,"message":%q}],"messages":[],"result":null}`, code, message)
}
