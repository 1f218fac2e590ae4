package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// count returns how many findings write will append.
func (r *runResult) count() int {
	n := 0
	for _, o := range r.outcomes {
		n += max(1, len(o.verdicts))
	}
	return n
}

// write appends the findings of the check, ordered by resource, and counts them.
func (r *runResult) write(to []posture.Verdict, accountID string, c *Check, release bool) []posture.Verdict {
	start, rules := len(to), rules{check: posture.Rule{CheckID: c.ID, Title: c.Title, Category: c.Category, Severity: c.Severity, Why: c.Why,
		Fix: c.Fix, Words: c.Words.Of(accountID), Remediable: c.Remedy != nil, Controls: c.Controls.Named()}, made: map[said]*posture.Rule{}}
	r.found = make([]Unit, len(r.outcomes))
	for i, o := range r.outcomes {
		r.found[i] = o.unit(c, &r.units[i].resource)
		to = r.add(to, accountID, rules, &r.units[i], o)
		if release {
			r.outcomes[i] = Outcome{}
		}
	}
	slices.SortFunc(to[start:], func(a, b posture.Verdict) int {
		if n := strings.Compare(string(a.Resource.Type), string(b.Resource.Type)); n != 0 {
			return n
		}
		return strings.Compare(a.Resource.ID, b.Resource.ID)
	})
	return to
}

// unit summarises the outcome for one unit.
func (o Outcome) unit(c *Check, itself *posture.Resource) Unit {
	worst := float32(cmp.Or(c.Worst, c.Severity).Weight())
	if o.unknown != "" {
		return Unit{Unknown: 1, Weight: worst, Blind: true}
	}
	u := Unit{Pass: int32(o.passed)}
	for _, w := range o.verdicts {
		weight := float32(cmp.Or(w.severity, c.Severity).Weight())
		switch w.result {
		case posture.Fail:
			u.Open++
		case posture.Warning:
			u.Open++
			weight /= 2
		default:
			u.Unknown++
			weight, u.Blind = worst, u.Blind || w.resource == *itself || holds(w.resource.Type, c.Resource)
		}
		u.Weight = max(u.Weight, weight)
	}
	return u
}

// holds reports whether a zone or account that could not be read may contain any number of the
// resources a check is about.
func holds(place, resource posture.ResourceType) bool {
	return place != resource && (place == posture.ResourceZone || place == posture.ResourceAccount)
}

// said is what distinguishes a verdict's rule from others of the same check. secondary marks a
// secondary zone, whose records are transferred from its primary.
type said struct {
	severity  posture.Severity
	words     posture.Words
	secondary bool
}

func (v *verdict) said(zone *snapshot.Zone) said {
	s := said{severity: v.severity, secondary: zone != nil && zone.Type == "secondary"}
	if v.words != nil {
		s.words = *v.words
	}
	return s
}

// rules caches the rule of a check's findings, shared by all findings that say the same.
type rules struct {
	check posture.Rule
	made  map[said]*posture.Rule
}

func (r rules) of(s said, accountID string) *posture.Rule {
	made := r.made[s]
	if made == nil {
		rule := r.check
		rule.Severity, rule.Words = cmp.Or(s.severity, rule.Severity), s.words.Of(accountID).Or(rule.Words)
		if s.secondary && strings.Contains(rule.Words.Call.Path, "/dns_records") {
			todo := "make the change there."
			// developers.cloudflare.com/dns/zone-setups/zone-transfers/cloudflare-as-secondary/proxy-traffic/
			if rule.Words.Call.Body == `{"proxied": true}` {
				todo = "turn on Secondary DNS override for it at Cloudflare, then proxy {name}."
			}
			rule.Words.Call, rule.Words.Terraform, rule.Remediable = posture.Call{}, "", false
			rule.Words.Dashboard = "This zone takes its records from a primary DNS server: " + todo
		}
		made = &rule
		r.made[s] = made
	}
	return made
}

// add appends the findings of one unit.
func (r *runResult) add(to []posture.Verdict, accountID string, rules rules, u *unit, o Outcome) []posture.Verdict {
	emit := func(v posture.Verdict, s said) {
		v.Rule, v.ID = rules.of(s, accountID), posture.FindingID(accountID, rules.check.CheckID, v.Resource.Type, v.Resource.ID)
		if v.Evidence == nil {
			v.Evidence = []posture.Evidence{}
		}
		v.AttackPathIDs = []string{}
		to = append(to, v)
	}
	switch {
	case o.unknown != "":
		r.tally.Unknown++
		emit(posture.Verdict{Result: posture.Unknown, Resource: &u.resource, Message: "This could not be judged.", Reason: o.unknown,
			Permission: o.permission}, said{})
		return to
	case o.notApplicable != "":
		r.tally.NotApplicable++
		emit(posture.Verdict{Result: posture.NotApplicable, Resource: &u.resource, Message: "This does not apply.",
			Reason: o.notApplicable}, said{})
		return to
	}
	r.tally.Pass += o.passed
	for _, w := range o.verdicts {
		switch w.result {
		case posture.Fail:
			r.tally.Fail++
		case posture.Warning:
			r.tally.Warning++
		default:
			r.tally.Unknown++
			w.message = "This could not be judged."
		}
		resource := &u.resource
		if own := w.resource; own != *resource {
			resource = &own
		}
		emit(posture.Verdict{Result: w.result, Resource: resource, Message: w.message, Reason: w.reason, Permission: w.permission,
			Evidence: w.evidence}, w.said(u.zone))
	}
	if len(o.verdicts) == 0 {
		emit(posture.Verdict{Result: posture.Pass, Resource: &u.resource, Message: o.passMessage, Judged: o.passed}, said{})
	}
	return to
}
