package assess

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestSweepWhatIfEqualsRealityOfRandomEdits does as TestSweepWhatIfEqualsReality for edits nobody planned: of settings, records, rules,
// applications, policies and whatever else can be written, one after the other.
func TestSweepWhatIfEqualsRealityOfRandomEdits(t *testing.T) { //nolint:tparallel // what follows the group counts what it did
	t.Parallel()
	accounts, edits := 10, 30
	if testing.Short() {
		accounts, edits = 1, 6
	}
	var told, undecided, refused atomic.Int64
	t.Run("accounts", func(t *testing.T) {
		for seed := range accounts {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				e := newEditor(t, uint64(seed)+31, rand.NewPCG(uint64(seed), 9))
				w := e.w
				snap, _ := w.assess()
				state := whatif.Judge(snap, checks.All(), policy.Default())
				for done := 0; done < edits; {
					e.snap = snap
					call := e.draw()
					if call.Path == "" {
						continue
					}
					grant, err := w.engine.Admit(t.Context())
					require.NoError(t, err)
					made, err := w.engine.Provider.Write(t.Context(), grant, change.Call{Method: call.Method, Path: call.Path, Body: call.Body})
					if err != nil {
						refused.Add(1)
						continue
					}
					done++
					name := fmt.Sprintf("%s %s %s", call.Method, call.Path, call.Body)
					call.Body = withID(call, made)
					_, after, err := state.After([]whatif.Step{{Call: call}})
					require.NoError(t, err, name)
					real, _ := w.assess()
					now := whatif.Judge(real, checks.All(), policy.Default())
					told.Add(1)
					undecided.Add(int64(untrue(t, name, after, now)))
					require.Equal(t, spelled(whatif.Judge(after.Snapshot(), checks.All(), policy.Default())), spelled(after), name)
					snap, state = real, now
				}
			})
		}
	})
	t.Logf("%d edits told, %d things undecided; the provider refused %d", told.Load(), undecided.Load(), refused.Load())
}

// editor draws edits of what an account has.
type editor struct {
	w       *workshop
	r       *rand.Rand
	account string
	snap    *snapshot.Snapshot
}

// newEditor makes an account with a zone of each plan and some planted findings.
func newEditor(t *testing.T, seed uint64, draws rand.Source) *editor {
	t.Helper()
	cloud := simcloud.New(simcloud.Options{Seed: seed, Now: simNow, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 4, RecordsPerZone: 12, Plant: 0.2, Plans: []string{"enterprise", "pro", "free", "business"}}},
		Tokens:   []simcloud.Token{{CanWrite: true}}})
	return &editor{w: newWorkshopAt(t, cloud, cloud, cloud, cloud.Tokens()[0].Secret, simNow), r: rand.New(draws),
		account: cloud.Accounts()[0]}
}

func (e *editor) live(path string) any {
	v, err := e.w.engine.Provider.Live(e.w.t.Context(), path, nil)
	if err != nil {
		return nil
	}
	raw, _ := json.Marshal(v)
	var out any
	_ = json.Unmarshal(raw, &out)
	return out
}

func (e *editor) objects(path string) []map[string]any {
	list, _ := e.live(path).([]any)
	var out []map[string]any
	for _, v := range list {
		if o, is := v.(map[string]any); is {
			out = append(out, o)
		}
	}
	return out
}

func pick[T any](e *editor, of ...T) (one T) {
	if len(of) == 0 {
		return one
	}
	return of[e.r.IntN(len(of))]
}

func call(method, path string, body any) change.Call {
	c := change.Call{Method: method, Path: path}
	if body != nil {
		c.Body = change.Encode(body)
	}
	return c
}

type fields = map[string]any

