package notify_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
)

func alertIssue(n int, edits ...func(*issue.Issue)) issue.Issue {
	i := issue.Issue{ID: fmt.Sprintf("%032x", n), CheckID: fmt.Sprintf("CFL-DNS-%03d", n), AccountID: "acc",
		Title: fmt.Sprintf("origin%d.example is open", n), Severity: posture.High, Resources: n, Rank: n, State: issue.Open}
	for _, edit := range edits {
		edit(&i)
	}
	return i
}

// movedIssue is how a store tells that an issue moved; it was open, with that severity, or not when there is none.
func movedIssue(i issue.Issue, was posture.Severity) issue.Moved {
	i.Title = ""
	return issue.Moved{Issue: i, Was: was != "", WasSeverity: was}
}

func alertInput(issues ...issue.Issue) notify.AlertInput {
	return notify.AlertInput{Rule: posture.AlertRule{ID: "00000000-0000-4000-8000-00000000000a", Name: "Night watch", Severity: posture.Medium,
		Events: posture.AlertEvents(), Channel: "chat_a", TimeZone: "UTC"}, ToldOn: "2026-05-01", Today: "2026-05-04", Issues: issues,
		Account: func(string) string { return "production" }, Title: func(string) string { return "Origins are hidden" },
		Link:      func(i issue.Issue) string { return "https://posture.example/a/acc/r/latest/issues/" + i.CheckID },
		Dashboard: "https://posture.example/"}
}

// told gives the numbers of the issues that a machine is told of, by event.
func told(t testing.TB, a notify.Alert) map[string][]string {
	t.Helper()
	var doc map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(build(t, "webhook", a), &doc))
	out := map[string][]string{}
	for _, e := range posture.AlertEvents() {
		var list struct {
			Count  int
			Issues []struct{ CheckID string }
		}
		require.NoError(t, json.Unmarshal(doc[string(e)], &list))
		require.Len(t, list.Issues, min(list.Count, 100))
		for _, i := range list.Issues {
			out[string(e)] = append(out[string(e)], strings.TrimLeft(strings.TrimPrefix(i.CheckID, "CFL-DNS-"), "0"))
		}
	}
	return out
}

