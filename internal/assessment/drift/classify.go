package drift

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// list is where a finding goes. The first six are the lists of Drift, in the order of Drift.lists.
type list int

const (
	isNew list = iota
	resolved
	regressed
	improved
	changed
	isUnknown
	unchanged
	regained
	quiet // PASS or NOT_APPLICABLE that appeared, disappeared or replaced the other
	apart // one of the runs was narrowed to something else
)

type listed struct {
	list   list
	entry  Difference
	unsure bool // the runs did not read the same, so nobody need have changed anything
}

// classify files one finding:
//
//	before, now  | FAIL      | WARNING   | UNKNOWN   | PASS, N/A | absent
//	FAIL         | same      | improved  | unknown   | resolved  | gone
//	WARNING      | regressed | same      | unknown   | resolved  | gone
//	UNKNOWN      | new       | new       | unchanged | regained  | quiet
//	PASS, N/A    | regressed | regressed | unknown   | quiet     | quiet
//	absent       | came      | came      | unknown   | quiet     |
//
// same is changed or unchanged; gone is resolved when the current run judged the
// unit, else unknown; came is new, or regressed when the zone or account passed
// as a whole. A verdict that does not reach as far as the other side's resolves
// nothing and regresses from nothing. A WARNING that something unread may make
// worse is like UNKNOWN beside another result of the finding. What differs because
// one of the runs was narrowed is apart, whatever the results.
func (j *join) classify(id string, p *pair) listed {
	b, a := p.before, p.after
	switch {
	case j.apart(p):
		return listed{list: apart, entry: Difference{ID: id}}
	case b.result == a.result && isOpen(a.result):
		if alike(b, a) {
			return listed{list: unchanged}
		}
		out := j.file(changed, id, p, j.difference(p))
		out.unsure = b.partial != a.partial
		return out
	case b.result == a.result:
		return listed{list: unchanged}
	case a.atLeast() && (b.result == posture.Fail || b.result.Passes()):
		return j.file(isUnknown, id, p, j.current.unreadable(p.is.reason))
	case b.atLeast() && a.result.Passes():
		return listed{list: regained, entry: Difference{ID: id}}
	case isOpen(a.result):
		return j.opened(id, p)
	case a.result == posture.Unknown:
		return j.file(isUnknown, id, p, j.current.unreadable(p.is.reason))
	case isOpen(b.result) && a.result == "":
		if reason := j.current.unseen(p.checkID, p.was.resource, b.zonal, j.baseline); reason != "" {
			return j.file(isUnknown, id, p, reason)
		}
		return j.file(resolved, id, p, "")
	case isOpen(b.result):
		if reason := j.current.outside(p.was.resource, b.zonal); reason != "" {
			return j.file(isUnknown, id, p, reason)
		}
		return j.file(resolved, id, p, "")
	case b.result == posture.Unknown && a.result.Passes():
		return listed{list: regained, entry: Difference{ID: id}}
	default:
		return listed{list: quiet}
	}
}

// apart reports whether a finding that a list would show is no matter of one of the two runs.
func (j *join) apart(p *pair) bool {
	t := cmp.Or(p.is, p.was)
	if t == nil {
		return false
	}
	zonal := p.before.zonal || p.after.zonal
	return j.baseline.apart(p.checkID, t.resource, p.before.result, zonal) || j.current.apart(p.checkID, t.resource, p.after.result, zonal)
}

// opened files a finding that is open now and had another result before, or did not exist.
func (j *join) opened(id string, p *pair) listed {
	b, a := p.before, p.after
	switch {
	case b.result == posture.Unknown || b.atLeast():
		return j.file(isNew, id, p, unreadBefore)
	case b.result == posture.Fail:
		return j.file(improved, id, p, "")
	case b.result == posture.Warning:
		return j.file(regressed, id, p, "")
	case b.result != "":
		if reason := j.baseline.outside(p.is.resource, a.zonal); reason != "" {
			return j.file(isNew, id, p, reason)
		}
		return j.file(regressed, id, p, "")
	}
	if reason := j.baseline.unseen(p.checkID, p.is.resource, a.zonal, j.current); reason != "" {
		return j.file(isNew, id, p, reason)
	}
	if j.baseline.unitPassed(p.checkID, p.is.resource) {
		o := j.file(regressed, id, p, "")
		o.entry.Before = posture.Pass
		return o
	}
	return j.file(isNew, id, p, "")
}

// file makes the entry. It shows the finding as it is now, or as it was if it was open and is now
// gone or unreadable.
func (j *join) file(l list, id string, p *pair, reason string) listed {
	shown, t := p.after, p.is
	if p.gone() && !p.after.result.Passes() {
		shown, t = p.before, p.was
	}
	return listed{list: l, unsure: reason != "", entry: Difference{ID: id, CheckID: p.checkID, Title: t.title, Category: t.category,
		Severity: shown.severity, Resource: t.resource, Before: p.before.result, After: p.after.result, Message: t.message, Reason: reason,
		Exception: t.exception}}
}

const unreadBefore = "could not be read before"

// atLeast reports whether something unread may make a WARNING worse.
func (f face) atLeast() bool { return f.partial && f.result == posture.Warning }

// difference describes what differs between two findings with the same result.
func (j *join) difference(p *pair) string {
	b, a := p.before, p.after
	var parts []string
	if b.severity != a.severity {
		parts = append(parts, fmt.Sprintf("the severity was %s", b.severity))
	}
	if b.risk != a.risk {
		parts = append(parts, fmt.Sprintf("the risk was %.1f and is %.1f", b.risk, a.risk))
	}
	if b.observed != a.observed {
		parts = append(parts, "other evidence was seen")
	}
	if a.partial && !b.partial {
		parts = append(parts, j.current.unreadable(p.is.reason))
	} else if b.partial && !a.partial {
		parts = append(parts, unreadBefore)
	}
	return strings.Join(parts, "; ")
}
