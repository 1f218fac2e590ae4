package snapshot

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatAnAIGatewayDoesWithWhatItFinds(t *testing.T) {
	type seen struct{ guardrails, lossRules, onlyFlags, spendLimit bool }
	for text, want := range map[string]seen{
		`{"guardrails":{"prompt":{"S1":"BLOCK"},"response":{"S1":"FLAG"}}}`:                      {guardrails: true},
		`{"guardrails":{"prompt":{"S1":"FLAG"}}}`:                                                {onlyFlags: true},
		`{"guardrails":{"prompt":{}}}`:                                                           {},
		`{"guardrails":null}`:                                                                    {},
		`{"dlp":{"enabled":true,"action":"BLOCK","profiles":["p"]}}`:                             {lossRules: true},
		`{"dlp":{"enabled":false,"action":"BLOCK"}}`:                                             {},
		`{"dlp":{"enabled":true,"policies":[{"enabled":true,"action":"BLOCK"}]}}`:                {lossRules: true},
		`{"dlp":{"enabled":true,"policies":[{"enabled":false,"action":"BLOCK"}]}}`:               {},
		`{"dlp":{"enabled":true,"action":"FLAG"}}`:                                               {onlyFlags: true},
		`{"dlp":{"enabled":true,"action":"BLOCK","profiles":[]}}`:                                {},
		`{"dlp":{"enabled":true,"policies":[{"enabled":true,"action":"BLOCK","profiles":[]}]}}`:  {},
		`{"dlp":{"enabled":true,"policies":[{"enabled":true,"action":"FLAG","check":[]}]}}`:      {},
		`{"spend_limits":{"enabled":true}}`:                                                      {spendLimit: true},
		`{"spend_limits":{"enabled":true,"rules":[{"limit":5},{"limit":9,"enabled":false}]}}`:    {spendLimit: true},
		`{"spend_limits":{"enabled":true,"rules":[]}}`:                                           {},
		`{"spend_limits":{"enabled":true,"rules":[{"limit":5,"enabled":false}]}}`:                {},
		`{"dlp":{"enabled":true,"action":"FLAG"},"guardrails":{"response":{"S2":"BLOCK"}}}`:      {guardrails: true},
		`{"dlp":{"enabled":true,"policies":[{"enabled":true,"action":"FLAG"}]},"guardrails":{}}`: {onlyFlags: true},
	} {
		var w aiGatewayWire
		require.NoError(t, json.Unmarshal([]byte(text), &w), text)
		g := reduceAIGateway(w)
		require.Equal(t, want, seen{g.Guardrails, g.LossRules, g.OnlyFlags, g.SpendLimit}, text)
	}
}

func TestNamesAreKeptInASCII(t *testing.T) {
	for name, want := range map[string]string{
		"bücher.example": "xn--bcher-kva.example", "BÜCHER.example.": "xn--bcher-kva.example.", "Shop.example": "Shop.example", "": "",
		"*.bücher.example": "*.xn--bcher-kva.example", "_dmarc.bücher.example": "_dmarc.xn--bcher-kva.example",
		"http://*bücher.example/ä/*": "http://*xn--bcher-kva.example/ä/*", "bücher.example/ä": "xn--bcher-kva.example/ä",
		"https://www.bücher.example/*": "https://www.xn--bcher-kva.example/*", "xn--bcher-kva.example": "xn--bcher-kva.example",
	} {
		require.Equal(t, want, ASCII(name))
		require.Equal(t, want, ASCII(want))
	}
	page, err := zoneList().reduce(json.RawMessage(`[{"id":"z1","name":"bücher.example"}]`))
	require.NoError(t, err)
	require.Contains(t, string(page), `"xn--bcher-kva.example"`)
	require.Equal(t, "TXT xn--bcher-kva.example", LookupScope("txt", "bücher.example."))
	page, err = pagesProjects().reduce(json.RawMessage(`[{"name":"docs","domains":["docs.pages.dev","bücher.example"]}]`))
	require.NoError(t, err)
	require.Contains(t, string(page), `["docs.pages.dev","xn--bcher-kva.example"]`)
}