func TestAlertTellsWhatCameSince(t *testing.T) {
	state := func(s issue.State) func(*issue.Issue) { return func(i *issue.Issue) { i.State = s } }
	severity := func(s posture.Severity) func(*issue.Issue) { return func(i *issue.Issue) { i.Severity = s } }
	owner := func(name string) func(*issue.Issue) { return func(i *issue.Issue) { i.Owner = name } }
	due := func(day string) func(*issue.Issue) {
		return func(i *issue.Issue) { i.Due, i.Overdue = day, day < "2026-05-04" }
	}
	elsewhere := func(i *issue.Issue) { i.AccountID = "other" }
	excepted := func(i *issue.Issue) { i.Exceptions = 1 }
	is := func(edits ...func(*issue.Issue)) *issue.Issue { i := alertIssue(1, edits...); return &i }
	only := func(e ...posture.AlertEvent) func(*notify.AlertInput) {
		return func(in *notify.AlertInput) { in.Rule.Events = e }
	}
	owners := func(names ...string) func(*notify.AlertInput) {
		return func(in *notify.AlertInput) { in.Rule.Owners = names }
	}
	accounts := func(ids ...string) func(*notify.AlertInput) {
		return func(in *notify.AlertInput) { in.Rule.Accounts = ids }
	}
	test := func(in *notify.AlertInput) { in.Test = true }
	returned := func(in *notify.AlertInput) { in.Returned = []string{alertIssue(1).ID} }
	const stays = posture.Severity("stays")
	for name, c := range map[string]struct {
		is   *issue.Issue     // as it is listed; nil when it is not
		was  posture.Severity // when it was told last; stays when it did not move
		edit func(*notify.AlertInput)
		want string
	}{
		"new":                                {is: is(), want: "opened"},
		"told before":                        {is: is(), was: stays},
		"more severe":                        {is: is(), was: posture.Medium, want: "worse"},
		"more severe than what was not told": {is: is(), was: posture.Low, want: "worse"},
		"more severe is only what is accepted": {is: is(excepted, severity(posture.Medium)), was: posture.Medium,
			edit: func(in *notify.AlertInput) { in.Moved[0].Severity = posture.High }},
		"more severe, and another is accepted": {is: is(excepted), was: posture.Medium, want: "worse"},
		"acknowledged at once":                 {is: is(state(issue.Acknowledged)), want: "opened"},
		"its risk is accepted":                 {is: is(state(issue.Accepted))},
		"could not be read since":              {want: "opened"},
		"resolved":                             {is: is(state(issue.Resolved)), was: posture.High, want: "resolved"},
		"resolved, and never told":             {is: is(state(issue.Resolved)), was: posture.Low},
		"resolved, of an owner": {is: is(state(issue.Resolved), owner("Web")), was: posture.High, edit: owners("Web"),
			want: "resolved"},
		"resolved is not asked for":         {is: is(state(issue.Resolved)), was: posture.High, edit: only(posture.AlertOpened)},
		"more severe than the least":        {is: is(severity(posture.Critical)), want: "opened"},
		"the least":                         {is: is(severity(posture.Medium)), want: "opened"},
		"below the least":                   {is: is(severity(posture.Low))},
		"overdue since yesterday":           {is: is(due("2026-05-03")), was: stays, want: "overdue"},
		"overdue since the day of the last": {is: is(due("2026-05-01")), was: stays, want: "overdue"},
		"overdue before, and told":          {is: is(due("2026-04-30")), was: stays},
		"no longer accepted":                {is: is(), was: stays, edit: returned, want: "returned"},
		"no longer accepted, and overdue":   {is: is(due("2026-05-03")), was: stays, edit: returned, want: "returned"},
		"no longer accepted, and new":       {is: is(), edit: returned, want: "opened"},
		"accepted anew":                     {is: is(state(issue.Accepted)), was: stays, edit: returned},
		"due today":                         {is: is(due("2026-05-04")), was: stays},
		"new and overdue at once":           {is: is(due("2026-05-03")), want: "opened"},
		"overdue, and new is not asked for": {is: is(due("2026-05-03")), edit: only(posture.AlertOverdue), want: "overdue"},
		"overdue, and worse is not asked for": {is: is(due("2026-05-03")), was: posture.Medium,
			edit: only(posture.AlertOpened, posture.AlertOverdue), want: "overdue"},
		"of another account":                {is: is(elsewhere), edit: accounts("acc")},
		"of one of the accounts":            {is: is(elsewhere), edit: accounts("acc", "other"), want: "opened"},
		"of the owner":                      {is: is(owner("Web")), edit: owners("Web"), want: "opened"},
		"of another owner":                  {is: is(owner("Web")), edit: owners("DNS", "none")},
		"of nobody":                         {is: is(), edit: owners("none"), want: "opened"},
		"new is not asked for":              {is: is(), edit: only(posture.AlertWorse)},
		"a test tells what was told":        {is: is(), was: stays, edit: test, want: "opened"},
		"a test tells what is new once":     {is: is(), edit: test, want: "opened"},
		"a test keeps to the rule":          {is: is(severity(posture.Low)), edit: test},
		"a test does not tell what is gone": {is: is(state(issue.Resolved)), was: posture.High, edit: test},
	} {
		t.Run(name, func(t *testing.T) {
			in := alertInput()
			one := alertIssue(1)
			if c.is != nil {
				one, in.Issues = *c.is, []issue.Issue{*c.is}
			}
			if c.was != stays {
				in.Moved = []issue.Moved{movedIssue(one, c.was)}
			}
			if c.edit != nil {
				c.edit(&in)
			}
			a, want := notify.NewAlert(in), map[string][]string{}
			if c.want != "" {
				want[c.want] = []string{"1"}
			}
			require.Equal(t, want, told(t, a))
			require.Equal(t, len(want), a.Count())
			require.Equal(t, c.want == "" && !in.Test, a.Empty())
		})
	}
}

func TestAlertGolden(t *testing.T) {
	issues := []issue.Issue{alertIssue(3, func(i *issue.Issue) {
		i.Severity, i.Paths, i.Due, i.Owner, i.Zones = posture.Critical, 2, "2026-05-11", "Web", 1
	}), alertIssue(1), alertIssue(2, func(i *issue.Issue) { i.Assignee = "ann@example.com" }),
		alertIssue(4, func(i *issue.Issue) { i.Due, i.Overdue = "2026-05-02", true })}
	issues = append(issues, alertIssue(5))
	full := alertInput(issues...)
	full.Returned = []string{issues[4].ID}
	full.Moved = []issue.Moved{movedIssue(issues[0], ""), movedIssue(issues[1], ""), movedIssue(issues[2], posture.Medium),
		movedIssue(alertIssue(8), ""), movedIssue(alertIssue(9, func(i *issue.Issue) { i.State = issue.Resolved }), posture.High)}
	hostile := alertInput()
	hostile.Rule.Name, hostile.Rule.Daily = "<!channel> *rule* [a](https://evil.example) {{DATE(x)}}", "08:00"
	hostile.Account = func(string) string { return "</b> <@U1> www.evil.example" }
	for n := range 40 {
		hostile.Issues = append(hostile.Issues, alertIssue(n+1, func(i *issue.Issue) {
			i.Title, i.Owner, i.Assignee = strings.Repeat("<!here> `x` @all {{TIME(x)}} \u202e", 30), "@here_*~", strings.Repeat("Ж", 300)
		}))
		hostile.Moved = append(hostile.Moved, movedIssue(hostile.Issues[n], ""))
	}
	test := alertInput(alertIssue(1))
	test.Test = true
	for name, in := range map[string]notify.AlertInput{"full": full, "hostile": hostile, "test": test} {
		a := notify.NewAlert(in)
		for _, c := range notify.Channels() {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				body := build(t, c.Name, a)
				if c.Name != "webhook" {
					valid(t, c.Name, body)
				}
				require.Equal(t, string(body), string(build(t, c.Name, notify.NewAlert(in))))
				golden(t, "alert-"+name+"-"+c.Name, body)
			})
		}
	}
}

