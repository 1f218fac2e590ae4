package app_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/store"
)

func (s *system) issue(id string) (one httpapi.IssueDetail) {
	s.t.Helper()
	s.get("/api/issues/"+id, &one)
	return one
}

func (s *system) issues(query string) (page httpapi.IssuesBody) {
	s.t.Helper()
	s.get("/api/issues?"+query, &page)
	return page
}

// decided changes what is decided about an issue.
func (s *system) decided(id string, change map[string]any) (one httpapi.IssueDetail) {
	s.t.Helper()
	got := s.call("PATCH", "/api/issues/"+id, change)
	require.Equal(s.t, 200, got.status, string(got.body))
	got.into(s.t, &one)
	return one
}

// states gives what happened to the state of an issue, newest first.
func states(one httpapi.IssueDetail) (out []string) {
	for _, e := range one.Activity {
		if e.Kind == store.IssueState {
			out = append(out, fmt.Sprintf("%s %s>%s", e.Actor, e.From, e.To))
		}
	}
	return out
}

// TestIssuesOutliveRuns follows an issue from when somebody takes it to when a run finds nothing of it, and back.
func TestIssuesOutliveRuns(t *testing.T) {
	t.Parallel()
	s, put := pointing(t)
	const check = "CFL-DNS-008"
	only := map[string]any{"checks": []string{check}}
	run := s.assessAll(only)
	id := s.issues("check=" + check).Items[0].ID

	one := s.decided(id, map[string]any{"state": "in_progress", "owner": " Öffentlich ", "assignee": "ann", "due": "2026-01-01",
		"revision": 0})
	require.Equal(t, issue.InProgress, one.State)
	require.Equal(t, []string{"Öffentlich", "ann", "2026-01-01"}, []string{one.Owner, one.Assignee, one.Due})
	require.True(t, one.Overdue)
	require.EqualValues(t, 1, one.Revision)
	require.Len(t, one.Activity, 4)
	require.Equal(t, one, s.decided(id, map[string]any{"state": "in_progress", "assignee": "ann"}), "nothing changed, so nothing happened")
	s.assessAll(only)
	require.Equal(t, one.Activity, s.issue(id).Activity)
	require.Equal(t, one.Issue, s.issues("check=" + check).Items[0])
	var ofRun httpapi.IssuesBody
	s.get("/api/assessments/"+run.ID+"/issues?state=in_progress", &ofRun)
	require.Equal(t, one.ID, ofRun.Items[0].ID)
	require.Equal(t, one.Owner, ofRun.Items[0].Owner)

	s.cloud.Deny("Zone: DNS Read")
	s.assessAll(only)
	s.cloud.Allow("Zone: DNS Read")
	require.Equal(t, issue.InProgress, s.issue(id).State, "unreadable is not resolved")
	put(recordOutside)
	s.assessAll(map[string]any{"checks": []string{"CFL-SSL-001"}})
	require.Equal(t, issue.InProgress, s.issue(id).State, "nobody looked")
	for range 2 {
		s.assessAll(only)
		require.Empty(t, s.issues("state=all&check="+check).Items)
		one = s.issue(id)
		require.Equal(t, one.Issue, s.issues("state=resolved").Items[0])
		require.Equal(t, issue.Resolved, one.State)
		require.Zero(t, one.Resources)
		require.False(t, one.Overdue)
		require.Equal(t, []string{"run in_progress>resolved", "local open>in_progress"}, states(one))
	}
	got := s.call("PATCH", "/api/issues/"+id, map[string]any{"state": "open"})
	require.Equal(t, 422, got.status)
	require.Contains(t, string(got.body), "when a run finds it")

	put(recordInside)
	var again posture.Assessment
	for n := range 2 {
		if a := s.assessAll(only); n == 0 {
			again = a
		}
		one = s.issue(id)
		require.Equal(t, issue.Open, one.State)
		require.Equal(t, "ann", one.Assignee)
		require.Equal(t, []string{"run resolved>open", "run in_progress>resolved", "local open>in_progress"}, states(one))
		require.Equal(t, again.ID, one.Activity[0].AssessmentID)
	}
	require.Empty(t, s.issues("state=resolved").Items)

	require.Equal(t, 201, s.call("POST", "/api/exceptions", map[string]any{"match": map[string]any{"checkIds": []string{check}},
		"reason": "moving in spring", "owner": "ann"}).status)
	one = s.issue(id)
	require.Equal(t, issue.Accepted, one.State)
	require.False(t, one.Overdue)
	got = s.call("PATCH", "/api/issues/"+id, map[string]any{"state": "acknowledged"})
	require.Equal(t, 422, got.status)
	require.Contains(t, string(got.body), "revoke the exceptions")
	require.Equal(t, issue.Accepted, s.decided(id, map[string]any{"owner": "", "due": nil}).State)
}

