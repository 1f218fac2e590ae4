package simcloud

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fill puts real ids into a pattern; objects below them get unknown ids.
func fill(cl *Cloud, pattern string) string {
	a := cl.Accounts()[0]
	path := strings.NewReplacer("{account_id}", a, "{zone_id}", cl.ZoneIDs(a)[0], "{token_id}", cl.Tokens()[0].ID, "{setting_id}",
		"ssl").Replace(pattern)
	for strings.Contains(path, "{") {
		head, rest, _ := strings.Cut(path, "{")
		_, tail, _ := strings.Cut(rest, "}")
		path = head + "unknown" + tail
	}
	if path == "/certificates" {
		path += "?zone_id=" + cl.ZoneIDs(a)[0]
	}
	return path
}

func TestEnvelopes(t *testing.T) {
	cl := New(Options{Now: fixedNow, Tokens: []Token{{Secret: "good"}, {Secret: "narrow", Accounts: []string{"other"}},
		{Secret: "off", Status: "disabled"}}})
	a := cl.Accounts()[0]
	z := cl.ZoneIDs(a)[0]
	cases := []struct {
		name, header, path string
		status, code       int
	}{
		{"ok", "Bearer good", "/zones", 200, 0},
		{"no header", "", "/zones", 400, 9106},
		{"malformed header", "Basic abc", "/zones", 400, 6003},
		{"two words", "Bearer a b", "/zones", 400, 6003},
		{"unknown token", "Bearer nobody", "/zones", 403, 9109},
		{"unknown token on verify", "Bearer nobody", "/user/tokens/verify", 401, 1000},
		{"disabled token", "Bearer off", "/zones", 403, 9109},
		{"unknown route", "Bearer good", "/nothing/here", 404, 7003},
		{"unknown zone", "Bearer good", "/zones/ffff/dnssec", 404, 7003},
		{"unknown account", "Bearer good", "/accounts/ffff/members", 404, 7003},
		{"foreign account", "Bearer narrow", "/accounts/" + a + "/members", 403, 9109},
		{"foreign zone", "Bearer narrow", "/zones/" + z + "/dnssec", 403, 9109},
		{"no entry point", "Bearer good", "/zones/" + z + "/rulesets/phases/http_config_settings/entrypoint", 404, 10003},
		{"any phase", "Bearer good", "/zones/" + z + "/rulesets/phases/http_custom_errors/entrypoint", 404, 10003},
		{"not entitled", "Bearer good", "/zones/" + z + "/logpush/jobs", 403, 1002},
		{"unknown setting", "Bearer good", "/zones/" + z + "/settings/nonsense", 400, 1006},
		{"per_page too large", "Bearer good", "/zones?per_page=51", 400, 6003},
		{"bad page", "Bearer good", "/zones?page=zero", 400, 6003},
		{"bad cursor", "Bearer good", "/zones/" + z + "/rulesets?cursor=x", 400, 10004},
		{"certificates without zone", "Bearer good", "/certificates", 400, 1001},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, BasePath+tc.path, nil)
			if tc.header != "" {
				r.Header.Set("Authorization", tc.header)
			}
			w := httptest.NewRecorder()
			cl.ServeHTTP(w, r)
			require.Equal(t, tc.status, w.Code, w.Body)
			body := w.Body.String()
			if tc.code == 0 {
				require.Contains(t, body, `"success":true,"errors":[],"messages":[]`)
				return
			}
			require.Contains(t, body, `{"result":null,"success":false,"errors":[{"code":`+num(tc.code)+`,`)
			require.Contains(t, body, `"messages":[]`)
		})
	}
}

func TestProductsThatAreNotInUse(t *testing.T) {
	cl := unlimited(AccountSpec{Apps: -1, Buckets: -1})
	for path, code := range map[string]int{"/access/organizations": 9999, "/access/apps": 9999, "/access/policies": 9999,
		"/r2/buckets": 10042} {
		got := ask(t, cl, cl.Tokens()[0].Secret, http.MethodGet, "/accounts/"+cl.Accounts()[0]+path, "")
		require.False(t, got.Success, path)
		require.Equal(t, code, got.Errors[0].Code, path)
	}
}

func TestBulkSettingsCanBeWithdrawn(t *testing.T) {
	cl := New(Options{NoBulkSettings: true})
	z := "/zones/" + cl.ZoneIDs(cl.Accounts()[0])[0] + "/settings"
	require.Equal(t, http.StatusNotFound, ask(t, cl, cl.Tokens()[0].Secret, http.MethodGet, z, "").Status)
	require.Equal(t, "strict", fetch[obj](t, cl, z+"/ssl")["value"])
}