// clockQuiet reads quiet hours literally: it looks at the clock of that minute.
func clockQuiet(q *posture.QuietHours, at time.Time) bool {
	clock := at.Format("15:04")
	inside := q.From <= clock && clock < q.To
	if q.From > q.To {
		inside = clock >= q.From || clock < q.To
	}
	return inside || q.Weekends && (at.Weekday() == time.Saturday || at.Weekday() == time.Sunday)
}

func TestQuietHoursAgreeWithAClock(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 7))
	quiet := 0
	for range 800 {
		zone := []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"}[r.IntN(5)]
		at, err := time.LoadLocation(zone)
		require.NoError(t, err)
		hour := func() string { return fmt.Sprintf("%02d:%02d", 4+r.IntN(20), r.IntN(60)) } // clocks are put forward and back before four
		q := &posture.QuietHours{From: hour(), To: hour(), Weekends: r.IntN(2) == 0}
		if q.From == q.To {
			continue
		}
		now := time.Date(2026, 1, 1, 0, r.IntN(525600), 0, 0, time.UTC)
		next, send, err := notify.Wake(posture.AlertRule{TimeZone: zone, Quiet: q}, now)
		require.NoError(t, err)
		require.Equal(t, !clockQuiet(q, now.In(at)), send, "%s %+v %s", zone, *q, now)
		if send {
			require.Equal(t, now.Truncate(24*time.Hour).AddDate(0, 0, 1), next)
			continue
		}
		quiet++
		want := now
		for clockQuiet(q, want.In(at)) {
			want = want.Add(time.Minute)
		}
		require.Equal(t, want, next, "%s %+v %s", zone, *q, now.In(at))
	}
	require.Greater(t, quiet, 250)
}

func TestDailyAlerts(t *testing.T) {
	rule := posture.AlertRule{TimeZone: "Europe/Berlin", Daily: "08:30"}
	now := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	first, err := notify.FirstWake(rule, now)
	require.NoError(t, err)
	require.Equal(t, time.Date(2026, 3, 29, 6, 30, 0, 0, time.UTC), first, "the clocks were put forward that night")
	next, send, err := notify.Wake(rule, first)
	require.NoError(t, err)
	require.True(t, send)
	require.Equal(t, first.Add(24*time.Hour), next)
	rule.Quiet = &posture.QuietHours{From: "20:00", To: "10:00"}
	next, send, err = notify.Wake(rule, first)
	require.NoError(t, err)
	require.False(t, send)
	require.Equal(t, first.Add(90*time.Minute), next)
	rule.Daily, rule.Quiet = "", &posture.QuietHours{Weekends: true}
	next, send, err = notify.Wake(rule, time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	require.False(t, send, "a Saturday")
	require.Equal(t, time.Date(2026, 3, 29, 22, 0, 0, 0, time.UTC), next)
	_, send, err = notify.Wake(rule, next)
	require.NoError(t, err)
	require.True(t, send)
	first, err = notify.FirstWake(rule, now)
	require.NoError(t, err)
	require.Equal(t, now, first)
}

func TestTimesOfAlertsThatCannotBe(t *testing.T) {
	for want, edit := range map[string]func(*posture.AlertRule){
		"body.timeZone":   func(r *posture.AlertRule) { r.TimeZone = "Mars/Olympus" },
		"body.daily":      func(r *posture.AlertRule) { r.Daily = "24:00" },
		"body.quiet.from": func(r *posture.AlertRule) { r.Quiet = &posture.QuietHours{From: "", To: "08:00"} },
		"body.quiet.to":   func(r *posture.AlertRule) { r.Quiet = &posture.QuietHours{From: "08:00", To: "8"} },
	} {
		rule := posture.AlertRule{TimeZone: "UTC"}
		edit(&rule)
		_, err := notify.FirstWake(rule, time.Now())
		require.Equal(t, want, posture.AsProblem(err).Errors[0].Location)
		_, _, err = notify.Wake(rule, time.Now())
		require.Error(t, err)
	}
	same := posture.AlertRule{TimeZone: "UTC", Quiet: &posture.QuietHours{From: "08:00", To: "08:00"}}
	_, err := notify.FirstWake(same, time.Now())
	require.ErrorContains(t, err, "nothing would ever be sent")
}
