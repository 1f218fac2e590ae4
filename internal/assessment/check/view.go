package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// View is a snapshot narrowed to the sources one check declared, at one unit.
type View struct {
	Policy policy.Policy
	snap   *snapshot.Snapshot
	check  *Check
	unit   unit
	lanes  traffic.Kept // of the unit, shared by all of its checks
	// undecided is the first optional section that was read and is not known.
	undecided *snapshot.Section
	looked    looked
	// partial is set when EveryZone was asked for and zones are not part of the run.
	partial bool
}

type unit struct {
	resource posture.Resource
	zone     *snapshot.Zone
	item     string
}

// Now is the time the snapshot was taken; checks have no other clock.
func (v *View) Now() time.Time { return v.snap.TakenAt }

// Account names the assessed account.
func (v *View) Account() snapshot.AccountRef { return v.snap.Account }

// Zone is the zone of the unit. It is the zero zone in account checks.
func (v *View) Zone() snapshot.Zone {
	if v.unit.zone == nil {
		return snapshot.Zone{}
	}
	return *v.unit.zone
}

// Zones lists the zones of the run; the check must declare snapshot.ZoneList.
func (v *View) Zones() []snapshot.Zone {
	v.declared(snapshot.ZoneList.Source())
	v.looked.list = true
	return v.snap.Zones
}

// EveryZone lists the zones of the run for a verdict that depends on all zones of the account. When
// some are not part of the run, a check that finds nothing wrong is UNKNOWN.
func (v *View) EveryZone() []snapshot.Zone {
	v.partial = v.Narrowed()
	return v.Zones()
}

// Narrowed reports whether the account may have zones that are not part of the run.
func (v *View) Narrowed() bool {
	list, sec := snapshot.Read(v.snap, snapshot.ZoneList, v.snap.Account.ID)
	return !sec.Status.Known() || len(list) > len(v.snap.Zones)
}

// Enterprise reports whether a zone of the account, part of the run or not, is on the Enterprise plan.
func (v *View) Enterprise() bool {
	return slices.ContainsFunc(Read(v, snapshot.ZoneList), func(z snapshot.Zone) bool { return z.Plan == "enterprise" })
}

// MayBeEnterprise reports whether a zone of the account is on the Enterprise plan, or on one that is
// none of the four.
func (v *View) MayBeEnterprise() bool {
	return slices.ContainsFunc(Read(v, snapshot.ZoneList), func(z snapshot.Zone) bool { return z.MayHave("enterprise") })
}

// looked records how far a zone check read beyond its zone.
type looked struct {
	list  bool // the list of zones
	zones bool // other zones
}

// looks records whether a read goes beyond the zone of the unit.
func (v *View) looks(source, scope string) {
	if source == snapshot.ZoneList.Source() {
		v.looked.list = true
	} else if v.unit.zone != nil && snapshot.LevelOf(source) == snapshot.LevelZone && scope != v.unit.zone.ID {
		v.looked.zones = true
	}
}

// Item is the id of the unit in an item scope: tunnel id, script name or bucket name.
func (v *View) Item() string { return v.unit.item }

// Resource returns the unit as a resource.
func (v *View) Resource() posture.Resource { return v.unit.resource }

// InZone returns a resource in the zone of the unit.
func (v *View) InZone(t posture.ResourceType, id, name string) posture.Resource {
	z := v.Zone()
	return posture.Resource{Type: t, ID: id, Name: name, ZoneID: z.ID, Zone: z.Name}
}

// Read returns a needed section at the unit. The runner has verified that it is known; a skipped or
// absent section reads as the zero value. The value is shared and must not be changed.
func Read[T any](v *View, k snapshot.Key[T]) T {
	return ReadAt(v, k, v.scopeOf(k.Source()))
}

// ReadAt returns a needed section at another scope: a zone in an account check, or an item.
func ReadAt[T any](v *View, k snapshot.Key[T], scope string) T {
	v.declared(k.Source())
	v.looks(k.Source(), scope)
	value, _ := snapshot.Read(v.snap, k, scope)
	return value
}

// StatusOf returns the status of a declared section at the unit.
func (v *View) StatusOf(k snapshot.Named) snapshot.Status {
	v.declared(k.Source())
	return v.snap.Section(k.Source(), v.scopeOf(k.Source())).Status
}

// ReadOptional reads an optional section; ok is false when its content is unknown. A verdict that
// depends on it must then be Unknown.
func ReadOptional[T any](v *View, k snapshot.Key[T]) (value T, ok bool) {
	return ReadOptionalAt(v, k, v.scopeOf(k.Source()))
}

// ReadOptionalAt is ReadOptional at another scope.
func ReadOptionalAt[T any](v *View, k snapshot.Key[T], scope string) (value T, ok bool) {
	v.declared(k.Source())
	v.looks(k.Source(), scope)
	value, sec := snapshot.Read(v.snap, k, scope)
	for _, n := range v.check.Optional {
		if n.Source() == k.Source() && sec.Status == snapshot.OK {
			sec = v.snap.SectionOf(n, scope)
		}
	}
	if sec.Status.Known() || sec.Status == snapshot.NotEntitled {
		return value, true
	}
	if v.undecided == nil {
		v.undecided = &sec
	}
	return value, false
}

