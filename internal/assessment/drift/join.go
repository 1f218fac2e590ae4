package drift

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// face is what is kept of one finding on one side.
type face struct {
	result   posture.Result // "" when the side has no such finding
	severity posture.Severity
	risk     float64  // of the graph that a run reads; 0 when the two runs looked at different things
	observed [16]byte // digest of the evidence
	zonal    bool     // the evidence is in zones, or its place is unknown
	partial  bool     // it has a reason: something unread may change how bad it is
}

// text is what a list shows of a finding.
type text struct {
	title, message, reason string
	exception              string
	category               posture.Category
	resource               posture.Resource
}

// pair is one finding on both sides. Texts are loaded only when a list shows them.
type pair struct {
	checkID       string
	before, after face
	was, is       *text
}

type join struct {
	baseline, current *extent
	same              bool             // both were asked to look at the same, so that risks and scores compare
	places            map[string]int32 // index in pairs by finding id
	pairs             []pair
	words             pool
}

// mostExpected bounds the number of findings for which memory is reserved up front, whatever the
// assessments claim.
const mostExpected = 1 << 18

// joinSides reads the baseline, then the current side, and then the differing findings of each once
// more: texts of unchanged findings, which are nearly all, are never held.
func joinSides(baseline, current Side) (*join, error) {
	many := min(max(baseline.Assessment.Summary.Total, current.Assessment.Summary.Total), mostExpected)
	j := &join{baseline: newExtent("baseline", baseline), current: newExtent("current", current), words: pool{},
		places: make(map[string]int32, many), pairs: make([]pair, 0, many)}
	was, is := baseline.Assessment.Scope, current.Assessment.Scope
	j.baseline.against(j.current, was, is)
	j.current.against(j.baseline, is, was)
	j.same = was.Key() == is.Key()
	before, after := func(p *pair) *face { return &p.before }, func(p *pair) *face { return &p.after }
	if err := j.read(j.baseline, baseline.Findings, before); err != nil {
		return nil, err
	}
	if err := j.read(j.current, current.Findings, after); err != nil {
		return nil, err
	}
	if err := j.describe(j.baseline, baseline.Findings, before, (*pair).gone, func(p *pair) **text { return &p.was }); err != nil {
		return nil, err
	}
	return j, j.describe(j.current, current.Findings, after, (*pair).came, func(p *pair) **text { return &p.is })
}

// gone reports whether the finding was open and no longer is, so that the baseline's text is
// needed.
func (p *pair) gone() bool { return isOpen(p.before.result) && !isOpen(p.after.result) }

// came reports whether the current side's text is needed.
func (p *pair) came() bool {
	switch r := p.after.result; {
	case isOpen(p.before.result):
		return r != "" && !alike(p.before, p.after)
	case r == posture.Unknown:
		return p.before.result != posture.Unknown
	default:
		return isOpen(r)
	}
}

func (j *join) read(e *extent, findings iter.Seq2[posture.Finding, error], side func(*pair) *face) error {
	err := e.each(findings, func(f *posture.Finding) error {
		at, known := j.places[f.ID]
		if !known {
			at = int32(len(j.pairs))
			j.places[f.ID], j.pairs = at, append(j.pairs, pair{checkID: j.words.of(f.CheckID)})
		}
		kept := side(&j.pairs[at])
		if n := j.faceOf(f); kept.result == "" || compareFaces(n, *kept) < 0 {
			*kept = n
		}
		return e.add(f, j.words)
	})
	if err != nil {
		return err
	}
	return e.whole()
}

