package check

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Lanes returns the traffic lanes of a zone with the value of an aspect in each. The check must
// declare the aspect's needs; they may all be optional, because sections that could not be read
// leave values undecided.
func Lanes[T any](v *View, a traffic.Aspect[T], z snapshot.Zone) []traffic.Lane[T] {
	for _, n := range a.Needs {
		v.declared(n.Source())
	}
	v.looks(snapshot.ZoneDNSRecords.Source(), z.ID)
	return a.KeptLanes(v.lanes, v.snap, z)
}

// Hosts lists the names that the edge serves for a zone. The check must declare
// traffic.ServedNeeds.
func Hosts(v *View, z snapshot.Zone) ([]traffic.Host, *traffic.Doubt) {
	for _, n := range traffic.ServedNeeds() {
		v.declared(n.Source())
	}
	v.looks(snapshot.ZoneDNSRecords.Source(), z.ID)
	return v.lanes.Served(v.snap, z)
}

// Serves returns whether the edge serves a name for a zone, itself or through a wildcard. The check must declare
// traffic.ServedNeeds.
func Serves(v *View, z snapshot.Zone, name string) (truth.Value, *traffic.Doubt) {
	_, doubt := Hosts(v, z)
	if v.lanes.ServedAs(v.snap, z, exposure.Bare(name)) != nil {
		return truth.Yes, nil
	}
	return truth.If(doubt == nil, false), doubt
}

// ServedBy reports whether a host of a zone is the wildcard through which the edge serves a name. The check must declare
// traffic.ServedNeeds.
func ServedBy(v *View, z snapshot.Zone, name string, h traffic.Host) bool {
	found := v.lanes.ServedAs(v.snap, z, exposure.Bare(name))
	return found != nil && found.Name == h.Name && found.Wildcard
}

// Ending lists the conditions of the rules that end requests to a zone, or keep them from others, up to a phase of the firewall. The
// check must declare traffic.FirewallNeeds.
func Ending(v *View, z snapshot.Zone, phase string) []expression.Expr {
	for _, n := range traffic.FirewallNeeds() {
		v.declared(n.Source())
	}
	return v.lanes.Ending(v.snap, z, phase)
}

// Blocked lists the conditions of custom rules that certainly block what meets them. The check must declare traffic.BlockedNeeds.
func Blocked(v *View, z snapshot.Zone) (conditions []string, all bool) {
	for _, n := range traffic.BlockedNeeds() {
		v.declared(n.Source())
	}
	return v.lanes.Blocked(v.snap, z)
}

// LanesWith returns the lanes whose value certainly satisfies a condition.
func LanesWith[T comparable](lanes []traffic.Lane[traffic.Value[T]], is func(T) bool) []traffic.Lane[traffic.Value[T]] {
	return traffic.Without(lanes, func(v traffic.Value[T]) bool { return v.Holds(is) != truth.Yes })
}

// DoubtOf returns why it is undecided for some lane whether its value satisfies a condition, or nil
// when it is decided for all lanes.
func DoubtOf[T comparable](lanes []traffic.Lane[traffic.Value[T]], is func(T) bool) *traffic.Doubt {
	for _, l := range lanes {
		if l.Value.Holds(is) == truth.Undecided {
			return l.Value.Doubt
		}
	}
	return nil
}

// Reaches returns for how much of a zone's traffic a condition holds. The check must declare
// traffic.Reaches("").Needs.
func Reaches(v *View, z snapshot.Zone, condition string) traffic.Coverage {
	return traffic.Cover(Lanes(v, traffic.Reaches(condition), z), func(meets truth.Value) truth.Value { return meets })
}

// Together returns those of the conditions that a part of the requests to a zone meets each, if all requests meet one of
// them; nil when one condition is enough.
func Together(v *View, z snapshot.Zone, conditions []string) (parts []string) {
	for _, c := range conditions {
		switch reach := Reaches(v, z, c); {
		case reach.All == truth.Yes:
			return nil
		case reach.Some == truth.Yes:
			parts = append(parts, c)
		}
	}
	if len(parts) < 2 || Reaches(v, z, "("+strings.Join(parts, ") or (")+")").All != truth.Yes {
		return nil
	}
	return parts
}

// Remainder tells whether requests of a zone meet a condition and none of some others.
type Remainder func(condition string, others []string) truth.Value

