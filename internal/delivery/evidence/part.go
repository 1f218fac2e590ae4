package evidence

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// emit receives a part: its name, and a function that writes its bytes and returns its number of
// records. A part of a large account is never in memory as a whole.
type emit func(name string, write func(io.Writer) (records int, err error)) error

// group makes the parts whose names begin with name, in order.
type group struct {
	name string
	emit func(emit) error
}

// summary is the assessment without its findings.
type summary struct {
	posture.AssessmentSummary
	Checks []posture.CheckTally `json:"checks"`
}

// Text holds a check's texts at the time of the assessment.
type Text struct {
	ID         string           `json:"id"`
	Title      string           `json:"title"`
	Category   posture.Category `json:"category"`
	Severity   posture.Severity `json:"severity"`
	Why        string           `json:"why"`
	Fix        string           `json:"fix"`
	Remediable bool             `json:"remediable"`
	Controls   posture.Controls `json:"controls"`
}

// record is a section. Its value is text, because the snapshot digest covers these exact bytes; values
// that are not UTF-8 are in base64.
type record struct {
	Source     string          `json:"source"`
	Scope      string          `json:"scope"`
	Status     snapshot.Status `json:"status"`
	Permission string          `json:"permission,omitempty"`
	Code       int             `json:"code,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Value      string          `json:"value,omitempty"`
	Value64    string          `json:"value64,omitempty"`
	ReadAt     time.Time       `json:"readAt,omitzero"`
}

// groups lists the groups of parts, in the order of their names.
func (b *Bundle) groups() []group {
	one := func(name string, records int, v any) group {
		return group{name, func(to emit) error {
			data, err := canonical(v)
			if err != nil {
				return err
			}
			return to(name, bytesOf(data, records))
		}}
	}
	ready := func(name string, data []byte) group {
		return group{name, func(to emit) error { return to(name, bytesOf(data, 1)) }}
	}
	a := b.src.Assessment
	out := []group{
		one(assessmentName, 1, summary{a.AssessmentSummary, a.Checks}), {pathsName, b.paths},
		ready(catalogueName, b.catalogue), ready(controlsName, b.controls), {findingsName, b.findings},
		{graphName, b.graph}, one(modificationsName, len(b.src.Modifications), b.src.Modifications),
	}
	if b.src.Policy != nil {
		out = append(out, one(policyName, 1, b.src.Policy), one(requestName, 1, b.src.Request))
	}
	if b.src.State == Included {
		out = append(out, group{sectionsName, b.sections})
	}
	return out
}

func bytesOf(data []byte, records int) func(io.Writer) (int, error) {
	return func(w io.Writer) (int, error) {
		_, err := w.Write(data)
		return records, err
	}
}

func (b *Bundle) paths(to emit) error {
	return to(pathsName, func(w io.Writer) (records int, err error) {
		l := list{w: w, begin: "["}
		for p, err := range b.src.Paths {
			if err == nil {
				err = l.add(p)
			}
			if err != nil {
				return 0, err
			}
			records++
		}
		return records, l.end("]")
	})
}

// graph writes the members in canonical order, edges before nodes, which needs two walks.
func (b *Bundle) graph(to emit) error {
	return to(graphName, func(w io.Writer) (int, error) {
		edges, nodes := list{w: w, begin: `{"edges":[`}, list{w: w, begin: `],"nodes":[`}
		if _, err := b.src.Graph.Walk(func(*graph.Node) error { return nil }, func(e *graph.Edge) error { return edges.add(e) }); err != nil {
			return 0, err
		}
		if err := edges.end(""); err != nil {
			return 0, err
		}
		all, err := b.src.Graph.Walk(func(n *graph.Node) error { return nodes.add(n) }, func(*graph.Edge) error { return nil })
		if err != nil {
			return 0, err
		}
		stats, err := canonical(all)
		if err != nil {
			return 0, err
		}
		return 1, nodes.end(`],"stats":` + string(stats) + "}")
	})
}

// list writes a JSON list value by value.
type list struct {
	w     io.Writer
	begin string // written before the first value, or with the end
	next  bool
}

func (l *list) add(v any) error {
	data, err := canonical(v)
	if err != nil {
		return err
	}
	before := l.begin
	if l.next {
		before = ","
	}
	l.next = true
	if _, err := io.WriteString(l.w, before); err != nil {
		return err
	}
	_, err = l.w.Write(data)
	return err
}

func (l *list) end(with string) error {
	if !l.next {
		with = l.begin + with
	}
	_, err := io.WriteString(l.w, with)
	return err
}

func numbered(prefix string, n int) string { return fmt.Sprintf("%s%06d.json", prefix, n) }

func (b *Bundle) findings(to emit) error {
	return parted(to, findingsName, b.src.Findings(), func(f posture.Finding) (any, int) { return f, 0 })
}

// sectionBytes ends a part of sections early, so that no part is much larger than its
// largest section.
const sectionBytes = 4 << 20

func (b *Bundle) sections(to emit) error {
	return parted(to, sectionsName, b.src.Sections, func(s snapshot.Section) (any, int) {
		r := record{Source: s.Source, Scope: s.Scope, Status: s.Status, Permission: s.Permission, Code: s.Code, Reason: s.Reason,
			ReadAt: s.ReadAt}
		if utf8.Valid(s.Value) {
			r.Value = string(s.Value)
		} else {
			r.Value64 = base64.StdEncoding.EncodeToString(s.Value)
		}
		return r, len(s.Value)
	})
}

// parted writes a sequence as numbered parts, each with up to recordsAtOnce records, or until the sizes
// that record returns reach sectionBytes.
func parted[T any](to emit, prefix string, all iter.Seq2[T, error], record func(T) (any, int)) error {
	next, stop := iter.Pull2(all)
	defer stop()
	v, err, more := next()
	for n := 1; more; n++ {
		part := func(w io.Writer) (records int, _ error) {
			l, size := list{w: w, begin: "["}, 0
			for ; more && records < recordsAtOnce && size < sectionBytes; records++ {
				if err != nil {
					return 0, err
				}
				r, bytes := record(v)
				if err := l.add(r); err != nil {
					return 0, err
				}
				size += bytes
				v, err, more = next()
			}
			return records, l.end("]")
		}
		if err := to(numbered(prefix, n), part); err != nil {
			return err
		}
	}
	return nil
}

// section converts a record back to a section.
func (r record) section() (snapshot.Section, error) {
	s := snapshot.Section{Source: r.Source, Scope: r.Scope, Status: r.Status, Permission: r.Permission, Code: r.Code, Reason: r.Reason,
		ReadAt: r.ReadAt}
	if r.Value != "" {
		s.Value = json.RawMessage(r.Value)
	}
	if r.Value64 != "" {
		value, err := base64.StdEncoding.Strict().DecodeString(r.Value64)
		if err != nil {
			return s, fmt.Errorf("the value is not base64: %w", err)
		}
		s.Value = value
	}
	return s, nil
}

// learn makes the parts of the findings and what is derived from all of them: the texts of the checks,
// and the state of the frameworks' controls.
func (b *Bundle) learn(to emit) (findings int, err error) {
	texts := map[string]Text{}
	all := b.src.Findings
	b.src.Findings = func() iter.Seq2[posture.Finding, error] {
		return observed(all(), func(f posture.Finding) {
			findings++
			gather(texts, f)
		})
	}
	err = b.findings(to)
	b.src.Findings = all
	if err != nil {
		return 0, err
	}
	catalogue := slices.AppendSeq(make([]Text, 0, len(texts)), maps.Values(texts))
	slices.SortFunc(catalogue, func(x, y Text) int { return strings.Compare(textKey(x), textKey(y)) })
	if b.catalogue, err = canonical(catalogue); err != nil {
		return 0, err
	}
	b.controls, err = b.standing()
	return findings, err
}

func textKey(t Text) string {
	return strings.Join([]string{t.ID, string(t.Severity), t.Title, string(t.Category), t.Why, t.Fix}, "\x00")
}

func gather(texts map[string]Text, f posture.Finding) {
	t := Text{ID: f.CheckID, Title: cmp.Or(f.CheckTitle, f.Title), Category: f.Category, Severity: f.Severity, Why: f.Why, Fix: f.Fix,
		Remediable: f.Remediable,
		Controls:   f.Controls}
	if key := textKey(t); texts[key].ID == "" {
		texts[key] = t
	}
}

func (b *Bundle) standing() ([]byte, error) {
	entries := slices.DeleteFunc(slices.Clone(b.src.Catalogue), func(c compliance.CheckControls) bool {
		return !slices.ContainsFunc(b.src.Assessment.Checks, func(t posture.CheckTally) bool { return t.CheckID == c.CheckID })
	})
	all, err := compliance.BuildAll(compliance.Input{AssessmentID: b.src.Assessment.ID, Catalogue: entries, Tallies: b.src.Assessment.Checks,
		Findings: b.src.Findings()})
	if err != nil {
		return nil, fmt.Errorf("map the findings to the frameworks: %w", err)
	}
	return canonical(all)
}