// draw gives an edit; one without a path when there is nothing of the kind.
func (e *editor) draw() change.Call {
	zone := pick(e, e.snap.Zones...)
	z, a := "/zones/"+zone.ID, "/accounts/"+e.account
	kinds := []func() change.Call{
		func() change.Call { return e.setting(z) },
		func() change.Call { return e.setting(z) },
		func() change.Call { return e.record(z, zone.Name) },
		func() change.Call { return e.record(z, zone.Name) },
		func() change.Call { return e.rule(z, zone.Name) },
		func() change.Call { return e.rule(z, zone.Name) },
		func() change.Call { return e.oldRule(z) },
		func() change.Call { return e.oldRule(a) },
		func() change.Call { return e.app(a, zone.Name) },
		func() change.Call { return e.policy(a) },
		func() change.Call { return e.other(a, z, zone.Name) },
		func() change.Call { return e.other(a, z, zone.Name) },
	}
	return pick(e, kinds...)()
}

func (e *editor) setting(z string) change.Call {
	onOff := []any{"on", "off"}
	values := map[string][]any{"ssl": {"off", "flexible", "full", "strict"}, "min_tls_version": {"1.0", "1.1", "1.2", "1.3"},
		"always_use_https": onOff, "tls_1_3": {"on", "off", "zrt"}, "0rtt": onOff, "browser_check": onOff, "automatic_https_rewrites": onOff,
		"opportunistic_encryption": onOff, "email_obfuscation": onOff, "hotlink_protection": onOff, "ip_geolocation": onOff,
		"development_mode": onOff, "always_online": onOff, "challenge_ttl": {1800, 31536000}, "tls_client_auth": onOff,
		"security_level": {"essentially_off", "low", "medium", "high", "under_attack"},
		"ciphers":        {[]string{}, []string{"ECDHE-RSA-AES128-GCM-SHA256"}, []string{"AES128-SHA", "ECDHE-RSA-AES128-SHA"}},
		"security_header": {fields{"strict_transport_security": fields{"enabled": true, "max_age": 300, "include_subdomains": false,
			"preload": false, "nosniff": true}}, fields{"strict_transport_security": fields{"enabled": false, "max_age": 0,
			"include_subdomains": false, "preload": false, "nosniff": false}}},
	}
	id := pick(e, slices.Sorted(maps.Keys(values))...)
	value := pick(e, values[id]...)
	if e.r.IntN(4) == 0 {
		return call(http.MethodPatch, z+"/settings", fields{"items": []any{fields{"id": id, "value": value}}})
	}
	return call(http.MethodPatch, z+"/settings/"+id, fields{"value": value})
}

func (e *editor) record(z, zone string) change.Call {
	path := z + "/dns_records"
	made := func() fields {
		name := pick(e, "new", "shop", "*", "api", "_dmarc", "") + "." + zone
		switch e.r.IntN(4) {
		case 0:
			return fields{"type": "CNAME", "name": name, "content": pick(e, "example.net", "gone.s3.amazonaws.com", zone),
				"proxied": e.r.IntN(2) == 0,
				"ttl":     1}
		case 1:
			return fields{"type": "TXT", "name": name, "content": pick(e, `"v=spf1 +all"`, `"v=DMARC1; p=none"`, `"hello"`), "ttl": 300}
		case 2:
			return fields{"type": "CAA", "name": zone, "ttl": 1, "data": fields{"flags": 0, "tag": "issue", "value": "letsencrypt.org"},
				"content": `0 issue "letsencrypt.org"`}
		default:
			return fields{"type": "A", "name": name, "content": pick(e, "93.184.216.34", "10.0.0.7", "185.220.20.9"), "proxied": e.r.IntN(2) == 0,
				"ttl": 1}
		}
	}
	records := e.objects(path + "?per_page=500")
	old := pick(e, records...)
	switch at := path + "/" + fmt.Sprint(old["id"]); e.r.IntN(6) {
	case 0, 1:
		r := made()
		r["name"] = strings.TrimPrefix(r["name"].(string), ".")
		return call(http.MethodPost, path, r)
	case 2:
		return call(http.MethodDelete, at, nil)
	case 3:
		if old["proxiable"] != true {
			return change.Call{}
		}
		return call(http.MethodPatch, at, fields{"proxied": old["proxied"] != true})
	case 4:
		if old["type"] != "A" {
			return change.Call{}
		}
		return call(http.MethodPut, at, fields{"type": "A", "name": old["name"], "content": "185.220.20.77", "ttl": 300})
	default:
		return call(http.MethodPost, path+"/batch", fields{"deletes": []any{fields{"id": old["id"]}}})
	}
}

