package simcloud

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// known puts ids of objects that exist into a pattern.
func (p *patient) known(pattern string) string {
	first := func(path, key string) string { return asText(p.list(path)[0][key]) }
	path := strings.NewReplacer("/accounts/{account_id}", p.a, "/zones/{zone_id}", p.z).Replace(pattern)
	lists := map[string][2]string{
		"{token_id}": {"/tokens", "id"}, "{member_id}": {"/members", "id"}, "{app_id}": {"/access/apps", "id"},
		"{service_token_id}": {"/access/service_tokens", "id"}, "{dns_firewall_id}": {"/dns_firewall", "id"},
		"{pool_id}":    {"/load_balancers/pools", "id"},
		"{silence_id}": {"/alerting/v3/silences", "id"}, "{project_name}": {"/pages/projects", "name"},
		"{domain_name}": {"/registrar/registrations", "domain_name"},
		"{script_name}": {"/workers/scripts", "id"}, "{peer_id}": {"/secondary_dns/peers", "id"},
		"{domain_id}":         {"/email-security/settings/domains", "id"},
		"{trusted_domain_id}": {"/email-security/settings/trusted_domains", "id"},
		"{server_id}":         {"/access/ai-controls/mcp/servers", "id"},
		"{tunnel_id}":         {"/cfd_tunnel", "id"}, "{route_id}": {"/teamnet/routes", "id"}, "{queue_id}": {"/queues", "queue_id"},
		"{hyperdrive_id}": {"/hyperdrive/configs", "id"}, "{stream_id}": {"/pipelines/v1/streams", "id"},
	}
	ofZone := map[string][2]string{
		"{record_id}": {"/dns_records", "id"}, "{load_balancer_id}": {"/load_balancers", "id"},
		"{custom_hostname_id}": {"/custom_hostnames", "id"}, "{pagerule_id}": {"/pagerules", "id"},
		"{app_id}": {"/spectrum/apps", "id"},
	}
	switch {
	case strings.HasPrefix(path, p.z):
		for param, where := range ofZone {
			if strings.Contains(path, param) {
				path = strings.ReplaceAll(path, param, first(p.z+where[0], where[1]))
			}
		}
	case strings.Contains(path, "/gateway/"):
		path = strings.ReplaceAll(path, "{rule_id}", first(p.a+"/gateway/rules", "id"))
	case strings.Contains(path, "/alerting/v3/policies"):
		path = strings.ReplaceAll(path, "{policy_id}", first(p.a+"/alerting/v3/policies", "id"))
	case strings.Contains(path, "/email-security/"):
		path = strings.ReplaceAll(path, "{policy_id}", first(p.a+"/email-security/settings/allow_policies", "id"))
	case strings.Contains(path, "/devices/policy"):
		path = strings.ReplaceAll(path, "{policy_id}", first(p.a+"/devices/policies", "policy_id"))
	}
	for param, where := range lists {
		if strings.Contains(path, param) {
			path = strings.ReplaceAll(path, param, first(p.a+where[0], where[1]))
		}
	}
	return p.knownParts(path)
}

// knownParts fills in what stands below another object.
func (p *patient) knownParts(path string) string {
	base := p.a
	if strings.HasPrefix(path, p.z) {
		base = p.z
	}
	if strings.Contains(path, "{ruleset_id}") {
		for _, set := range p.list(base + "/rulesets") {
			if rules := objects(p.get(base + "/rulesets/" + asText(set["id"]))["rules"]); len(rules) > 0 && set["kind"] != "managed" {
				path = strings.NewReplacer("{ruleset_id}", asText(set["id"]), "{rule_id}", asText(rules[0]["id"])).Replace(path)
			}
		}
	}
	if strings.Contains(path, "{rule_id}") {
		path = strings.ReplaceAll(path, "{rule_id}", asText(p.list(base + "/firewall/access_rules/rules")[0]["id"]))
	}
	domains := objects(p.get(p.a + "/r2/buckets/assets-1/domains/custom")["domains"])
	path = strings.NewReplacer("{bucket_name}", "assets-1", "{domain}", asText(domains[0]["domain"]), "{setting_id}", "ssl", "{phase}",
		"http_ratelimit", "{hostname}", asText(p.list(p.z + "/hostnames/settings/min_tls_version")[0]["hostname"])).Replace(path)
	if strings.Contains(path, "{policy_id}") {
		shared := asText(p.list(p.a + "/access/policies")[0]["id"])
		path = strings.ReplaceAll(path, "{policy_id}", shared)
	}
	return path
}

// bodiless operations do not read a body.
func bodiless(r Route) bool {
	return r.Method == http.MethodDelete || strings.HasSuffix(r.Pattern, "/refresh") || strings.Contains(r.Pattern, "/content-upload-scan/") ||
		r.Method == http.MethodPost && strings.HasSuffix(r.Pattern, "/hold")
}

