package assess

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/terraform"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

// TestSweepTerraformEqualsReality holds what is said to follow from a plan of Terraform against a run after somebody made the same
// changes by hand: the findings, the attack paths and the score are those of that run.
//
// The plans are written here in the form of terraform show -json, after the documentation of the provider, out of what a simulated
// account has: the provider itself cannot be had as a module. That its own plans have this form is held by those in
// internal/assessment/terraform/testdata, which it made.
func TestSweepTerraformEqualsReality(t *testing.T) { //nolint:tparallel // what follows the group counts what it did
	t.Parallel()
	accounts := 4
	if testing.Short() {
		accounts = 1
	}
	var told, undecided, refused atomic.Int64
	t.Run("accounts", func(t *testing.T) {
		for seed := range accounts {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				e := &tfEditor{editor: *newEditor(t, uint64(seed)+71, rand.NewPCG(uint64(seed), 17))}
				w := e.w
				snap, _ := w.assess()
				state := whatif.Judge(snap, checks.All(), policy.Default())
				for i, plan := range tfPlans() {
					if testing.Short() && i%10 != seed {
						continue
					}
					e.snap = snap
					p := plan(e)
					if p.name == "" {
						continue
					}
					read, err := terraform.Read(p.document())
					require.NoError(t, err, p.name)
					require.Len(t, read.Steps, len(p.hand), p.name)
					require.Len(t, read.NotJudged, p.notJudged, "%s: %v", p.name, read.NotJudged)
					require.Len(t, read.Undecided, p.undecided, "%s: %v", p.name, read.Undecided)
					done := 0
					for n, by := range p.hand {
						grant, err := w.engine.Admit(t.Context())
						require.NoError(t, err)
						made, err := w.engine.Provider.Write(t.Context(), grant, change.Call{Method: by.Method, Path: by.Path, Body: by.Body})
						if err != nil {
							t.Logf("%s: %s %s is refused: %v", p.name, by.Method, by.Path, err)
							break
						}
						read.Steps[n].Call.Body = withID(read.Steps[n].Call, made)
						done++
					}
					if done < len(p.hand) {
						refused.Add(1)
						snap, _ = w.assess()
						state = whatif.Judge(snap, checks.All(), policy.Default())
						continue
					}
					said, after, err := state.After(read.Steps)
					require.NoError(t, err, p.name)
					require.Empty(t, said.NotJudged, p.name)
					real, _ := w.assess()
					now := whatif.Judge(real, checks.All(), policy.Default())
					told.Add(1)
					undecided.Add(int64(untrue(t, p.name, after, now)))
					snap, state = real, now
				}
			})
		}
	})
	t.Logf("%d plans told, %d things undecided; the provider refused %d", told.Load(), undecided.Load(), refused.Load())
	if !testing.Short() {
		require.GreaterOrEqual(t, told.Load(), int64(60))
	}
}

// tfPlan is a plan, and the calls by which somebody makes the same changes by hand.
type tfPlan struct {
	name                 string
	changes              []fields
	hand                 []change.Call
	notJudged, undecided int
}

// document is the plan as terraform show -json prints it.
func (p tfPlan) document() []byte {
	return change.Encode(fields{"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": p.changes})
}

// tfEditor makes plans of what an account has.
type tfEditor struct{ editor }

func (e *tfEditor) place() (z, a, zone string) {
	at := pick(&e.editor, e.snap.Zones...)
	return at.ID, e.account, at.Name
}

// tfChange is a change of a resource; its type is a part of its address.
func tfChange(address string, before, after, unknown fields, actions ...string) fields {
	bare, _, _ := strings.Cut(address, "[")
	if strings.HasPrefix(address, "module.") {
		bare = address[strings.Index(address, "cloudflare_"):]
		bare, _, _ = strings.Cut(bare, "[")
	}
	kind, name, _ := strings.Cut(bare, ".")
	if unknown == nil {
		unknown = fields{}
	}
	c := fields{"actions": actions, "before": nil, "after": nil, "after_unknown": unknown, "before_sensitive": false,
		"after_sensitive": fields{}}
	if before != nil {
		c["before"] = before
	}
	if after != nil {
		c["after"] = after
	}
	return fields{"address": address, "mode": "managed", "type": kind, "name": name,
		"provider_name": "registry.terraform.io/cloudflare/cloudflare", "change": c}
}

func tfWith(o fields, more ...any) fields {
	out := maps.Clone(o)
	if out == nil {
		out = fields{}
	}
	for i := 0; i < len(more); i += 2 {
		if more[i+1] == nil {
			delete(out, more[i].(string))
			continue
		}
		out[more[i].(string)] = more[i+1]
	}
	return out
}

// one is something of a list, with what Terraform holds beside it.
func (e *tfEditor) one(path string, more ...any) fields {
	o := pick(&e.editor, e.objects(path)...)
	if o == nil {
		return nil
	}
	return tfWith(o, more...)
}

// live is an object that is there once.
func (e *tfEditor) object(path string) fields {
	o, _ := e.live(path).(map[string]any)
	return o
}

