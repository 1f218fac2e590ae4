package simcloud

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// writable is a cloud with a token that may write.
func writable(spec AccountSpec) (*Cloud, string, string) {
	cl := New(Options{Seed: 3, Now: fixedNow, Accounts: []AccountSpec{spec}, Tokens: []Token{{CanWrite: true}}})
	a := cl.Accounts()[0]
	return cl, "/accounts/" + a, "/zones/" + cl.ZoneIDs(a)[0]
}

// sendAs sends a request with the token that may write.
func sendAs(t *testing.T, cl *Cloud, method, path, body string) reply {
	t.Helper()
	return ask(t, cl, cl.Tokens()[0].Secret, method, path, body)
}

func TestSimpleWritesStick(t *testing.T) {
	cl, a, z := writable(AccountSpec{Plans: []string{"enterprise"}, Plants: []PlantRule{{CheckID: "CFL-ACC-001"}, {CheckID: "CFL-DNS-001"},
		{CheckID: "CFL-R2-004"}, {CheckID: "CFL-ZONE-001"}}})
	cases := []struct{ method, path, body, read, want string }{
		{"PATCH", z + "/settings/ssl", `{"value":"full"}`, z + "/settings/ssl", `"value":"full"`},
		{"PATCH", z + "/settings", `{"items":[{"id":"min_tls_version","value":"1.3"}]}`, z + "/settings",
			`"id":"min_tls_version","modified_on":"2026-03-02T10:00:00.000000Z","value":"1.3"`},
		{"PATCH", z + "/settings/security_header", `{"value":{"strict_transport_security":{"enabled":true,"max_age":600}}}`,
			z + "/settings/security_header", `"nosniff":false`},
		{"PATCH", z + "/dnssec", `{"status":"active"}`, z + "/dnssec", `"status":"pending"`},
		{"PATCH", z, `{"paused":false}`, z, `"paused":false`},
		{"PUT", a, `{"name":"n","settings":{"enforce_twofactor":true}}`, "/accounts", `"enforce_twofactor":true`},
		{"PUT", z + "/bot_management", `{"enable_js":false}`, z + "/bot_management", `"enable_js":false`},
		{"PUT", a + "/r2/buckets/export-public/domains/managed", `{"enabled":false}`, a + "/r2/buckets/export-public/domains/managed",
			`"enabled":false`},
		{"PUT", z + "/rulesets/phases/http_config_settings/entrypoint", `{"rules":[{"action":"set_config","expression":"true"}]}`,
			z + "/rulesets", `"phase":"http_config_settings"`},
		{"PUT", z + "/rulesets/phases/http_config_settings/entrypoint", `{"description":"d"}`,
			z + "/rulesets/phases/http_config_settings/entrypoint", `"action":"set_config"`},
		{"PUT", z + "/rulesets/phases/http_ratelimit/entrypoint", `{"rules":[]}`, z + "/rulesets/phases/http_ratelimit/entrypoint", `"rules":[]`},
		{"POST", a + "/alerting/v3/policies", `{"name":"n","enabled":true,"alert_type":"billing_usage_alert",` +
			`"mechanisms":{"email":[{"id":"x@y.test"}]}}`, a + "/alerting/v3/policies", `"alert_type":"billing_usage_alert"`},
		{"POST", z + "/firewall/access_rules/rules", `{"mode":"block","configuration":{"target":"ip","value":"185.220.20.1"},"notes":"written"}`,
			z + "/firewall/access_rules/rules", `"notes":"written"`},
		{"POST", a + "/access/apps", `{"type":"self_hosted","name":"written app","domain":"w.test"}`, a + "/access/apps", `"name":"written app"`},
	}
	for _, tc := range cases {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			got := sendAs(t, cl, tc.method, tc.path, tc.body)
			require.Equal(t, http.StatusOK, got.Status, string(got.Raw))
			require.Contains(t, string(sendAs(t, cl, "GET", tc.read, "").Result), tc.want)
		})
	}
	cl.PublishDS(cl.ZoneIDs(cl.Accounts()[0])[0])
	require.Equal(t, "active", fetch[obj](t, cl, z+"/dnssec")["status"])
}

