package storetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func alertCases() []testCase {
	return []testCase{
		{"an alert rule is kept as people choose it", alertRulesKept},
		{"what moved is what stands otherwise than when it was told last", issuesMoved},
		{"a job tells what came since the last one, however often it begins", alertsTold},
		{"a rule that is due makes one job, and none while that is unfinished", alertsWoken},
		{"an issue counts again when its exception has expired", issuesReturned},
		{"an issue counts again whatever its exception names, and whatever became of it", issuesReturnedOfAny},
		{"more than what is accepted of an issue is told like an issue that opens", issuesUnaccepted},
		{"a rule that was paused tells what comes afterwards", alertsPaused},
		{"what somebody has read of an issue is kept", inboxKept},
	}
}

func aRule(t testing.TB, name string) store.AlertRow {
	t.Helper()
	at := kept(noon())
	return store.AlertRow{AlertRule: posture.AlertRule{ID: newID(t), Name: name, Events: posture.AlertEvents(), Severity: posture.High,
		Accounts: []string{"acc"}, Owners: []string{"Ж'\""}, Channel: "webhook", OwnAddress: true, TimeZone: "Europe/Berlin", CreatedAt: at,
		UpdatedAt: at, Quiet: &posture.QuietHours{From: "20:00", To: "07:30", Weekends: true}}, Sealed: []byte{0, 1, 255},
		ToldOn: at.Format(time.DateOnly), WakeAt: at.Add(time.Hour), Revision: 1}
}

func added(t testing.TB, s store.Store, r store.AlertRow) store.AlertRow {
	t.Helper()
	require.NoError(t, s.AddAlertRule(t.Context(), r))
	return ruleOf(t, s, r.ID)
}

func ruleOf(t testing.TB, s store.Store, id string) store.AlertRow {
	t.Helper()
	got, err := s.AlertRule(t.Context(), id)
	require.NoError(t, err)
	return got
}