// Left returns the remainder for conditions among some. An example of the requests that meet one is tried first; where it meets
// others, too, all conditions are followed together, once, which costs about as much as following one of them without the others
// (traffic.Except). The check must declare traffic.Reaches("").Needs.
func Left(v *View, z snapshot.Zone, conditions []string) Remainder {
	lanes := sync.OnceValue(func() []traffic.Lane[[]traffic.Hit] {
		return Lanes(v, traffic.Met(strings.Join(conditions, "\n"), conditions), z)
	})
	return func(condition string, others []string) (out truth.Value) {
		reach := Reaches(v, z, condition).Some
		if len(others) == 0 || reach == truth.No {
			return reach
		}
		for _, l := range Lanes(v, traffic.Reaches(condition), z) {
			if l.Value == truth.Yes && !slices.ContainsFunc(others, func(other string) bool {
				return v.lanes.Meets(v.snap, z, l.Example(), other) != truth.No
			}) {
				return truth.Yes
			}
		}
		taken := map[string]bool{}
		for _, o := range others {
			taken[o] = true
		}
		if taken[condition] {
			return truth.No
		}
		for _, l := range lanes() {
			meets, free := truth.No, truth.Yes
			for _, hit := range l.Value {
				switch text, met := conditions[hit.At], truth.If(hit.Sure, true); {
				case text == condition:
					meets = met
				case taken[text]:
					free = truth.And(free, truth.Not(met))
				}
			}
			out = truth.Or(out, truth.And(meets, free))
		}
		tell := v.lanes.TellsHosts(v.snap, z, append(slices.Clone(others), condition))
		if _, doubt := Hosts(v, z); doubt != nil && (tell || len(lanes()) == 0) {
			out = truth.Or(out, truth.Undecided)
		}
		return out
	}
}

// Conditions lists the expressions of the enabled rules.
func Conditions(rules []snapshot.Rule) (out []string) {
	for _, r := range rules {
		if r.Enabled {
			out = append(out, r.Expression)
		}
	}
	return out
}

// ReachUnknown records one resource as UNKNOWN because Reaches could not decide whether requests of
// the zone match its expression.
func (j *Judgement) ReachUnknown(r posture.Resource, z snapshot.Zone) {
	if _, doubt := Hosts(j.view, z); doubt != nil {
		j.Doubtful(r, *doubt)
		return
	}
	j.Unclear(r, "the expression of the rule reads something whose meaning this check does not know")
}

// Doubtful returns UNKNOWN for a verdict that depends on something undecided, with the missing
// permission when a failed read is the cause.
func (v *View) Doubtful(d traffic.Doubt) Outcome {
	reason, permission := v.reasonOf(d)
	return Outcome{unknown: reason, permission: permission}
}

// Doubtful records one resource as UNKNOWN because its verdict depends on something undecided.
func (j *Judgement) Doubtful(r posture.Resource, d traffic.Doubt) {
	reason, permission := j.view.reasonOf(d)
	j.out.verdicts = append(j.out.verdicts, verdict{result: posture.Unknown, resource: r, reason: reason, permission: permission})
}

func (v *View) reasonOf(d traffic.Doubt) (reason, permission string) {
	if d.Source == nil {
		return d.Why, ""
	}
	sec := v.snap.SectionOf(d.Source, d.Scope)
	return sectionReason(sec), sec.Permission
}

// Rated overrides the severity of the verdict when the finding is worse, or less serious, than the
// check in general.
func (o Outcome) Rated(s posture.Severity) Outcome {
	for i := range o.verdicts {
		o.verdicts[i].severity = s
	}
	return o
}

// As gives the verdict its own words; fields left empty fall back to the check's words.
func (o Outcome) As(w posture.Words) Outcome {
	for i := range o.verdicts {
		o.verdicts[i].words = &w
	}
	return o
}

// As gives the last recorded verdict its own words.
func (j *Judgement) As(w posture.Words) *Judgement {
	j.out.verdicts[len(j.out.verdicts)-1].words = &w
	return j
}

// Rated overrides the severity of the last recorded verdict.
func (j *Judgement) Rated(s posture.Severity) {
	j.out.verdicts[len(j.out.verdicts)-1].severity = s
}

// HostsOf names the hosts of the lanes: the first two in alphabetical order, and how many more
// there are.
func HostsOf[T any](lanes []traffic.Lane[T]) string {
	var names []string
	for _, l := range lanes {
		for _, h := range l.Hosts {
			names = append(names, h.Name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	switch n := len(names); n {
	case 0:
		return "no host"
	case 1:
		return names[0]
	case 2:
		return names[0] + " and " + names[1]
	default:
		return fmt.Sprintf("%s, %s and %d more", names[0], names[1], n-2)
	}
}

// ByRuleWords returns the words for a verdict decided by a rule instead of by the setting that the
// check's fix changes.
func ByRuleWords(by traffic.By) posture.Words {
	if by.Rule == "" {
		return posture.Words{}
	}
	list := "Overview"
	if by.Source == snapshot.Named(snapshot.ZonePageRules) {
		list = "Page Rules"
	}
	return posture.Words{ByHand: true,
		Dashboard: "Rules › " + list + " › " + by.Name + ": change or delete the rule, which overrides the setting."}
}

// ByRule names what decided: "the rule NAME", or "the setting of the zone".
func ByRule(by traffic.By) string {
	switch {
	case by.Rule == "":
		return "the setting of the zone"
	case by.Source == snapshot.Named(snapshot.ZonePageRules):
		return "the page rule " + by.Name
	default:
		return "the rule " + by.Name
	}
}
