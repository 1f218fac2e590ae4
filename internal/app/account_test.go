package app_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestPermissionReport takes permissions away and reads what the report says of
// them, of the checks they blind, and of the link that asks for them.
func TestPermissionReport(t *testing.T) {
	t.Parallel()
	o := small()
	o.Limit.Disabled = true
	s := embedded(t, o)
	asked := 0
	ask := func() (r posture.PermissionReport) {
		asked++ // an account that was changed is asked for again at once
		require.Equal(t, 200, s.call("PATCH", "/api/accounts/default", map[string]any{"name": fmt.Sprint("asked ", asked)}).status)
		s.get("/api/accounts/default/permissions", &r)
		return r
	}
	whole := ask()
	require.Empty(t, whole.Missing)
	require.Equal(t, "user", whole.Token.Kind)
	require.Equal(t, "active", whole.Token.Status)
	require.Equal(t, s.cloud.Accounts()[0], whole.Account.ID)
	require.NotEmpty(t, whole.Zone)
	require.Less(t, whole.Requests, 120)
	require.Len(t, whole.Categories, len(categoriesWithChecks(t, s)))
	for _, c := range whole.Categories {
		require.Empty(t, c.Blind, c.Category)
		require.NotZero(t, c.Checks, c.Category)
	}

	lost := []string{"Account: Notifications Read", "Zone: DNS Read"}
	s.cloud.Deny(lost...)
	r := ask()
	require.Equal(t, lost, r.Missing)
	for _, p := range r.Permissions {
		want := posture.PermissionGranted
		if slices.Contains(lost, p.Permission) {
			want = posture.PermissionMissing
			require.NotEmpty(t, p.CheckIDs)
		}
		if p.Status != posture.PermissionUntried {
			require.Equal(t, want, p.Status, p.Permission)
		}
	}
	for _, c := range r.Categories {
		if c.Category == "dns" {
			require.Contains(t, c.Blind, "CFL-DNS-001")
			require.Equal(t, []string{"Zone: DNS Read"}, c.Missing)
		}
	}
	require.Equal(t, []string{"Account: Notifications Read"}, r.Form.ByHand)
	form, err := url.Parse(r.Form.URL)
	require.NoError(t, err)
	require.Equal(t, "dash.cloudflare.com", form.Host)
	require.JSONEq(t, `[{"key":"dns","type":"read"}]`, form.Query().Get("permissionGroupKeys"))
	require.Equal(t, r.Account.ID, form.Query().Get("accountId"))
	full, err := url.Parse(r.FullForm.URL)
	require.NoError(t, err)
	var groups []struct{ Key string }
	require.NoError(t, json.Unmarshal([]byte(full.Query().Get("permissionGroupKeys")), &groups))
	require.Len(t, groups, len(r.Permissions)-len(r.FullForm.ByHand))
	require.Equal(t, 404, s.call("GET", "/api/accounts/nobody/permissions", nil).status)

	// What the report calls missing is what a run calls missing.
	a := s.assessAll(nil)
	var named []string
	for _, m := range a.Coverage.MissingPermissions {
		named = append(named, m.Permission)
	}
	require.Equal(t, lost, named)
}

func categoriesWithChecks(t *testing.T, s *system) map[posture.Category]bool {
	var list struct {
		Items []struct{ Category posture.Category }
	}
	s.get("/api/checks", &list)
	out := map[posture.Category]bool{}
	for _, c := range list.Items {
		out[c.Category] = true
	}
	return out
}

// TestAccountTokenPermissions uses a token that the account owns.
func TestAccountTokenPermissions(t *testing.T) {
	t.Parallel()
	o := small()
	o.Limit.Disabled = true
	o.Tokens = []simcloud.Token{{Secret: "account-owned-token-0001", Kind: simcloud.AccountToken, Denied: []string{"Zone: DNS Read"}}}
	s := embedded(t, o)
	var r posture.PermissionReport
	s.get("/api/accounts/default/permissions", &r)
	require.Equal(t, "account", r.Token.Kind)
	require.Contains(t, r.Missing, "Zone: DNS Read")
	require.Contains(t, r.Form.URL, "to=/:account/api-tokens")
}

