// Package issue groups findings by check: an issue is a check with everything it finds in an
// account. It is the unit people decide on, and its id stays the same from run to run. It is pure.
package issue

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Effort is the most that closing an issue takes.
type Effort string

// Efforts, easiest first: the service makes every change; each change is an API call or a Terraform
// resource ready to copy; or people have to decide and change something elsewhere.
const (
	OneClick Effort = "one-click"
	Settings Effort = "settings"
	Work     Effort = "work"
)

// Efforts lists the efforts.
func Efforts() []Effort { return []Effort{OneClick, Settings, Work} }

// State is the progress of an issue.
type State string

// People set the first three, for open issues. An issue is accepted when the risk of each of its
// findings is accepted, and resolved when a run no longer found any of it.
const (
	Open         State = "open"
	Acknowledged State = "acknowledged"
	InProgress   State = "in_progress"
	Accepted     State = "accepted"
	Resolved     State = "resolved"
)

// States lists the states.
func States() []State { return []State{Open, Acknowledged, InProgress, Accepted, Resolved} }

// Waits reports whether something is left to do.
func (s State) Waits() bool { return s == Open || s == Acknowledged || s == InProgress }

// Issue is a check with everything it finds in an account.
type Issue struct {
	ID        string           `json:"id" doc:"Stays the same from run to run: 32 hexadecimal digits made of the account and the check."`
	CheckID   string           `json:"checkId"`
	AccountID string           `json:"accountId" doc:"Cloudflare account id."`
	Title     string           `json:"title" doc:"The worst finding, and how many more there are."`
	WorstID   string           `json:"worstFindingId,omitempty" doc:"Id of the worst finding; none when the issue is resolved."`
	Severity  posture.Severity `json:"severity" doc:"That of the worst finding."`
	Category  posture.Category `json:"category"`

	Resources int    `json:"resources" doc:"How many resources it hits."`
	Zones     int    `json:"zones" doc:"How many zones they lie in."`
	Paths     int    `json:"paths" doc:"How many attack paths it takes part in."`
	Rank      int    `json:"rank" doc:"1 is what to do first."`
	Reason    string `json:"reason" doc:"Why it has that rank."`

	Effort     Effort `json:"effort" enum:"one-click,settings,work" doc:"What closing takes: planned fixes, calls to copy, or work by hand."`
	Remediable int    `json:"remediable" doc:"For how many resources the service has a fix to plan."`

	State    State  `json:"state" enum:"open,acknowledged,in_progress,accepted,resolved" doc:"accepted: every resource. resolved: by a run."`
	Owner    string `json:"owner,omitempty" doc:"Who answers for it."`
	OwnerBy  By     `json:"ownerBy,omitempty" enum:"person,rule" doc:"Whether somebody chose the owner, or a rule of /api/ownership did."`
	Assignee string `json:"assignee,omitempty" doc:"Who works on it."`
	Due      string `json:"due,omitempty" format:"date" doc:"The day by which it is to be closed."`
	DueBy    By     `json:"dueBy,omitempty" enum:"person,rule" doc:"Whether somebody chose the day, or it follows from the severity."`
	Overdue  bool   `json:"overdue" doc:"The day has passed (UTC), and something is left to do."`

	FirstSeen  time.Time `json:"firstSeen" doc:"When the oldest of its findings was first seen."`
	Exceptions int       `json:"exceptions" doc:"For how many resources the risk is accepted."`
	Tickets    int       `json:"tickets" doc:"How many tickets there are of it."`

	in    []string // names of its zones
	fails int      // number of FAIL findings
}

// Moved is an issue that has changed since an earlier time.
type Moved struct {
	Issue
	Was         bool             // whether it was open then, and not accepted as a whole before a run found more
	WasSeverity posture.Severity // of its worst finding then, if it was open
}

// Size returns roughly how many bytes an issue takes.
func (i *Issue) Size() int {
	return int(unsafe.Sizeof(*i)) + len(i.ID) + len(i.Title) + len(i.Reason) + len(i.Due) + len(i.in)*int(unsafe.Sizeof(""))
}

// ID is the stable identity of an issue: the first 16 bytes of SHA-256 over the account and the check, as hex.
func ID(accountID, checkID string) string {
	sum := sha256.Sum256([]byte("issue\x00" + accountID + "\x00" + checkID))
	return hex.EncodeToString(sum[:16])
}

// Fact is what an issue needs of one finding that fails or warns.
type Fact struct {
	ID, CheckID, Title string
	ZoneID, Zone       string
	Category           posture.Category
	Severity           posture.Severity
	Result             posture.Result
	Risk               float64
	Paths              []string // ids of attack paths
	FirstSeen          time.Time
	Remediable         bool
	Copied             bool // an API call or Terraform to copy closes it
	Accepted           bool
}

// Counts reports whether findings with a result make issues.
func Counts(r posture.Result) bool { return r == posture.Fail || r == posture.Warning }

// Sum groups findings into issues. The zero value is empty.
type Sum struct{ of map[key]*part }

type key struct{ account, check string }

type part struct {
	Issue
	worst Fact
	zones map[string]string // zone names by id
	paths map[string]bool
	calls int // number of findings with an API call or Terraform to copy
}

// Add adds a finding of an account. A finding that neither fails nor warns is ignored.
func (s *Sum) Add(accountID string, f posture.Finding) {
	if Counts(f.Result) {
		s.AddFact(accountID, factOf(&f))
	}
}

