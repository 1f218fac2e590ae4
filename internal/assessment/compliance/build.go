package compliance

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// CheckControls maps one check of the current catalogue to controls.
type CheckControls struct {
	CheckID  string
	Controls []posture.Mapping
}

// Input is one assessment. Findings must yield at least all its FAIL, WARNING and UNKNOWN findings,
// in any order, with their ID, CheckID, Severity, Result and Controls; the others show which controls
// their checks named when they ran. Catalogue supplies strengths and reasons, and the controls of checks
// without a finding.
type Input struct {
	AssessmentID string
	Catalogue    []CheckControls
	Tallies      []posture.CheckTally
	Findings     iter.Seq2[posture.Finding, error]
}

// Build reports on one framework.
func Build(f Framework, in Input) (Report, error) {
	checks, err := gather(in)
	if err != nil {
		return Report{}, err
	}
	for _, o := range outlines() {
		if o.ID == f.ID {
			return o.report(in.AssessmentID, checks), nil
		}
	}
	return Report{}, fmt.Errorf("build a compliance report: there is no framework %q", f.ID)
}

// BuildAll reports on every framework, reading the findings once.
func BuildAll(in Input) ([]Report, error) {
	checks, err := gather(in)
	if err != nil {
		return nil, err
	}
	var out []Report
	for _, o := range outlines() {
		out = append(out, o.report(in.AssessmentID, checks))
	}
	return out, nil
}

// facts is what is known about one check.
type facts struct {
	id       string
	tally    posture.CheckTally
	controls []posture.Controls // distinct; nearly always one
	today    []posture.Mapping
	open     []mark
}

// mark is the sort key of a finding in a list.
type mark struct {
	id     string
	result int // index in posture.Results, worst first
	rank   int // of the severity
}

func compareMarks(a, b mark) int {
	return cmp.Or(cmp.Compare(a.result, b.result), cmp.Compare(b.rank, a.rank), cmp.Compare(a.id, b.id))
}

// distinct sorts the marks and keeps each id once, at its worst: a check may give UNKNOWN for one
// resource for two reasons.
func distinct(open []mark) []mark {
	slices.SortFunc(open, compareMarks)
	seen := make(map[string]bool, len(open))
	return slices.DeleteFunc(open, func(m mark) bool {
		twice := seen[m.id]
		seen[m.id] = true
		return twice
	})
}

// gather reads the findings once. For each listed finding it keeps an id and two numbers.
func gather(in Input) ([]*facts, error) {
	byID := map[string]*facts{}
	for _, t := range in.Tallies {
		byID[t.CheckID] = &facts{id: t.CheckID, tally: t}
	}
	if in.Findings != nil {
		for f, err := range in.Findings {
			if err != nil {
				return nil, fmt.Errorf("read the findings of assessment %s: %w", in.AssessmentID, err)
			}
			c := byID[f.CheckID]
			if c == nil {
				return nil, fmt.Errorf("finding %s of assessment %s is of %s, which the assessment did not count", f.ID, in.AssessmentID, f.CheckID)
			}
			c.add(f)
		}
	}
	for _, e := range in.Catalogue {
		c := byID[e.CheckID]
		if c == nil {
			c = &facts{id: e.CheckID}
			byID[e.CheckID] = c
		}
		c.today = e.Controls
	}
	out := make([]*facts, 0, len(byID))
	for _, c := range byID {
		// An incomplete list would hide findings.
		if want := c.tally.Fail + c.tally.Warning + c.tally.Unknown; len(c.open) != want {
			return nil, fmt.Errorf("assessment %s has %d findings of %s to list, %d were given", in.AssessmentID, want, c.id, len(c.open))
		}
		c.open = distinct(c.open)
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *facts) int { return cmp.Compare(a.id, b.id) })
	return out, nil
}

func (c *facts) add(f posture.Finding) {
	if !slices.ContainsFunc(c.controls, func(k posture.Controls) bool { return same(k, f.Controls) }) {
		c.controls = append(c.controls, f.Controls)
	}
	switch f.Result {
	case posture.Fail, posture.Warning, posture.Unknown:
		c.open = append(c.open, mark{f.ID, slices.Index(posture.Results(), f.Result), f.Severity.Rank()})
	}
}

