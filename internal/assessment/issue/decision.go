package issue

import (
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Nobody is what asks for issues without an owner or an assignee.
const Nobody = "none"

// Decision is what people decided about an issue. It is kept by the id of the issue, apart from findings, and outlives runs.
type Decision struct {
	State    State // what people said last; Resolved when a run found nothing of it any more
	Owner    string
	Assignee string
	Due      string // a date; "" when nobody chose one
}

// By is who an owner or a date comes from.
type By string

// A person chose it, or the rules of ownership did.
const (
	ByPerson By = "person"
	ByRule   By = "rule"
)

// Rule gives issues an owner. What it leaves out fits any issue.
type Rule struct {
	Owner    string           `json:"owner" minLength:"1" maxLength:"200" doc:"A team or a person."`
	Zone     string           `json:"zone,omitempty" maxLength:"300" doc:"Pattern of a name with * and ?: issues that hit such a zone."`
	Category posture.Category `json:"category,omitempty" maxLength:"100" doc:"Category of the check."`
	Account  string           `json:"account,omitempty" maxLength:"200" doc:"Cloudflare account id, or a registered account's id or name."`
	Label    string           `json:"label,omitempty" maxLength:"63" doc:"Issues of accounts with this label."`
	Severity posture.Severity `json:"severity,omitempty" enum:"critical,high,medium,low,informational"`
}

// SLA is within how many days after they began issues are due when nobody chose a date; 0 is never.
type SLA struct {
	Critical int `json:"critical" minimum:"0" maximum:"3650"`
	High     int `json:"high" minimum:"0" maximum:"3650"`
	Medium   int `json:"medium" minimum:"0" maximum:"3650"`
	Low      int `json:"low" minimum:"0" maximum:"3650"`
}

// Ownership says whose an issue is and when it is due, unless people said so.
type Ownership struct {
	Rules []Rule `json:"rules" maxItems:"200" doc:"The first one that fits an issue gives its owner."`
	SLA   SLA    `json:"sla" doc:"Days from when an issue began until it is due; 0 is never."`
}

// DefaultOwnership is what holds until somebody chooses.
func DefaultOwnership() Ownership {
	return Ownership{Rules: []Rule{}, SLA: SLA{Critical: 7, High: 30, Medium: 90, Low: 180}}
}

// ownerOf gives the owner of an issue of an account with labels, "" when no rule fits.
func (o Ownership) ownerOf(i *Issue, labels []string) string {
	at := slices.IndexFunc(o.Rules, func(r Rule) bool {
		return (r.Account == "" || r.Account == i.AccountID) && (r.Label == "" || slices.Contains(labels, r.Label)) &&
			(r.Category == "" || r.Category == i.Category) && (r.Severity == "" || r.Severity == i.Severity) &&
			(r.Zone == "" || slices.ContainsFunc(i.in, func(zone string) bool { return exception.Fits(r.Zone, zone) }))
	})
	if at < 0 {
		return ""
	}
	return o.Rules[at].Owner
}

// Due gives the date by which an issue is to be closed, "" for none.
func (s SLA) Due(severity posture.Severity, began time.Time) string {
	days := map[posture.Severity]int{posture.Critical: s.Critical, posture.High: s.High, posture.Medium: s.Medium,
		posture.Low: s.Low}[severity]
	if days == 0 {
		return ""
	}
	return began.UTC().AddDate(0, 0, days).Format(time.DateOnly)
}

// Decisions are what was decided about issues, and the day it is looked at.
type Decisions struct {
	Ownership Ownership
	Labels    map[string][]string // of accounts, by the provider's id
	Of        map[string]Decision // by the id of the issue
	Tickets   map[string]int      // how many there are, by the id of the issue
	Today     string
}

// Over gives issues with what was decided about them.
func (d *Decisions) Over(all []Issue) []Issue {
	out := slices.Clone(all)
	for i := range out {
		d.decide(&out[i])
	}
	return out
}

func (d *Decisions) decide(i *Issue) {
	w := d.Of[i.ID]
	if i.State == Open && (w.State == Acknowledged || w.State == InProgress) {
		i.State = w.State
	}
	i.Owner, i.Assignee, i.Due, i.Tickets = w.Owner, w.Assignee, w.Due, d.Tickets[i.ID]
	if i.OwnerBy = ByPerson; i.Owner == "" {
		i.Owner, i.OwnerBy = d.Ownership.ownerOf(i, d.Labels[i.AccountID]), ByRule
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

// Share gives issues of some zones what was decided about the whole ones: a part of an issue is not somebody else's.
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