// TestIssueIsChangedAsItWasRead shows what a change and a comment are refused for.
func TestIssueIsChangedAsItWasRead(t *testing.T) {
	t.Parallel()
	s := embedded(t, fixable())
	s.assessed()
	id := s.issues("").Items[0].ID
	one := s.decided(id, map[string]any{"assignee": "ann", "revision": 0})
	stale := s.call("PATCH", "/api/issues/"+id, map[string]any{"assignee": "bob", "revision": 0})
	require.Equal(t, 409, stale.status)
	require.Contains(t, string(stale.body), "read it again")
	require.Equal(t, one, s.issue(id))
	require.Equal(t, "bob", s.decided(id, map[string]any{"assignee": "bob"}).Assignee, "who names no revision changes what is there")

	key := "AKIA" + "ABCDEFGHIJKLMNOP"
	for _, bad := range []struct {
		body any
		says string
	}{
		{map[string]any{"state": "resolved"}, "resolved by a run"}, {map[string]any{"state": "accepted"}, "/api/exceptions"},
		{map[string]any{"state": "odd"}, "body.state"}, {map[string]any{"owner": "a,b"}, "comma"}, {map[string]any{"owner": "none"}, "none"},
		{map[string]any{"assignee": "a\x01"}, "cannot be shown"}, {map[string]any{"owner": strings.Repeat("ß", 201)}, "body.owner"},
		{map[string]any{"owner": key}, "secret"}, {map[string]any{"due": "soon"}, "body.due"}, {map[string]any{"due": "0026-01-01"}, "body.due"},
		{map[string]any{"due": "2999-01-01"}, "body.due"}, {map[string]any{"due": 7}, "body.due"}, {map[string]any{"odd": 1}, "odd"},
	} {
		got := s.call("PATCH", "/api/issues/"+id, bad.body)
		require.Equal(t, 422, got.status, "%v %s", bad.body, got.body)
		require.Contains(t, string(got.body), bad.says)
		require.NotContains(t, string(got.body), key)
	}
	for text, says := range map[string]string{"": "body.text", " \n ": "visible", "a\x01": "cannot be shown", "see " + key: "secret",
		strings.Repeat("ß", 10_001): "body.text"} {
		got := s.call("POST", "/api/issues/"+id+"/comments", map[string]any{"text": text})
		require.Equal(t, 422, got.status, text)
		require.Contains(t, string(got.body), says)
		require.NotContains(t, string(got.body), key)
	}
	nobody := issue.ID("nobody", "X")
	for path, status := range map[string]int{"/api/issues/" + nobody: 404, "/api/issues/odd": 422} {
		require.Equal(t, status, s.call("PATCH", path, map[string]any{"assignee": "ann"}).status)
		require.Equal(t, status, s.call("POST", path+"/comments", map[string]any{"text": "x"}).status)
	}

	before := s.issue(id)
	for _, text := range []string{strings.Repeat("ß", 10_000), " <b>two\r\nlines</b>\n"} {
		got := s.call("POST", "/api/issues/"+id+"/comments", map[string]any{"text": text})
		require.Equal(t, 201, got.status, string(got.body))
	}
	after := s.issue(id)
	require.Equal(t, before.Revision, after.Revision, "who comments stands in nobody's way")
	require.Equal(t, "<b>two\nlines</b>", after.Activity[0].Text)
	require.Equal(t, before.Activity, after.Activity[2:])
	raw, err := json.Marshal(s.audit("action=issues.change,issues.comment"))
	require.NoError(t, err)
	require.Contains(t, string(raw), id)
	require.NotContains(t, string(raw), "lines")
	require.NotContains(t, string(raw), "bob")
}