func same(a, b posture.Controls) bool {
	return slices.Equal(a.CIS, b.CIS) && slices.Equal(a.SOC2, b.SOC2) && slices.Equal(a.PCI, b.PCI) && slices.Equal(a.NIST, b.NIST)
}

// mapping returns how the check is evidence for a control, or nil. A control that the check named
// when it ran but no longer names cannot be shown by it.
func (c *facts) mapping(frameworkID, controlID string) *posture.Mapping {
	ran := slices.ContainsFunc(c.controls, func(k posture.Controls) bool { return slices.Contains(named(frameworkID, k), controlID) })
	if !ran && len(c.controls) > 0 {
		return nil
	}
	for i := range c.today {
		if m := &c.today[i]; m.Framework == frameworkID && m.Control == controlID {
			return m
		}
	}
	if !ran {
		return nil
	}
	return &posture.Mapping{Strength: posture.Supports, Reason: "The check was mapped to this control when it ran and no longer is."}
}

func (o outline) report(assessmentID string, checks []*facts) Report {
	r := Report{Framework: o.Framework, AssessmentID: assessmentID, Controls: make([]Control, 0, len(o.Controls))}
	var rates []float64
	for _, k := range o.Controls {
		c, weight := judge(checks, func(f *facts) *posture.Mapping { return f.mapping(o.ID, k.ID) })
		c.ID, c.Title, c.Group = k.ID, k.Title, k.Group
		r.Totals.count(c.Status)
		r.Controls = append(r.Controls, c)
		if c.PassRate != nil {
			rates = append(rates, *c.PassRate*weight)
		}
	}
	r.Score = score(rates)
	return r
}

// judge returns the status of a control from its mapped checks, and the factor for its pass rate in
// the score: 1 when a check that shows it was judged, otherwise one half.
func judge(checks []*facts, mapped func(*facts) *posture.Mapping) (out Control, weight float64) {
	out, weight = Control{CheckIDs: []string{}, FindingIDs: []string{}, Checks: []Reason{}}, 0.5
	shown := false
	var counts [standingCount]int
	var sum posture.CheckTally
	var open []mark
	for _, c := range checks {
		m := mapped(c)
		if m == nil {
			continue
		}
		out.CheckIDs = append(out.CheckIDs, c.id)
		out.Checks = append(out.Checks, Reason{CheckID: c.id, Strength: m.Strength, Reason: m.Reason})
		if m.Strength == posture.Touches {
			continue
		}
		counts[standingOf(c.tally)]++
		if m.Strength == posture.Shows {
			shown = shown || standingOf(c.tally) == passed
			if c.tally.Pass+c.tally.Fail+c.tally.Warning > 0 {
				weight = 1
			}
		}
		sum.Pass, sum.Warning, sum.Fail = sum.Pass+c.tally.Pass, sum.Warning+c.tally.Warning, sum.Fail+c.tally.Fail
		open = append(open, c.open...)
	}
	out.Status = statusOf(counts, shown)
	if judged := sum.Pass + sum.Warning + sum.Fail; judged > 0 {
		rate := (float64(sum.Pass) + float64(sum.Warning)/2) / float64(judged)
		out.PassRate = &rate
	}
	slices.SortFunc(open, compareMarks)
	out.FindingIDs = slices.Grow(out.FindingIDs, len(open))
	for _, m := range open {
		out.FindingIDs = append(out.FindingIDs, m.id)
	}
	return out, weight
}

func (t *Totals) count(s Status) {
	t.Controls++
	switch s {
	case Pass:
		t.Pass++
	case Fail:
		t.Fail++
	case Partial:
		t.Partial++
	case NotApplicable:
		t.NotApplicable++
	default:
		t.NotAssessed++
	}
}

// score is the mean rate in percent. Rounding never makes it 100 while some resource did not pass.
func score(rates []float64) *int {
	if len(rates) == 0 {
		return nil
	}
	sum, whole := 0.0, true
	for _, r := range rates {
		sum, whole = sum+r, whole && r == 1
	}
	value := int(math.Round(100 * sum / float64(len(rates))))
	if !whole {
		value = min(value, 99)
	}
	return &value
}