func TestRefusedWritesChangeNothing(t *testing.T) {
	cl, a, z := writable(AccountSpec{})
	cases := []struct {
		method, path, body string
		status             int
	}{
		{"PATCH", z + "/settings/ssl", `{"value":"best"}`, 400},
		{"PATCH", z + "/settings/nonsense", `{"value":"on"}`, 400},
		{"PATCH", z + "/settings", `{"items":[{"id":"ssl","value":"off"},{"id":"min_tls_version","value":"9"}]}`, 400},
		{"PATCH", z + "/settings/ssl", `{`, 400},
		{"PUT", z + "/bot_management", `{"sbfm_definitely_automated":"block"}`, 400},
		{"PATCH", z + "/dnssec", `{"status":"on"}`, 400},
		{"PATCH", z, `{}`, 400},
		{"POST", z + "/dns_records", `{"type":"A","name":"x","content":"no address"}`, 400},
		{"POST", z + "/dns_records", `{"type":"A","name":"x","content":"10.0.0.1","proxied":true}`, 400},
		{"PATCH", z + "/dns_records/unknown", `{}`, 404},
		{"DELETE", z + "/firewall/access_rules/rules/unknown", "", 404},
		{"PUT", a + "/access/policies/unknown", "{}", 404},
		{"PATCH", z + "/rulesets/" + managedRuleset + "/rules/x", "{}", 404},
		{"POST", a + "/alerting/v3/policies", `{"name":"n","alert_type":"x","mechanisms":{}}`, 400},
	}
	for _, tc := range cases {
		got := sendAs(t, cl, tc.method, tc.path, tc.body)
		require.Equal(t, tc.status, got.Status, "%s %s: %s", tc.method, tc.path, got.Raw)
		require.False(t, got.Success)
	}
	require.Equal(t, "strict", fetch[obj](t, cl, z+"/settings/ssl")["value"])
}

func TestRecordWrites(t *testing.T) {
	cl, _, z := writable(AccountSpec{})
	created := sendAs(t, cl, "POST", z+"/dns_records", `{"type":"A","name":"new","content":"45.99.1.1"}`)
	var rec record
	require.NoError(t, json.Unmarshal(created.Result, &rec))
	require.True(t, strings.HasPrefix(rec.Name, "new."))
	require.Equal(t, http.StatusBadRequest, sendAs(t, cl, "POST", z+"/dns_records", string(created.Result)).Status, "an identical record")
	path := z + "/dns_records/" + rec.ID
	require.Equal(t, http.StatusOK, sendAs(t, cl, "PATCH", path, `{"proxied":true}`).Status)
	got := fetch[record](t, cl, path)
	require.True(t, got.Proxied)
	require.Equal(t, 1, got.TTL)
	require.Equal(t, "45.99.1.1", got.Content)
	bad := sendAs(t, cl, "POST", z+"/dns_records/batch", `{"deletes":[{"id":"`+rec.ID+`"}],"posts":[{"type":"A","name":"b","content":"x"}]}`)
	require.Equal(t, http.StatusBadRequest, bad.Status)
	fetch[record](t, cl, path) // still there: a batch is all or none
	good := sendAs(t, cl, "POST", z+"/dns_records/batch", `{"deletes":[{"id":"`+rec.ID+
		`"}],"posts":[{"type":"TXT","name":"b","content":"x"}]}`)
	require.Equal(t, http.StatusOK, good.Status, string(good.Raw))
	require.Equal(t, http.StatusNotFound, sendAs(t, cl, "GET", path, "").Status)
}

func TestRuleWrites(t *testing.T) {
	cl, _, z := writable(AccountSpec{})
	entry := z + "/rulesets/phases/http_ratelimit/entrypoint"
	before := fetch[obj](t, cl, entry)
	set := z + "/rulesets/" + before["id"].(string) + "/rules"
	require.Equal(t, http.StatusBadRequest, sendAs(t, cl, "POST", set, `{"action":"block","expression":"true"}`).Status, "no limit")
	limit := `"ratelimit":{"characteristics":["cf.colo.id","ip.src"],"period":10,"requests_per_period":5,"mitigation_timeout":10}`
	require.Equal(t, http.StatusOK, sendAs(t, cl, "POST", set, `{"action":"block","expression":"true",`+limit+`}`).Status)
	after := fetch[struct {
		Version string
		Rules   []obj
	}](t, cl, entry)
	require.Equal(t, "4", after.Version)
	require.Len(t, after.Rules, 2)
	one := set + "/" + after.Rules[1]["id"].(string)
	require.Equal(t, http.StatusBadRequest, sendAs(t, cl, "PATCH", one, `{"enabled":false}`).Status, "a definition is sent as a whole")
	require.Equal(t, http.StatusOK, sendAs(t, cl, "PATCH", one, `{"enabled":false,"action":"block","expression":"true",`+limit+`}`).Status)
	after2 := fetch[struct{ Rules []obj }](t, cl, entry)
	require.Equal(t, false, after2.Rules[1]["enabled"])
	require.Equal(t, "2", after2.Rules[1]["version"])
	require.Equal(t, http.StatusOK, sendAs(t, cl, "PATCH", one, `{"position":{"before":""}}`).Status)
	require.Equal(t, after2.Rules[1]["id"], fetch[struct{ Rules []obj }](t, cl, entry).Rules[0]["id"], "a position moves the rule")
	require.Equal(t, http.StatusBadRequest, sendAs(t, cl, "PATCH", one, `{"position":{"before":"unknown"}}`).Status)
	require.Equal(t, http.StatusOK, sendAs(t, cl, "DELETE", one, "").Status)
	require.Len(t, fetch[struct{ Rules []obj }](t, cl, entry).Rules, 1)
}

