package notify

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// AlertEventName is the event name of webhook messages about issues.
const AlertEventName = "issues.alert"

// How many issues of each event a message lists; all are counted.
const (
	alertLines     = 10
	alertDocuments = 100
)

// AlertInput is what an alert is made from: the issues that moved since the last one, those of which an exception
// expired from ToldOn to before Today (dates, UTC), and those with a due date in between.
type AlertInput struct {
	Rule          posture.AlertRule
	Issues        []issue.Issue // the current issues
	Moved         []issue.Moved
	Returned      []string // ids of issues that an exception has ended for
	ToldOn, Today string
	// Account returns the name of an account, Title the title of a check, Link the page of an issue; ""
	// for none.
	Account func(id string) string
	Title   func(checkID string) string
	Link    func(i issue.Issue) string
	// Dashboard is the page of all issues, "" for none.
	Dashboard string
	// Test includes everything that is open and matches the rule.
	Test bool
}

// Alert is the content of a message about issues: for each event of the rule the issues it is about,
// worst first.
type Alert struct {
	rule   posture.AlertRule
	of     map[posture.AlertEvent][]alertIssue
	link   string
	isTest bool
}

type alertIssue struct {
	issue.Issue
	account, link string
}

// NewAlert selects the issues that a rule reports. An issue is reported once: that it moved, or that it
// counts again or is overdue. Accepted risks are not reported.
func NewAlert(in AlertInput) Alert {
	out := Alert{rule: in.Rule, of: map[posture.AlertEvent][]alertIssue{}, link: in.Dashboard, isTest: in.Test}
	listed := map[string]bool{}
	add := func(e posture.AlertEvent, i issue.Issue) {
		asked := in.Test || slices.Contains(in.Rule.Events, e)
		if asked && !listed[i.ID] && fits(in.Rule, i) && (e == posture.AlertResolved || i.State.Waits()) {
			listed[i.ID] = true
			out.of[e] = append(out.of[e], alertIssue{Issue: i, account: cmp.Or(in.Account(i.AccountID), i.AccountID), link: in.Link(i)})
		}
	}
	now := map[string]issue.Issue{}
	for _, i := range in.Issues {
		now[i.ID] = i
		if in.Test {
			add(posture.AlertOpened, i)
		}
	}
	if in.Test {
		in.Moved, in.Issues = nil, nil
	}
	for _, m := range in.Moved {
		m.Title = cmp.Or(in.Title(m.CheckID), m.CheckID)
		i, read := now[m.ID]
		if !read || i.State == issue.Resolved {
			i = m.Issue
			i.Resources = 0 // the current number is unknown
		}
		switch {
		case m.State == issue.Resolved:
			m.Severity = m.WasSeverity
			add(posture.AlertResolved, m.Issue)
		case m.Was && i.Exceptions > 0 && i.Severity.Rank() <= m.WasSeverity.Rank(): // what became more severe is accepted
		case m.Was:
			add(posture.AlertWorse, i)
		default:
			add(posture.AlertOpened, i)
		}
	}
	for _, i := range in.Issues {
		if slices.Contains(in.Returned, i.ID) {
			add(posture.AlertReturned, i)
		}
		if i.Overdue && i.Due >= in.ToldOn && i.Due < in.Today {
			add(posture.AlertOverdue, i)
		}
	}
	for _, all := range out.of {
		slices.SortStableFunc(all, func(a, b alertIssue) int {
			return cmp.Or(cmp.Compare(b.Severity.Rank(), a.Severity.Rank()), cmp.Compare(a.Rank, b.Rank))
		})
	}
	return out
}

// fits reports whether a rule covers an issue.
func fits(r posture.AlertRule, i issue.Issue) bool {
	return i.Severity.Rank() >= r.Severity.Rank() && (len(r.Accounts) == 0 || slices.Contains(r.Accounts, i.AccountID)) &&
		(len(r.Owners) == 0 || slices.Contains(r.Owners, cmp.Or(i.Owner, issue.Nobody)))
}

// Empty reports that there is nothing to send.
func (a Alert) Empty() bool { return len(a.of) == 0 && !a.isTest }

// Count is the number of issues it reports.
func (a Alert) Count() (n int) {
	for _, all := range a.of {
		n += len(all)
	}
	return n
}

// words returns the heading of an event's list, and its word in a count.
func (a Alert) words(e posture.AlertEvent) (heading, counted string) {
	switch {
	case a.isTest:
		return "Open now", "open"
	case e == posture.AlertWorse:
		return "More severe than before", "more severe"
	case e == posture.AlertReturned:
		return "Accepted until now", "no longer accepted"
	case e == posture.AlertOverdue:
		return "Overdue", "overdue"
	case e == posture.AlertResolved:
		return "Resolved", "resolved"
	}
	return "New", "new"
}