func alertRulesKept(t *testing.T, s store.Store) {
	r := aRule(t, "nightly")
	require.Equal(t, r, added(t, s, r))
	second := added(t, s, aRule(t, "a second"))
	require.ErrorIs(t, s.AddAlertRule(t.Context(), aRule(t, "nightly")), store.ErrNameTaken)
	all, err := s.AlertRules(t.Context())
	require.NoError(t, err)
	require.Equal(t, []store.AlertRow{second, r}, all)

	r.Name, r.Severity, r.Daily, r.Sealed, r.Quiet = "weekly", posture.Low, "08:30", []byte{}, nil
	r.WakeAt, r.UpdatedAt = r.WakeAt.Add(time.Hour), r.UpdatedAt.Add(time.Minute)
	require.NoError(t, s.ChangeAlertRule(t.Context(), r))
	require.ErrorIs(t, s.ChangeAlertRule(t.Context(), r), store.ErrChanged)
	r.Revision++
	require.Equal(t, r, ruleOf(t, s, r.ID))
	taken := r
	taken.Name = second.Name
	require.ErrorIs(t, s.ChangeAlertRule(t.Context(), taken), store.ErrNameTaken)

	require.NoError(t, s.DeleteAlertRule(t.Context(), r.ID))
	require.ErrorIs(t, s.DeleteAlertRule(t.Context(), r.ID), store.ErrNotFound)
	require.ErrorIs(t, s.ChangeAlertRule(t.Context(), r), store.ErrNotFound)
	_, err = s.AlertRule(t.Context(), r.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	_, _, _, err = s.AlertNow(t.Context(), r.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.ErrorIs(t, s.BeginAlert(t.Context(), r.ID, store.AlertMessage{JobID: "job"}, true), store.ErrChanged)
}

// standing is what the model of issues knows about one issue.
type standing struct {
	open     bool
	severity int
	foundAt  time.Time
}

// fewRun saves a run of one of two accounts, in which three checks judge a few resources.
func fewRun(t *testing.T, s store.Store, r *rand.Rand, at time.Time) {
	t.Helper()
	account := []string{"one", "two"}[r.IntN(2)]
	saved(t, s, 6, func(in *store.SaveAssessment) {
		in.Assessment.Account.ID, in.Assessment.StartedAt, in.Assessment.CompletedAt, in.Now = account, at, at, at
		for i := range in.Assessment.Findings {
			f := &in.Assessment.Findings[i]
			f.CheckID, f.Severity, f.Exception = fmt.Sprint("check-", i%3), posture.Severities()[r.IntN(5)], nil
			f.Result, f.Status = posture.Unknown, posture.StatusOpen
			switch r.IntN(6) {
			case 0:
				f.Result = posture.Fail
			case 1:
				f.Result = posture.Warning
			case 2, 3, 4:
				f.Result, f.Status = posture.Pass, posture.StatusResolved
			}
			f.ID = posture.FindingID(account, f.CheckID, f.Resource.Type, f.Resource.ID)
		}
		in.States = states(in.Assessment)
		for i := range in.States {
			in.States[i].Opened = true
		}
	})
}

// issuesMoved compares the store with a model that knows only what lists of findings show. Of two
// rules, one is evaluated after each run and one rarely.
func issuesMoved(t *testing.T, s store.Store) {
	r := rand.New(rand.NewPCG(24, 39))
	at := kept(noon())
	model := map[string]standing{}
	often, rarely := added(t, s, aRule(t, "often")), added(t, s, aRule(t, "rarely"))
	toldOften, toldRarely := map[string]standing{}, map[string]standing{}
	kinds := map[string]int{}
	for n := range 60 {
		fewRun(t, s, r, at.Add(time.Duration(n)*time.Hour))
		follow(t, s, at.Add(time.Duration(n)*time.Hour), model)
		moved(t, s, often.ID, toldOften, model, kinds)
		toldOften = maps.Clone(model)
		if r.IntN(5) == 0 {
			moved(t, s, rarely.ID, toldRarely, model, kinds)
			toldRarely = maps.Clone(model)
		}
	}
	require.Positive(t, min(kinds["opened"], kinds["worse"], kinds["resolved"]), "%v", kinds)
}

// follow updates the model from what is listed now.
func follow(t *testing.T, s store.Store, at time.Time, model map[string]standing) {
	t.Helper()
	worst := map[string]int{}
	for f, err := range store.EachLatest(t.Context(), s, store.LatestFilter{Now: at, Statuses: []posture.FindingStatus{posture.StatusOpen,
		posture.StatusReopened}}) {
		require.NoError(t, err)
		id := issue.ID(f.AccountID, f.CheckID)
		worst[id] = max(worst[id], 0)
		if issue.Counts(f.Result) {
			worst[id] = max(worst[id], f.Severity.Rank())
		}
	}
	for id := range model {
		if _, there := worst[id]; !there {
			delete(model, id)
		}
	}
	all, err := s.LatestIssues(t.Context(), store.IssueScope{}, at)
	require.NoError(t, err)
	found, err := s.FoundAt(t.Context(), []string{"one", "two"})
	require.NoError(t, err)
	for _, i := range all {
		was := model[i.ID]
		if !was.open {
			was = standing{open: true, foundAt: at}
		}
		was.severity = max(was.severity, worst[i.ID])
		require.Equal(t, was.foundAt, found[i.ID], "%s", i.CheckID)
		model[i.ID] = was
	}
}

// moved compares the moved issues of a rule with the differences of the model since the rule was last
// evaluated.
func moved(t *testing.T, s store.Store, ruleID string, was, is map[string]standing, kinds map[string]int) {
	t.Helper()
	rule, m := began(t, s, ruleID, newID(t), "")
	all, err := s.MovedIssues(t.Context(), rule.Told, m.Until, noon())
	require.NoError(t, err)
	got, want := map[string]string{}, map[string]string{}
	for _, i := range all {
		switch {
		case !i.Was:
			got[i.ID] = "opened"
		case i.State == issue.Resolved:
			got[i.ID] = "resolved"
		default:
			got[i.ID] = "worse"
		}
		if i.Was {
			require.Equal(t, was[i.ID].severity, i.WasSeverity.Rank())
		}
		if i.State != issue.Resolved {
			require.Equal(t, is[i.ID].severity, i.Severity.Rank())
		}
		kinds[got[i.ID]]++
	}
	for id, now := range is {
		switch before := was[id]; {
		case !before.open:
			want[id] = "opened"
		case before.severity < now.severity:
			want[id] = "worse"
		}
	}
	for id := range was {
		if !is[id].open {
			want[id] = "resolved"
		}
	}
	require.Equal(t, want, got)
	require.NoError(t, s.EndAlert(t.Context(), ruleID, m.JobID, noon()))
}

// began stores a job's message about all changes since the last one.
func began(t testing.TB, s store.Store, ruleID, jobID, body string) (store.AlertRow, store.AlertMessage) {
	t.Helper()
	rule, _, changes, err := s.AlertNow(t.Context(), ruleID)
	require.NoError(t, err)
	m := store.AlertMessage{JobID: jobID, Until: changes, On: kept(noon()).AddDate(0, 0, 1).Format(time.DateOnly), Issues: len(body),
		Body: []byte(body)}
	require.NoError(t, s.BeginAlert(t.Context(), ruleID, m, false))
	return rule, m
}

func alertsTold(t *testing.T, s store.Store) {
	at := kept(noon())
	runOf(t, s, "acc", at, posture.Fail)
	rule := added(t, s, aRule(t, "r"))
	was, first := began(t, s, rule.ID, "one", "")
	require.Equal(t, was.Told, first.Until, "nothing came")
	require.NoError(t, s.EndAlert(t.Context(), rule.ID, "one", at))
	require.Nil(t, ruleOf(t, s, rule.ID).LastSentAt)

	runOf(t, s, "acc", at.Add(time.Hour), posture.Pass)
	was, second := began(t, s, rule.ID, "two", "\x00body")
	ends := func(after, until int64) (n int) {
		all, err := s.MovedIssues(t.Context(), after, until, at)
		require.NoError(t, err)
		for _, i := range all {
			require.Equal(t, "A", i.CheckID)
		}
		return len(all)
	}
	require.Equal(t, 1, ends(was.Told, second.Until))
	require.NoError(t, s.FailAlert(t.Context(), rule.ID, "Slack is away."))
	require.Equal(t, "Slack is away.", ruleOf(t, s, rule.ID).Problem)

	runOf(t, s, "acc", at.Add(2*time.Hour), posture.Fail)
	again, m, changes, err := s.AlertNow(t.Context(), rule.ID)
	require.NoError(t, err)
	require.Equal(t, second, m, "a job that begins again finds its message")
	require.Equal(t, was.Told, again.Told)
	require.Greater(t, changes, second.Until)
	late := store.AlertMessage{JobID: "three", Until: second.Until}
	require.ErrorIs(t, s.BeginAlert(t.Context(), rule.ID, late, false), store.ErrChanged, "issues have changed since")
	require.NoError(t, s.BeginAlert(t.Context(), rule.ID, late, true))
	_, other := began(t, s, rule.ID, "three", "body")
	require.ErrorIs(t, s.EndAlert(t.Context(), rule.ID, "two", at), store.ErrChanged, "another job has begun")
	require.Zero(t, ends(was.Told, other.Until), "it is open again")
	require.NoError(t, s.EndAlert(t.Context(), rule.ID, "three", at.AddDate(0, 0, 1)))
	got := ruleOf(t, s, rule.ID)
	require.Equal(t, other.Until, got.Told)
	require.Equal(t, at.AddDate(0, 0, 1).Format(time.DateOnly), got.ToldOn)
	require.Equal(t, at.AddDate(0, 0, 1), *got.LastSentAt)
	require.Empty(t, got.Problem)
	require.NoError(t, s.EndAlert(t.Context(), rule.ID, "three", at.AddDate(0, 0, 9)))
	require.Equal(t, got.ToldOn, ruleOf(t, s, rule.ID).ToldOn, "the day is that of the message, not of when it arrived")
}

func issuesReturned(t *testing.T, s store.Store) {
	at, day := kept(noon()), func(n int) time.Time { return kept(noon()).AddDate(0, 0, n) }
	returned := func(from, until time.Time) []string {
		ids, err := s.ReturnedIssues(t.Context(), from, until)
		require.NoError(t, err)
		return ids
	}
	id := []string{issue.ID("acc", "A")}
	runOf(t, s, "acc", at, posture.Fail, posture.Fail)
	runOf(t, s, "other", at, posture.Pass)
	a := posture.ExceptionMatch{CheckIDs: []string{"A"}}
	add(t, s, anException(t, a, 3))
	add(t, s, anException(t, posture.ExceptionMatch{CheckIDs: []string{"B"}}, 3))
	require.Empty(t, returned(day(0), day(3)), "it has not expired yet")
	require.Empty(t, returned(day(3).Add(time.Microsecond), day(9)), "it expired before")
	require.Equal(t, id, returned(day(3), day(4)))
	runOf(t, s, "acc", day(3).Add(time.Hour), posture.Fail, posture.Fail)
	require.Equal(t, id, returned(day(3), day(4)), "a run came in between")

	revoked := add(t, s, anException(t, a, 5))
	require.Empty(t, returned(day(3), day(4)), "another one covers it now")
	require.Equal(t, id, returned(day(3), day(6)))
	require.NoError(t, s.RevokeException(t.Context(), revoked.ID, day(4)))
	require.Empty(t, returned(day(4), day(6)), "it was revoked, and did not expire")

	unread := func(opened bool) {
		saved(t, s, 2, func(in *store.SaveAssessment) {
			for i, result := range []posture.Result{posture.Unknown, posture.Fail} {
				f := &in.Assessment.Findings[i]
				f.ID, f.CheckID, f.Result, f.Status, f.Severity = fmt.Sprint("unread ", i), "U", result, posture.StatusOpen, posture.Severities()[i]
			}
			in.States = states(in.Assessment)
			in.States[0].Opened = opened
		})
	}
	add(t, s, anException(t, posture.ExceptionMatch{CheckIDs: []string{"U"}, Severities: posture.Severities()[:1]}, 13))
	unread(false)
	require.Empty(t, returned(day(13), day(14)), "what was accepted never failed: it could not be read")
	unread(true)
	require.Len(t, returned(day(13), day(14)), 1, "it failed when it was read last")

	runOf(t, s, "acc", day(4), posture.Pass, posture.Pass)
	require.Empty(t, returned(day(3), day(5)), "nothing of it is open")
	saved(t, s, 1, func(in *store.SaveAssessment) {
		f := &in.Assessment.Findings[0]
		f.ID, f.CheckID, f.Result, f.Status, f.FirstSeen = newID(t), "A", posture.Fail, posture.StatusOpen, day(4)
		in.States = states(in.Assessment)
	})
	require.Empty(t, returned(day(3), day(5)), "it was found afterwards")
}

func issuesUnaccepted(t *testing.T, s store.Store) {
	const f, w, u, p = posture.Fail, posture.Warning, posture.Unknown, posture.Pass
	rule := added(t, s, aRule(t, "r"))
	for n, c := range []struct {
		name          string
		before, after []posture.Result
		accepted      []int // of the findings before, by their index
		opens         bool
	}{
		{"all else is accepted", []posture.Result{f, p, f}, []posture.Result{f, w, f}, []int{0, 2}, true},
		{"all else is accepted, and could not be read", []posture.Result{f}, []posture.Result{u, f}, []int{0}, true},
		{"one that could not be read before", []posture.Result{f, u}, []posture.Result{f, f}, []int{0}, false},
		{"something else is open", []posture.Result{f, f}, []posture.Result{f, f, f}, []int{0}, false},
		{"something else is open, and could not be read", []posture.Result{f, f}, []posture.Result{f, u, f}, []int{0}, false},
		{"something else was open", []posture.Result{f, f}, []posture.Result{f, p, f}, []int{0}, false},
		{"nothing is new", []posture.Result{f, f}, []posture.Result{w, f}, []int{0, 1}, false},
		{"nothing that could be read is new", []posture.Result{f}, []posture.Result{f, u}, []int{0}, false},
		{"all is fixed but what is new", []posture.Result{f}, []posture.Result{p, f}, []int{0}, true},
		{"nothing is accepted", []posture.Result{f}, []posture.Result{f, f}, nil, false},
	} {
		account, at := fmt.Sprint("account ", n), kept(noon())
		run := runOf(t, s, account, at, c.before...)
		for _, i := range c.accepted {
			add(t, s, posture.Exception{ID: newID(t), Account: account, CreatedAt: at,
				Match: posture.ExceptionMatch{ResourceIDs: []string{run.Findings[i].Resource.ID}}})
		}
		told := func(job string) (out []string) {
			row, m := began(t, s, rule.ID, account+job, "")
			all, err := s.MovedIssues(t.Context(), row.Told, m.Until, at)
			require.NoError(t, err)
			for _, i := range all {
				require.Equal(t, issue.ID(account, "A"), i.ID)
				require.False(t, i.Was, c.name)
				out = append(out, string(i.State))
			}
			require.NoError(t, s.EndAlert(t.Context(), rule.ID, m.JobID, at))
			return out
		}
		require.Equal(t, []string{"open"}, told("first"), c.name)
		runOf(t, s, account, at.Add(time.Hour), c.after...)
		want := []string(nil)
		if c.opens {
			want = []string{"open"}
		}
		require.Equal(t, want, told("second"), c.name)
		runOf(t, s, account, at.Add(2*time.Hour), c.after...)
		require.Empty(t, told("third"), "%s: it is told once", c.name)
	}
}

func issuesReturnedOfAny(t *testing.T, s store.Store) {
	registered := anAccount(t, "ours")
	registered.ID, registered.ProviderID = ourAccount, "acc"
	put(t, s, registered, nil)
	at, days := kept(noon()), 1
	for name, change := range map[string]func(*posture.Exception){
		"the registered account, before a run told the provider's id": func(e *posture.Exception) { e.Account = ourAccount },
		"the provider's account": func(e *posture.Exception) { e.Account = "acc" },
		"a zone":                 func(e *posture.Exception) { e.Match = posture.ExceptionMatch{Zones: []string{"ZONE.example"}} },
		"a pattern":              func(e *posture.Exception) { e.Match = posture.ExceptionMatch{Pattern: "*ON?.example"} },
	} {
		days += 2
		e := anException(t, posture.ExceptionMatch{CheckIDs: []string{"A"}}, days)
		change(&e)
		add(t, s, e)
		saved(t, s, 1, func(in *store.SaveAssessment) {
			in.Assessment.Account.ID, in.Assessment.StartedAt, in.Now = "acc", at, at
			f := &in.Assessment.Findings[0]
			f.ID, f.CheckID, f.Result, f.Status, f.Resource.Zone, f.FirstSeen = newID(t), "A", posture.Fail, posture.StatusOpen, "zone.example", at
			in.States = states(in.Assessment)
		})
		returned := func() []string {
			ids, err := s.ReturnedIssues(t.Context(), at.AddDate(0, 0, days), at.AddDate(0, 0, days+1))
			require.NoError(t, err)
			return ids
		}
		require.Equal(t, []string{issue.ID("acc", "A")}, returned(), name)
		require.NoError(t, s.RevokeException(t.Context(), e.ID, at.AddDate(0, 0, days).Add(time.Hour)))
		require.Equal(t, []string{issue.ID("acc", "A")}, returned(), "%s: it had expired when somebody removed it", name)
		elsewhere := anException(t, posture.ExceptionMatch{CheckIDs: []string{"A"}}, days+1)
		elsewhere.Account = "another account"
		add(t, s, elsewhere)
	}
}

func alertsWoken(t *testing.T, s store.Store) {
	at := kept(noon())
	daily := aRule(t, "daily")
	daily.Daily, daily.WakeAt = "08:00", at.AddDate(1, 0, 0)
	later := aRule(t, "at once")
	later.WakeAt = at.AddDate(1, 0, 0)
	added(t, s, daily)
	added(t, s, later)
	due := func(now time.Time) []store.AlertRow {
		all, err := s.DueAlertRules(t.Context(), now)
		require.NoError(t, err)
		return all
	}
	require.Empty(t, due(at))
	runOf(t, s, "acc", at, posture.Fail)
	rows := due(at)
	require.Len(t, rows, 1)
	require.Equal(t, later.ID, rows[0].ID, "a run that finds something wakes what tells at once")

	next := at.Add(24 * time.Hour)
	wake := func(r store.AlertRow) func(int) (*store.JobRow, error) {
		return func(int) (*store.JobRow, error) {
			return s.WakeAlertRule(t.Context(), r, next, &store.NewJob{ID: newID(t), Kind: posture.JobAlert, Queue: "delivery",
				ActiveKey: "alert:" + r.ID, Arguments: []byte("{}"), CreatedAt: at})
		}
	}
	made, errs := together(8, wake(rows[0]))
	require.Equal(t, 8, tally(t, errs, nil))
	var jobs []*store.JobRow
	for _, j := range made {
		if j != nil {
			jobs = append(jobs, j)
		}
	}
	require.Len(t, jobs, 1)
	require.Empty(t, due(at))
	require.Len(t, due(next), 1)

	runOf(t, s, "acc", at.Add(time.Hour), posture.Pass)
	rows = due(at.Add(time.Hour))
	require.Len(t, rows, 1)
	j, err := wake(rows[0])(0)
	require.NoError(t, err)
	require.Nil(t, j, "the first job is unfinished")
	require.Len(t, due(at.Add(time.Hour)), 1, "so the rule stays due")
	_, err = s.RequestCancel(t.Context(), jobs[0].ID, at)
	require.NoError(t, err)
	j, err = wake(rows[0])(0)
	require.NoError(t, err)
	require.NotNil(t, j)

	runOf(t, s, "acc", at.Add(2*time.Hour), posture.Pass)
	require.Empty(t, due(at.Add(2*time.Hour)), "a run that changes nothing wakes nobody")
	runOf(t, s, "acc", at.Add(3*time.Hour), posture.Fail)
	rows = due(at.Add(3 * time.Hour))
	require.Len(t, rows, 1)
	j, err = s.WakeAlertRule(t.Context(), rows[0], next, nil)
	require.NoError(t, err)
	require.Nil(t, j)
	require.Empty(t, due(at.Add(3*time.Hour)), "it was put off")
}

func alertsPaused(t *testing.T, s store.Store) {
	at := kept(noon())
	rule := aRule(t, "r")
	rule.Paused, rule.WakeAt = true, at
	rule = added(t, s, rule)
	runOf(t, s, "acc", at, posture.Fail)
	all, err := s.DueAlertRules(t.Context(), at)
	require.NoError(t, err)
	require.Empty(t, all)
	rule.Paused, rule.UpdatedAt = false, at.AddDate(0, 0, 3)
	require.NoError(t, s.ChangeAlertRule(t.Context(), rule))
	was, m := began(t, s, rule.ID, "one", "")
	require.Equal(t, m.Until, was.Told, "what came while it was paused is not told")
	require.Equal(t, at.AddDate(0, 0, 3).Format(time.DateOnly), was.ToldOn)
	rule.Revision++
	require.NoError(t, s.ChangeAlertRule(t.Context(), rule))
	runOf(t, s, "acc", at.Add(time.Hour), posture.Pass)
	rule.Revision++
	require.NoError(t, s.ChangeAlertRule(t.Context(), rule))
	was, m = began(t, s, rule.ID, "two", "")
	require.Greater(t, m.Until, was.Told, "other changes lose nothing")
}

func inboxKept(t *testing.T, s store.Store) {
	at := kept(noon())
	mine, other, foreign := anIssue("acc", "A"), anIssue("acc", "B"), anIssue("foreign", "A")
	say := func(i issue.Issue, actor, text string) {
		_, err := s.Comment(t.Context(), store.IssueWork{Issue: i, Decision: issue.Decision{State: issue.Open}},
			store.IssueEvent{At: at, Actor: actor, Kind: store.IssueCommented, Text: text}, store.Idempotency{})
		require.NoError(t, err)
	}
	for _, i := range []issue.Issue{mine, other, foreign} {
		say(i, "user:ann", "first")
		say(i, "user:ann", "second")
	}
	say(mine, "user:bob", "mine")
	say(foreign, "user:bob", "mine")
	ids := []string{mine.ID, other.ID, foreign.ID, "no such"}
	for _, c := range []struct {
		accounts []string
		by       []string
		last     map[string]string
	}{{nil, []string{mine.ID, foreign.ID}, map[string]string{mine.ID: "second", other.ID: "second", foreign.ID: "second"}},
		{[]string{"acc"}, []string{mine.ID}, map[string]string{mine.ID: "second", other.ID: "second"}}, {[]string{"none"}, nil,
			map[string]string{}}} {
		by, err := s.IssuesBy(t.Context(), "user:bob", c.accounts)
		require.NoError(t, err)
		require.ElementsMatch(t, c.by, by)
		last, err := s.LastEvents(t.Context(), ids, c.accounts, "user:bob")
		require.NoError(t, err)
		texts := map[string]string{}
		for id, e := range last {
			texts[id] = e.Text
		}
		require.Equal(t, c.last, texts)
	}

	marks := func(actor string) map[string]time.Time {
		all, err := s.ReadMarks(t.Context(), actor)
		require.NoError(t, err)
		return all
	}
	require.Empty(t, marks("user:bob"))
	require.NoError(t, s.MarkRead(t.Context(), "user:bob", []string{mine.ID, other.ID}, at.Add(time.Hour)))
	require.NoError(t, s.MarkRead(t.Context(), "user:bob", []string{mine.ID}, at))
	require.NoError(t, s.MarkRead(t.Context(), "user:bob", []string{other.ID}, at.Add(3*time.Hour)))
	require.Equal(t, map[string]time.Time{mine.ID: at.Add(time.Hour), other.ID: at.Add(3 * time.Hour)}, marks("user:bob"))
	require.NoError(t, s.MarkRead(t.Context(), "user:bob", []string{""}, at.Add(2*time.Hour)))
	require.Equal(t, map[string]time.Time{"": at.Add(2 * time.Hour), other.ID: at.Add(3 * time.Hour)}, marks("user:bob"))
	require.Empty(t, marks("user:ann"))
}
