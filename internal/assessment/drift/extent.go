package drift

import (
	"fmt"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// extent is how much one assessment covered: which zones, which checks, and where a check could not
// judge. It distinguishes findings that are gone from findings that were not looked for.
type extent struct {
	name      string // baseline or current
	id        string
	catalogue string
	zones     map[string]bool
	narrowed  bool // this side was not asked to look at all that the other was
	listed    bool // it was, and read the list of zones: one that only the other has was not in the account
	narrower  bool // the other side covered zones that this one cannot tell of
	mapped    bool // the run looked for attack paths
	checks    map[string]*reach
}

// reach is how much one check covered. The texts are reasons.
type reach struct {
	tally         posture.CheckTally
	fail          int
	warning       int
	unknown       int
	account       string            // why the account as a whole could not be judged
	zones         map[string]string // zones that could not be judged
	items         map[item]string   // single things of these kinds that could not be judged
	passedAccount bool
	passedZones   map[string]bool
}

type item struct {
	kind posture.ResourceType
	zone string
}

func newExtent(name string, s Side) *extent {
	e := &extent{name: name, id: s.Assessment.ID, catalogue: s.Assessment.CatalogueVersion, zones: map[string]bool{},
		mapped: true, checks: map[string]*reach{}}
	if scope := s.Assessment.Scope; scope != nil {
		e.mapped = len(scope.Categories)+len(scope.Checks) == 0
	}
	for _, z := range s.Assessment.Zones {
		e.zones[z.ID] = true
	}
	for _, t := range s.Checks {
		e.checks[t.CheckID] = &reach{tally: t, zones: map[string]string{}, items: map[item]string{}, passedZones: map[string]bool{}}
	}
	return e
}

// against compares how much two sides were asked to look at.
func (e *extent) against(other *extent, asked, askedOther *posture.Scope) {
	e.narrowed = !asked.Covers(askedOther)
	e.listed = !e.narrowed && len(e.zones) > 0
	e.narrower = !e.listed && e.lacks(other)
}

// lost reports whether a zone was not in the account.
func (e *extent) lost(zone string) bool { return e.listed && zone != "" && !e.zones[zone] }

// lacks reports whether other covered a zone that e did not.
func (e *extent) lacks(other *extent) bool {
	for z := range other.zones {
		if !e.zones[z] {
			return true
		}
	}
	return false
}

// add records what a finding says about its unit.
func (e *extent) add(f *posture.Finding, words pool) error {
	r := e.checks[f.CheckID]
	if r == nil {
		return fmt.Errorf("finding %s of assessment %s is of %s, which the assessment did not count", f.ID, e.id, f.CheckID)
	}
	if posture.Hides(f.Result, f.Reason, f.Resource) {
		r.blind(f, words)
	}
	switch f.Result {
	case posture.Fail:
		r.fail++
	case posture.Warning:
		r.warning++
	case posture.Pass:
		switch f.Resource.Type {
		case posture.ResourceAccount:
			r.passedAccount = true
		case posture.ResourceZone:
			r.passedZones[words.of(f.Resource.OwnZone())] = true
		}
	case posture.Unknown:
		r.unknown++
		r.blind(f, words)
	}
	return nil
}

// blind keeps the reason of an UNKNOWN for its unit. Of several reasons the first in alphabetical
// order is kept, so that their order does not matter.
func (r *reach) blind(f *posture.Finding, words pool) {
	reason := words.of(f.Reason)
	if reason == "" {
		reason = "no reason was given"
	}
	first := func(old string) string {
		if old == "" || reason < old {
			return reason
		}
		return old
	}
	zone := words.of(f.Resource.OwnZone())
	switch f.Resource.Type {
	case posture.ResourceAccount:
		r.account = first(r.account)
	case posture.ResourceZone:
		r.zones[zone] = first(r.zones[zone])
	default:
		at := item{posture.ResourceType(words.of(string(f.Resource.Type))), zone}
		r.items[at] = first(r.items[at])
	}
}

// whole rejects an incomplete side: a missing finding would look resolved.
func (e *extent) whole() error {
	for id, r := range e.checks {
		if r.fail != r.tally.Fail || r.warning != r.tally.Warning || r.unknown != r.tally.Unknown {
			return fmt.Errorf("assessment %s counts %d FAIL, %d WARNING and %d UNKNOWN of %s; %d, %d and %d were given",
				e.id, r.tally.Fail, r.tally.Warning, r.tally.Unknown, id, r.fail, r.warning, r.unknown)
		}
	}
	return nil
}

// unseen returns why this side cannot tell that a resource is free of what the other side found on
// it, or "" when it judged the resource's unit and did not report it. It returns a reason when:
//
//   - the check did not run, or ran and could judge nothing;
//   - the zone of the resource is not among the zones of the run, and may be in the account;
//   - the finding depends on zones and the run covered fewer of them;
//   - an UNKNOWN of the check covers the account, the zone, or (for a resource
//     of the account) any zone;
//   - an UNKNOWN of the check is about another kind of thing in the same place,
//     which may be the resource's unit. One about another resource of the same
//     kind covers only that resource.
//
// A check that runs per zone gives every zone of the run a finding, so a zone of the run without an
// UNKNOWN was judged.
func (e *extent) unseen(checkID string, resource posture.Resource, zonal bool, other *extent) string {
	r := e.checks[checkID]
	if r.idle() {
		if e.catalogue != other.catalogue {
			return fmt.Sprintf("the check did not run in the %s run, whose catalogue is %s and not %s", e.name, e.catalogue, other.catalogue)
		}
		return fmt.Sprintf("the check did not run in the %s run", e.name)
	}
	if e.lost(resource.OwnZone()) {
		return ""
	}
	if reason := e.outside(resource, zonal); reason != "" {
		return reason
	}
	if reason := r.covered(resource); reason != "" {
		return e.unreadable(reason)
	}
	if r.ran() == 0 {
		return e.unreadable("the check could judge nothing")
	}
	return ""
}

// idle reports whether the check did not run at all.
func (r *reach) idle() bool { return r == nil || r.ran() == 0 && r.unknown == 0 }

// apart reports whether this side, which has result of a finding, was narrowed so that the finding is no
// matter of it. Of fewer zones, an UNKNOWN of the account often hangs on those that are missing.
func (e *extent) apart(checkID string, resource posture.Resource, result posture.Result, zonal bool) bool {
	r := e.checks[checkID]
	if !e.narrowed {
		return false
	}
	if e.narrower && resource.OwnZone() == "" && (result == posture.Unknown || result == "" && r != nil && r.covered(resource) != "") {
		return true
	}
	return result == "" && r.idle() || e.outside(resource, zonal) != ""
}

func (r *reach) ran() int {
	return r.tally.Pass + r.tally.Fail + r.tally.Warning + r.tally.NotApplicable
}

func (e *extent) unreadable(reason string) string {
	const unread = "could not be read"
	said := strings.Contains(reason, unread)
	switch {
	case e.name == "baseline" && said:
		return strings.Replace(reason, unread, unreadBefore, 1)
	case e.name == "baseline":
		return unreadBefore + ": " + reason
	case said:
		return reason
	}
	return unread + ": " + reason
}

// outside returns why a verdict of this side does not reach as far as the other's.
func (e *extent) outside(resource posture.Resource, zonal bool) string {
	zone := resource.OwnZone()
	if zone != "" && !e.zones[zone] && !e.listed {
		return fmt.Sprintf("not in scope of the %s run", e.name)
	}
	if zone == "" && zonal && e.narrower {
		return fmt.Sprintf("the %s run looked at fewer zones", e.name)
	}
	return ""
}

// covered returns the reason of an UNKNOWN that may hide the resource.
func (r *reach) covered(resource posture.Resource) string {
	if r.account != "" {
		return r.account
	}
	zone := resource.OwnZone()
	if zone != "" && r.zones[zone] != "" {
		return r.zones[zone]
	}
	reason := ""
	note := func(s string) {
		if reason == "" || s < reason {
			reason = s
		}
	}
	if zone == "" {
		for _, s := range r.zones {
			note(s)
		}
	}
	for at, s := range r.items {
		if at.kind != resource.Type && (at.zone == zone || at.zone == "" || zone == "") {
			note(s)
		}
	}
	return reason
}

// unitPassed reports whether the zone or the account of a resource passed as a whole.
func (e *extent) unitPassed(checkID string, resource posture.Resource) bool {
	r := e.checks[checkID]
	return r != nil && (r.passedAccount || r.passedZones[resource.OwnZone()])
}