func TestNamesHaveNoFinalDot(t *testing.T) {
	page, err := zoneDNSRecords().reduce(json.RawMessage(`[{"id":"r1","name":"www.shop.example.","type":"A","content":"192.0.2.1"}]`))
	require.NoError(t, err)
	require.Contains(t, string(page), `"name":"www.shop.example"`)
	var w tunnelConfigWire
	require.NoError(t, json.Unmarshal([]byte(`{"config":{"ingress":[{"hostname":"www.shop.example.","service":"http://10.0.0.5"}]}}`), &w))
	require.Equal(t, "www.shop.example", reduceTunnelConfig(w).Ingress[0].Hostname)
}

// TestBastionModeTakesTheServiceAway: an address is ignored in bastion mode, of the rule or of all rules; what cloudflared answers by
// itself, and a socket, are not.
func TestBastionModeTakesTheServiceAway(t *testing.T) {
	const all, one = `"originRequest":{"bastionMode":true}`, `,"originRequest":{"bastionMode":false}`
	for text, want := range map[string]string{
		`{"config":{"ingress":[{"service":"http://10.0.0.5","originRequest":{"bastionMode":true}}]}}`: "bastion",
		`{"config":{"ingress":[{"service":"ssh://10.0.0.5"}],` + all + `}}`:                           "bastion",
		`{"config":{"ingress":[{"service":"ssh://10.0.0.5"` + one + `}],` + all + `}}`:                "ssh://10.0.0.5",
		`{"config":{"ingress":[{"service":"http_status:404"}],` + all + `}}`:                          "http_status:404",
		`{"config":{"ingress":[{"service":"unix:/run/app.sock"}],` + all + `}}`:                       "unix:/run/app.sock",
		`{"config":{"ingress":[{"service":"http://10.0.0.5","originRequest":null}]}}`:                 "http://10.0.0.5",
	} {
		var w tunnelConfigWire
		require.NoError(t, json.Unmarshal([]byte(text), &w), text)
		require.Equal(t, want, reduceTunnelConfig(w).Ingress[0].Service, text)
	}
}

func TestWhatWorkersLogsKeep(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`:               false,
		`{"enabled":true}`: true,
		`{"enabled":true,"head_sampling_rate":0}`:                                                false,
		`{"enabled":true,"head_sampling_rate":0.01}`:                                             true,
		`{"enabled":true,"head_sampling_rate":null,"logs":null}`:                                 true,
		`{"enabled":true,"logs":{"enabled":false,"invocation_logs":true}}`:                       false,
		`{"enabled":false,"logs":{"enabled":true,"invocation_logs":true}}`:                       true,
		`{"enabled":true,"head_sampling_rate":0,"logs":{"enabled":true,"head_sampling_rate":1}}`: true,
		`{"enabled":true,"logs":{"enabled":true,"head_sampling_rate":0}}`:                        false,
		`{"enabled":true,"logs":{"enabled":true,"persist":false,"destinations":[]}}`:             false,
		`{"enabled":true,"logs":{"enabled":true,"persist":false,"destinations":["honeycomb"]}}`:  true,
		`{"enabled":false,"traces":{"enabled":true}}`:                                            false,
	} {
		var w observabilityWire
		require.NoError(t, json.Unmarshal([]byte(text), &w), text)
		require.Equal(t, want, w.keepsLogs(), text)
	}
}

func TestWhatAHeaderIsComputedFrom(t *testing.T) {
	for expression, want := range map[string]string{
		"":                                   "",
		"ip.src":                             "ip.src",
		`http.request.headers["X-User"][0]`:  "http.request.headers[x-user]",
		`to_string(ip.src)`:                  "ip.src to_string",
		`concat("key http.cookie ", ip.src)`: "concat ip.src",
		`concat(r"a\", http.user_agent)`:     "concat http.user_agent",
		`concat(r#"a"http.cookie"#, ssl)`:    "concat ssl",
		`concat("a\"http.cookie", raw.http.request.uri.query)`: "concat raw.http.request.uri.query",
		`http.request.headers["a b"][0]`:                       "http.request.headers",
		`"never closed http.cookie`:                            "",
		`10.0.0.1 fe80::1 $list somewhere.else`:                "",
	} {
		require.Equal(t, want, readsOf(expression), expression)
	}
}

