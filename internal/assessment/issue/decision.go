package issue

import (
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Nobody selects issues without an owner or an assignee.
const Nobody = "none"

// Decision is what people decided about an issue. It is stored by the id of the issue, apart from
// findings, and outlives runs.
type Decision struct {
	State    State // last chosen state; Resolved when a run no longer found any of it
	Owner    string
	Assignee string
	Due      string // a date; "" when none was chosen
}

// By says where an owner or a date comes from.
type By string

// ByPerson was chosen by a person, ByRule by the ownership rules.
const (
	ByPerson By = "person"
	ByRule   By = "rule"
)

// Rule assigns an owner to issues. Empty fields match any issue.
type Rule struct {
	Owner    string           `json:"owner" minLength:"1" maxLength:"200" doc:"A team or a person."`
	Zone     string           `json:"zone,omitempty" maxLength:"300" doc:"Pattern of a name with * and ?: issues that hit such a zone."`
	Category posture.Category `json:"category,omitempty" maxLength:"100" doc:"Category of the check."`
	Account  string           `json:"account,omitempty" maxLength:"200" doc:"Cloudflare account id, or a registered account's id or name."`
	Label    string           `json:"label,omitempty" maxLength:"63" doc:"Issues of accounts with this label."`
	Severity posture.Severity `json:"severity,omitempty" enum:"critical,high,medium,low,informational"`
}

// SLA is the number of days after which issues are due when nobody chose a date; 0 means never.
type SLA struct {
	Critical int `json:"critical" minimum:"0" maximum:"3650"`
	High     int `json:"high" minimum:"0" maximum:"3650"`
	Medium   int `json:"medium" minimum:"0" maximum:"3650"`
	Low      int `json:"low" minimum:"0" maximum:"3650"`
}

// Ownership assigns owners and due dates to issues for which nobody chose them.
type Ownership struct {
	Rules []Rule `json:"rules" maxItems:"200" doc:"The first one that fits an issue gives its owner."`
	SLA   SLA    `json:"sla" doc:"Days from when an issue began until it is due; 0 is never."`
}

// DefaultOwnership applies until an account has its own.
func DefaultOwnership() Ownership {
	return Ownership{Rules: []Rule{}, SLA: SLA{Critical: 7, High: 30, Medium: 90, Low: 180}}
}

// owners looks up the owners of many issues by rules. It remembers which patterns fit a zone, because the issues
// of an account hit the same zones.
type owners struct {
	rules []Rule
	zones map[string][]int // positions of the rules whose pattern fits, by zone
}

func (o owners) fitting(zone string) []int {
	at, known := o.zones[zone]
	if !known {
		for i, r := range o.rules {
			if r.Zone != "" && exception.Fits(r.Zone, zone) {
				at = append(at, i)
			}
		}
		o.zones[zone] = at
	}
	return at
}

// of returns the owner of an issue in an account with the given labels, "" when no rule matches.
func (o owners) of(i *Issue, labels []string) string {
	hit := make([]bool, len(o.rules))
	if slices.ContainsFunc(o.rules, func(r Rule) bool { return r.Zone != "" }) {
		for _, zone := range i.in {
			for _, at := range o.fitting(zone) {
				hit[at] = true
			}
		}
	}
	for at, r := range o.rules {
		if (r.Account == "" || r.Account == i.AccountID) && (r.Label == "" || slices.Contains(labels, r.Label)) &&
			(r.Category == "" || r.Category == i.Category) && (r.Severity == "" || r.Severity == i.Severity) && (r.Zone == "" || hit[at]) {
			return r.Owner
		}
	}
	return ""
}

// Due returns the date by which an issue must be closed, "" for none.
func (s SLA) Due(severity posture.Severity, began time.Time) string {
	days := map[posture.Severity]int{posture.Critical: s.Critical, posture.High: s.High, posture.Medium: s.Medium,
		posture.Low: s.Low}[severity]
	if days == 0 {
		return ""
	}
	return began.UTC().AddDate(0, 0, days).Format(time.DateOnly)
}

// Decisions are the decisions about issues, and the current day.
type Decisions struct {
	Ownership Ownership
	Labels    map[string][]string // of accounts, by the provider's id
	Of        map[string]Decision // by the id of the issue
	Tickets   map[string]int      // number of tickets, by the id of the issue
	Today     string
}

// Over returns the issues with the decisions applied.
func (d *Decisions) Over(all []Issue) []Issue {
	out, by := slices.Clone(all), owners{d.Ownership.Rules, map[string][]int{}}
	for i := range out {
		d.decide(&out[i], by)
	}
	return out
}

func (d *Decisions) decide(i *Issue, by owners) {
	w := d.Of[i.ID]
	if i.State == Open && (w.State == Acknowledged || w.State == InProgress) {
		i.State = w.State
	}
	i.Owner, i.Assignee, i.Due, i.Tickets = w.Owner, w.Assignee, w.Due, d.Tickets[i.ID]
	if i.OwnerBy = ByPerson; i.Owner == "" {
		i.Owner, i.OwnerBy = by.of(i, d.Labels[i.AccountID]), ByRule
	}
	if i.DueBy = ByPerson; i.Due == "" {
		i.Due, i.DueBy = d.Ownership.SLA.Due(i.Severity, i.FirstSeen), ByRule
	}
	if i.Owner == "" {
		i.OwnerBy = ""
	}
	if i.Due == "" {
		i.DueBy = ""
	}
	i.Overdue = i.Due != "" && i.Due < d.Today && i.State.Waits()
}

// Share copies decisions from the whole issues to issues narrowed to some zones: part of an issue
// has the same owner as the whole.
func Share(part, whole []Issue) []Issue {
	out := slices.Clone(part)
	of := make(map[string]*Issue, len(out))
	for i := range out {
		of[out[i].ID] = &out[i]
	}
	for i := range whole {
		all := &whole[i]
		one := of[all.ID]
		if one == nil {
			continue
		}
		if one.State == Open {
			one.State = all.State
		}
		one.Owner, one.OwnerBy, one.Assignee, one.Due, one.DueBy, one.Tickets = all.Owner, all.OwnerBy, all.Assignee, all.Due, all.DueBy,
			all.Tickets
		one.Overdue = all.Overdue && one.State.Waits()
	}
	return out
}
