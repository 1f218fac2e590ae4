package check

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Evaluation is the result of all checks on one snapshot: findings sorted by check and resource,
// and for each check the number of resources judged.
type Evaluation struct {
	Findings []posture.Verdict
	Tallies  []posture.CheckTally
	Units    [][]Unit         // per tally; for a check that runs per zone, in the order of the zones
	Reach    map[string]Reach // by check id, for every check that ran
}

// Unit is what a check found in one unit. It is zero when there was nothing to judge.
type Unit struct {
	Pass, Open, Unknown int32   // numbers of resources; Open counts FAIL and WARNING
	Weight              float32 // of the worst open or unknown resource: its severity, halved for a WARNING
	Blind               bool    // an UNKNOWN covers the unit itself and may hide any number of resources
}

// Reach describes what a check reads and how severe its verdicts can be.
type Reach struct {
	Title      string
	Scope      Scope
	Resource   posture.ResourceType
	Reads      []string         // the declared sources
	Worst      posture.Severity // severity any verdict can have
	Remediable bool
}

// reachOf derives the reach from the declaration of a check.
func reachOf(c *Check) Reach {
	r := Reach{Title: c.Title, Scope: c.Scope, Resource: c.Resource, Worst: cmp.Or(c.Worst, c.Severity), Remediable: c.Remedy != nil}
	for _, n := range slices.Concat(c.Needs, c.Optional) {
		r.Reads = append(r.Reads, n.Source())
	}
	r.Reads = slices.Compact(r.Reads)
	return r
}

// Run evaluates the checks. The result depends only on the snapshot and the policy.
func Run(snap *snapshot.Snapshot, checks []Check, policy policy.Policy) Evaluation {
	return judge(snap, checks, policy, nil, nil).evaluation(true)
}

// Judged holds the outcomes of all checks on one snapshot, so that for a snapshot that differs in a
// few sections only the units that read those sections are judged again. It is immutable.
type Judged struct {
	snap    *snapshot.Snapshot
	checks  []Check
	policy  policy.Policy
	results []runResult // one per check
	again   int
	texts   *traffic.Texts
}

// Judge evaluates the checks as Run does and keeps the outcomes for Again.
func Judge(snap *snapshot.Snapshot, checks []Check, policy policy.Policy) *Judged {
	return judge(snap, checks, policy, nil, nil)
}

// Again judges another snapshot of the same account that differs from that of j only in the given
// sections and in the zone data in Zones. The result equals that of Judge.
func (j *Judged) Again(snap *snapshot.Snapshot, differs []snapshot.Section) *Judged {
	return judge(snap, j.checks, j.policy, j, differs)
}

// JudgedAgain returns how many evaluations of one check on one unit Again ran.
func (j *Judged) JudgedAgain() int { return j.again }

// Reads lists the sources that a check reads.
func (j *Judged) Reads(checkID string) []string {
	i := slices.IndexFunc(j.checks, func(c Check) bool { return c.ID == checkID })
	if i < 0 {
		return nil
	}
	return reachOf(&j.checks[i]).Reads
}

// judge evaluates units in parallel and joins the results in order. All checks of a unit run in
// sequence, so that the sections of a zone are decoded once and then released.
func judge(snap *snapshot.Snapshot, checks []Check, policy policy.Policy, before *Judged, differs []snapshot.Section) *Judged {
	out := &Judged{snap: snap, checks: checks, policy: policy, results: make([]runResult, len(checks)),
		texts: &traffic.Texts{}}
	if before != nil {
		out.texts = before.texts
	}
	results := out.results
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	run := func(at unit, place int, of []int) {
		if len(of) == 0 {
			return
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			lanes := traffic.NewKept(out.texts)
			for _, i := range of {
				v := &View{Policy: policy, snap: snap, check: &checks[i], unit: at, lanes: lanes}
				out := v.evaluate()
				out.looked = v.looked
				results[i].outcomes[place] = out
			}
		})
	}
	for scope, of := range byScope(checks, func(*Check) bool { return true }) {
		units, blocked := unitsOf(snap, scope)
		if blocked != nil {
			units = []unit{accountUnit(snap)}
		}
		for _, i := range of {
			results[i].units, results[i].outcomes = units, make([]Outcome, len(units))
		}
		kept := before.kept(scope, differs)
		for place, at := range units {
			if blocked != nil {
				for _, i := range of {
					results[i].outcomes[place] = *blocked
				}
				continue
			}
			todo := of
			if earlier, stays := kept.find(at); stays {
				todo = before.unlessSame(out, of, kept, at, earlier, place)
			}
			if out.again += len(todo); scope != PerAccount {
				run(at, place, todo)
				continue
			}
			for i := range todo { // one unit: run its checks in parallel
				run(at, place, todo[i:i+1])
			}
		}
	}
	wg.Wait()
	return out
}

// unlessSame copies the earlier outcomes of a unit where they still hold and returns the indexes of
// the checks that must judge it again.
func (j *Judged) unlessSame(to *Judged, of []int, kept kept, at unit, earlier, place int) (again []int) {
	for _, i := range of {
		if was := j.results[i].outcomes[earlier]; kept.reaches(&j.checks[i], at, was.looked) {
			again = append(again, i)
		} else {
			to.results[i].outcomes[place] = was
		}
	}
	return again
}

// Evaluation returns the findings.
func (j *Judged) Evaluation() Evaluation { return j.evaluation(false) }