// TestThresholdsOfAnAccount changes one and sees the verdict follow.
func TestThresholdsOfAnAccount(t *testing.T) {
	t.Parallel()
	o := small()
	o.Limit.Disabled = true
	s := embedded(t, o)
	type account struct {
		Policy  policy.Policy
		Changed []string
	}
	get := func() (a account) {
		s.get("/api/accounts/default", &a)
		return a
	}
	require.Equal(t, policy.Default().Filled(), get().Policy)
	require.Empty(t, get().Changed)
	verdict := func() posture.Result {
		for _, f := range s.assessAll(map[string]any{"checks": []string{"CFL-TOK-001"}}).Findings {
			return f.Result
		}
		return ""
	}
	require.Equal(t, posture.Pass, verdict())
	patch := func(body string) answer { return s.call("PATCH", "/api/accounts/default", body) }
	got := patch(`{"policy":{"tokenWarnDays":5000,"parkedZones":["old.example"]}}`)
	require.Equal(t, 200, got.status, string(got.body))
	require.Equal(t, []string{"parkedZones", "tokenWarnDays"}, get().Changed)
	require.Equal(t, posture.Warning, verdict())
	for body, says := range map[string]string{`{"policy":{"tokenWarnDays":0}}`: "tokenWarnDays", `{"policy":{"odd":1}}`: "odd",
		`{"policy":{"tokenFailDays":"x"}}`: "tokenFailDays", `{"other":1}`: "other", `{"policy":[]}`: "policy"} {
		got := patch(body)
		require.Equal(t, 422, got.status, body)
		require.Contains(t, string(got.body), says)
	}
	require.Equal(t, 5000, get().Policy.TokenWarnDays, "a refused change changes nothing")
	require.Equal(t, 200, patch(`{"policy":{"tokenWarnDays":null,"parkedZones":null}}`).status)
	require.Empty(t, get().Changed)
	require.Equal(t, posture.Pass, verdict())
	require.Equal(t, 404, s.call("PATCH", "/api/accounts/nobody", `{}`).status)
	require.Equal(t, 422, patch(`{"policy":{"tokenFailDays":50}}`).status, "a failure must not come before its warning")
	for range 10 { // each of several at once is there afterwards, or was told that it is not
		require.Equal(t, 200, patch(`{"policy":{"tokenUnusedDays":null,"serviceTokenHours":null,"adminLimit":null,"superAdminMin":null}}`).status)
		kept, all := []string{}, sync.WaitGroup{}
		mu := sync.Mutex{}
		for _, field := range []string{"tokenUnusedDays", "serviceTokenHours", "adminLimit", "superAdminMin"} {
			all.Go(func() {
				got := patch(`{"policy":{"` + field + `":7}}`)
				mu.Lock()
				defer mu.Unlock()
				if got.status == 200 {
					kept = append(kept, field)
				}
			})
		}
		all.Wait()
		require.ElementsMatch(t, kept, get().Changed)
		require.NotEmpty(t, kept)
	}
}

// TestAccountsByTheirNames: a name in a path is decoded, whatever letters it has.
func TestAccountsByTheirNames(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	ref := "default"
	for _, name := range []string{"Ärger & Söhne", "100%", "a%20b", "what? #1", ".."} {
		got := s.call("PATCH", "/api/accounts/"+ref, object{"name": name})
		require.Equal(t, 200, got.status, "%s: %s", ref, got.body)
		ref = url.PathEscape(name)
		var a posture.Account
		s.get("/api/accounts/"+ref, &a)
		require.Equal(t, name, a.Name)
	}
	got := s.call("GET", "/api/accounts/%00", nil)
	require.Equal(t, 404, got.status, string(got.body))
}
