package app_test

import (
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/store"
)

func bulky() simcloud.Options {
	return simcloud.Options{Seed: 21, Limit: simcloud.Limit{Disabled: true}, Accounts: []simcloud.AccountSpec{{Zones: 3, Plant: 0.4}}}
}

// accepting is the body of a bulk call.
func accepting(scope map[string]any) map[string]any {
	body := map[string]any{"reason": "moving in spring", "owner": "web team"}
	maps.Copy(body, scope)
	return body
}

func (s *system) bulk(scope map[string]any, headers ...string) (out httpapi.BulkMade) {
	s.t.Helper()
	got := s.call("POST", "/api/exceptions/bulk", accepting(scope), headers...)
	require.Equal(s.t, 201, got.status, string(got.body))
	got.into(s.t, &out)
	return out
}

func (s *system) bulkPreview(scope map[string]any) (out httpapi.BulkPreview) {
	s.t.Helper()
	got := s.call("POST", "/api/exceptions/bulk/preview", scope)
	require.Equal(s.t, 200, got.status, string(got.body))
	got.into(s.t, &out)
	return out
}

// sums is a preview without its sample, which shows findings as they are at the time.
func sums(p exception.Preview) exception.Preview {
	p.Sample = nil
	return p
}

func (s *system) exceptions() []posture.Exception {
	s.t.Helper()
	var list struct{ Items []posture.Exception }
	s.get("/api/exceptions?limit=1000", &list)
	return list.Items
}

// TestBulk accepts what filters list, over the API: exactly that is hidden, at once and by
// the next run.
func TestBulk(t *testing.T) {
	t.Parallel()
	s := embedded(t, bulky())
	run := s.assessed()
	page := func(query string) (p runPage) {
		s.get("/api/assessments/"+run.ID+"/findings?limit=1000&"+query, &p)
		return p
	}
	ids := func(all []store.LatestFinding) map[string]bool {
		out := map[string]bool{}
		for _, f := range all {
			out[f.ID] = true
		}
		return out
	}
	whole := s.listed("")

	// A filter of a run, with a category left out, which no match can say.
	left := page("").Items[0].Category
	wanted := page("severity=critical,high&category=-" + string(left)).Items
	require.Greater(t, len(wanted), 5)
	filter := map[string]any{"assessmentId": run.ID, "filter": map[string]any{"severity": "critical,high", "category": "-" + string(left)}}
	preview := s.bulkPreview(filter)
	require.Equal(t, len(wanted), preview.Preview.Findings)
	require.Equal(t, len(wanted), preview.Preview.BySeverity[posture.Critical]+preview.Preview.BySeverity[posture.High])
	require.Zero(t, preview.Skipped)
	require.Empty(t, s.exceptions(), "a preview keeps nothing")
	made := s.bulk(filter)
	require.Equal(t, len(wanted), made.Findings)
	require.Len(t, made.Exceptions, preview.Exceptions)
	require.Equal(t, sums(preview.Preview), sums(made.Preview))
	require.Zero(t, made.Skipped)
	hidden := s.listed("exception=only").Items
	require.Len(t, hidden, len(wanted))
	for _, f := range wanted {
		require.Contains(t, ids(hidden), f.ID)
		require.Contains(t, made.Exceptions, *s.finding(f.ID).Exception)
	}
	require.Len(t, s.listed("").Items, len(whole.Items)-len(wanted))
	hides := 0
	for _, e := range s.exceptions() {
		require.Contains(t, made.Exceptions, e.ID)
		require.Equal(t, "web team", e.Owner)
		hides += e.Hides
	}
	require.Equal(t, len(wanted), hides)
	entry := s.audit("").Items[0]
	require.Equal(t, audit.Action("exceptions.bulk"), entry.Action)
	require.Equal(t, "exceptions", entry.Target.Type)
	require.Equal(t, audit.Succeeded, entry.Outcome)

	// What is accepted already is left, and what passed.
	rest := map[string]any{"assessmentId": run.ID, "filter": map[string]any{"severity": "critical,high", "result": "all"}}
	preview = s.bulkPreview(rest)
	require.Equal(t, len(wanted), preview.Skipped.Accepted)
	counts := page("severity=critical,high&result=all").Counts
	require.Equal(t, counts["FAIL"]+counts["WARNING"]+counts["UNKNOWN"]-len(wanted), preview.Preview.Findings)
	require.Equal(t, counts["PASS"]+counts["NOT_APPLICABLE"], preview.Skipped.NotOpen)
	got := s.call("POST", "/api/exceptions/bulk", accepting(filter))
	require.Equal(t, 422, got.status)
	require.Contains(t, problem(t, got).Detail, "accepted already")

	// By ids, of which one is accepted and one is nobody's.
	open := s.listed("").Items
	byIDs := map[string]any{"ids": []string{open[0].ID, open[1].ID, open[0].ID, wanted[0].ID, "ffffffffffffffffffffffffffffffff"}}
	made = s.bulk(byIDs)
	require.Equal(t, 2, made.Findings)
	require.Equal(t, httpapi.BulkSkipped{Accepted: 1, NotOpen: 1}, made.Skipped)
	require.Contains(t, made.Exceptions, *s.finding(open[1].ID).Exception)

	// Over all accounts, by the list of now.
	low := s.listed("severity=low").Items
	require.NotEmpty(t, low)
	made = s.bulk(map[string]any{"filter": map[string]any{"severity": "low", "account": run.Account.ID},
		"expiresAt": time.Now().Add(time.Hour)})
	require.Equal(t, len(low), made.Findings)
	require.Empty(t, s.listed("severity=low").Items)

	// The next run carries them all.
	before := ids(s.listed("exception=only").Items)
	accepted := 0
	for _, f := range s.assessed().Findings {
		if f.Exception != nil {
			accepted++
			require.Contains(t, before, f.ID)
		}
	}
	require.Len(t, before, accepted)
}