// evaluation builds the findings. With release it drops each outcome once its findings exist,
// because a large account has many.
func (j *Judged) evaluation(release bool) Evaluation {
	order := make([]int, len(j.checks))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(j.checks[a].ID, j.checks[b].ID) })
	total := 0
	for i := range j.results {
		total += j.results[i].count()
	}
	out := Evaluation{Findings: make([]posture.Verdict, 0, total), Tallies: make([]posture.CheckTally, 0, len(j.checks)),
		Units: make([][]Unit, 0, len(j.checks)), Reach: make(map[string]Reach, len(j.checks))}
	for _, i := range order {
		r, c := j.results[i], &j.checks[i]
		r.tally = posture.CheckTally{CheckID: c.ID, Category: c.Category, Severity: c.Severity}
		out.Findings = r.write(out.Findings, j.snap.Account.ID, c, release)
		out.Tallies, out.Units = append(out.Tallies, r.tally), append(out.Units, r.found)
		out.Reach[c.ID] = reachOf(c)
		if release {
			j.results[i] = runResult{}
		}
	}
	return out
}

// runResult holds the outcomes of a check. Findings are larger, so they are made at the end,
// directly in the result.
type runResult struct {
	units    []unit
	outcomes []Outcome
	tally    posture.CheckTally
	found    []Unit
}

// evaluate judges one unit in the fixed order. If a check panics, its verdict is
// UNKNOWN and the run continues.
func (v *View) evaluate() (out Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = Outcome{unknown: "the check failed on this input; please report it with the snapshot digest"}
		}
	}()
	if o := v.planGate(); o != nil {
		return *o
	}
	if o := v.incomplete(); o != nil {
		return *o
	}
	if v.check.Unless != nil {
		if reason := v.check.Unless(v); reason != "" {
			return v.NotApplicable(reason)
		}
	}
	if v.check.Served {
		if o := NoTraffic(v); o != nil {
			return *o
		}
	}
	out = v.check.Evaluate(v)
	if v.partial && len(out.verdicts) == 0 && out.unknown == "" {
		return Outcome{unknown: "this depends on all zones of the account, and some are not part of this run"}
	}
	if out.passed == 0 && len(out.verdicts) == 0 && out.notApplicable == "" && out.unknown == "" {
		return Outcome{unknown: "no condition of the check covers this case; please report it"}
	}
	return out
}

// planGate returns the outcome for a unit that is not served, or whose plan lacks the product, or
// nil. An account has what the plan of any of its zones includes, in the run or not. What a plan
// includes that is none of the four is not known.
func (v *View) planGate() *Outcome {
	if z := v.unit.zone; z != nil && v.check.Edge {
		if reason := Idle(*z); reason != "" {
			return &Outcome{notApplicable: reason}
		}
	}
	includes := func(z snapshot.Zone) bool { return len(v.check.Plans) == 0 || slices.Contains(v.check.Plans, z.Plan) }
	odd := func(z snapshot.Zone) bool { return !z.PlanKnown() }
	unclear := func(z snapshot.Zone) *Outcome {
		return &Outcome{unknown: "the plan of the zone " + z.Name + " is one this check does not know: " + cmp.Or(z.Plan, "not told")}
	}
	if z := v.unit.zone; z != nil {
		switch {
		case includes(*z):
			return nil
		case odd(*z):
			return unclear(*z)
		}
		return &Outcome{notApplicable: "the plan of the zone is " + z.Plan + "; this needs " + strings.Join(v.check.Plans, ", ")}
	}
	if len(v.check.Plans) == 0 || slices.ContainsFunc(v.snap.Zones, includes) {
		return nil
	}
	list, sec := snapshot.Read(v.snap, snapshot.ZoneList, v.snap.Account.ID)
	switch {
	case !sec.Status.Known():
		return &Outcome{unknown: sectionReason(sec), permission: sec.Permission}
	case slices.ContainsFunc(list, includes):
		return nil
	}
	if i := slices.IndexFunc(list, odd); i >= 0 {
		return unclear(list[i])
	}
	return &Outcome{notApplicable: "no zone of the account has the plan " + strings.Join(v.check.Plans, " or ")}
}

// incomplete returns the outcome for the first need that is not known for the unit, or nil.
// Sections that need another kind of token (user or account) than the run has are skipped, and
// count as known.
func (v *View) incomplete() *Outcome {
	for _, need := range v.check.Needs {
		scopes, without := v.scopesFor(need.Source()), 0
		for _, scope := range scopes {
			sec := v.snap.SectionOf(need, scope)
			if sec.Status.Known() {
				continue
			}
			// One zone without the product must not hide the others.
			if sec.Status == snapshot.NotEntitled {
				if without++; without == len(scopes) {
					return &Outcome{notApplicable: sectionReason(sec)}
				}
				continue
			}
			reason := sectionReason(sec)
			if v.check.Unread != nil {
				out := v.check.Unread(v, reason).because(reason)
				return &out
			}
			return &Outcome{unknown: reason, permission: sec.Permission}
		}
	}
	return nil
}

// scopesFor lists the scopes at which a need must be known for the unit: all zones or items when
// the unit is wider than the source.
func (v *View) scopesFor(source string) []string {
	switch snapshot.LevelOf(source) {
	case snapshot.LevelZone:
		if v.unit.zone == nil {
			ids := make([]string, 0, len(v.snap.Zones))
			for _, z := range v.snap.Zones {
				ids = append(ids, z.ID)
			}
			return ids
		}
	case snapshot.LevelItem:
		if v.unit.item == "" || !itemSource(v.check.Scope, source) {
			return v.itemScopes(source)
		}
	}
	return []string{v.scopeOf(source)}
}

// itemScopes lists the scopes of a per-item source; those that belong to a zone are narrowed to the
// zone of the unit.
func (v *View) itemScopes(source string) []string {
	if v.unit.zone == nil || !snapshot.InZone(source) {
		return v.snap.Scopes(source)
	}
	return v.snap.ScopesIn(source, v.unit.zone.ID)
}