// TestOwnership gives issues their owners and days by rule.
func TestOwnership(t *testing.T) {
	t.Parallel()
	s := embedded(t, fixable())
	a := s.assessed()
	var o httpapi.OwnershipBody
	s.get("/api/ownership", &o)
	require.Equal(t, httpapi.OwnershipBody{Ownership: issue.DefaultOwnership()}, o)
	put := func(rules []issue.Rule, revision any) answer {
		body := map[string]any{"rules": rules, "sla": issue.SLA{Critical: 1, High: 2}}
		if revision != nil {
			body["revision"] = revision
		}
		return s.call("PUT", "/api/ownership", body)
	}
	shop := s.latest("check=CFL-SSL-001&result=FAIL")[0].Resource
	rules := []issue.Rule{{Owner: "shop", Zone: strings.ToUpper(shop.Zone[:3]) + "*" + shop.Zone[4:]},
		{Owner: "waf", Category: "waf", Account: "default"}, {Owner: "rest"}}
	require.Equal(t, 200, put(rules, 0).status)
	require.Equal(t, 409, put(rules, 0).status)
	require.Equal(t, 200, put(rules, nil).status)
	s.get("/api/ownership", &o)
	require.Equal(t, a.Account.ID, o.Rules[1].Account)
	require.EqualValues(t, 2, o.Revision)
	zones := map[string]map[string]bool{}
	for _, f := range s.latest("limit=1000&result=FAIL,WARNING&exception=shown") {
		if zones[f.CheckID] == nil {
			zones[f.CheckID] = map[string]bool{}
		}
		zones[f.CheckID][f.Resource.ZoneID] = true
	}
	owners := map[string]bool{}
	for _, zone := range []string{"", a.Zones[0].Name, a.Zones[2].Name} {
		for _, i := range s.issues("state=all&limit=1000&zone=" + zone).Items {
			want := "rest"
			switch {
			case zones[i.CheckID][shop.ZoneID]:
				want = "shop"
			case i.Category == "waf":
				want = "waf"
			}
			require.Equal(t, want, i.Owner, i.CheckID)
			require.Equal(t, issue.ByRule, i.OwnerBy)
			owners[want] = true
			days := map[posture.Severity]int{posture.Critical: 1, posture.High: 2}[i.Severity]
			if due := i.FirstSeen.AddDate(0, 0, days).Format(time.DateOnly); days == 0 {
				require.Empty(t, i.Due)
			} else {
				require.Equal(t, due, i.Due)
			}
		}
	}
	require.Len(t, owners, 3)
	for at, bad := range map[string]issue.Rule{"owner": {Owner: " "}, "category": {Owner: "a", Category: "odd"}, "label": {Owner: "a",
		Label: "a b"}, "account": {Owner: "a", Account: "odd"}, "severity": {Owner: "a", Severity: "odd"}} {
		got := put([]issue.Rule{bad}, nil)
		require.Equal(t, 422, got.status)
		require.Contains(t, string(got.body), "rules[0]."+at)
	}
	require.Equal(t, 422, put(slices.Repeat(rules[2:], 201), nil).status)
}