// describe reads the findings of a side again and keeps the texts of the wanted ones.
func (j *join) describe(e *extent, findings iter.Seq2[posture.Finding, error], side func(*pair) *face, wanted func(*pair) bool,
	into func(*pair) **text) error {
	left := 0
	for i := range j.pairs {
		if wanted(&j.pairs[i]) {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	err := e.each(findings, func(f *posture.Finding) error {
		at, known := j.places[f.ID]
		if !known {
			return fmt.Errorf("finding %s of assessment %s was not there before", f.ID, e.id)
		}
		p := &j.pairs[at]
		if !wanted(p) || compareFaces(j.faceOf(f), *side(p)) != 0 {
			return nil
		}
		t, slot := j.textOf(f), into(p)
		if *slot == nil {
			left--
		}
		if *slot == nil || cmp.Or(cmp.Compare(t.message, (*slot).message), cmp.Compare(t.reason, (*slot).reason)) < 0 {
			*slot = t
		}
		return nil
	})
	if err == nil && left > 0 {
		return fmt.Errorf("%d findings of assessment %s are not as they were a moment ago", left, e.id)
	}
	return err
}

// each iterates over the findings of a side.
func (e *extent) each(findings iter.Seq2[posture.Finding, error], use func(*posture.Finding) error) error {
	if findings == nil {
		return nil
	}
	for f, err := range findings {
		if err != nil {
			return fmt.Errorf("read the findings of assessment %s: %w", e.id, err)
		}
		if err := use(&f); err != nil {
			return err
		}
	}
	return nil
}

func isOpen(r posture.Result) bool { return r == posture.Fail || r == posture.Warning }

// alike reports whether the two differ in nothing that a reader would notice.
func alike(a, b face) bool {
	return a.result == b.result && a.severity == b.severity && a.risk == b.risk && a.observed == b.observed
}

// compareFaces orders the worse first. It decides which of two findings with the same id counts,
// which a check that judges one resource for two reasons may give; the choice depends only on their
// content, never on their order.
func compareFaces(a, b face) int {
	return cmp.Or(cmp.Compare(place(a.result, ""), place(b.result, "")), cmp.Compare(b.severity.Rank(), a.severity.Rank()),
		cmp.Compare(b.risk, a.risk), bytes.Compare(a.observed[:], b.observed[:]))
}

func (j *join) faceOf(f *posture.Finding) face {
	out := face{result: posture.Result(j.words.of(string(f.Result))), severity: posture.Severity(j.words.of(string(f.Severity))),
		observed: digest(f.Evidence), zonal: zonal(f.Evidence), partial: isOpen(f.Result) && f.Reason != ""}
	if j.same {
		out.risk = f.Risk
	}
	return out
}

func (j *join) textOf(f *posture.Finding) *text {
	w, r := j.words, f.Resource
	accepted := ""
	if f.Exception != nil {
		accepted = w.of(*f.Exception)
	}
	return &text{exception: accepted, title: w.of(f.Title), message: f.Message, reason: w.of(f.Reason),
		category: posture.Category(w.of(string(f.Category))), resource: posture.Resource{Type: posture.ResourceType(w.of(string(r.Type))),
			ID: r.ID, Name: r.Name, ZoneID: w.of(r.ZoneID), Zone: w.of(r.Zone)}}
}

// digest covers what was observed and where, regardless of order. Pointers are left out: they move
// when something else in the same list is added or removed. So are times such as last_error and
// last_seen_at, which move while nobody changes anything.
func digest(evidence []posture.Evidence) [16]byte {
	if len(evidence) == 0 {
		return [16]byte{}
	}
	lines := make([]string, 0, len(evidence))
	for _, e := range evidence {
		if strings.HasPrefix(path.Base(e.Pointer), "last_") {
			e.Observed = ""
		}
		lines = append(lines, strconv.Quote(e.Source)+strconv.Quote(e.Observed))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return [16]byte(sum[:16])
}

// zonal reports whether a verdict may depend on which zones a run covered.
func zonal(evidence []posture.Evidence) bool {
	return len(evidence) == 0 || slices.ContainsFunc(evidence, func(e posture.Evidence) bool {
		return e.Source == snapshot.ZoneList.Source() || snapshot.LevelOf(e.Source) == snapshot.LevelZone || snapshot.InZone(e.Source)
	})
}

// pool interns equal texts.
type pool map[string]string

func (p pool) of(s string) string {
	if known, ok := p[s]; ok {
		return known
	}
	s = strings.Clone(s)
	p[s] = s
	return s
}