// TestSweepBadWritesAreRefused sends every operation what it cannot take: bodies of
// the wrong shape, and ids nobody has. Nothing changes, nothing breaks.
func TestSweepBadWritesAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	p := full(t)
	before, tried := p.state(), 0
	// A body without members empties what these hold.
	wholesale := []string{
		"/zones/{zone_id}/security-center/securitytxt", "/accounts/{account_id}/gateway/logging",
		"/accounts/{account_id}/r2/buckets/{bucket_name}/lock",
		"/accounts/{account_id}/r2/buckets/{bucket_name}/domains/custom/{domain}",
	}
	for _, r := range Routes() {
		if !changes(r.Method) {
			continue
		}
		path := p.known(r.Pattern)
		require.NotContains(t, path, "{", r.Pattern)
		emptied, restore := false, p.cl.snapshotState(p.cl.accounts[0])
		for _, body := range []string{"", "{", "[]", "null", `"x"`, "[1]", "17", `{"rules":7}`, `{"enabled":"yes"}`, `{"value":{}}`,
			`{"name":[]}`, `{"items":{}}`} {
			if bodiless(r) {
				break
			}
			got := sendAs(t, p.cl, r.Method, path, body)
			if got.Status == http.StatusOK {
				// Merging nothing is no change, and some operations put a whole
				// object in place; everything else is refused.
				require.Truef(t, r.Method == http.MethodPatch || r.Method == http.MethodPut || strings.HasSuffix(path, "/batch"), "%s %s %s", r.Method,
					path, body)
				emptied = emptied || slices.Contains(wholesale, r.Pattern) || strings.HasSuffix(r.Pattern, "/entrypoint")
			} else {
				require.Contains(t, []int{400, 403, 404}, got.Status, "%s %s %s: %s", r.Method, path, body, got.Raw)
				require.NotEmpty(t, got.Errors[0].Message)
			}
			tried++
		}
		if unknown := fill(p.cl, r.Pattern); strings.Contains(unknown, "unknown") && r.Method != http.MethodPut {
			got := sendAs(t, p.cl, r.Method, unknown, "{}")
			require.Contains(t, []int{404, 400}, got.Status, "%s %s", r.Method, unknown)
		}
		if emptied {
			restore()
		}
		p.same(before, p.state())
	}
	require.Greater(t, tried, 400)
}

// TestRefusalsOfTheRealThing holds what the provider is known to refuse.
func TestRefusalsOfTheRealThing(t *testing.T) {
	p := full(t)
	apex := asText(p.get(p.z)["name"])
	person := p.list(p.a + "/members")
	voice := ""
	for _, app := range p.list(p.z + "/spectrum/apps") {
		if app["protocol"] == "udp/5060" {
			voice = asText(app["id"])
		}
	}
	gateway := p.list(p.a + "/gateway/rules")[0]
	for _, tc := range []struct{ method, path, body, why string }{
		{"POST", p.z + "/dns_records", `{"type":"MX","name":"x","content":"mail.test"}`, "no priority"},
		{"POST", p.z + "/dns_records", `{"type":"CNAME","name":"` + apex + `","content":"mail.test"}`, "an address has the name"},
		{"POST", p.z + "/dns_records", `{"type":"TXT","name":"x","content":"x","ttl":20}`, "too short"},
		{"POST", p.a + "/alerting/v3/policies", `{"name":"n","enabled":true,"alert_type":"unknown","mechanisms":{"email":[{"id":"a@b.test"}]}}`,
			"unknown type"},
		{"POST", p.a + "/alerting/v3/policies", `{"name":"n","enabled":true,"alert_type":"dos_attack_l7",` +
			`"mechanisms":{"webhooks":[{"id":"none"}]}}`, "unknown destination"},
		{"POST", p.a + "/alerting/v3/policies", `{"name":"n","enabled":true,"alert_type":"dos_attack_l7","mechanisms":{"email":[]}}`,
			"nobody is told"},
		{"POST", p.a + "/alerting/v3/silences", `[{"policy_id":"none","start_time":"2026-03-02T10:00:00Z","end_time":"2026-03-03T10:00:00Z"}]`,
			"unknown policy"},
		{"POST", p.a + "/members", `{"email":"` + asText(person[0]["email"]) + `","roles":["` + asText(objects(person[0]["roles"])[0]["id"]) +
			`"]}`, "a member already"},
		{"POST", p.a + "/members", `{"email":"new@b.test","roles":["none"]}`, "unknown role"},
		{"POST", p.a + "/gateway/rules", `{"name":"n","action":"block","filters":["dns"],"precedence":` +
			string(mustJSON(gateway["precedence"])) + `}`, "the place is taken"},
		{"POST", p.a + "/gateway/rules", `{"name":"n","action":"stop","filters":["dns"]}`, "unknown action"},
		{"PATCH", p.a + "/load_balancers/pools/" + asText(p.list(p.a + "/load_balancers/pools")[0]["id"]), `{"monitor":"none"}`,
			"unknown monitor"},
		{"PATCH", p.z + "/load_balancers/" + asText(p.list(p.z + "/load_balancers")[0]["id"]), `{"proxied":"on"}`, "no switch"},
		{"PUT", p.z + "/spectrum/apps/" + voice, string(mustJSON(merged(p.get(p.z+"/spectrum/apps/"+voice), obj{"ip_firewall": true}))),
			"for TCP only"},
		{"PUT", p.a + "/r2/buckets/assets-1/lock", `{"rules":[{"id":"a","enabled":true,"condition":{"type":"Age"}}]}`, "no age"},
		{"PUT", p.z + "/security-center/securitytxt", `{"enabled":true,"contact":["nobody"]}`, "no address"},
		{"PUT", p.z + "/security-center/securitytxt", `{"enabled":true,"expires":"soon"}`, "no date"},
		{"PUT", p.z + "/hostnames/settings/min_tls_version/www.elsewhere.test", `{"value":"1.2"}`, "another zone"},
		{"PATCH", p.z + "/managed_headers", `{"managed_response_headers":[{"id":"none","enabled":true}]}`, "unknown transform"},
		{"PATCH", p.z + "/settings/challenge_ttl", `{"value":1801}`, "not on offer"},
		{"PATCH", p.a + "/registrar/registrations/" + apex, `{"auto_renew":true,"locked":false}`, "the lock is changed elsewhere"},
		{"POST", p.z + "/firewall/access_rules/rules", `{"mode":"block","configuration":{"target":"country","value":"T1"}}`, "known already"},
		{"POST", p.z + "/firewall/access_rules/rules", `{"mode":"allow","configuration":{"target":"country","value":"XX"}}`, "unknown mode"},
		{"PATCH", p.z + "/pagerules/" + asText(p.list(p.z + "/pagerules")[0]["id"]), `{"actions":[]}`, "no action is left"},
	} {
		got := sendAs(t, p.cl, tc.method, tc.path, tc.body)
		require.Equal(t, http.StatusBadRequest, got.Status, "%s: %s %s: %s", tc.why, tc.method, tc.path, got.Raw)
	}
}