// ItemsOf lists the scopes planned for an item source: script names, list ids, or "<zone
// id>/<snippet>" for the zone of the unit.
func (v *View) ItemsOf(k snapshot.Named) []string {
	v.declared(k.Source())
	return v.itemScopes(k.Source())
}

// declared panics on a read of an undeclared source, because the runner did not verify that it is
// known. The runner turns the panic into UNKNOWN, and the conformance test fails.
func (v *View) declared(source string) {
	is := func(n snapshot.Named) bool { return n.Source() == source }
	if !slices.ContainsFunc(v.check.Needs, is) && !slices.ContainsFunc(v.check.Optional, is) {
		panic(fmt.Sprintf("check %s reads %s without declaring it", v.check.ID, source))
	}
}

func (v *View) scopeOf(source string) string {
	switch snapshot.LevelOf(source) {
	case snapshot.LevelUser:
		return snapshot.UserScope
	case snapshot.LevelZone:
		return v.Zone().ID
	case snapshot.LevelItem:
		return v.unit.item
	default:
		return v.snap.Account.ID
	}
}

// Pass returns PASS for the unit.
func (v *View) Pass(format string, args ...any) Outcome {
	return Outcome{passed: 1, passMessage: fmt.Sprintf(format, args...)}
}

// Fail returns FAIL for the unit.
func (v *View) Fail(message string, evidence ...posture.Evidence) Outcome {
	return Outcome{verdicts: []verdict{{result: posture.Fail, resource: v.unit.resource, message: message, evidence: evidence}}}
}

// Warn returns WARNING for the unit.
func (v *View) Warn(message string, evidence ...posture.Evidence) Outcome {
	return Outcome{verdicts: []verdict{{result: posture.Warning, resource: v.unit.resource, message: message, evidence: evidence}}}
}

// NotApplicable returns NOT_APPLICABLE with the reason why there is nothing to judge.
func (v *View) NotApplicable(reason string) Outcome { return Outcome{notApplicable: reason} }

// Unknown returns UNKNOWN: the verdict depends on something that was not read. The first unknown
// optional section is reported with its permission.
func (v *View) Unknown(reason string) Outcome {
	o := Outcome{unknown: whole(reason)}
	if v.undecided != nil {
		o.permission = v.undecided.Permission
		o.unknown += " (" + sectionReason(*v.undecided) + ")"
	}
	return o
}

// whole completes a reason that ends with the value of a member that Cloudflare did not return.
func whole(reason string) string {
	if strings.HasSuffix(reason, ": ") {
		return reason + "not told"
	}
	return reason
}

// Judge collects verdicts on several resources of the unit.
func (v *View) Judge() *Judgement { return &Judgement{view: v} }

// Judgement counts the resources that passed and keeps the verdicts on the others.
type Judgement struct {
	view *View
	out  Outcome
}

// Pass counts one resource that passes.
func (j *Judgement) Pass() { j.out.passed++ }

// Fail records one resource that fails.
func (j *Judgement) Fail(r posture.Resource, message string, evidence ...posture.Evidence) {
	j.out.verdicts = append(j.out.verdicts, verdict{result: posture.Fail, resource: r, message: message, evidence: evidence})
}

// Warn records one resource with a warning.
func (j *Judgement) Warn(r posture.Resource, message string, evidence ...posture.Evidence) {
	j.out.verdicts = append(j.out.verdicts, verdict{result: posture.Warning, resource: r, message: message, evidence: evidence})
}

// Unknown records one resource that cannot be judged.
func (j *Judgement) Unknown(r posture.Resource, reason string) {
	permission := ""
	if u := j.view.undecided; u != nil {
		reason += " (" + sectionReason(*u) + ")"
		permission = u.Permission
	}
	j.out.verdicts = append(j.out.verdicts, verdict{result: posture.Unknown, resource: r, reason: reason, permission: permission})
}

// Judged returns the number of resources judged so far.
func (j *Judgement) Judged() int { return j.out.passed + len(j.out.verdicts) }

// Found returns the number of resources so far that did not pass.
func (j *Judgement) Found() int { return len(j.out.verdicts) }

// Done returns the outcome. pass is the message when every resource passed; empty is the reason for
// NOT_APPLICABLE when nothing was judged.
func (j *Judgement) Done(pass, empty string) Outcome {
	if j.Judged() == 0 {
		return Outcome{notApplicable: empty}
	}
	j.out.passMessage = pass
	return j.out
}

func sectionReason(s snapshot.Section) string {
	switch s.Status {
	case snapshot.Denied:
		switch {
		case s.Permission != "" && s.Unexplained():
			return fmt.Sprintf("%s could not be read: Cloudflare refused it with code %d; the token may lack %q, or the plan does not include it",
				s.Source, s.Code, s.Permission)
		case s.Permission != "":
			return fmt.Sprintf("%s could not be read: the token lacks %q", s.Source, s.Permission)
		case s.Reason != "":
			return fmt.Sprintf("%s could not be read: %s", s.Source, s.Reason)
		}
		return s.Source + " could not be read: the token may not read it"
	case snapshot.Failed, snapshot.NeedsUserToken:
		if s.Reason != "" {
			return fmt.Sprintf("%s could not be read: %s", s.Source, s.Reason)
		}
		return s.Source + " could not be read"
	case snapshot.NotEntitled:
		return s.Source + " is not part of the plan"
	case snapshot.LeftOut:
		return s.Source + " was not read: " + s.Reason
	default:
		return s.Source + " is " + string(s.Status)
	}
}