func TestVerificationEndpointsKnowTheirKind(t *testing.T) {
	cl := New(Options{Now: fixedNow, Tokens: []Token{{Secret: "mine", Kind: UserToken}, {Secret: "ours", Kind: AccountToken},
		{Secret: "off", Status: "disabled"}}})
	account := "/accounts/" + cl.Accounts()[0] + "/tokens/verify"
	cases := []struct {
		secret, path, status string
		http                 int
	}{
		{"mine", "/user/tokens/verify", "active", 200},
		{"mine", account, "", 401},
		{"ours", account, "active", 200},
		{"ours", "/user/tokens/verify", "", 401},
		{"off", "/user/tokens/verify", "disabled", 200},
	}
	for _, tc := range cases {
		got := ask(t, cl, tc.secret, http.MethodGet, tc.path, "")
		require.Equal(t, tc.http, got.Status, "%s %s", tc.secret, tc.path)
		if tc.http != 200 {
			require.Equal(t, 1000, got.Errors[0].Code)
			continue
		}
		require.Contains(t, string(got.Result), `"status":"`+tc.status+`"`)
		require.Contains(t, string(got.Result), `"expires_on":"2026-08-29T10:00:00Z"`)
	}
}

func TestEveryRouteAsksForItsPermission(t *testing.T) {
	cl := New(Options{Now: fixedNow, Limit: Limit{Disabled: true}, Tokens: []Token{{Secret: "reader"}, {Secret: "writer", CanWrite: true}}})
	for _, route := range Routes() {
		if route.Permission == "" {
			continue
		}
		path := fill(cl, route.Pattern)
		if strings.HasSuffix(route.Permission, writeSuffix) {
			got := ask(t, cl, "reader", route.Method, path, "{}")
			require.Equal(t, http.StatusForbidden, got.Status, "%s %s", route.Method, path)
			require.Equal(t, 10000, got.Errors[0].Code)
		}
		if allowed := ask(t, cl, "writer", route.Method, path, "{}"); allowed.Status == http.StatusForbidden {
			require.Equal(t, 1002, allowed.Errors[0].Code, "only the entitlement of the plan may be missing: %s %s", route.Method, path)
		}
		cl.Deny(route.Permission)
		got := ask(t, cl, "writer", route.Method, path, "{}")
		require.Equal(t, http.StatusForbidden, got.Status, "%s %s", route.Method, path)
		require.Equal(t, 10000, got.Errors[0].Code)
		require.Equal(t, "Authentication error", got.Errors[0].Message)
		cl.Allow(route.Permission)
	}
}

func TestDeniedPermissionOfOneToken(t *testing.T) {
	cl := New(Options{Tokens: []Token{{Secret: "a", Denied: []string{"Zone: DNS Read"}}, {Secret: "b"}}})
	path := "/zones/" + cl.ZoneIDs(cl.Accounts()[0])[0] + "/dns_records"
	require.Equal(t, http.StatusForbidden, ask(t, cl, "a", http.MethodGet, path, "").Status)
	require.Equal(t, http.StatusOK, ask(t, cl, "b", http.MethodGet, path, "").Status)
	self := ask(t, cl, "a", http.MethodGet, "/user/tokens/"+cl.Tokens()[0].ID, "")
	require.NotContains(t, string(self.Result), `"DNS Read"`)
	require.NotContains(t, string(self.Result), "Write")
}

func TestTokensSeeTheirAccountsOnly(t *testing.T) {
	cl := New(Options{Accounts: []AccountSpec{{ID: "one"}, {ID: "two"}},
		Tokens: []Token{{Secret: "all"}, {Secret: "some", Accounts: []string{"two"}}, {Secret: "owned", Kind: AccountToken,
			Accounts: []string{"one"}}}})
	for secret, want := range map[string]int{"all": 2, "some": 1, "owned": 1} {
		if accounts := ask(t, cl, secret, http.MethodGet, "/accounts", ""); secret == "owned" {
			require.Equal(t, http.StatusBadRequest, accounts.Status, "an account lists no accounts")
		} else {
			require.Equal(t, want, *accounts.Info.TotalCount, secret)
		}
		require.Equal(t, want*3, *ask(t, cl, secret, http.MethodGet, "/zones", "").Info.TotalCount, secret)
	}
	require.Equal(t, 3, *ask(t, cl, "all", http.MethodGet, "/zones?account.id=two", "").Info.TotalCount)
}

func TestSourcesOfTheCatalogueAreServed(t *testing.T) {
	served := map[string]bool{}
	for _, r := range Routes() {
		served[r.Source] = true
	}
	for key := range strings.FieldsSeq(`user/token_verify user/token_self user/tokens account/token_verify account/token_self account/tokens
		account/list zone/list account/members account/sso_connectors account/rulesets account/ruleset_custom account/lists account/list_items
		account/ip_access_rules account/access_org account/access_apps account/access_policies account/access_groups account/access_idps
		account/access_service_tokens account/tunnels tunnel/config account/workers worker/settings account/r2_buckets r2/managed_domain
		r2/custom_domains account/alert_policies account/alert_available account/alert_webhooks account/logpush_jobs zone/settings zone/setting
		zone/dns_records zone/dnssec zone/rulesets zone/page_rules zone/origin_ca zone/certificate_packs zone/bot_management
		zone/ip_access_rules zone/logpush_jobs zone/worker_routes account/kv_namespaces account/d1_databases account/queues
		zone/ruleset/http_ratelimit zone/ruleset/ddos_l7 account/ruleset/http_request_firewall_custom account/ruleset/magic_transit`) {
		require.True(t, served[key], key)
	}
}