func factOf(f *posture.Finding) Fact {
	return Fact{ID: f.ID, CheckID: f.CheckID, ZoneID: f.Resource.ZoneID, Zone: f.Resource.Zone, Title: f.Title,
		Category: f.Category, Severity: f.Severity, Result: f.Result, Risk: f.Risk, Paths: f.AttackPathIDs, FirstSeen: f.FirstSeen,
		Remediable: f.Remediable, Accepted: f.Exception != nil,
		Copied: slices.ContainsFunc(f.Steps, func(s posture.Step) bool { return s.Where != posture.InDashboard })}
}

// Worse reports whether a finding represents its issue better than another one.
func Worse(a, b *posture.Finding) bool {
	x, y := factOf(a), factOf(b)
	return worse(&x, &y)
}

// AddFact adds a finding of an account that fails or warns.
func (s *Sum) AddFact(accountID string, f Fact) {
	if s.of == nil {
		s.of = map[key]*part{}
	}
	p := s.of[key{accountID, f.CheckID}]
	if p == nil {
		p = &part{Issue: Issue{ID: ID(accountID, f.CheckID), CheckID: f.CheckID, AccountID: accountID, FirstSeen: f.FirstSeen}, worst: f,
			zones: map[string]string{}, paths: map[string]bool{}}
		s.of[key{accountID, f.CheckID}] = p
	}
	p.Resources++
	if f.ZoneID != "" {
		p.zones[f.ZoneID] = f.Zone
	}
	for _, id := range f.Paths {
		p.paths[id] = true
	}
	if f.FirstSeen.Before(p.FirstSeen) {
		p.FirstSeen = f.FirstSeen
	}
	if f.Accepted {
		p.Exceptions++
	}
	if f.Result == posture.Fail {
		p.fails++
	}
	if f.Remediable {
		p.Remediable++
	}
	if f.Copied {
		p.calls++
	}
	if worse(&f, &p.worst) {
		p.worst = f
	}
}

// worse reports whether a represents the issue better than b: open before accepted, then the worse
// one.
func worse(a, b *Fact) bool {
	if a.Accepted != b.Accepted {
		return b.Accepted
	}
	return cmp.Or(cmp.Compare(b.Severity.Rank(), a.Severity.Rank()), cmp.Compare(a.Result, b.Result), cmp.Compare(b.Risk, a.Risk),
		cmp.Compare(len(b.Paths), len(a.Paths)), cmp.Compare(a.ID, b.ID)) < 0
}

// Issues returns the issues sorted by rank.
func (s *Sum) Issues() []Issue {
	out := make([]Issue, 0, len(s.of))
	for _, p := range s.of {
		p.finish()
		out = append(out, p.Issue)
	}
	return Ranked(out)
}

// Ranked merges issues of several accounts into one list by rank. The order is by impact first
// (severity, then number of attack paths), then by effort, then by number of resources; accepted
// issues come last.
func Ranked(lists ...[]Issue) []Issue {
	type ranked struct {
		order [6]int // lowest first
		of    *Issue
	}
	var all []ranked
	efforts := Efforts()
	for _, list := range lists {
		for k := range list {
			i := &list[k]
			all = append(all, ranked{[6]int{-min(i.left(), 1), -i.Severity.Rank(), -min(i.fails, 1), -i.Paths, slices.Index(efforts, i.Effort),
				-i.Resources}, i})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		if n := slices.Compare(a.order[:], b.order[:]); n != 0 {
			return n
		}
		return cmp.Or(strings.Compare(a.of.CheckID, b.of.CheckID), strings.Compare(a.of.AccountID, b.of.AccountID))
	})
	out := make([]Issue, len(all))
	for i, r := range all {
		out[i] = *r.of
		out[i].Rank = i + 1
	}
	return out
}

// left counts the findings whose risk is not accepted.
func (i *Issue) left() int { return i.Resources - i.Exceptions }

func (p *part) finish() {
	p.Severity, p.Category, p.Zones, p.Paths = p.worst.Severity, p.worst.Category, len(p.zones), len(p.paths)
	p.Title, p.WorstID = p.worst.Title, p.worst.ID
	p.Title += p.others()
	p.in = slices.Sorted(maps.Values(p.zones))
	p.State, p.Effort = Open, Work
	if p.left() == 0 {
		p.State = Accepted
	}
	switch p.Resources {
	case p.Remediable:
		p.Effort = OneClick
	case p.calls:
		p.Effort = Settings
	}
	p.Reason = p.why()
}

// others says how many resources there are beside the worst one.
func (i *Issue) others() string {
	if i.Resources < 2 {
		return ""
	}
	return ", and " + english.Plural(i.Resources-1, "more resource", "")
}

// Worst returns the title of the worst finding: that of the issue without the number of other resources.
func (i *Issue) Worst() string { return strings.TrimSuffix(i.Title, i.others()) }

// why describes what the rank is based on, in the order of the criteria.
func (p *part) why() string {
	what, on, effort := string(p.Severity), "no attack path", "At least one change has to be made by hand."
	if p.fails == 0 {
		what += " warning"
	}
	if p.Paths > 0 {
		on = english.Plural(p.Paths, "attack path", "")
	}
	hits := english.Plural(p.Resources, "resource", "")
	if p.Zones > 0 {
		hits += " in " + english.Plural(p.Zones, "zone", "")
	}
	switch p.Effort {
	case OneClick:
		effort = "The service proposes every change."
	case Settings:
		effort = "Every change is a call or a Terraform resource to copy."
	}
	if p.Exceptions > 0 {
		effort += " The risk of " + strconv.Itoa(p.Exceptions) + " is accepted."
	}
	return strings.ToUpper(what[:1]) + what[1:] + ", on " + on + ": " + hits + ". " + effort
}