// rule makes a rule in some phase of a zone.
func (e *editor) rule(z, zone string) change.Call {
	expression := pick(e, "true", `(http.host eq "www.`+zone+`")`, `(http.request.uri.path contains "/admin")`, `(ip.src in {203.0.113.0/24})`,
		`(not ssl)`, `(cf.client.bot)`, `(http.request.method eq "POST" and http.host eq "api.`+zone+`")`)
	rule := fields{"expression": expression, "description": fmt.Sprint("drawn ", e.r.Uint32()), "enabled": e.r.IntN(5) > 0}
	phase := pick(e, "http_request_firewall_custom", "http_config_settings", "http_request_firewall_managed", "http_ratelimit",
		"http_response_headers_transform", "http_request_cache_settings", "http_request_dynamic_redirect", "http_request_origin")
	switch phase {
	case "http_request_firewall_custom":
		rule["action"] = pick(e, "block", "skip", "managed_challenge", "log")
		if rule["action"] == "skip" {
			rule["action_parameters"] = pick(e, fields{"ruleset": "current"},
				fields{"phases": []any{"http_request_firewall_managed", "http_ratelimit"}},
				fields{"products": []any{"waf", "bic"}})
		}
	case "http_config_settings":
		rule["action"], rule["action_parameters"] = "set_config", pick(e, fields{"ssl": "off"}, fields{"ssl": "flexible"}, fields{"bic": false},
			fields{"security_level": "essentially_off"}, fields{"automatic_https_rewrites": false})
	case "http_request_firewall_managed":
		rule["action"], rule["action_parameters"] = "execute", fields{"id": pick(e, snapshot.ManagedRulesetID, snapshot.OWASPRulesetID),
			"overrides": pick(e, fields{}, fields{"action": "log"}, fields{"enabled": false})}
	case "http_ratelimit":
		rule["action"], rule["ratelimit"] = "block", fields{"characteristics": []any{"ip.src", "cf.colo.id"}, "period": 10,
			"requests_per_period": 50, "mitigation_timeout": 10}
	case "http_response_headers_transform":
		rule["action"], rule["action_parameters"] = "rewrite", fields{"headers": fields{"Strict-Transport-Security": pick(e,
			fields{"operation": "remove"}, fields{"operation": "set", "value": "max-age=31536000; includeSubDomains"})}}
	case "http_request_cache_settings":
		rule["action"], rule["action_parameters"] = "set_cache_settings", fields{"cache": true, "edge_ttl": fields{"mode": "override_origin",
			"default": 3600}}
	case "http_request_dynamic_redirect":
		rule["action"], rule["action_parameters"] = "redirect", fields{"from_value": fields{"status_code": 301,
			"target_url": pick(e, fields{"value": "https://elsewhere.example/"}, fields{"expression": `concat("https://", http.host)`})}}
	default:
		rule["action"], rule["action_parameters"] = "route", fields{"origin": fields{"host": pick(e, "origin."+zone, "other.example")}}
	}
	entry := z + "/rulesets/phases/" + phase + "/entrypoint"
	set, _ := e.live(entry).(map[string]any)
	if set == nil || e.r.IntN(5) == 0 {
		return call(http.MethodPut, entry, fields{"rules": []any{rule}})
	}
	if rules, _ := set["rules"].([]any); e.r.IntN(3) == 0 && len(rules) > 0 {
		first, _ := rules[0].(map[string]any)
		rule["position"] = pick(e, fields{"before": first["id"]}, fields{"index": 1}, fields{"after": first["id"]})
	}
	return call(http.MethodPost, fmt.Sprintf("%s/rulesets/%s/rules", z, set["id"]), rule)
}

