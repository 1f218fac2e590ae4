package terraform

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("update", false, "write the expected texts anew")

const ours = "registry.terraform.io/cloudflare/cloudflare"

// entry is one of resource_changes.
func entry(address, kind, actions, before, after, unknown string) string {
	return fmt.Sprintf(`{"address":%q,"mode":"managed","type":%q,"name":"x","provider_name":%q,"change":{"actions":%s,"before":%s,"after":%s,`+
		`"after_unknown":%s,"before_sensitive":{},"after_sensitive":{"content":true}}}`, address, kind, ours, actions, before, after, unknown)
}

func planOf(entries ...string) string {
	return `{"format_version":"1.2","terraform_version":"1.11.4","planned_values":{},"resource_changes":[` + strings.Join(entries, ",") + `]}`
}

// told spells a plan out: a line for each step, what is not judged and what is undecided.
func told(p Plan) (out []string) {
	for _, s := range p.Steps {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s: %s %s %s", s.Change.Address, s.Call.Method, s.Call.Path, s.Call.Body)))
	}
	for _, n := range p.NotJudged {
		out = append(out, fmt.Sprintf("%s (%s) is not judged: %s", n.Address, n.Type, n.Why))
	}
	for _, u := range p.Undecided {
		out = append(out, fmt.Sprintf("%s is undecided: %s", u.What, u.Why))
	}
	return out
}