// TestTokenThatIsSwitchedOff is refused until it is switched on again.
func TestTokenThatIsSwitchedOff(t *testing.T) {
	p := full(t)
	tokens := p.list(p.a + "/tokens")
	one := p.a + "/tokens/" + asText(tokens[0]["id"])
	require.Equal(t, http.StatusOK, ask(t, p.cl, "owned", "GET", p.a+"/members", "").Status)
	p.do("PUT", one, merged(tokens[0], obj{"status": "disabled"}))
	require.Equal(t, http.StatusForbidden, ask(t, p.cl, "owned", "GET", p.a+"/members", "").Status)
	require.Contains(t, string(ask(t, p.cl, "owned", "GET", p.a+"/tokens/verify", "").Result), `"status":"disabled"`)
	p.do("PUT", one, merged(tokens[0], obj{"status": "active"}))
	require.Equal(t, http.StatusOK, ask(t, p.cl, "owned", "GET", p.a+"/members", "").Status)
}

// FuzzWrites sends any body to any operation: an answer with an envelope comes
// back, and the state can still be read.
func FuzzWrites(f *testing.F) {
	for i, body := range []string{`{"rules":[{"action":"block","expression":"true"}]}`, `{"type":"TXT","name":"a","content":"b"}`,
		`[{"policy_id":"x"}]`, `{"policies":[{"id":"x"}]}`, `null`, `{"value":{"strict_transport_security":{}}}`,
		`{"deployment_configs":{"production":null}}`} {
		f.Add(uint(i*7), body)
	}
	var writes []Route
	for _, r := range Routes() {
		if changes(r.Method) {
			writes = append(writes, r)
		}
	}
	cl := New(Options{Seed: 5, Now: fixedNow, Limit: Limit{Disabled: true}, Tokens: []Token{{CanWrite: true}}, Accounts: []AccountSpec{{
		Zones: 1, Plans: []string{"enterprise"}, Plants: []PlantRule{{CheckID: "CFL-RULES-002", Variant: "waf-off"},
			{CheckID: "CFL-ALERT-011", Variant: "month"}},
	}}})
	f.Fuzz(func(t *testing.T, which uint, body string) {
		defer fuzztest.Bound(t)()
		r := writes[which%uint(len(writes))]
		if r.Method == http.MethodDelete {
			return // deletes take no body
		}
		a := cl.Accounts()[0]
		p := &patient{t: t, cl: cl, a: "/accounts/" + a, z: "/zones/" + cl.ZoneIDs(a)[0]}
		path := p.known(r.Pattern)
		undo := cl.snapshotState(cl.accounts[0])
		got := sendAs(t, cl, r.Method, path, body)
		require.Contains(t, []int{200, 400, 403, 404}, got.Status, path)
		require.Equal(t, got.Status == 200, got.Success, path)
		require.NotEmpty(t, p.state())
		undo()
	})
}
