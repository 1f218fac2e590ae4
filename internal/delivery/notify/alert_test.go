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
	i := issue.Issue{ID: fmt.Sprintf("%032x", n), CheckID: fmt.Sprintf("CFL-DNS-%03d", n), AccountID: "acc", Title: fmt.Sprintf("origin%d.example is open", n),
		Severity: posture.High, Resources: n, Rank: n, State: issue.Open, Found: issue.Found{Opened: 15}}
	for _, edit := range edits {
		edit(&i)
	}
	return i
}

func alertInput(issues ...issue.Issue) notify.AlertInput {
	return notify.AlertInput{Rule: posture.AlertRule{ID: "00000000-0000-4000-8000-00000000000a", Name: "Night watch", Severity: posture.Medium,
		Events: posture.AlertEvents(), Channel: "chat_a", TimeZone: "UTC"}, Told: 10, Until: 20, ToldOn: "2026-05-01", Today: "2026-05-04",
		Issues: issues, Account: func(string) string { return "production" }, Title: func(id string) string { return "Origins are hidden" },
		Link: func(i issue.Issue) string { return "https://posture.example/a/acc/r/latest/issues/" + i.CheckID }, Dashboard: "https://posture.example/"}
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
		require.Equal(t, min(list.Count, 100), len(list.Issues))
		for _, i := range list.Issues {
			out[string(e)] = append(out[string(e)], strings.TrimLeft(strings.TrimPrefix(i.CheckID, "CFL-DNS-"), "0"))
		}
	}
	return out
}

func TestAlertTellsWhatCameSince(t *testing.T) {
	found := func(opened, rose int64) func(*issue.Issue) {
		return func(i *issue.Issue) { i.Found = issue.Found{Opened: opened, Rose: rose} }
	}
	state := func(s issue.State) func(*issue.Issue) { return func(i *issue.Issue) { i.State = s } }
	severity := func(s posture.Severity) func(*issue.Issue) { return func(i *issue.Issue) { i.Severity = s } }
	owner := func(name string) func(*issue.Issue) { return func(i *issue.Issue) { i.Owner = name } }
	due := func(day string) func(*issue.Issue) {
		return func(i *issue.Issue) { i.Due, i.Overdue, i.Found = day, day < "2026-05-04", issue.Found{Opened: 3} }
	}
	elsewhere := func(i *issue.Issue) { i.AccountID = "other" }
	for name, c := range map[string]struct {
		edit func(*notify.AlertInput)
		of   issue.Issue
		want string
	}{
		"new":                                {of: alertIssue(1), want: "opened"},
		"told before":                        {of: alertIssue(1, found(10, 0))},
		"the first that was not told":        {of: alertIssue(1, found(11, 0)), want: "opened"},
		"the last of this message":           {of: alertIssue(1, found(20, 0)), want: "opened"},
		"left to the next message":           {of: alertIssue(1, found(21, 0))},
		"before numbers were given":          {of: alertIssue(1, found(0, 0))},
		"graver":                             {of: alertIssue(1, found(4, 12)), want: "worse"},
		"was graver before":                  {of: alertIssue(1, found(4, 9))},
		"new and graver at once":             {of: alertIssue(1, found(12, 13)), want: "opened"},
		"acknowledged at once":               {of: alertIssue(1, state(issue.Acknowledged)), want: "opened"},
		"its risk is accepted":               {of: alertIssue(1, state(issue.Accepted))},
		"resolved in between":                {of: alertIssue(1, state(issue.Resolved))},
		"graver than the least":              {of: alertIssue(1, severity(posture.Critical)), want: "opened"},
		"the least":                          {of: alertIssue(1, severity(posture.Medium)), want: "opened"},
		"below the least":                    {of: alertIssue(1, severity(posture.Low))},
		"overdue since yesterday":            {of: alertIssue(1, due("2026-05-03")), want: "overdue"},
		"overdue since the day of the last":  {of: alertIssue(1, due("2026-05-01")), want: "overdue"},
		"overdue before, and told":           {of: alertIssue(1, due("2026-04-30"))},
		"due today":                          {of: alertIssue(1, due("2026-05-04"))},
		"of another account":                 {of: alertIssue(1, elsewhere), edit: func(in *notify.AlertInput) { in.Rule.Accounts = []string{"acc"} }},
		"of one of the accounts":             {of: alertIssue(1, elsewhere), edit: func(in *notify.AlertInput) { in.Rule.Accounts = []string{"acc", "other"} }, want: "opened"},
		"of the owner":                       {of: alertIssue(1, owner("Web")), edit: func(in *notify.AlertInput) { in.Rule.Owners = []string{"Web"} }, want: "opened"},
		"of another owner":                   {of: alertIssue(1, owner("Web")), edit: func(in *notify.AlertInput) { in.Rule.Owners = []string{"DNS", "none"} }},
		"of nobody":                          {of: alertIssue(1), edit: func(in *notify.AlertInput) { in.Rule.Owners = []string{"none"} }, want: "opened"},
		"new is not asked for":               {of: alertIssue(1), edit: func(in *notify.AlertInput) { in.Rule.Events = []posture.AlertEvent{posture.AlertWorse} }},
		"a test tells what was told":         {of: alertIssue(1, found(2, 0)), edit: func(in *notify.AlertInput) { in.Test = true }, want: "opened"},
		"a test tells of nothing else":       {of: alertIssue(1, severity(posture.Low)), edit: func(in *notify.AlertInput) { in.Test = true }},
		"a test does not tell what is gone ": {of: alertIssue(1, state(issue.Resolved)), edit: func(in *notify.AlertInput) { in.Test = true }},
	} {
		t.Run(name, func(t *testing.T) {
			in := alertInput(c.of)
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

	in := alertInput()
	in.Resolved = []issue.Issue{alertIssue(1, state(issue.Resolved)), alertIssue(2, state(issue.Resolved), severity(posture.Low)), alertIssue(3, elsewhere)}
	in.Rule.Accounts = []string{"acc"}
	require.Equal(t, map[string][]string{"resolved": {"1"}}, told(t, notify.NewAlert(in)))
	in.Rule.Events = []posture.AlertEvent{posture.AlertOpened}
	require.True(t, notify.NewAlert(in).Empty())
}

func TestAlertGolden(t *testing.T) {
	full := alertInput(alertIssue(3, func(i *issue.Issue) {
		i.Severity, i.Paths, i.Due, i.Owner, i.Zones = posture.Critical, 2, "2026-05-11", "Web", 1
	}),
		alertIssue(1), alertIssue(2, func(i *issue.Issue) { i.Found, i.Assignee = issue.Found{Opened: 1, Rose: 11}, "ann@example.com" }),
		alertIssue(4, func(i *issue.Issue) { i.Found, i.Due, i.Overdue = issue.Found{Opened: 1}, "2026-05-02", true }))
	full.Resolved = []issue.Issue{alertIssue(9, func(i *issue.Issue) { i.Title = "" })}
	hostile := alertInput()
	hostile.Rule.Name, hostile.Rule.Daily = "<!channel> *rule* [a](https://evil.example) {{DATE(x)}}", "08:00"
	hostile.Account = func(string) string { return "</b> <@U1> www.evil.example" }
	for n := range 40 {
		hostile.Issues = append(hostile.Issues, alertIssue(n+1, func(i *issue.Issue) {
			i.Title, i.Owner, i.Assignee = strings.Repeat("<!here> `x` @all {{TIME(x)}} \u202e", 30), "@here_*~", strings.Repeat("Ж", 300)
		}))
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
	for range 3000 {
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
	require.Greater(t, quiet, 1000)
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
	rule.Daily = ""
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
