package cloudflare

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// scripted answers each request by its query and remembers it.
func scripted(t *testing.T, answer func(url.Values) string) (*Client, *[]url.Values) {
	t.Helper()
	var asked []url.Values
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query())
		_, _ = w.Write([]byte(answer(r.URL.Query())))
	}))
	t.Cleanup(server.Close)
	pool := NewPool()
	t.Cleanup(pool.CloseIdleConnections)
	client, err := New(Options{BaseURL: server.URL, Token: secret.New("token"), Gate: open{}, Transport: pool,
		Now:   func() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	require.NoError(t, err)
	return client, &asked
}

// knows shows a source the sections given.
func knows(sections ...snapshot.Section) *snapshot.Known {
	return snapshot.NewKnown(func(source, scope string) (snapshot.Section, bool) {
		for _, s := range sections {
			if s.Source == source && s.Scope == scope {
				return s, true
			}
		}
		return snapshot.Section{}, false
	})
}

func section[T any](t *testing.T, k snapshot.Key[T], scope string, value T) snapshot.Section {
	t.Helper()
	raw, err := snapshot.Canonical(value)
	require.NoError(t, err)
	return snapshot.Section{Source: k.Source(), Scope: scope, Status: snapshot.OK, Value: raw}
}

func auditPage(result, next string) string {
	return fmt.Sprintf(`{"success":true,"errors":[],"result":[
		{"id":"before-%s","action":{"type":"update","result":%q,"time":"2026-05-30T00:00:00Z"},
"actor":{"context":"api_key","email":"ann@acme.example"}},
		{"action":{"type":"update","result":"success","time":"2026-05-30T00:00:00Z"},"actor":{"context":"dash"}}],"result_info":{"count":2,
"cursor":%q}}`, next, result, next)
}

func TestAuditLogEndsAtTheFirstSuccess(t *testing.T) {
	client, asked := scripted(t, func(q url.Values) string {
		if q.Get("cursor") == "" {
			return auditPage("failure", "second")
		}
		return auditPage("success", "third")
	})
	sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.AccountAuditLog), snapshot.SourceScope{AccountID: "a"}, knows(), nil)
	require.NoError(t, err)
	require.Equal(t, snapshot.OK, sec.Status, sec.Reason)
	require.Len(t, *asked, 2)
	first := (*asked)[0]
	require.Equal(t, "2026-05-02T12:00:00Z", first.Get("since"))
	require.Equal(t, "2026-06-01T12:00:01Z", first.Get("before"))
	require.Equal(t, "1000", first.Get("limit"))
	require.ElementsMatch(t, []string{"api_token", "dash", "oauth", "origin_ca_key"}, first["actor_context.not"])
	var entries []snapshot.AuditEntry
	require.NoError(t, json.Unmarshal(sec.Value, &entries))
	require.Len(t, entries, 2, "other credentials are left out, whatever the list gives")
}

func TestAuditLogIsReadToItsEnd(t *testing.T) {
	client, asked := scripted(t, func(q url.Values) string {
		if q.Get("cursor") == "" {
			return auditPage("failure", "second")
		}
		return auditPage("failure", "")
	})
	sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.AccountAuditLog), snapshot.SourceScope{AccountID: "a"}, knows(), nil)
	require.NoError(t, err)
	require.Equal(t, snapshot.OK, sec.Status)
	require.Len(t, *asked, 2)
}

func TestInvitationsEndWhenAllAreFound(t *testing.T) {
	page := 0
	client, asked := scripted(t, func(url.Values) string {
		page++
		return fmt.Sprintf(`{"success":true,"errors":[],"result":[{"action":{"type":"create","result":"success","time":"2026-05-01T00:00:00Z"},
			"resource":{"id":"other","response":{"id":"m%d","email":"hidden@acme.example"}}}],"result_info":{"count":1,"cursor":"c%d"}}`, page, page)
	})
	for _, tc := range []struct{ wanted, pages int }{{1, 1}, {3, 3}, {99, 10}} {
		page, *asked = 0, nil
		members := section(t, snapshot.AccountMembers, "a", []snapshot.Member{{ID: "m0", Status: "accepted"}, {ID: fmt.Sprintf("m%d", tc.wanted),
			Status: "pending"}})
		sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.AccountAuditLogMembers), snapshot.SourceScope{AccountID: "a"},
			knows(members), nil)
		require.NoError(t, err)
		require.Equal(t, snapshot.OK, sec.Status)
		require.Len(t, *asked, tc.pages)
		require.NotContains(t, string(sec.Value), "hidden")
		require.Equal(t, tc.wanted != 99, strings.Contains(string(sec.Value), fmt.Sprintf(`"m%d"`, tc.wanted)))
	}
	members := section(t, snapshot.AccountMembers, "a", []snapshot.Member{{ID: "m0", Status: "accepted"}})
	sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.AccountAuditLogMembers), snapshot.SourceScope{AccountID: "a"},
		knows(members), nil)
	require.NoError(t, err)
	require.Equal(t, snapshot.Skipped, sec.Status)
}

// TestInsightsAreReadToTheEnd pages over a list that tells its totals inside the
// result, whether the count is that of the page or of the list.
func TestInsightsAreReadToTheEnd(t *testing.T) {
	for _, countsAll := range []bool{false, true} {
		client, asked := scripted(t, func(q url.Values) string {
			n, total := map[string]int{"1": 1000, "2": 1000, "3": 500}[q.Get("page")], 2500
			if q.Get("dismissed") == "true" {
				n, total = 1, 1
			}
			count := n
			if countsAll {
				count = total
			}
			var issues []string
			for i := range n {
				issues = append(issues, fmt.Sprintf(`{"id":"%s-%s-%d"}`, q.Get("dismissed"), q.Get("page"), i))
			}
			return fmt.Sprintf(`{"success":true,"errors":[],"result":{"count":%d,"page":%s,"per_page":1000,"issues":[%s]}}`, count, q.Get("page"),
				strings.Join(issues, ","))
		})
		sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.AccountInsights), snapshot.SourceScope{AccountID: "a"}, knows(), nil)
		require.NoError(t, err)
		require.Equal(t, snapshot.OK, sec.Status, sec.Reason)
		require.Len(t, *asked, 4)
		var all []snapshot.Insight
		require.NoError(t, json.Unmarshal(sec.Value, &all))
		require.Len(t, all, 2501)
	}
}