// oldRule changes or deletes a rule that is there.
func (e *editor) oldRule(at string) change.Call {
	var sets []map[string]any
	for _, s := range e.objects(at + "/rulesets?per_page=50") {
		if s["kind"] != "managed" {
			sets = append(sets, s)
		}
	}
	id := pick(e, sets...)["id"]
	if id == nil {
		return change.Call{}
	}
	path := fmt.Sprintf("%s/rulesets/%s", at, id)
	set, _ := e.live(path).(map[string]any)
	rules, _ := set["rules"].([]any)
	rule, _ := pick(e, rules...).(map[string]any)
	if rule == nil {
		return change.Call{}
	}
	own := fmt.Sprintf("%s/rules/%s", path, rule["id"])
	if e.r.IntN(3) == 0 {
		return call(http.MethodDelete, own, nil)
	}
	delete(rule, "version")
	delete(rule, "last_updated")
	switch e.r.IntN(3) {
	case 0:
		rule["enabled"] = rule["enabled"] == false
	case 1:
		rule["expression"] = pick(e, "true", `(http.request.uri.path eq "/x")`)
	default:
		if rule["action"] == "block" {
			rule["action"] = "log"
		} else {
			rule["description"] = "said otherwise"
		}
	}
	return call(http.MethodPatch, own, rule)
}

func (e *editor) app(a, zone string) change.Call {
	apps := e.objects(a + "/access/apps?per_page=100")
	app := pick(e, apps...)
	if app == nil || e.r.IntN(4) == 0 {
		return call(http.MethodPost, a+"/access/apps", fields{"type": "self_hosted", "name": "drawn",
			"domain":           pick(e, "www.", "new.", "") + zone,
			"session_duration": pick(e, "24h", "720h"), "policies": []any{fields{"name": "in", "decision": pick(e, "allow", "bypass"),
				"include": []any{pick(e, fields{"everyone": fields{}}, fields{"email_domain": fields{"domain": "acme.example"}})}}}})
	}
	path := a + "/access/apps/" + fmt.Sprint(app["id"])
	switch e.r.IntN(4) {
	case 0:
		return call(http.MethodDelete, path, nil)
	case 1:
		return call(http.MethodPost, path+"/policies", fields{"name": "drawn", "decision": pick(e, "allow", "bypass", "non_identity"),
			"include": []any{pick(e, fields{"everyone": fields{}}, fields{"ip": fields{"ip": "203.0.113.0/24"}})}})
	default:
		for _, name := range []string{"created_at", "updated_at", "aud"} {
			delete(app, name)
		}
		app[pick(e, "http_only_cookie_attribute", "enable_binding_cookie", "options_preflight_bypass")] = e.r.IntN(2) == 0
		app["session_duration"] = pick(e, "24h", "1000h", "15m")
		return call(http.MethodPut, path, app)
	}
}

func (e *editor) policy(a string) change.Call {
	p := pick(e, e.objects(a+"/access/policies?per_page=100")...)
	if p == nil {
		return change.Call{}
	}
	p["decision"] = pick(e, "allow", "bypass")
	p["include"] = []any{pick(e, fields{"everyone": fields{}}, fields{"email_domain": fields{"domain": "gmail.com"}},
		fields{"ip": fields{"ip": "0.0.0.0/0"}})}
	return call(http.MethodPut, a+"/access/policies/"+fmt.Sprint(p["id"]), p)
}