// TestWhatIsNotReturnedIsNotOff: what the published schema marks as optional may be missing.
func TestWhatIsNotReturnedIsNotOff(t *testing.T) {
	decoded := func(source Named, text string) string {
		got, err := SourceOf(source).Decode(json.RawMessage(`[{"id":"a",` + text + `}]`))
		require.NoError(t, err, text)
		return string(got)
	}
	for text, untold := range map[string]bool{`"settings":{"enforce_twofactor":false}`: false, `"settings":{}`: true,
		`"settings":null`: true} {
		got := decoded(AccountList, text)
		require.Contains(t, got, `"enforce_twofactor":false`, text)
		require.Equal(t, untold, strings.Contains(got, `"enforce_twofactor_untold":true`), text)
	}
	require.Contains(t, decoded(AIGateways, `"authentication":false`), `"authentication":false`)
	require.NotContains(t, decoded(AIGateways, `"cache_ttl":null`), `"authentication"`)
}

// TestWhatALogpushJobLeavesOut: by a filter, by the switch for attack traffic, by the newer or the older sample rate.
func TestWhatALogpushJobLeavesOut(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: false, `{"filter":"{}"}`: false, `{"filter":"{\"where\":{}}"}`: true, `{"filter_attack_traffic":true}`: true,
		`{"filter_attack_traffic":false}`: false, `{"output_options":{"sample_rate":0.01}}`: true,
		`{"output_options":{"sample_rate":null}}`:                                                false,
		`{"output_options":null,"logpull_options":"fields=RayID&sample=0.1&timestamps=rfc3339"}`: true,
		`{"logpull_options":"fields=RayID&timestamps=rfc3339"}`:                                  false,
		`{"logpull_options":"sample=0.1","output_options":{"sample_rate":1}}`:                    false,
	} {
		var w logpushWire
		require.NoError(t, json.Unmarshal([]byte(text), &w), text)
		require.Equal(t, want, reduceLogpush(w).Partial(), text)
	}
}

func TestSitesThatMayShowAVideo(t *testing.T) {
	for origins, want := range map[string]int{`null`: 0, `[]`: 0, `["acme.example","*.acme.example"]`: 2, `["*"]`: 0,
		`["acme.example","*"]`: 0, `["*.*"]`: 0, `[""]`: 0, `["localhost:3000"]`: 1} {
		page, err := streamVideos().Decode(json.RawMessage(`[{"uid":"w1","allowedOrigins":` + origins + `}]`))
		require.NoError(t, err)
		var got []StreamVideo
		require.NoError(t, json.Unmarshal(page, &got))
		require.Equal(t, want, got[0].Origins, origins)
	}
}

// TestTheListOfAZoneHasTheAllowEntriesOfUsers holds that those of the account, which it repeats, are left out, and those of a
// user, which are in no other list, are not.
func TestTheListOfAZoneHasTheAllowEntriesOfUsers(t *testing.T) {
	page, err := zoneIPAccessRules().Decode(json.RawMessage(`[{"id":"a","scope":{"type":"organization"}},{"id":"u","scope":{"type":"user"}},` +
		`{"id":"z","scope":{"type":"zone"}},{"id":"n"}]`))
	require.NoError(t, err)
	var got []IPAccessRule
	require.NoError(t, json.Unmarshal(page, &got))
	var ids []string
	for _, r := range got {
		ids = append(ids, r.ID)
	}
	require.Equal(t, []string{"n", "u", "z"}, ids)
}