func tfPlans() []func(e *tfEditor) tfPlan {
	setting := func(id string, value any, address string, actions ...string) func(e *tfEditor) tfPlan {
		return func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			after := fields{"id": id, "zone_id": z, "setting_id": id, "value": value, "enabled": nil}
			var before fields
			if actions[0] != "create" {
				before = tfWith(after, "value", "off")
			}
			return tfPlan{name: "setting " + id, changes: []fields{tfChange(address, before, after, fields{"editable": true, "modified_on": true},
				actions...)}, hand: []change.Call{call(http.MethodPatch, "/zones/"+z+"/settings/"+id, fields{"value": value})}}
		}
	}
	hsts := fields{"strict_transport_security": fields{"enabled": true, "max_age": 31536000, "include_subdomains": true, "preload": true,
		"nosniff": true}}
	record := func(address string, o fields, unknown fields) func(e *tfEditor) tfPlan {
		return func(e *tfEditor) tfPlan {
			z, _, zone := e.place()
			o := tfWith(o, "name", fmt.Sprint(o["name"], ".", zone))
			after := tfWith(o, "zone_id", z, "comment", nil, "data", nil)
			p := tfPlan{name: "record " + address, hand: []change.Call{call(http.MethodPost, "/zones/"+z+"/dns_records", o)}}
			u := fields{"id": true, "created_on": true, "modified_on": true, "proxiable": true, "meta": true}
			maps.Copy(u, unknown)
			p.undecided = len(unknown)
			p.changes = []fields{tfChange(address, nil, after, u, "create")}
			return p
		}
	}
	rules := func(phase string, rule fields, planned fields, address string) func(e *tfEditor) tfPlan {
		return func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			entry := "/zones/" + z + "/rulesets/phases/" + phase + "/entrypoint"
			named := fmt.Sprint("drawn ", e.r.Uint32())
			rule, planned := tfWith(rule, "description", named), tfWith(planned, "description", named)
			p := tfPlan{name: "ruleset " + phase}
			after := fields{"zone_id": z, "kind": "zone", "phase": phase, "name": "default", "description": "", "account_id": nil,
				"rules": []any{planned}}
			set := e.object(entry)
			if set == nil {
				p.changes = []fields{tfChange(address, nil, after, fields{"id": true, "last_updated": true, "version": true,
					"rules": []any{fields{"id": true, "ref": true}}}, "create")}
				p.hand = []change.Call{call(http.MethodPut, entry, fields{"rules": []any{rule}})}
				return p
			}
			var kept []any
			for _, v := range set["rules"].([]any) {
				o := v.(map[string]any)
				kept = append(kept, tfWith(o, "version", nil, "last_updated", nil, "categories", nil))
			}
			before := fields{"id": set["id"], "zone_id": z, "kind": "zone", "phase": phase, "name": set["name"], "rules": kept}
			after["id"], after["rules"] = set["id"], append([]any{planned}, kept...)
			p.changes = []fields{tfChange(address, before, after, fields{"rules": []any{fields{"id": true, "ref": true}}}, "update")}
			p.hand = []change.Call{call(http.MethodPut, entry, fields{"rules": append([]any{rule}, kept...)})}
			return p
		}
	}
	return []func(e *tfEditor) tfPlan{
		setting("ssl", "flexible", "cloudflare_zone_setting.ssl", "update"),
		setting("min_tls_version", "1.0", `module.edge.cloudflare_zone_setting.tls["old"]`, "create"),
		setting("security_header", hsts, "cloudflare_zone_setting.hsts", "create"),
		setting("always_use_https", "off", "cloudflare_zone_setting.https[0]", "delete", "create"),
		setting("0rtt", "on", "cloudflare_zone_setting.early", "update"),
		setting("ciphers", []any{"AES128-SHA", "ECDHE-RSA-AES128-SHA"}, "cloudflare_zone_setting.ciphers", "create"),
		setting("development_mode", "off", "cloudflare_zone_setting.dev", "update"),
		setting("ssl", "strict", "cloudflare_zone_setting.ssl", "update"),
		setting("challenge_ttl", 31536000, "cloudflare_zone_setting.ttl", "update"),
		// destroying a setting leaves it
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			return tfPlan{name: "setting destroyed", notJudged: 1, changes: []fields{tfChange("cloudflare_zone_setting.gone",
				fields{"zone_id": z, "setting_id": "ssl", "value": "strict"}, nil, nil, "delete")}}
		},
		// version 4: many settings at once, made, changed and put back
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			settings := fields{"ssl": "full", "zero_rtt": "off", "min_tls_version": "1.2", "brotli": "on", "ciphers": nil, "minify": []any{},
				"security_header": []any{fields{"enabled": true, "max_age": 86400, "include_subdomains": false, "preload": false, "nosniff": true}}}
			at := "/zones/" + z + "/settings/"
			return tfPlan{name: "settings of version 4", changes: []fields{tfChange("cloudflare_zone_settings_override.all", nil,
				fields{"zone_id": z, "settings": []any{settings}}, fields{"id": true, "initial_settings": true,
					"settings": []any{fields{"http3": true}}}, "create")},
				hand: []change.Call{call(http.MethodPatch, at+"min_tls_version", fields{"value": "1.2"}),
					call(http.MethodPatch, at+"security_header", fields{"value": fields{"strict_transport_security": fields{"enabled": true,
						"max_age": 86400, "include_subdomains": false, "preload": false, "nosniff": true}}}),
					call(http.MethodPatch, at+"ssl", fields{"value": "full"}), call(http.MethodPatch, at+"0rtt", fields{"value": "off"})}, undecided: 1}
		},
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			at := "/zones/" + z + "/settings/"
			return tfPlan{name: "settings of version 4 put back", changes: []fields{tfChange("cloudflare_zone_settings_override.all", fields{"id": z,
				"zone_id": z, "settings": []any{fields{"ssl": "full", "tls_1_3": "on", "security_header": []any{}}},
				"initial_settings": []any{fields{"ssl": "off", "tls_1_3": "on", "security_header": []any{}}}}, nil, nil, "delete")},
				hand: []change.Call{call(http.MethodPatch, at+"ssl", fields{"value": "off"})}}
		},
		record("cloudflare_dns_record.new", fields{"type": "A", "name": "new", "content": "93.184.216.34", "proxied": false, "ttl": 300}, nil),
		record(`module.edge.cloudflare_dns_record.gone["a.b"]`, fields{"type": "CNAME", "name": "gone", "content": "gone.s3.amazonaws.com",
			"proxied": true, "ttl": 1}, nil),
		record("cloudflare_dns_record.spf", fields{"type": "TXT", "name": "mail", "content": `"v=spf1 +all"`, "ttl": 300}, nil),
		record("cloudflare_dns_record.inside", fields{"type": "A", "name": "inside", "content": "10.0.0.7", "proxied": false, "ttl": 60},
			fields{"tags": true}),
		func(e *tfEditor) tfPlan { // which has data and no content
			z, _, zone := e.place()
			body := fields{"type": "CAA", "name": "caa." + zone, "ttl": 1, "data": fields{"flags": 0, "tag": "issue", "value": "letsencrypt.org"}}
			return tfPlan{name: "CAA", changes: []fields{tfChange("cloudflare_dns_record.caa", nil, tfWith(body, "zone_id", z), fields{"id": true},
				"create")},
				hand: []change.Call{call(http.MethodPost, "/zones/"+z+"/dns_records", tfWith(body, "content", `0 issue "letsencrypt.org"`))}}
		},
		// version 4 has value, and the whole name as hostname
		func(e *tfEditor) tfPlan {
			z, _, zone := e.place()
			return tfPlan{name: "record of version 4", changes: []fields{tfChange("cloudflare_record.old", nil, fields{"zone_id": z, "name": "v4",
				"type":  "A",
				"value": "185.220.20.9", "content": nil, "proxied": true, "ttl": 1, "data": []any{}, "allow_overwrite": false, "comment": nil},
				fields{"id": true, "hostname": true, "created_on": true, "metadata": true, "data": []any{}}, "create")},
				hand: []change.Call{call(http.MethodPost, "/zones/"+z+"/dns_records", fields{"type": "A", "name": "v4." + zone,
					"content": "185.220.20.9",
					"proxied": true, "ttl": 1})}}
		},
		func(e *tfEditor) tfPlan { // changed
			z, _, _ := e.place()
			path := "/zones/" + z + "/dns_records"
			old := e.one(path+"?per_page=500&type=A", "zone_id", z)
			if old == nil || old["type"] != "A" {
				return tfPlan{}
			}
			after := tfWith(old, "content", "185.220.20.77", "proxied", false, "ttl", 300)
			return tfPlan{name: "record changed", changes: []fields{tfChange("cloudflare_dns_record.old", old, after, fields{"modified_on": true},
				"update")},
				hand: []change.Call{call(http.MethodPut, fmt.Sprint(path, "/", old["id"]), fields{"type": "A", "name": old["name"],
					"content": "185.220.20.77",
					"ttl":     300, "proxied": false})}}
		},
		func(e *tfEditor) tfPlan { // replaced, and another one destroyed
			z, _, zone := e.place()
			path := "/zones/" + z + "/dns_records"
			all := e.objects(path + "?per_page=500")
			if len(all) < 2 {
				return tfPlan{}
			}
			old, gone := tfWith(all[0], "zone_id", z), tfWith(all[1], "zone_id", z)
			fresh := fields{"type": "A", "name": "replaced." + zone, "content": "93.184.216.34", "proxied": true, "ttl": 1}
			return tfPlan{name: "record replaced and destroyed", changes: []fields{
				tfChange("cloudflare_dns_record.gone", gone, nil, fields{}, "delete"),
				tfChange("cloudflare_dns_record.again", old, tfWith(fresh, "zone_id", z), fields{"id": true, "proxiable": true}, "create", "delete")},
				hand: []change.Call{call(http.MethodDelete, fmt.Sprint(path, "/", old["id"]), nil), call(http.MethodPost, path, fresh),
					call(http.MethodDelete, fmt.Sprint(path, "/", gone["id"]), nil)}}
		},
		func(e *tfEditor) tfPlan { // of a zone that the plan makes
			return tfPlan{name: "record of a new zone", notJudged: 2, changes: []fields{
				tfChange("cloudflare_zone.new", nil, fields{"name": "new.example", "type": "full"}, fields{"id": true, "paused": true}, "create"),
				tfChange("cloudflare_dns_record.there", nil, fields{"type": "A", "name": "www.new.example", "content": "1.1.1.1", "ttl": 1},
					fields{"id": true, "zone_id": true}, "create")}}
		},
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			before := e.object("/zones/" + z)
			after := tfWith(before, "paused", before["paused"] != true)
			return tfPlan{name: "zone paused", changes: []fields{tfChange("cloudflare_zone.main", before, after, nil, "update")},
				hand: []change.Call{call(http.MethodPatch, "/zones/"+z, fields{"paused": before["paused"] != true})}}
		},
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			return tfPlan{name: "dnssec", changes: []fields{tfChange("cloudflare_zone_dnssec.on", nil, fields{"zone_id": z, "status": "active",
				"dnssec_multi_signer": nil, "dnssec_presigned": nil}, fields{"id": true, "ds": true, "key_tag": true}, "create")},
				hand: []change.Call{call(http.MethodPatch, "/zones/"+z+"/dnssec", fields{"status": "active"})}}
		},
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			return tfPlan{name: "dnssec destroyed", changes: []fields{tfChange("cloudflare_zone_dnssec.on", fields{"zone_id": z, "status": "active"},
				nil, nil, "delete")}, hand: []change.Call{call(http.MethodPatch, "/zones/"+z+"/dnssec", fields{"status": "disabled"})}}
		},
		rules("http_request_firewall_custom", fields{"action": "skip", "expression": "true", "enabled": true, "action_parameters": fields{
			"phases": []any{"http_request_firewall_managed", "http_ratelimit"}}, "logging": fields{"enabled": true}},
			fields{"action": "skip", "expression": "true", "enabled": true, "action_parameters": fields{"id": nil, "headers": nil,
				"phases": []any{"http_request_firewall_managed", "http_ratelimit"}, "overrides": nil}, "logging": fields{"enabled": true},
				"ratelimit": nil},
			"cloudflare_ruleset.custom"),
		rules("http_config_settings", fields{"action": "set_config", "expression": "(not ssl)", "enabled": true,
			"action_parameters": fields{"ssl": "off"}},
			fields{"action": "set_config", "expression": "(not ssl)", "enabled": true, "action_parameters": []any{fields{"ssl": "off",
				"autominify": []any{}}},
				"ratelimit": []any{}}, "cloudflare_ruleset.config_of_version_4"),
		rules("http_response_headers_transform", fields{"action": "rewrite", "expression": "true", "enabled": true, "action_parameters": fields{
			"headers": fields{"Strict-Transport-Security": fields{"operation": "remove"}}}},
			fields{"action": "rewrite", "expression": "true", "enabled": true, "action_parameters": []any{fields{"headers": []any{
				fields{"name": "Strict-Transport-Security", "operation": "remove", "value": nil, "expression": nil}}, "uri": []any{}}}},
			"module.a.module.b.cloudflare_ruleset.headers"),
		rules("http_request_firewall_managed", fields{"action": "execute", "expression": "true", "enabled": true, "action_parameters": fields{
			"id": "efb7b8c949ac4650a09736fc376e9aee", "overrides": fields{"action": "log"}}},
			fields{"action": "execute", "expression": "true", "enabled": true, "action_parameters": fields{"id": "efb7b8c949ac4650a09736fc376e9aee",
				"overrides": fields{"action": "log", "rules": nil, "categories": nil, "enabled": nil}}}, "cloudflare_ruleset.managed"),
		rules("http_ratelimit", fields{"action": "block", "expression": "true", "enabled": true, "ratelimit": fields{"period": 10,
			"characteristics": []any{"ip.src", "cf.colo.id"}, "requests_per_period": 50, "mitigation_timeout": 10}},
			fields{"action": "block", "expression": "true", "enabled": true, "action_parameters": []any{}, "ratelimit": []any{fields{"period": 10,
				"characteristics": []any{"ip.src", "cf.colo.id"}, "requests_per_period": 50, "mitigation_timeout": 10, "counting_expression": nil}}},
			"cloudflare_ruleset.rate_of_version_4"),
		rules("http_request_cache_settings", fields{"action": "set_cache_settings", "expression": "true", "enabled": true,
			"action_parameters": fields{
				"cache": true, "edge_ttl": fields{"mode": "override_origin", "default": 3600}}},
			fields{"action": "set_cache_settings", "expression": "true", "enabled": true, "action_parameters": []any{fields{"cache": true,
				"edge_ttl": []any{fields{"mode": "override_origin", "default": 3600, "status_code_ttl": []any{}}}}}}, "cloudflare_ruleset.cache"),
		rules("http_request_dynamic_redirect", fields{"action": "redirect", "expression": "true", "enabled": true, "action_parameters": fields{
			"from_value": fields{"status_code": 301, "target_url": fields{"value": "https://elsewhere.example/"}}}},
			fields{"action": "redirect", "expression": "true", "enabled": true, "action_parameters": []any{fields{"from_value": []any{fields{
				"status_code": 301, "target_url": []any{fields{"value": "https://elsewhere.example/", "expression": nil}}}}}}},
			"cloudflare_ruleset.redirect"),
		rules("http_request_origin", fields{"action": "route", "expression": "true", "enabled": true, "action_parameters": fields{
			"host_header": "other.example", "origin": fields{"host": "other.example"}}},
			fields{"action": "route", "expression": "true", "enabled": true, "action_parameters": fields{"host_header": "other.example",
				"origin": fields{"host": "other.example", "port": nil}}}, "cloudflare_ruleset.origin"),
		func(e *tfEditor) tfPlan { // destroyed
			z, _, _ := e.place()
			set := e.object("/zones/" + z + "/rulesets/phases/http_request_firewall_custom/entrypoint")
			if set == nil {
				return tfPlan{}
			}
			return tfPlan{name: "ruleset destroyed", changes: []fields{tfChange("cloudflare_ruleset.gone", tfWith(set, "zone_id", z), nil, nil,
				"delete")},
				hand: []change.Call{call(http.MethodDelete, fmt.Sprint("/zones/", z, "/rulesets/", set["id"]), nil)}}
		},
		func(e *tfEditor) tfPlan { // of a phase that is not read
			z, _, _ := e.place()
			return tfPlan{name: "ruleset not read", notJudged: 1, changes: []fields{tfChange("cloudflare_ruleset.other", nil, fields{"zone_id": z,
				"kind": "zone", "phase": "http_response_compression", "rules": []any{}}, fields{"id": true}, "create")}}
		},
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			rule := e.one("/zones/"+z+"/pagerules?status=active", "zone_id", z)
			if rule == nil {
				return tfPlan{}
			}
			state := fields{"id": rule["id"], "zone_id": z, "status": "active", "priority": 1, "target": "http://*/*",
				"actions": fields{"ssl": "off"}}
			after := tfWith(state, "actions", []any{fields{"always_use_https": true, "ssl": "flexible", "disable_security": false,
				"browser_check":  "",
				"forwarding_url": []any{}, "cache_level": nil}})
			return tfPlan{name: "page rule", changes: []fields{tfChange("cloudflare_page_rule.one", state, after, nil, "update")},
				hand: []change.Call{call(http.MethodPatch, fmt.Sprint("/zones/", z, "/pagerules/", rule["id"]), fields{"actions": []any{
					fields{"id": "always_use_https"}, fields{"id": "ssl", "value": "flexible"}}, "priority": 1, "status": "active", "targets": []any{
					fields{"target": "url", "constraint": fields{"operator": "matches", "value": "http://*/*"}}}})}}
		},
		func(e *tfEditor) tfPlan {
			z := e.zoneWith("free")
			return tfPlan{name: "bots", changes: []fields{tfChange("cloudflare_bot_management.one", fields{"id": z, "zone_id": z,
				"fight_mode": true},
				fields{"id": z, "zone_id": z, "fight_mode": false, "enable_js": nil, "using_latest_model": true}, nil, "update")},
				hand: []change.Call{call(http.MethodPut, "/zones/"+z+"/bot_management", fields{"fight_mode": false})}}
		},
		func(e *tfEditor) tfPlan {
			z := e.zoneWith("enterprise")
			zone := fmt.Sprint(e.object("/zones/" + z)["name"])
			return tfPlan{name: "least TLS of a host", changes: []fields{tfChange("cloudflare_hostname_tls_setting.www", nil, fields{"zone_id": z,
				"setting_id": "min_tls_version", "hostname": "www." + zone, "value": "1.0"}, fields{"id": true, "status": true}, "create")},
				hand: []change.Call{call(http.MethodPut, "/zones/"+z+"/hostnames/settings/min_tls_version/www."+zone, fields{"value": "1.0"})}}
		},
		func(e *tfEditor) tfPlan {
			z := e.zoneWith("enterprise")
			host := e.one("/zones/" + z + "/hostnames/settings/min_tls_version")
			if host == nil {
				return tfPlan{}
			}
			return tfPlan{name: "TLS of a host destroyed", changes: []fields{tfChange("cloudflare_hostname_tls_setting.www", fields{"zone_id": z,
				"setting_id": "min_tls_version", "hostname": host["hostname"], "value": "1.0"}, nil, nil, "delete")},
				hand: []change.Call{call(http.MethodDelete, fmt.Sprint("/zones/", z, "/hostnames/settings/min_tls_version/", host["hostname"]), nil)}}
		},
		func(e *tfEditor) tfPlan {
			z := e.zoneWith("enterprise")
			if now := e.object("/zones/" + z + "/hold"); now["hold_after"] != "" && now["hold_after"] != nil {
				return tfPlan{} // what becomes of a hold that is lifted for some time is not published
			}
			return tfPlan{name: "hold destroyed", changes: []fields{tfChange("cloudflare_zone_hold.on", fields{"zone_id": z, "hold": true}, nil, nil,
				"delete")},
				hand: []change.Call{call(http.MethodDelete, "/zones/"+z+"/hold", nil)}}
		},
		func(e *tfEditor) tfPlan {
			z := e.zoneWith("enterprise")
			if now := e.object("/zones/" + z + "/hold"); now["hold_after"] != "" && now["hold_after"] != nil {
				return tfPlan{} // what becomes of a hold that is lifted for some time is not published
			}
			return tfPlan{name: "hold", changes: []fields{tfChange("cloudflare_zone_hold.on", nil, fields{"zone_id": z, "include_subdomains": true},
				fields{"id": true, "hold": true}, "create")},
				hand: []change.Call{call(http.MethodPost, "/zones/"+z+"/hold?include_subdomains=true", nil)}}
		},
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			return tfPlan{name: "URL normalization", changes: []fields{tfChange("cloudflare_url_normalization_settings.one", nil,
				fields{"zone_id": z,
					"type": "cloudflare", "scope": "none"}, fields{"id": true}, "create")},
				hand: []change.Call{call(http.MethodPut, "/zones/"+z+"/url_normalization", fields{"type": "cloudflare", "scope": "none"})}}
		},
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			return tfPlan{name: "managed transforms", changes: []fields{tfChange("cloudflare_managed_headers.one", fields{"zone_id": z,
				"managed_request_headers": []any{}, "managed_response_headers": []any{fields{"id": "add_security_headers", "enabled": true}}},
				fields{"zone_id": z, "managed_request_headers": []any{fields{"id": "add_true_client_ip_headers", "enabled": true}},
					"managed_response_headers": []any{fields{"id": "remove_x-powered-by_header", "enabled": true}}}, nil, "update")},
				hand: []change.Call{call(http.MethodPatch, "/zones/"+z+"/managed_headers", fields{"managed_request_headers": []any{
					fields{"id": "add_true_client_ip_headers", "enabled": true}}, "managed_response_headers": []any{
					fields{"id": "add_security_headers", "enabled": false}, fields{"id": "remove_x-powered-by_header", "enabled": true}}})}}
		},
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			return tfPlan{name: "leaked credentials", changes: []fields{tfChange("cloudflare_leaked_credential_check.off", nil, fields{"zone_id": z,
				"enabled": false}, nil, "create")},
				hand: []change.Call{call(http.MethodPost, "/zones/"+z+"/leaked-credential-checks", fields{"enabled": false})}}
		},
		// Access
		func(e *tfEditor) tfPlan {
			_, a, zone := e.place()
			app := fields{"type": "self_hosted", "name": "drawn", "domain": "new." + zone, "session_duration": "720h", "policies": []any{fields{
				"name": "in", "decision": "bypass", "include": []any{fields{"everyone": fields{}}}}}}
			planned := tfWith(app, "account_id", a, "zone_id", nil, "policies", []any{fields{"id": nil, "name": "in", "decision": "bypass",
				"include": []any{fields{"everyone": fields{}, "email": nil, "azure_ad": nil}}, "exclude": nil}}, "cors_headers", nil)
			return tfPlan{name: "application", changes: []fields{tfChange("cloudflare_zero_trust_access_application.new", nil, planned,
				fields{"id": true, "aud": true, "policies": []any{fields{"id": true}}}, "create")},
				hand: []change.Call{call(http.MethodPost, "/accounts/"+a+"/access/apps", app)}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			app := e.one("/accounts/"+a+"/access/apps?per_page=100", "account_id", a)
			if app == nil {
				return tfPlan{}
			}
			var ids []any
			for _, p := range app["policies"].([]any) {
				ids = append(ids, fields{"id": p.(map[string]any)["id"], "precedence": 1})
			}
			after := tfWith(app, "session_duration", "1000h", "http_only_cookie_attribute", false, "policies", ids)
			body := tfWith(after, "account_id", nil, "aud", nil, "created_at", nil, "updated_at", nil, "uid", nil, "id", nil)
			return tfPlan{name: "application changed", changes: []fields{tfChange("cloudflare_zero_trust_access_application.old", app, after,
				fields{"updated_at": true}, "update")}, hand: []change.Call{call(http.MethodPut, fmt.Sprint("/accounts/", a, "/access/apps/",
				app["id"]), body)}}
		},
		func(e *tfEditor) tfPlan { // version 4: policies by id, and blocks
			_, a, zone := e.place()
			held := e.one("/accounts/" + a + "/access/policies?per_page=100")
			if held == nil {
				return tfPlan{}
			}
			app := fields{"type": "self_hosted", "name": "of version 4", "domain": "four." + zone, "session_duration": "24h",
				"policies":     []any{held["id"]},
				"cors_headers": fields{"allow_all_origins": true, "allowed_methods": []any{"GET"}}}
			planned := tfWith(app, "account_id", a, "cors_headers", []any{app["cors_headers"]}, "saas_app", []any{}, "footer_links", []any{})
			return tfPlan{name: "application of version 4", changes: []fields{tfChange("cloudflare_access_application.new", nil, planned,
				fields{"id": true, "aud": true, "cors_headers": []any{fields{}}}, "create")},
				hand: []change.Call{call(http.MethodPost, "/accounts/"+a+"/access/apps", app)}}
		},
		func(e *tfEditor) tfPlan { // version 4: a policy of an application
			_, a, _ := e.place()
			app := e.one("/accounts/" + a + "/access/apps?per_page=100")
			if app == nil {
				return tfPlan{}
			}
			planned := fields{"account_id": a, "application_id": app["id"], "name": "of version 4", "decision": "allow", "precedence": 7,
				"include": []any{fields{"email": []any{"ann@acme.example", "bob@acme.example"}, "everyone": false, "ip": []any{"203.0.113.0/24"},
					"group": nil, "azure": []any{}, "github": []any{fields{"name": "acme", "teams": []any{"a", "b"}, "identity_provider_id": "i"}}}},
				"require": []any{}, "exclude": []any{fields{"any_valid_service_token": true, "geo": []any{"KP"}}}}
			body := fields{"name": "of version 4", "decision": "allow", "precedence": 7, "include": []any{
				fields{"email": fields{"email": "ann@acme.example"}}, fields{"email": fields{"email": "bob@acme.example"}},
				fields{"github-organization": fields{"name": "acme", "team": "a", "identity_provider_id": "i"}},
				fields{"github-organization": fields{"name": "acme", "team": "b", "identity_provider_id": "i"}},
				fields{"ip": fields{"ip": "203.0.113.0/24"}}}, "exclude": []any{fields{"any_valid_service_token": fields{}},
				fields{"geo": fields{"country_code": "KP"}}}}
			return tfPlan{name: "policy of version 4", changes: []fields{tfChange("cloudflare_access_policy.new", nil, planned, fields{"id": true},
				"create")},
				hand: []change.Call{call(http.MethodPost, fmt.Sprint("/accounts/", a, "/access/apps/", app["id"], "/policies"), body)}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			p := e.one("/accounts/"+a+"/access/policies?per_page=100", "account_id", a)
			if p == nil {
				return tfPlan{}
			}
			include := []any{fields{"email_domain": fields{"domain": "gmail.com"}}, fields{"everyone": fields{}}}
			after := tfWith(p, "decision", "bypass", "include", include)
			return tfPlan{name: "policy changed", changes: []fields{tfChange("cloudflare_zero_trust_access_policy.old", p, after, nil, "update")},
				hand: []change.Call{call(http.MethodPut, fmt.Sprint("/accounts/", a, "/access/policies/", p["id"]), tfWith(after, "account_id", nil))}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			app := e.one("/accounts/"+a+"/access/apps?per_page=100", "account_id", a)
			if app == nil {
				return tfPlan{}
			}
			return tfPlan{name: "application destroyed", changes: []fields{tfChange("cloudflare_access_application.old", app, nil, nil, "delete")},
				hand: []change.Call{call(http.MethodDelete, fmt.Sprint("/accounts/", a, "/access/apps/", app["id"]), nil)}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			org := e.object("/accounts/" + a + "/access/organizations")
			if org == nil {
				return tfPlan{}
			}
			after := tfWith(org, "session_duration", "730h", "account_id", a)
			return tfPlan{name: "organization", changes: []fields{tfChange("cloudflare_access_organization.one", tfWith(org, "account_id", a), after,
				nil, "update")},
				hand: []change.Call{call(http.MethodPut, "/accounts/"+a+"/access/organizations", tfWith(org, "session_duration", "730h"))}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			token := e.one("/accounts/"+a+"/access/service_tokens?per_page=100", "account_id", a)
			if token == nil {
				return tfPlan{}
			}
			return tfPlan{name: "service token destroyed", changes: []fields{tfChange("cloudflare_zero_trust_access_service_token.old", token, nil,
				nil, "delete")},
				hand: []change.Call{call(http.MethodDelete, fmt.Sprint("/accounts/", a, "/access/service_tokens/", token["id"]), nil)}}
		},
		// Gateway, tunnels, devices
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			rule := e.one("/accounts/"+a+"/gateway/rules", "account_id", a)
			if rule == nil {
				return tfPlan{}
			}
			after := tfWith(rule, "enabled", rule["enabled"] == false)
			return tfPlan{name: "Gateway policy", changes: []fields{tfChange("cloudflare_zero_trust_gateway_policy.old", rule, after,
				fields{"version": true}, "update")},
				hand: []change.Call{call(http.MethodPut, fmt.Sprint("/accounts/", a, "/gateway/rules/", rule["id"]), tfWith(after, "account_id", nil))}}
		},
		func(e *tfEditor) tfPlan { // version 4 has reasons and settings of its own
			_, a, _ := e.place()
			body := fields{"name": "of version 4", "description": "", "action": "block", "enabled": true, "filters": []any{"dns"},
				"precedence": 99001,
				"traffic":    "any(dns.security_category[*] in {80})", "rule_settings": fields{"block_page_enabled": true, "block_reason": "no"}}
			planned := tfWith(body, "account_id", a, "rule_settings", []any{fields{"block_page_enabled": true, "block_page_reason": "no",
				"untrusted_cert": []any{}, "override_ips": nil}})
			return tfPlan{name: "Gateway policy of version 4", changes: []fields{tfChange("cloudflare_teams_rule.new", nil, planned,
				fields{"id": true,
					"version": true}, "create")}, hand: []change.Call{call(http.MethodPost, "/accounts/"+a+"/gateway/rules", body)}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			return tfPlan{name: "Gateway settings", changes: []fields{tfChange("cloudflare_teams_account.one", fields{"id": a, "account_id": a},
				fields{"id": a, "account_id": a, "tls_decrypt_enabled": false, "activity_log_enabled": false, "antivirus": []any{}, "logging": []any{},
					"protocol_detection_enabled": nil}, nil, "update")},
				hand: []change.Call{call(http.MethodPatch, "/accounts/"+a+"/gateway/configuration", fields{"settings": fields{
					"tls_decrypt": fields{"enabled": false}, "activity_log": fields{"enabled": false}}})}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			kinds := fields{"dns": fields{"log_all": false, "log_blocks": true}, "http": fields{"log_all": true, "log_blocks": true},
				"l4": fields{"log_all": false, "log_blocks": false}}
			return tfPlan{name: "logs of Gateway", changes: []fields{tfChange("cloudflare_zero_trust_gateway_logging.one", fields{"account_id": a},
				fields{"account_id": a, "redact_pii": true, "settings_by_rule_type": kinds}, nil, "update")},
				hand: []change.Call{call(http.MethodPut, "/accounts/"+a+"/gateway/logging", fields{"redact_pii": true,
					"settings_by_rule_type": kinds})}}
		},
		func(e *tfEditor) tfPlan {
			_, a, zone := e.place()
			tunnel := e.one("/accounts/" + a + "/cfd_tunnel?is_deleted=false&per_page=100")
			if tunnel == nil {
				return tfPlan{}
			}
			planned := []any{fields{"ingress_rule": []any{fields{"hostname": "four." + zone, "path": nil, "service": "ssh://10.0.0.5:22",
				"origin_request": []any{fields{"no_tls_verify": true, "access": []any{}}}}, fields{"service": "http_status:404",
				"origin_request": []any{}}},
				"origin_request": []any{}, "warp_routing": []any{}}}
			sent := fields{"ingress": []any{fields{"hostname": "four." + zone, "service": "ssh://10.0.0.5:22",
				"originRequest": fields{"noTLSVerify": true}},
				fields{"service": "http_status:404"}}}
			return tfPlan{name: "tunnel of version 4", changes: []fields{tfChange("cloudflare_tunnel_config.one", nil, fields{"account_id": a,
				"tunnel_id": tunnel["id"], "config": planned}, fields{"id": true}, "create")},
				hand: []change.Call{call(http.MethodPut, fmt.Sprint("/accounts/", a, "/cfd_tunnel/", tunnel["id"], "/configurations"),
					fields{"config": sent})}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			tunnel := e.one("/accounts/"+a+"/cfd_tunnel?is_deleted=false&per_page=100", "account_id", a)
			if tunnel == nil {
				return tfPlan{}
			}
			return tfPlan{name: "tunnel destroyed", changes: []fields{tfChange("cloudflare_zero_trust_tunnel_cloudflared.old", tunnel, nil, nil,
				"delete")},
				hand: []change.Call{call(http.MethodDelete, fmt.Sprint("/accounts/", a, "/cfd_tunnel/", tunnel["id"]), nil)}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			return tfPlan{name: "devices", changes: []fields{tfChange("cloudflare_zero_trust_device_default_profile.one", nil,
				fields{"account_id": a,
					"allowed_to_leave": true, "switch_locked": false, "auto_connect": 0}, fields{"id": true, "exclude": true, "include": true}, "create")},
				undecided: 2, hand: []change.Call{call(http.MethodPatch, "/accounts/"+a+"/devices/policy", fields{"allowed_to_leave": true,
					"switch_locked": false, "auto_connect": 0})}}
		},
		// R2 and Workers
		func(e *tfEditor) tfPlan {
			a, bucket := e.account, e.bucket()
			return tfPlan{name: "managed domain", changes: []fields{tfChange("cloudflare_r2_managed_domain.one", nil, fields{"account_id": a,
				"bucket_name": bucket, "enabled": true, "jurisdiction": "default"}, fields{"bucket_id": true, "domain": true}, "create")},
				hand: []change.Call{call(http.MethodPut, "/accounts/"+a+"/r2/buckets/"+bucket+"/domains/managed", fields{"enabled": true})}}
		},
		func(e *tfEditor) tfPlan {
			a, bucket := e.account, e.bucket()
			rules := []any{fields{"id": "r", "allowed": fields{"origins": []any{"*"}, "methods": []any{"GET", "PUT"}, "headers": nil},
				"max_age_seconds": 60}}
			return tfPlan{name: "CORS", changes: []fields{tfChange("cloudflare_r2_bucket_cors.one", nil, fields{"account_id": a,
				"bucket_name":  bucket,
				"jurisdiction": "default", "rules": rules}, nil, "create")},
				hand: []change.Call{call(http.MethodPut, "/accounts/"+a+"/r2/buckets/"+bucket+"/cors", fields{"rules": []any{fields{"id": "r",
					"allowed": fields{"origins": []any{"*"}, "methods": []any{"GET", "PUT"}}, "maxAgeSeconds": 60}}})}}
		},
		func(e *tfEditor) tfPlan {
			a, bucket := e.account, e.bucket()
			return tfPlan{name: "lock", changes: []fields{tfChange("cloudflare_r2_bucket_lock.one", nil, fields{"account_id": a,
				"bucket_name": bucket,
				"rules": []any{fields{"id": "keep", "enabled": true, "prefix": nil, "condition": fields{"type": "Age", "max_age_seconds": 86400,
					"date": nil}}}},
				nil, "create")},
				hand: []change.Call{call(http.MethodPut, "/accounts/"+a+"/r2/buckets/"+bucket+"/lock", fields{"rules": []any{fields{"id": "keep",
					"enabled": true, "condition": fields{"type": "Age", "maxAgeSeconds": 86400}}}})}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			script := e.one("/accounts/" + a + "/workers/scripts")
			if script == nil {
				return tfPlan{}
			}
			return tfPlan{name: "subdomain of a script", changes: []fields{tfChange("cloudflare_workers_script_subdomain.one", nil,
				fields{"account_id": a,
					"script_name": script["id"], "enabled": true, "previews_enabled": true}, fields{"id": true}, "create")},
				hand: []change.Call{call(http.MethodPost, fmt.Sprint("/accounts/", a, "/workers/scripts/", script["id"], "/subdomain"),
					fields{"enabled": true,
						"previews_enabled": true})}}
		},
		// Balancing
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			lb := e.one("/zones/"+z+"/load_balancers", "zone_id", z)
			if lb == nil {
				return tfPlan{}
			}
			after := tfWith(lb, "proxied", lb["proxied"] != true)
			return tfPlan{name: "load balancer", changes: []fields{tfChange("cloudflare_load_balancer.one", lb, after, nil, "update")},
				hand: []change.Call{call(http.MethodPatch, fmt.Sprint("/zones/", z, "/load_balancers/", lb["id"]),
					fields{"proxied": after["proxied"]})}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			pool := e.one("/accounts/"+a+"/load_balancers/pools", "account_id", a)
			if pool == nil {
				return tfPlan{}
			}
			origins := []any{fields{"name": "o", "address": "198.51.100.7", "enabled": true, "header": []any{fields{"header": "Host",
				"values": []any{"a.example"}}}}}
			after := tfWith(pool, "origins", origins)
			return tfPlan{name: "pool of version 4", changes: []fields{tfChange("cloudflare_load_balancer_pool.one", pool, after, nil, "update")},
				hand: []change.Call{call(http.MethodPatch, fmt.Sprint("/accounts/", a, "/load_balancers/pools/", pool["id"]),
					fields{"origins": []any{fields{
						"name": "o", "address": "198.51.100.7", "enabled": true, "header": fields{"Host": []any{"a.example"}}}}})}}
		},
		// The account
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			body := fields{"mode": "whitelist", "notes": "office", "configuration": fields{"target": "ip_range", "value": "203.0.113.0/24"}}
			return tfPlan{name: "access rule of version 4", changes: []fields{tfChange("cloudflare_access_rule.office", nil, tfWith(body,
				"account_id", a,
				"zone_id", nil, "configuration", []any{body["configuration"]}), fields{"id": true}, "create")},
				hand: []change.Call{call(http.MethodPost, "/accounts/"+a+"/firewall/access_rules/rules", body)}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			rule := e.one("/accounts/"+a+"/firewall/access_rules/rules?mode=whitelist&per_page=100", "account_id", a)
			if rule == nil {
				return tfPlan{}
			}
			after := tfWith(rule, "mode", "block")
			return tfPlan{name: "access rule turned", changes: []fields{tfChange("cloudflare_access_rule.office", rule, after, nil, "update")},
				hand: []change.Call{call(http.MethodPatch, fmt.Sprint("/accounts/", a, "/firewall/access_rules/rules/", rule["id"]),
					fields{"mode": "block"})}}
		},
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			rule := fields{"id": "x", "zone_id": z, "mode": "block", "configuration": fields{"target": "ip", "value": "198.51.100.1"}}
			return tfPlan{name: "access rule that blocks", notJudged: 1, changes: []fields{tfChange("cloudflare_access_rule.b", rule, nil, nil,
				"delete")}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			m := e.one("/accounts/"+a+"/members?per_page=50", "account_id", a)
			if m == nil || strings.Contains(fmt.Sprint(m["roles"], m["policies"]), "Super") {
				return tfPlan{}
			}
			return tfPlan{name: "member destroyed", changes: []fields{tfChange("cloudflare_account_member.ann", m, nil, nil, "delete")},
				hand: []change.Call{call(http.MethodDelete, fmt.Sprint("/accounts/", a, "/members/", m["id"]), nil)}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			before := e.object("/accounts/" + a)
			settings, _ := before["settings"].(map[string]any)
			settings = tfWith(settings, "enforce_twofactor", settings["enforce_twofactor"] != true)
			return tfPlan{name: "account", changes: []fields{tfChange("cloudflare_account.main", before, tfWith(before, "settings", settings), nil,
				"update")},
				hand: []change.Call{call(http.MethodPut, "/accounts/"+a, fields{"name": before["name"], "settings": settings})}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			token := e.one("/accounts/"+a+"/tokens?per_page=50", "account_id", a)
			if token == nil {
				return tfPlan{}
			}
			bare := []any{fields{"effect": "allow", "permission_groups": []any{fields{"id": "g"}},
				"resources": `{"com.cloudflare.api.account.a":"*"}`}}
			return tfPlan{name: "token", notJudged: 1, changes: []fields{tfChange("cloudflare_account_token.one", tfWith(token, "policies", bare),
				tfWith(token, "policies", bare, "status", "disabled"), nil, "update")}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			p := e.one("/accounts/"+a+"/alerting/v3/policies", "account_id", a)
			if p == nil {
				return tfPlan{}
			}
			return tfPlan{name: "notifications destroyed", changes: []fields{tfChange("cloudflare_notification_policy.old", p, nil, nil, "delete")},
				hand: []change.Call{call(http.MethodDelete, fmt.Sprint("/accounts/", a, "/alerting/v3/policies/", p["id"]), nil)}}
		},
		func(e *tfEditor) tfPlan {
			_, a, _ := e.place()
			body := fields{"name": "of version 4", "enabled": true, "alert_type": "universal_ssl_event_type", "mechanisms": fields{
				"email": []any{fields{"id": "ops@acme.example"}}}}
			return tfPlan{name: "notifications of version 4", changes: []fields{tfChange("cloudflare_notification_policy.new", nil,
				fields{"account_id": a,
					"name": "of version 4", "enabled": true, "alert_type": "universal_ssl_event_type", "email_integration": []any{fields{
						"id": "ops@acme.example", "name": nil}}, "webhooks_integration": []any{}, "filters": []any{}}, fields{"id": true}, "create")},
				hand: []change.Call{call(http.MethodPost, "/accounts/"+a+"/alerting/v3/policies", body)}}
		},
		func(e *tfEditor) tfPlan {
			z, _, _ := e.place()
			body := fields{"enabled": true, "name": "all", "actions": []any{fields{"type": "forward", "value": []any{"ann@gmail.com"}}},
				"matchers": []any{fields{"type": "all"}}}
			return tfPlan{name: "catch-all", changes: []fields{tfChange("cloudflare_email_routing_catch_all.one", nil, tfWith(body, "zone_id", z),
				fields{"id": true, "tag": true}, "create")}, hand: []change.Call{call(http.MethodPut, "/zones/"+z+"/email/routing/rules/catch_all",
				body)}}
		},
		func(e *tfEditor) tfPlan { // nothing of these changes anything, or is Cloudflare's
			z, _, _ := e.place()
			other := tfChange("cloudflare_zone_setting.other", nil, fields{"zone_id": z, "setting_id": "ssl", "value": "off"}, nil, "create")
			other["provider_name"] = "registry.terraform.io/hashicorp/null"
			return tfPlan{name: "nothing", changes: []fields{other, tfChange("cloudflare_zone_setting.same", fields{"zone_id": z},
				fields{"zone_id": z}, nil, "no-op")}}
		},
	}
}

func (e *tfEditor) zoneWith(plan string) string {
	for _, z := range e.snap.Zones {
		if z.Plan == plan {
			return z.ID
		}
	}
	return ""
}

// bucket is the name of some bucket.
func (e *tfEditor) bucket() string {
	list, _ := e.live("/accounts/" + e.account + "/r2/buckets?per_page=100").(map[string]any)
	buckets, _ := list["buckets"].([]any)
	b, _ := pick(&e.editor, buckets...).(map[string]any)
	return fmt.Sprint(b["name"])
}