// other edits one of the many other things.
func (e *editor) other(a, z, zone string) change.Call {
	one := func(path string) (map[string]any, string) {
		o := pick(e, e.objects(path)...)
		bare, _, _ := strings.Cut(path, "?")
		return o, bare + "/" + fmt.Sprint(o["id"])
	}
	switch e.r.IntN(16) {
	case 0:
		return call(http.MethodPut, z+"/bot_management", pick(e, fields{"fight_mode": false}, fields{"enable_js": false},
			fields{"ai_bots_protection": "disabled"}, fields{"sbfm_definitely_automated": "allow"}))
	case 1:
		if worker := pick(e, e.objects(a+"/workers/scripts")...); worker != nil {
			return call(http.MethodPost, a+"/workers/scripts/"+fmt.Sprint(worker["id"])+"/subdomain", fields{"enabled": e.r.IntN(2) == 0,
				"previews_enabled": e.r.IntN(2) == 0})
		}
	case 2:
		list, _ := e.live(a + "/r2/buckets?per_page=100").(map[string]any)
		buckets, _ := list["buckets"].([]any)
		if b, is := pick(e, buckets...).(map[string]any); is {
			return call(http.MethodPut, a+"/r2/buckets/"+fmt.Sprint(b["name"])+"/domains/managed", fields{"enabled": e.r.IntN(2) == 0})
		}
	case 3:
		if m, path := one(a + "/members?per_page=50"); m != nil {
			return call(http.MethodDelete, path, nil)
		}
	case 4:
		if tunnel := pick(e, e.objects(a+"/cfd_tunnel?is_deleted=false&per_page=100")...); tunnel != nil {
			return call(http.MethodPut, a+"/cfd_tunnel/"+fmt.Sprint(tunnel["id"])+"/configurations", fields{"config": fields{"ingress": []any{
				fields{"hostname": "tunnelled." + zone, "service": pick(e, "http://10.0.0.5:80", "ssh://10.0.0.5:22"),
					"originRequest": fields{"noTLSVerify": e.r.IntN(2) == 0}}, fields{"service": "http_status:404"}}}})
		}
	case 5:
		return call(http.MethodPost, pick(e, a, z)+"/firewall/access_rules/rules", fields{"mode": pick(e, "whitelist", "block"),
			"notes": pick(e, "", "office"), "configuration": fields{"target": "ip_range", "value": pick(e, "203.0.113.0/24", "198.51.0.0/16")}})
	case 6:
		if r, path := one(pick(e, a, z) + "/firewall/access_rules/rules?mode=whitelist&per_page=100"); r != nil {
			return call(http.MethodDelete, path, nil)
		}
	case 7:
		return call(http.MethodPatch, z+"/dnssec", fields{"status": pick(e, "active", "disabled")})
	case 8:
		if p, path := one(z + "/pagerules?status=active"); p != nil {
			return call(http.MethodPatch, path, fields{"status": "disabled"})
		}
	case 9:
		return call(http.MethodPatch, z, fields{"paused": e.r.IntN(2) == 0})
	case 10:
		if lb, path := one(z + "/load_balancers"); lb != nil {
			return call(http.MethodPatch, path, fields{"proxied": lb["proxied"] != true})
		}
	case 11:
		return call(http.MethodPatch, z+"/managed_headers", fields{"managed_response_headers": []any{fields{
			"id": pick(e, "add_security_headers", "remove_x-powered-by_header"), "enabled": e.r.IntN(2) == 0}}})
	case 12:
		org, _ := e.live(a + "/access/organizations").(map[string]any)
		if org != nil {
			org["session_duration"] = pick(e, "24h", "730h")
			return call(http.MethodPut, a+"/access/organizations", org)
		}
	case 13:
		if rule, path := one(a + "/gateway/rules"); rule != nil {
			rule["enabled"] = e.r.IntN(2) == 0
			return call(http.MethodPut, path, rule)
		}
	case 14:
		return call(http.MethodPut, z+"/hostnames/settings/min_tls_version/"+url.PathEscape("www."+zone), fields{"value": pick(e, "1.0", "1.2")})
	default:
		if token, path := one(a + "/tokens?per_page=50"); token != nil {
			token["condition"] = fields{}
			token["status"] = pick(e, "active", "disabled")
			return call(http.MethodPut, path, token)
		}
	}
	return change.Call{}
}