func TestRead(t *testing.T) {
	const (
		create, update, replace = `["create"]`, `["update"]`, `["delete","create"]`
		first, remove           = `["create","delete"]`, `["delete"]`
	)
	record := `{"id":"r1","zone_id":"z1","name":"www.acme.example","type":"A","content":"192.0.2.1","ttl":1,"proxied":true,"comment":null,` +
		`"created_on":"2026-01-01T00:00:00Z","proxiable":true,"meta":"{}"}`
	for name, c := range map[string]struct {
		plan string
		want []string
	}{
		"create": {planOf(entry("cloudflare_dns_record.x", "cloudflare_dns_record", create, `null`,
			`{"zone_id":"z1","name":"x.acme.example","type":"A","content":"192.0.2.1","ttl":1,"comment":null}`,
			`{"id":true,"created_on":true,"meta":true}`)),
			[]string{`cloudflare_dns_record.x: POST /zones/z1/dns_records {"content":"192.0.2.1","name":"x.acme.example","ttl":1,"type":"A"}`}},
		"update": {planOf(entry("cloudflare_dns_record.x", "cloudflare_dns_record", update, record, strings.Replace(record, "192.0.2.1",
			"192.0.2.2", 1),
			`{"modified_on":true}`)), []string{`cloudflare_dns_record.x: PUT /zones/z1/dns_records/r1 ` +
			`{"content":"192.0.2.2","name":"www.acme.example","proxied":true,"ttl":1,"type":"A"}`}},
		"destroy": {planOf(entry("cloudflare_dns_record.x", "cloudflare_dns_record", remove, record, `null`, `{}`)),
			[]string{`cloudflare_dns_record.x: DELETE /zones/z1/dns_records/r1`}},
		"replace, either way round": {planOf(
			entry("cloudflare_load_balancer_monitor.a", "cloudflare_load_balancer_monitor", replace, `{"id":"m1","account_id":"a1","type":"http"}`,
				`{"account_id":"a1","type":"https"}`, `{"id":true}`),
			entry("cloudflare_load_balancer_monitor.b", "cloudflare_load_balancer_monitor", first, `{"id":"m2","account_id":"a1","type":"http"}`,
				`{"account_id":"a1","type":"tcp"}`, `{"id":true}`)), []string{
			`cloudflare_load_balancer_monitor.a: DELETE /accounts/a1/load_balancers/monitors/m1`,
			`cloudflare_load_balancer_monitor.a: POST /accounts/a1/load_balancers/monitors {"type":"https"}`,
			`cloudflare_load_balancer_monitor.b: DELETE /accounts/a1/load_balancers/monitors/m2`,
			`cloudflare_load_balancer_monitor.b: POST /accounts/a1/load_balancers/monitors {"type":"tcp"}`}},
		"nothing, reads and other providers": {planOf(
			entry("cloudflare_dns_record.x", "cloudflare_dns_record", `["no-op"]`, record, record, `{}`),
			entry("cloudflare_dns_record.y", "cloudflare_dns_record", `["forget"]`, record, `null`, `{}`),
			strings.Replace(entry("data.cloudflare_zones.x", "cloudflare_zones", `["read"]`, `null`, `{}`, `{}`), `"managed"`, `"data"`, 1),
			strings.Replace(entry("aws_instance.x", "aws_instance", create, `null`, `{}`, `{}`), ours, "registry.terraform.io/hashicorp/aws", 1)),
			nil},
		"modules and indices": {planOf(
			entry(`module.edge["a.b"].cloudflare_zone_setting.x["ssl"]`, "cloudflare_zone_setting", create, `null`,
				`{"zone_id":"z1","setting_id":"ssl","value":"strict","enabled":null}`, `{"id":true}`),
			entry(`module.edge["a.b"].cloudflare_zone_setting.x[1]`, "cloudflare_zone_setting", remove,
				`{"zone_id":"z1","setting_id":"min_tls_version","value":"1.2"}`, `null`, `{}`),
			entry(`cloudflare_zone_setting.early`, "cloudflare_zone_setting", create, `null`,
				`{"zone_id":"z1","setting_id":"early_hints","value":"on"}`, `{}`)),
			[]string{`module.edge["a.b"].cloudflare_zone_setting.x["ssl"]: PATCH /zones/z1/settings/ssl {"value":"strict"}`,
				`cloudflare_zone_setting.early (cloudflare_zone_setting) is not judged: this setting is not assessed`,
				`module.edge["a.b"].cloudflare_zone_setting.x[1] (cloudflare_zone_setting) is not judged: destroying it leaves the setting as it is`}},
		"unknown values": {planOf(
			entry("cloudflare_dns_record.x", "cloudflare_dns_record", create, `null`, `{"zone_id":"z1","name":"x.acme.example","type":"A","ttl":1}`,
				`{"id":true,"content":true,"proxiable":true}`),
			entry("cloudflare_dns_record.y", "cloudflare_dns_record", create, `null`, `{"name":"y","type":"A","content":"192.0.2.1","ttl":1}`,
				`{"id":true,"zone_id":true}`),
			entry("cloudflare_list_item.z", "cloudflare_list_item", create, `null`, `{"account_id":"a1","ip":"192.0.2.1"}`,
				`{"id":true,"list_id":true}`)),
			[]string{`cloudflare_dns_record.x: POST /zones/z1/dns_records {"name":"x.acme.example","ttl":1,"type":"A"}`,
				`cloudflare_dns_record.y (cloudflare_dns_record) is not judged: its zone_id is known only after apply`,
				`cloudflare_list_item.z (cloudflare_list_item) is not judged: its list_id is known only after apply`,
				`cloudflare_dns_record.x.content is undecided: its value is known only after apply`}},
		"what the configuration does not name is Cloudflare's": {strings.TrimSuffix(planOf(
			entry(`module.m["k"].cloudflare_zero_trust_access_application.x[0]`, "cloudflare_zero_trust_access_application", create, `null`,
				`{"account_id":"a1","type":"self_hosted","domain":"x.acme.example","policies":[{"id":"p1","decision":null},{"precedence":2}]}`,
				`{"id":true,"aud":true,"name":true,"session_duration":true,"policies":[{},{"id":true}]}`)),
			"}") + `,"configuration":{"root_module":{"module_calls":` +
			`{"m":{"module":{"resources":[{"address":"cloudflare_zero_trust_access_application.x",` +
			`"expressions":{"account_id":{"constant_value":"a1"},` +
			`"name":{"constant_value":"x"},"policies":{"references":["cloudflare_zero_trust_access_policy.x.id"]}}}]}}}}}}`, []string{
			`module.m["k"].cloudflare_zero_trust_access_application.x[0]: POST /accounts/a1/access/apps ` +
				`{"domain":"x.acme.example","policies":[{"id":"p1"}],"type":"self_hosted"}`,
			`module.m["k"].cloudflare_zero_trust_access_application.x[0].policies[1].id is undecided: its value is known only after apply`}},
		"order": {planOf(
			entry("cloudflare_access_policy.x", "cloudflare_access_policy", create, `null`,
				`{"account_id":"a1","application_id":"app","name":"n","decision":"allow","include":[{"email":["a@acme.example"],"everyone":null}]}`,
				`{"id":true}`),
			entry("cloudflare_load_balancer.x", "cloudflare_load_balancer", create, `null`, `{"zone_id":"z1","name":"lb"}`, `{"id":true}`),
			entry("cloudflare_load_balancer_pool.old", "cloudflare_load_balancer_pool", remove, `{"id":"p0","account_id":"a1"}`, `null`, `{}`),
			entry("cloudflare_load_balancer.old", "cloudflare_load_balancer", remove, `{"id":"l0","zone_id":"z1"}`, `null`, `{}`),
			entry("cloudflare_load_balancer_pool.x", "cloudflare_load_balancer_pool", create, `null`, `{"account_id":"a1","name":"p"}`,
				`{"id":true}`),
			entry("cloudflare_load_balancer_monitor.x", "cloudflare_load_balancer_monitor", create, `null`, `{"account_id":"a1","type":"http"}`,
				`{"id":true}`)),
			[]string{`cloudflare_load_balancer_monitor.x: POST /accounts/a1/load_balancers/monitors {"type":"http"}`,
				`cloudflare_load_balancer_pool.x: POST /accounts/a1/load_balancers/pools {"name":"p"}`,
				`cloudflare_load_balancer.x: POST /zones/z1/load_balancers {"name":"lb"}`,
				`cloudflare_access_policy.x: POST /accounts/a1/access/apps/app/policies {"decision":"allow",` +
					`"include":[{"email":{"email":"a@acme.example"}}],"name":"n"}`,
				`cloudflare_load_balancer.old: DELETE /zones/z1/load_balancers/l0`,
				`cloudflare_load_balancer_pool.old: DELETE /accounts/a1/load_balancers/pools/p0`}},
		"not judged": {planOf(
			entry("cloudflare_zone.x", "cloudflare_zone", create, `null`, `{"name":"new.example"}`, `{"id":true}`),
			entry("cloudflare_stream.x", "cloudflare_stream", create, `null`, `{}`, `{}`),
			entry("cloudflare_ruleset.x", "cloudflare_ruleset", update, `{"id":"s","zone_id":"z1","phase":"http_response_compression"}`,
				`{"id":"s","zone_id":"z1","phase":"http_response_compression","kind":"zone","rules":[]}`, `{}`),
			entry("cloudflare_dns_record.odd", "cloudflare_dns_record", `["create","update"]`, `null`, `null`, `{}`),
			entry("cloudflare_dns_record.bare", "cloudflare_dns_record", remove, `null`, `null`, `{}`),
			entry("cloudflare_access_group.x", "cloudflare_access_group", create, `null`, `{"zone_id":"z1","name":"g"}`, `{"id":true}`),
			entry("cloudflare_api_token.x", "cloudflare_api_token", create, `null`, `{"name":"t","policies":[{"permission_groups":[{"id":"g"}]}]}`,
				`{"id":true}`)),
			[]string{`cloudflare_access_group.x (cloudflare_access_group) is not judged: it belongs to a zone, and only what belongs to the ` +
				`account is assessed`,
				`cloudflare_api_token.x (cloudflare_api_token) is not judged: the plan tells the ids of what is granted and not what that allows`,
				`cloudflare_dns_record.bare (cloudflare_dns_record) is not judged: the plan does not tell its values`,
				`cloudflare_dns_record.odd (cloudflare_dns_record) is not judged: what the plan does with it is not known here`,
				`cloudflare_ruleset.x (cloudflare_ruleset) is not judged: rules of the phase http_response_compression are not assessed`,
				`cloudflare_stream.x (cloudflare_stream) is not judged: resources of this type are not judged`,
				`cloudflare_zone.x (cloudflare_zone) is not judged: zones are judged from the first assessment after they were made`}},
		"an empty plan": {`{"format_version":"1.2","planned_values":{"root_module":{}}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Read([]byte(c.plan))
			require.NoError(t, err)
			require.Equal(t, c.want, told(p))
		})
	}
}

// TestReadOfRealPlans holds what is told of plans that Terraform 1.11.4 made with version 5.22.0 of the provider, for resources that were
// not there and, with -refresh=false, for others that were. A line of a .txt is a step, what is not judged or
// what is undecided.
func TestReadOfRealPlans(t *testing.T) {
	for _, name := range []string{"made", "changed"} {
		t.Run(name, func(t *testing.T) {
			plan, err := os.ReadFile("testdata/" + name + ".json")
			require.NoError(t, err)
			p, err := Read(plan)
			require.NoError(t, err)
			got := strings.Join(told(p), "\n") + "\n"
			if *rewrite {
				require.NoError(t, os.WriteFile("testdata/"+name+".txt", []byte(got), 0o600))
			}
			want, err := os.ReadFile("testdata/" + name + ".txt")
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// TestReadOfVersion4 holds blocks and names of version 4 of the provider against the calls of the API.
func TestReadOfVersion4(t *testing.T) {
	for _, c := range []struct{ kind, before, after, want string }{
		{"cloudflare_worker_script", `{"id":"w","account_id":"a1","name":"w"}`,
			`{"account_id":"a1","name":"w","compatibility_date":"2026-01-01","content":"secret",` +
				`"plain_text_binding":[{"name":"A","text":"b"}],"queue_binding":[{"binding":"Q","queue":"q1"}],"d1_database_binding":[{"name":"D",` +
				`"database_id":"d1"}]}`,
			`PUT /accounts/a1/workers/scripts/w {"compatibility_date":"2026-01-01"}; PATCH /accounts/a1/workers/scripts/w/settings {"bindings":[` +
				`{"name":"A","text":"b","type":"plain_text"},{"database_id":"d1","name":"D","type":"d1"},{"name":"Q","queue_name":"q1",` +
				`"type":"queue"}]}`},
		{"cloudflare_load_balancer", `null`, `{"zone_id":"z1","name":"lb","default_pool_ids":["p1"],"fallback_pool_id":"p2","pop_pools":[],` +
			`"region_pools":[{"region":"WEU","pool_ids":["p3"]}],"session_affinity_attributes":[{"secure":"Never"}],` +
			`"rules":[{"overrides":[{"country_pools":` +
			`[{"country":"CH","pool_ids":["p4"]}]}],"fixed_response":[]}]}`, `POST /zones/z1/load_balancers {"default_pools":["p1"],` +
			`"fallback_pool":"p2",` +
			`"name":"lb","pop_pools":{},"region_pools":{"WEU":["p3"]},"rules":[{"overrides":{"country_pools":{"CH":["p4"]}}}],` +
			`"session_affinity_attributes":{"secure":"Never"}}`},
		{"cloudflare_teams_account", `null`, `{"account_id":"a1","tls_decrypt_enabled":true,"url_browser_isolation_enabled":true,` +
			`"antivirus":[{"fail_closed":true,` +
			`"notification_settings":[{"message":"m"}]}],"logging":[{"redact_pii":true,"settings_by_rule_type":[{"dns":[{"log_all":true}],` +
			`"http":[{"log_all":false}],"l4":[]}]}]}`,
			`PUT /accounts/a1/gateway/configuration {"settings":{"antivirus":{"fail_closed":true,"notification_settings":{"msg":"m"}},` +
				`"browser_isolation":` +
				`{"url_browser_isolation_enabled":true},"tls_decrypt":{"enabled":true}}}; PUT /accounts/a1/gateway/logging ` +
				`{"redact_pii":true,"settings_by_rule_type":{"dns":{"log_all":true},"http":{"log_all":false}}}`},
		{"cloudflare_healthcheck", `null`, `{"zone_id":"z1","name":"h","type":"HTTPS","allow_insecure":true,"path":"/",` +
			`"header":[{"header":"Host","values":["a"]}]}`,
			`POST /zones/z1/healthchecks {"http_config":{"allow_insecure":true,"path":"/"},"name":"h","type":"HTTPS"}`},
		{"cloudflare_custom_hostname", `null`, `{"zone_id":"z1","hostname":"h","ssl":[{"method":"txt","settings":[{"min_tls_version":"1.2"}]}]}`,
			`POST /zones/z1/custom_hostnames {"hostname":"h","ssl":{"method":"txt","settings":{"min_tls_version":"1.2"}}}`},
		{"cloudflare_logpush_job", `{"id":7,"zone_id":"z1"}`, `{"id":7,"account_id":null,"zone_id":"z1","dataset":"d",` +
			`"output_options":[{"cve20214428":true}]}`,
			`PUT /zones/z1/logpush/jobs/7 {"dataset":"d","output_options":{"CVE-2021-44228":true}}`},
		{"cloudflare_hostname_tls_setting", `null`, `{"zone_id":"z1","hostname":"h","setting":"ciphers","value":["AES128-SHA"]}`,
			`PUT /zones/z1/hostnames/settings/ciphers/h {"value":["AES128-SHA"]}`},
		{"cloudflare_authenticated_origin_pulls", `null`, `{"zone_id":"z1","enabled":true,"hostname":null}`,
			`PATCH /zones/z1/settings/tls_client_auth {"value":"on"}`},
		{"cloudflare_zone_dnssec", `null`, `{"zone_id":"z1"}`, `PATCH /zones/z1/dnssec {"status":"active"}`},
		{"cloudflare_zone_hold", `{"id":"h","zone_id":"z1","hold":true}`, `{"zone_id":"z1","hold":false}`, `DELETE /zones/z1/hold`},
		{"cloudflare_email_routing_settings", `null`, `{"zone_id":"z1","enabled":true}`, `POST /zones/z1/email/routing/enable`},
		{"cloudflare_record", `{"id":"r1","zone_id":"z1","name":"www","hostname":"www.acme.example"}`, `{"id":"r1","zone_id":"z1","name":"www",` +
			`"hostname":"www.acme.example","type":"CAA","data":[{"flags":"0","tag":"issue","value":"a"}]}`,
			`PATCH /zones/z1/dns_records/r1 {"content":"0 issue \"a\"","data":{"flags":"0","tag":"issue","value":"a"},"name":"www.acme.example",` +
				`"type":"CAA"}`},
		{"cloudflare_list", `{"id":"l1","account_id":"a1","items":[]}`, `{"id":"l1","account_id":"a1","description":"d",` +
			`"items":[{"ip":"192.0.2.1","asn":null}]}`,
			`PUT /accounts/a1/rules/lists/l1 {"description":"d"}; PUT /accounts/a1/rules/lists/l1/items [{"ip":"192.0.2.1"}]`},
		{"cloudflare_list", `{"id":"l1","account_id":"a1","item":[]}`, `{"id":"l1","account_id":"a1","description":"d","kind":"ip",` +
			`"item":[{"comment":"","value":[{"ip":"0.0.0.0/0","asn":null,"hostname":[],"redirect":[]}]}]}`,
			`PUT /accounts/a1/rules/lists/l1 {"description":"d","kind":"ip"}; PUT /accounts/a1/rules/lists/l1/items [{"ip":"0.0.0.0/0"}]`},
		{"cloudflare_list", `{"id":"l1","account_id":"a1","item":[]}`, `{"id":"l1","account_id":"a1","kind":"redirect",` +
			`"item":[{"comment":"","value":[{"redirect":[{"source_url":"a.example","target_url":"https://b.example",` +
			`"subpath_matching":"enabled","preserve_path_suffix":"disabled"}]}]}]}`,
			`PUT /accounts/a1/rules/lists/l1 {"kind":"redirect"}; PUT /accounts/a1/rules/lists/l1/items [{"redirect":` +
				`{"preserve_path_suffix":false,"source_url":"a.example","subpath_matching":true,"target_url":"https://b.example"}}]`},
		{"cloudflare_ruleset", `null`, `{"account_id":"a1","kind":"custom","name":"c","phase":"http_request_firewall_custom",` +
			`"rules":[{"action":"skip",` +
			`"action_parameters":[{"rules":{"s1":"r1,r2"},"uri":[{"path":[{"value":"/"}]}],"max_age":null}],"expression":"true"}]}`,
			`POST /accounts/a1/rulesets {"kind":"custom","name":"c","phase":"http_request_firewall_custom","rules":[{"action":"skip",` +
				`"action_parameters":` +
				`{"rules":{"s1":["r1","r2"]},"uri":{"path":{"value":"/"}}},"expression":"true"}]}`},
	} {
		t.Run(c.kind, func(t *testing.T) {
			actions := `["update"]`
			if c.before == "null" {
				actions = `["create"]`
			}
			p, err := Read([]byte(planOf(entry("x", c.kind, actions, c.before, c.after, `{"id":true}`))))
			require.NoError(t, err)
			require.Equal(t, "x: "+strings.ReplaceAll(c.want, "; ", "; x: "), strings.Join(told(p), "; "))
		})
	}
}

// TestSensitiveValuesStayInBodies holds that nothing that is told of a plan has a value of it.
func TestSensitiveValuesStayInBodies(t *testing.T) {
	const secret = "hunter2hunter2"
	for kind := range kinds() {
		kind, _, _ = strings.Cut(kind, " ")
		for _, actions := range []string{`["create"]`, `["update"]`, `["delete"]`, `["delete","create"]`} {
			o := `{"content":"` + secret + `","client_secret":"` + secret + `","value":"` + secret + `","zone_id":true,` +
				`"rules":[{"x":"` + secret + `"}]}`
			p, err := Read([]byte(planOf(entry("x", kind, actions, o, o, `{"zone_id":true}`))))
			require.NoError(t, err)
			require.NotContains(t, fmt.Sprint(p.NotJudged, p.Undecided), secret, kind)
		}
	}
}

func TestBadInputIsOneSentence(t *testing.T) {
	whole := planOf(entry("x", "cloudflare_dns_record", `["create"]`, `null`, `{"zone_id":"z1"}`, `{}`))
	for name, c := range map[string]struct{ plan, want string }{
		"empty":              {"", "the plan is empty"},
		"white":              {" \n\t ", "the plan is empty"},
		"a plan file":        {"PK\x03\x04\x14\x00\x08", "this is the plan file itself"},
		"UTF-16":             {"\xff\xfe{\x00", "encoded as UTF-16"},
		"not JSON":           {"Terraform will perform the following actions:", "not the output of terraform show -json"},
		"truncated":          {whole[:len(whole)/2], "not the output of terraform show -json"},
		"a list":             {"[]", "not the output of terraform show -json"},
		"a text":             {`"plan"`, "not the output of terraform show -json"},
		"null":               {"null", "it has no format_version"},
		"a number":           {"12", "not the output of terraform show -json"},
		"an object":          {"{}", "it has no format_version"},
		"a log":              {`{"@level":"info","@message":"Terraform 1.11.4"}` + "\n" + `{"@level":"info"}`, "it has no format_version"},
		"a later format":     {`{"format_version":"2.0"}`, `format_version "2.0" of the plan is not known`},
		"an old format":      {`{"format_version":"0.2"}`, `format_version "0.2" of the plan is not known`},
		"an odd format":      {`{"format_version":"one"}`, `format_version "one" of the plan is not known`},
		"a numeric format":   {`{"format_version":1}`, "does not have the form"},
		"two plans":          {whole + whole, "more follows the end of the plan"},
		"a state":            {`{"format_version":"1.0","terraform_version":"1.11.4","values":{"root_module":{}}}`, "this is a state"},
		"an unfinished plan": {`{"format_version":"1.2","errored":true}`, "could not finish this plan"},
		"changes of text":    {`{"format_version":"1.2","resource_changes":"all"}`, "does not have the form"},
		"actions of text":    {`{"format_version":"1.2","resource_changes":[{"change":{"actions":"create"}}]}`, "does not have the form"},
		"a script":           {"#!/bin/sh\nterraform plan", "not the output of terraform show -json"},
		"zeros":              {strings.Repeat("\x00", 64), "not the output of terraform show -json"},
		"deep":               {strings.Repeat("[", 20000), "not the output of terraform show -json"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read([]byte(c.plan))
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
			require.Less(t, len(err.Error()), 250)
		})
	}
}

// FuzzRead holds that no input makes Read panic, and that each change of Cloudflare's provider is a step or not judged.
func FuzzRead(f *testing.F) {
	for kind := range kinds() {
		kind, _, _ = strings.Cut(kind, " ")
		f.Add([]byte(planOf(entry("m.x", kind, `["update"]`, `{"id":"i","zone_id":"z","account_id":"a","rules":[null,{"headers":[1]}]}`,
			`{"zone_id":"z","account_id":"a","settings":[{"ssl":"off"}],"policies":[{"include":[{"email":["e"],"github":[{"teams":[]}]}]}]}`,
			`{"id":true}`))))
	}
	f.Add([]byte(planOf(entry("x", "cloudflare_dns_record", `["delete","create"]`, `{"id":1}`, `[]`, `true`))))
	f.Add([]byte(`{"format_version":"1.2","resource_changes":[null,{}]}`))
	f.Fuzz(func(t *testing.T, plan []byte) {
		defer fuzztest.Bound(t)()
		p, err := Read(plan)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		var doc document
		require.NoError(t, json.NewDecoder(strings.NewReader(strings.TrimPrefix(string(plan), "\ufeff"))).Decode(&doc))
		accounted := map[string]bool{}
		for _, s := range p.Steps {
			accounted[s.Change.Address] = true
			require.True(t, s.Call.Body == nil || json.Valid(s.Call.Body))
			require.True(t, strings.HasPrefix(s.Call.Path, "/"), s.Call.Path)
			require.NotContains(t, s.Call.Path, "{")
		}
		for _, n := range p.NotJudged {
			require.NotEmpty(t, n.Why)
			accounted[n.Address] = true
		}
		for _, c := range doc.ResourceChanges {
			if effect(c) != "" {
				require.True(t, accounted[c.Address], "%s %s", c.Address, c.Type)
			}
		}
	})
}