// TestBulkOnce: twins at once and later ones with one key make one set, and get it.
func TestBulkOnce(t *testing.T) {
	t.Parallel()
	s := embedded(t, bulky())
	run := s.assessed()
	filter := map[string]any{"assessmentId": run.ID, "filter": map[string]any{"severity": "critical,high"}}
	want := s.bulkPreview(filter)
	made := make(chan httpapi.BulkMade, 8)
	var g sync.WaitGroup
	for range cap(made) {
		g.Go(func() {
			var m httpapi.BulkMade
			if got := s.call("POST", "/api/exceptions/bulk", accepting(filter), "Idempotency-Key", "k"); got.status == 201 {
				got.into(t, &m)
				made <- m
			}
		})
	}
	g.Wait()
	require.Len(t, made, cap(made))
	for range cap(made) {
		m := <-made
		require.Equal(t, sums(want.Preview), sums(m.Preview))
		require.Zero(t, m.Skipped, "what this very call accepted is not skipped")
		require.Len(t, m.Exceptions, want.Exceptions)
	}
	require.Len(t, s.exceptions(), want.Exceptions)
	again := s.bulk(filter, "Idempotency-Key", "k")
	require.Equal(t, sums(want.Preview), sums(again.Preview))
	require.Len(t, s.exceptions(), want.Exceptions)
	filter["filter"] = map[string]any{}
	conflict := s.call("POST", "/api/exceptions/bulk", accepting(filter), "Idempotency-Key", "k")
	require.Equal(t, 409, conflict.status)
	require.Equal(t, posture.CodeIdempotencyConflict, problem(t, conflict).Code)
	require.Len(t, s.exceptions(), want.Exceptions)
}

// TestBulkRefuses keeps nothing of what is wrong, and says where it is.
func TestBulkRefuses(t *testing.T) {
	t.Parallel()
	s := embedded(t, bulky())
	run := s.assessed()
	filter := map[string]any{"severity": "high"}
	for name, tc := range map[string]struct {
		body   map[string]any
		status int
		says   string
	}{
		"no reason":   {map[string]any{"filter": filter, "reason": " "}, 422, `"location":"body.reason"`},
		"no owner":    {map[string]any{"filter": filter, "owner": ""}, 422, `"location":"body.owner"`},
		"in the past": {map[string]any{"filter": filter, "expiresAt": "2020-01-01T00:00:00Z"}, 422, `"location":"body.expiresAt"`},
		"too far ahead": {map[string]any{"filter": filter, "expiresAt": time.Now().AddDate(2, 0, 0)}, 422,
			`"location":"body.expiresAt"`},
		"nothing named":        {map[string]any{}, 422, `"location":"body.filter"`},
		"a filter and ids":     {map[string]any{"filter": filter, "ids": []string{"x"}}, 422, `"location":"body.filter"`},
		"ids of an assessment": {map[string]any{"assessmentId": run.ID, "ids": []string{"x"}}, 422, `"location":"body.assessmentId"`},
		"nothing there":        {map[string]any{"ids": []string{"x"}}, 422, "1 are not open"},
		"unknown severity":     {map[string]any{"filter": map[string]any{"severity": "worst"}}, 422, `"location":"body.filter.severity"`},
		"unknown field":        {map[string]any{"filter": map[string]any{"colour": "red"}}, 422, "colour"},
		"account of a run": {map[string]any{"assessmentId": run.ID, "filter": map[string]any{"account": "x"}}, 422,
			`"location":"body.filter.account"`},
		"remediable, no run":     {map[string]any{"filter": map[string]any{"remediable": "yes"}}, 422, `"location":"body.filter.remediable"`},
		"no id of an assessment": {map[string]any{"assessmentId": "latest", "filter": filter}, 422, `"location":"body.assessmentId"`},
		"unknown assessment": {map[string]any{"assessmentId": "01a1fe8f-3b4e-7922-9dea-000000000000", "filter": filter}, 404,
			"There is no assessment"},
		"more ids than it takes":  {map[string]any{"ids": make([]string, 20001)}, 422, `"location":"body.ids"`},
		"too long a reason, keys": {map[string]any{"filter": filter, "reason": string(make([]byte, 1001))}, 422, `"location":"body.reason"`},
	} {
		for _, path := range []string{"/api/exceptions/bulk", "/api/exceptions/bulk/preview"} {
			if path == "/api/exceptions/bulk/preview" && (name == "no reason" || name == "no owner" || name == "nothing there") {
				continue // a preview needs neither, and shows that nothing is left
			}
			got := s.call("POST", path, accepting(tc.body), "Idempotency-Key", "k")
			require.Equal(t, tc.status, got.status, "%s: %s", name, got.body)
			require.Contains(t, string(got.body), tc.says, name)
		}
	}
	require.Empty(t, s.exceptions())
	require.Zero(t, s.listed("").Hidden)
	require.Zero(t, s.bulkPreview(map[string]any{"ids": []string{"x"}}).Preview.Findings)
	s.bulk(map[string]any{"filter": filter}, "Idempotency-Key", "k") // what is refused binds no key
}