// TestIssuesAreFilteredByWhatIsDecided holds lists, orders and facets against a literal filter.
func TestIssuesAreFilteredByWhatIsDecided(t *testing.T) {
	t.Parallel()
	s := embedded(t, simcloud.Options{Seed: 3, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 3, RecordsPerZone: 6, Plant: 0.3}}})
	a := s.assessAll(nil)
	r := rand.New(rand.NewPCG(1, 2))
	one := func(all ...string) string { return all[r.IntN(len(all))] }
	for i, of := range s.issues("state=all&limit=1000").Items {
		if i%5 == 4 {
			require.Equal(t, 201, s.call("POST", "/api/exceptions", map[string]any{"match": map[string]any{"checkIds": []string{of.CheckID}},
				"reason": "moving in spring", "owner": "ann"}).status)
		} else if i%3 > 0 {
			s.decided(of.ID, map[string]any{"owner": one("", "ann", "Öl & Co"), "assignee": one("", "ann"), "state": one("open", "acknowledged",
				"in_progress"), "due": one("2026-01-01", time.Now().UTC().Format(time.DateOnly), "2031-01-01")})
		}
	}
	all := s.issues("state=all&limit=1000").Items
	for range 60 {
		q := asked{one("all", "open", "acknowledged", "in_progress,accepted", "accepted", "resolved"), one("", "ann", "ann,none", "Öl & Co"),
			one("", "ann", "none"), one("", "", "yes")}
		sort := one("rank", "due")
		want, states, owners := q.of(all)
		if sort == "due" {
			slices.SortStableFunc(want, func(a, b issue.Issue) int { return strings.Compare(cmp.Or(a.Due, "~"), cmp.Or(b.Due, "~")) })
		}
		query := url.Values{"state": {q.state}, "owner": {q.owner}, "assignee": {q.assignee}, "sort": {sort}, "limit": {"4"}, "facets": {"true"}}
		if q.overdue != "" {
			query.Set("overdue", q.overdue)
		}
		first := s.issues(query.Encode())
		require.Equal(t, len(want), first.Total, query)
		require.Equal(t, states, first.Facets.State, query)
		require.Equal(t, owners, first.Facets.Owner, query)
		require.Equal(t, ids(want), s.paged("/api/issues?", query), query)
		if q.state == "acknowledged" { // the run has exceptions of its own
			require.Equal(t, ids(want), s.paged("/api/assessments/"+a.ID+"/issues?", query), query)
		}
	}
}

// asked is a query of issues, and its literal meaning.
type asked struct{ state, owner, assignee, overdue string }

func (q asked) fits(i issue.Issue) bool {
	has := func(words, is string) bool {
		return words == "" || slices.Contains(strings.Split(words, ","), cmp.Or(is, "none"))
	}
	state := q.state == "all" || has(q.state, string(i.State)) || i.State != issue.Accepted && has(q.state, "open")
	return state && has(q.owner, i.Owner) && has(q.assignee, i.Assignee) && (q.overdue == "" || i.Overdue)
}

// of gives what fits, and what would if another state or owner were asked for.
func (q asked) of(all []issue.Issue) (out []issue.Issue, states map[issue.State]int, owners map[string]int) {
	states, owners = map[issue.State]int{}, map[string]int{}
	for _, i := range all {
		if q.fits(i) {
			out = append(out, i)
		}
		for _, v := range issue.States() {
			if (asked{string(v), q.owner, q.assignee, q.overdue}).fits(i) {
				states[v]++
			}
		}
		if (asked{q.state, "", q.assignee, q.overdue}).fits(i) {
			owners[cmp.Or(i.Owner, "none")]++
		}
	}
	return out, states, owners
}

func ids(all []issue.Issue) []string {
	out := make([]string, len(all))
	for i := range all {
		out[i] = all[i].ID
	}
	return out
}

// paged gives the ids of a list, page by page.
func (s *system) paged(path string, query url.Values) []string {
	s.t.Helper()
	out := []string{}
	for query.Set("cursor", ""); ; {
		var page httpapi.IssuesBody
		s.get(path+query.Encode(), &page)
		out = append(out, ids(page.Items)...)
		if page.NextCursor == "" {
			return out
		}
		query.Set("cursor", page.NextCursor)
	}
}