// TestWhatARuleOfABalancerOverrides holds that it takes from the balancer what it does not set.
func TestWhatARuleOfABalancerOverrides(t *testing.T) {
	read := func(rest, overrides string) LoadBalancer {
		page, err := zoneLoadBalancers().Decode(json.RawMessage(`[{"id":"l",` + rest + `,"rules":[{"overrides":` + overrides + `}]}]`))
		require.NoError(t, err)
		var got []LoadBalancer
		require.NoError(t, json.Unmarshal(page, &got))
		return got[0]
	}
	for overrides, want := range map[string][]Affinity{
		`null`: nil, `{}`: nil, `{"session_affinity":"none"}`: nil,
		`{"session_affinity":"cookie","session_affinity_attributes":{"samesite":"Lax"}}`: nil,
		`{"session_affinity":"ip_cookie"}`:                                               {{Kind: "ip_cookie", Secure: "Always"}},
		`{"session_affinity_attributes":{"secure":"Never"}}`:                             {{Kind: "cookie", Secure: "Never", ByRule: true}},
	} {
		got := read(`"session_affinity":"cookie","session_affinity_attributes":{"secure":"Always"}`, overrides).Affinities
		require.Equal(t, append([]Affinity{{Kind: "cookie", Secure: "Always"}}, want...), got, overrides)
	}
	require.Equal(t, []Affinity{{Kind: "cookie", Secure: "Never"}},
		read(`"session_affinity":"none","session_affinity_attributes":{"secure":"Never"}`, `{"session_affinity":"cookie"}`).Affinities)
	const steered = `"default_pools":["a"],"fallback_pool":"f","region_pools":{"WEU":["r"]},"steering_policy":`
	for _, c := range []struct{ policy, overrides, want string }{
		{`"geo"`, `null`, "a f r"}, {`"random"`, `null`, "a f"}, {`"random"`, `{"steering_policy":"geo"}`, "a f r"},
		{`"geo"`, `{"steering_policy":"off"}`, "a f r"}, {`"off"`, `{"default_pools":["b"]}`, "a b f"},
		{`"off"`, `{"region_pools":{"WEU":["q"]}}`, "a f"},
	} {
		require.Equal(t, c.want, strings.Join(read(steered+c.policy, c.overrides).Pools, " "), "%s %s", c.policy, c.overrides)
	}
}

// TestTheListOfMailRulesHasTheCatchAll: its matcher is for all addresses, and it has no address of its own.
func TestTheListOfMailRulesHasTheCatchAll(t *testing.T) {
	page, err := zoneEmailRules().Decode(json.RawMessage(`[{"id":"a","matchers":[{"type":"all"}]},{"id":"b","matchers":[{"type":"literal",` +
		`"field":"to","value":"Postmaster@acme.example"}]}]`))
	require.NoError(t, err)
	var got []MailRule
	require.NoError(t, json.Unmarshal(page, &got))
	require.True(t, got[0].CatchAll())
	require.False(t, got[1].CatchAll())
	require.Equal(t, "postmaster@acme.example", got[1].Control)
}

func TestAProfileBehindOneWithTheSameConditionIsHidden(t *testing.T) {
	profile := func(id, more string) string {
		return `{"policy_id":"` + id + `","match":"identity.email == \"a@shop.example\"",` + more + `}`
	}
	for text, hidden := range map[string][]string{
		profile("a", `"precedence":1`) + "," + profile("b", `"precedence":2`):                                          {"b"},
		profile("a", `"precedence":3`) + "," + profile("b", `"precedence":2`):                                          {"a"},
		profile("a", `"precedence":1,"enabled":false`) + "," + profile("b", `"precedence":2`):                          nil,
		profile("a", `"precedence":1,"profile_type":"browser_extension"`) + "," + profile("b", `"precedence":2`):       nil,
		profile("a", `"name":"x"`) + "," + profile("b", `"precedence":2`):                                              nil,
		profile("a", `"precedence":1`) + "," + `{"policy_id":"b","match":"os.name in {\"linux\"}","precedence":2}`:     nil,
		`{"policy_id":"a","match":"","precedence":1}` + "," + `{"policy_id":"b","match":"","precedence":2}`:            nil,
		profile("a", `"precedence":1`) + "," + profile("b", `"precedence":2`) + "," + profile("c", `"precedence":2.5`): {"b", "c"},
	} {
		kept, err := accountDevicePolicies().reduce(json.RawMessage("[" + text + "]"))
		require.NoError(t, err, text)
		require.NotContains(t, string(kept), "shop.example", "who gets a profile is not kept")
		var all []DeviceProfile
		require.NoError(t, json.Unmarshal(kept, &all), text)
		var got []string
		for _, p := range all {
			if p.Hidden {
				got = append(got, p.ID)
			}
		}
		require.Equal(t, hidden, got, text)
	}
}