func TestAccessWrites(t *testing.T) {
	cl, a, _ := writable(AccountSpec{Plants: []PlantRule{{CheckID: "CFL-ZT-007"}}})
	apps := fetch[[]obj](t, cl, a+"/access/apps")
	bad := apps[len(apps)-1]
	app := a + "/access/apps/" + bad["id"].(string)
	policies := bad["policies"].([]any)
	own := policies[1].(obj)["id"].(string)
	require.Equal(t, http.StatusOK, sendAs(t, cl, "PUT", app+"/policies/"+own,
		`{"name":"n","decision":"allow","include":[{"email_domain":{"domain":"x.test"}}]}`).Status)
	require.NotContains(t, string(sendAs(t, cl, "GET", app, "").Result), `"everyone":{}`)
	staff := policies[0].(obj)["id"].(string)
	require.Equal(t, http.StatusNotFound, sendAs(t, cl, "PUT", app+"/policies/"+staff, `{}`).Status, "a reusable policy has its own path")
	require.Equal(t, http.StatusBadRequest, sendAs(t, cl, "PUT", a+"/access/policies/"+staff, `{"name":"renamed"}`).Status)
	require.Equal(t, http.StatusOK, sendAs(t, cl, "PUT", a+"/access/policies/"+staff,
		`{"name":"renamed","decision":"allow","include":[{"everyone":{}}]}`).Status)
	require.Contains(t, string(sendAs(t, cl, "GET", app, "").Result), "renamed")
	require.Equal(t, http.StatusOK, sendAs(t, cl, "PUT", app,
		`{"type":"self_hosted","name":"n","domain":"n.test","session_duration":"1h","policies":["`+staff+`"]}`).Status)
	got := fetch[obj](t, cl, app)
	require.Equal(t, "1h", got["session_duration"])
	require.Equal(t, bad["aud"], got["aud"])
	require.Len(t, got["policies"], 1)
	require.Equal(t, http.StatusOK, sendAs(t, cl, "PUT", app, `{"type":"self_hosted","name":"n","domain":"n.test"}`).Status)
	got = fetch[obj](t, cl, app)
	require.Equal(t, "24h", got["session_duration"], "what is not sent falls back")
	require.Empty(t, got["policies"], "policies that are not sent are detached")
	require.Equal(t, http.StatusOK, sendAs(t, cl, "DELETE", app, "").Status)
	require.Equal(t, http.StatusNotFound, sendAs(t, cl, "GET", app, "").Status)
}

func TestRulesAndPoliciesCanBeDeleted(t *testing.T) {
	cl, a, z := writable(AccountSpec{})
	rules := fetch[[]obj](t, cl, z+"/firewall/access_rules/rules")
	require.Equal(t, http.StatusOK, sendAs(t, cl, "DELETE", z+"/firewall/access_rules/rules/"+rules[0]["id"].(string), "").Status)
	require.Len(t, fetch[[]obj](t, cl, z+"/firewall/access_rules/rules"), len(rules)-1)
	policies := fetch[[]obj](t, cl, a+"/alerting/v3/policies")
	one := a + "/alerting/v3/policies/" + policies[0]["id"].(string)
	require.Equal(t, http.StatusOK, sendAs(t, cl, "PUT", one, `{"enabled":false}`).Status)
	require.Equal(t, false, fetch[obj](t, cl, one)["enabled"])
	require.Equal(t, http.StatusOK, sendAs(t, cl, "DELETE", one, "").Status)
	require.Equal(t, http.StatusNotFound, sendAs(t, cl, "GET", one, "").Status)
}