// message renders an alert for chats.
func (a Alert) message() message {
	var counts []string
	m := message{link: a.link}
	for _, e := range posture.AlertEvents() {
		heading, counted := a.words(e)
		all := a.of[e]
		if a.isTest && e == posture.AlertOpened || !a.isTest && slices.Contains(a.rule.Events, e) {
			m.facts = append(m.facts, fact{heading, strconv.Itoa(len(all))})
		}
		if len(all) == 0 {
			continue
		}
		counts = append(counts, fmt.Sprintf("%d %s", len(all), counted))
		s := section{heading: heading, total: len(all)}
		for _, i := range all[:min(len(all), alertLines)] {
			s.lines = append(s.lines, i.line(e))
		}
		m.sections = append(m.sections, s)
	}
	m.title = "Issues: " + strings.Join(counts, ", ")
	if a.isTest {
		m.title = "Test of an alert rule"
		m.intro = append(m.intro, line{own("This message was sent to try the rule. It names what is open now; from here on only what changes " +
			"is told.")})
	}
	m.fallback = []span{own("%s: %s.", product, m.title)}
	for _, e := range posture.AlertEvents() {
		if all := a.of[e]; len(all) > 0 {
			m.fallback = append(m.fallback, own(" The worst: "), foreign(titleChars, all[0].Title, all[0].CheckID))
			break
		}
	}
	m.foot = []line{{own("Alert rule "), foreign(nameChars, a.rule.Name), own(": severity %s and above%s.", a.rule.Severity, a.often())}}
	return m
}

func (a Alert) often() string {
	if a.rule.Daily == "" {
		return ", at once"
	}
	return ", once a day"
}

func (i alertIssue) line(e posture.AlertEvent) line {
	l := line{strong(strings.ToUpper(string(i.Severity))), own(" "), foreign(titleChars, i.Title, i.CheckID), own(" in "),
		foreign(nameChars, i.account)}
	if i.Resources == 0 && e != posture.AlertResolved {
		l = append(l, own(": it did not hold when it was read last, and could not be read since"))
	} else if e != posture.AlertResolved {
		l = append(l, own(": %s", english.Plural(i.Resources, "resource", "")))
		if i.Paths > 0 {
			l = append(l, own(", on %s", english.Plural(i.Paths, "attack path", "")))
		}
		if i.Due != "" {
			l = append(l, own(", due %s", i.Due))
		}
	}
	if i.Owner != "" {
		l = append(l, own(", owner "), foreign(nameChars, i.Owner))
	}
	if i.Assignee != "" {
		l = append(l, own(", assigned to "), foreign(nameChars, i.Assignee))
	}
	return append(l, own(" ("), foreign(idChars, i.CheckID), own(")"))
}

// alertDocument is the body of a webhook about issues. Its field names are a stable interface for
// receivers.
type alertDocument struct {
	SchemaVersion int          `json:"schemaVersion"`
	Event         string       `json:"event"`
	Product       string       `json:"product"`
	Rule          alertRuleRef `json:"rule"`
	Test          bool         `json:"test"`
	Opened        alertList    `json:"opened"`
	Worse         alertList    `json:"worse"`
	Returned      alertList    `json:"returned"`
	Overdue       alertList    `json:"overdue"`
	Resolved      alertList    `json:"resolved"`
	Link          *string      `json:"link"`
}

type alertRuleRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type alertList struct {
	Count  int          `json:"count"`
	Issues []alertEntry `json:"issues"` // at most 100, worst first
}

type alertEntry struct {
	ID       string             `json:"id"`
	CheckID  string             `json:"checkId"`
	Title    string             `json:"title"`
	Severity posture.Severity   `json:"severity"`
	State    issue.State        `json:"state"`
	Account  posture.AccountRef `json:"account"`
	Owner    string             `json:"owner,omitempty"`
	Assignee string             `json:"assignee,omitempty"`
	Due      string             `json:"due,omitempty"`
	// These are not counted for resolved issues.
	Resources   int    `json:"resources,omitempty"`
	Zones       int    `json:"zones,omitempty"`
	AttackPaths int    `json:"attackPaths,omitempty"`
	Link        string `json:"link,omitempty"`
}

// document renders the alert for the webhook.
func (a Alert) document() any {
	list := func(e posture.AlertEvent) alertList {
		all := a.of[e]
		out := alertList{Count: len(all), Issues: []alertEntry{}}
		for _, i := range all[:min(len(all), alertDocuments)] {
			entry := alertEntry{ID: i.ID, CheckID: i.CheckID, Title: cut(i.Title, maxDocumentName), Severity: i.Severity, State: i.State,
				Account: posture.AccountRef{ID: i.AccountID, Name: cut(i.account, maxDocumentName)}, Owner: i.Owner, Assignee: i.Assignee, Due: i.Due,
				Link: i.link}
			if e != posture.AlertResolved {
				entry.Resources, entry.Zones, entry.AttackPaths = i.Resources, i.Zones, i.Paths
			}
			out.Issues = append(out.Issues, entry)
		}
		return out
	}
	d := alertDocument{SchemaVersion: 1, Event: AlertEventName, Product: product, Rule: alertRuleRef{a.rule.ID, a.rule.Name}, Test: a.isTest,
		Opened: list(posture.AlertOpened), Worse: list(posture.AlertWorse), Returned: list(posture.AlertReturned),
		Overdue: list(posture.AlertOverdue), Resolved: list(posture.AlertResolved)}
	if a.link != "" {
		d.Link = &a.link
	}
	return d
}