// TestLifetimeOfACacheRule is kept where the rule leaves open what is eligible, too.
func TestLifetimeOfACacheRule(t *testing.T) {
	for parameters, want := range map[string]RuleParams{
		`{"edge_ttl":{"mode":"override_origin"}}`:              {Lasts: "override_origin"},
		`{"cache":true,"edge_ttl":{"mode":"override_origin"}}`: {Cache: &CacheParams{Eligible: true, EdgeMode: "override_origin"}},
		`{"browser_ttl":{"mode":"bypass"}}`:                    {},
	} {
		var w rulesetWire
		require.NoError(t, json.Unmarshal([]byte(`{"rules":[{"action":"set_cache_settings","action_parameters":`+parameters+`}]}`), &w))
		require.Equal(t, want, reduceRuleset(w).Rules[0].Params, parameters)
	}
}

// TestWhatAnAnswerLeavesOut: a member that Cloudflare did not send is told apart from one that says no, and an object without a name
// goes by its id.
func TestWhatAnAnswerLeavesOut(t *testing.T) {
	for _, c := range []struct {
		source    Named
		raw, want string
	}{
		{Queues, `[{"queue_id":"q"}]`, `"untold":true`},
		{Queues, `[{"queue_id":"q","producers":[{"script":"a"}]}]`, `"untold":true`},
		{Queues, `[{"queue_id":"q","producers":[],"settings":null}]`, `"queue_name":"q","producers":0,"producer_scripts":[],"consumers":[]}`},
		{Queues, `[{"queue_id":"q","producers_total_count":2,"consumers_total_count":1}]`, `"consumers":[],"consumers_unlisted":1}`},
		{WorkerSettings, `{"bindings":[{"name":"F","type":"r2_bucket","bucket_name":"b","jurisdiction":"eu"}]}`, `"jurisdiction":"eu"`},
		{ZoneHealthChecks, `[{"id":"h","type":"https"}]`, `{"id":"h","name":"h","type":"HTTPS"`},
		{TURNKeys, `[{"uid":"u","name":""}]`, `"name":"u"`},
		{ZoneSecondaryOutgoing, `{"id":"z","name":"acme.example"}`, `{"peers":[],"untold":true}`},
		{ZoneSecondaryOutgoing, `{"id":"z","peers":[]}`, `{"peers":[]}`},
		{AISearchNamespaces, `[{"name":"n","public_endpoint_params":{"default_domain_enabled":true}}]`, `"untold":true`},
		{AISearchNamespaces, `[{"name":"n","public_endpoint_params":{}}]`, `"custom_domains":[]}`},
		{ZoneZaraz, `{"variables":{"v":{"name":"v","value":"AKIAQYLPMN5HHHFPZAM2"}}}`, `"credential_kind":"aws-access-key"`},
		{AccountTransferPeers, `[{"id":"p"}]`, `"name":"p"`},
		{AccessApps, `[{"id":"a","domain":"wiki.acme.example"}]`, `"name":"wiki.acme.example"`},
		{AccessApps, `[{"id":"a","destinations":[{"cidr":"10.0.0.0/8"}]}]`, `"destinations":[{"type":"private","value":"10.0.0.0/8"}]`},
		{AccessApps, `[{"id":"a","destinations":[{"mcp_server_id":"m"}]}]`, `[{"type":"via_mcp_server_portal","value":"m"}]`},
		{AccessApps, `[{"id":"a","destinations":[{"uri":"wiki.acme.example"}]}]`, `"domains":["wiki.acme.example"]`},
	} {
		got, err := SourceOf(c.source).Decode(json.RawMessage(c.raw))
		require.NoError(t, err)
		require.Contains(t, string(got), c.want)
	}
}
