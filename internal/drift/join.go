package drift

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// face is what is kept of one finding of one side.
type face struct {
	result   posture.Result // "" when the side has no such finding
	severity posture.Severity
	risk     float64
	observed [16]byte // digest of what was seen
	zonal    bool     // what was seen stands in zones, or nobody knows where
	text     *text    // nil when no list can need it
}

// text is what a list shows of a finding.
type text struct {
	title, message, reason string
	exception              string
	category               posture.Category
	resource               posture.Resource
}

// pair is one finding on both sides.
type pair struct {
	checkID       string
	before, after face
}

type join struct {
	baseline, current *extent
	pairs             map[string]*pair
	words             pool
}

// joinSides reads the baseline, then the current side.
func joinSides(baseline, current Side) (*join, error) {
	j := &join{baseline: newExtent("baseline", baseline), current: newExtent("current", current), pairs: map[string]*pair{}, words: pool{}}
	j.baseline.narrower, j.current.narrower = j.baseline.lacks(j.current), j.current.lacks(j.baseline)
	err := j.read(j.baseline, baseline.Findings, func(p *pair, f *posture.Finding) {
		n := j.faceOf(f)
		if isOpen(f.Result) {
			n.text = j.textOf(f)
		}
		p.before = worse(p.before, n)
	})
	if err != nil {
		return nil, err
	}
	err = j.read(j.current, current.Findings, func(p *pair, f *posture.Finding) {
		n := j.faceOf(f)
		if isOpen(p.before.result) && !alike(p.before, n) || f.Result == posture.Unknown && p.before.result != posture.Unknown || isOpen(f.Result) && !alike(p.before, n) {
			n.text = j.textOf(f)
		}
		p.after = worse(p.after, n)
	})
	return j, err
}

func (j *join) read(e *extent, findings func(func(posture.Finding, error) bool), keep func(*pair, *posture.Finding)) error {
	if findings == nil {
		findings = func(func(posture.Finding, error) bool) {}
	}
	for f, err := range findings {
		if err != nil {
			return fmt.Errorf("read the findings of assessment %s: %w", e.id, err)
		}
		if err := e.add(&f, j.words); err != nil {
			return err
		}
		p := j.pairs[f.ID]
		if p == nil {
			p = &pair{checkID: j.words.of(f.CheckID)}
			j.pairs[f.ID] = p
		}
		keep(p, &f)
	}
	return e.whole()
}

func isOpen(r posture.Result) bool { return r == posture.Fail || r == posture.Warning }

// isQuiet is a result that asks for nothing.
func isQuiet(r posture.Result) bool { return r == posture.Pass || r == posture.NotApplicable }

// alike reports whether nothing a reader would notice differs.
func alike(a, b face) bool {
	return a.result == b.result && a.severity == b.severity && a.risk == b.risk && a.observed == b.observed
}

// worse keeps one of two findings with the same id, which a check that judges
// one resource for two reasons may give. The choice hangs on what they say
// alone, never on their order.
func worse(a, b face) face {
	if a.result == "" || key(b) < key(a) {
		return b
	}
	return a
}

func key(f face) string {
	k := fmt.Sprintf("%d %d %08.3f %x ", place(f.result, ""), 9-f.severity.Rank(), 100-f.risk, f.observed)
	if f.text != nil {
		k += f.text.message + "\x00" + f.text.reason
	}
	return k
}

func (j *join) faceOf(f *posture.Finding) face {
	return face{result: posture.Result(j.words.of(string(f.Result))), severity: posture.Severity(j.words.of(string(f.Severity))), risk: f.Risk,
		observed: digest(f.Evidence), zonal: zonal(f.Evidence)}
}

func (j *join) textOf(f *posture.Finding) *text {
	w, r := j.words, f.Resource
	accepted := ""
	if f.Exception != nil {
		accepted = w.of(*f.Exception)
	}
	return &text{exception: accepted, title: w.of(f.Title), message: f.Message, reason: w.of(f.Reason), category: posture.Category(w.of(string(f.Category))),
		resource: posture.Resource{Type: posture.ResourceType(w.of(string(r.Type))), ID: r.ID, Name: r.Name, ZoneID: w.of(r.ZoneID), Zone: w.of(r.Zone)}}
}

// digest covers what was observed and where it was read, in no order. Pointers
// are left out: they move when something else in the same list comes or goes.
func digest(evidence []posture.Evidence) [16]byte {
	if len(evidence) == 0 {
		return [16]byte{}
	}
	lines := make([]string, 0, len(evidence))
	for _, e := range evidence {
		lines = append(lines, strconv.Quote(e.Source)+strconv.Quote(e.Observed))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return [16]byte(sum[:16])
}

// zonal reports whether a verdict may hang on which zones a run looked at.
func zonal(evidence []posture.Evidence) bool {
	return len(evidence) == 0 || slices.ContainsFunc(evidence, func(e posture.Evidence) bool {
		return e.Source == snapshot.ZoneList.Source() || snapshot.LevelOf(e.Source) == snapshot.LevelZone || snapshot.InZone(e.Source)
	})
}

// pool gives equal texts one place in memory.
type pool map[string]string

func (p pool) of(s string) string {
	if known, ok := p[s]; ok {
		return known
	}
	s = strings.Clone(s)
	p[s] = s
	return s
}
