package terraform

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func zoneBody(r *resource, body object) (any, string) {
	if len(body) == 0 || r.before != nil && same(r.before["paused"], r.after["paused"]) && same(r.before["type"], r.after["type"]) {
		return nil, "what changes of the zone is not assessed"
	}
	return body, ""
}

// assessed reports whether any check reads a zone setting.
func assessed(setting string) bool {
	return slices.ContainsFunc(snapshot.SourceOf(snapshot.ZoneSettings).Singly, func(s snapshot.SingleRead) bool { return s.ID == setting })
}

func settingBody(r *resource, body object) (any, string) {
	switch {
	case !assessed(scalar(r.after["setting_id"])):
		return nil, "this setting is not assessed"
	case len(body) == 0:
		return nil, "its value is known only after apply"
	default:
		return body, ""
	}
}

// overrides handles the version 4 resource that holds many zone settings at once and restores the
// previous values when it is destroyed.
func overrides(k kind, r *resource, does string) ([]change.Call, string) {
	before, after := member(k.plain(r.before), "settings"), member(k.plain(r.after), "settings")
	at := r.after
	switch does {
	case create:
		before = nil
	case remove:
		after, at = member(k.plain(r.before), "initial_settings"), r.before
	}
	path, why := r.path("/zones/{zone_id}/settings", at)
	if why != "" {
		return nil, why
	}
	settings, _ := after.(object)
	var calls []change.Call
	for _, name := range sortedNames(settings) {
		value := settings[name]
		if same(value, member(before, name)) {
			continue
		}
		switch name {
		case "zero_rtt":
			name = "0rtt"
		case "security_header":
			value = object{"strict_transport_security": value}
		}
		if assessed(name) {
			calls = append(calls, write(http.MethodPatch, path+"/"+name, object{"value": value}))
		}
	}
	if len(calls) == 0 {
		return nil, "none of the settings that it changes is assessed"
	}
	return calls, ""
}

// dnssecBody enables DNSSEC for version 4, whose resource has no status attribute to set.
func dnssecBody(r *resource, body object) (any, string) {
	_, given := r.after["dnssec_multi_signer"]
	if status := text(body["status"]); !given && r.unknown["dnssec_multi_signer"] == nil {
		body["status"] = "active"
	} else if status != "active" && status != "disabled" {
		delete(body, "status") // a state that Cloudflare reports while it waits
	}
	return body, ""
}

func hold(k kind, r *resource, does string) ([]change.Call, string) {
	at := r.values(does)
	path, why := r.path(k.path, at)
	if why != "" {
		return nil, why
	}
	if given, is := at["hold"].(bool); does == remove || is && !given && !same(r.before["hold"], at["hold"]) {
		return []change.Call{{Method: http.MethodDelete, Path: path}}, ""
	}
	if does == update && (r.before["hold"] != false || r.after["hold"] != true) {
		body, why := k.body(r)
		return []change.Call{write(http.MethodPatch, path, body)}, why
	}
	if r.after["include_subdomains"] == true {
		path += "?include_subdomains=true"
	}
	return []change.Call{{Method: http.MethodPost, Path: path}}, ""
}

// transforms disables transforms that are no longer listed, as the provider does.
func transforms(k kind, r *resource, does string) ([]change.Call, string) {
	at := r.values(does)
	path, why := r.path(k.path, at)
	if why != "" {
		return nil, why
	}
	body := object{}
	for _, name := range []string{"managed_request_headers", "managed_response_headers"} {
		listed := map[string]bool{}
		for _, h := range list(r.before[name]) {
			listed[text(member(h, "id"))] = false
		}
		for _, h := range list(r.after[name]) {
			listed[text(member(h, "id"))] = member(h, "enabled") == true
		}
		var headers []any
		for _, id := range slices.Sorted(maps.Keys(listed)) {
			headers = append(headers, object{"id": id, "enabled": listed[id]})
		}
		if headers != nil {
			body[name] = headers
		}
	}
	return []change.Call{write(http.MethodPatch, path, body)}, ""
}

// pageRuleBody lists the actions, some of which are enabled by being present.
func pageRuleBody(r *resource, body object) (any, string) {
	actions := []any{}
	given, _ := body["actions"].(object)
	for _, id := range sortedNames(given) {
		switch v := given[id].(type) {
		case bool:
			if v {
				actions = append(actions, object{"id": id})
			}
		case []any:
			if len(v) > 0 {
				actions = append(actions, object{"id": id, "value": v})
			}
		default:
			if s := scalar(v); s != "" && s != "0" || s == "" && v != any("") {
				actions = append(actions, object{"id": id, "value": v})
			}
		}
	}
	out := present(body, "priority", "status")
	out["actions"] = actions
	out["targets"] = []any{object{"target": "url", "constraint": object{"operator": "matches", "value": body["target"]}}}
	if r.before != nil && r.before["status"] == "disabled" {
		return nil, "only page rules that are active are assessed, and this one was not"
	}
	return out, ""
}

// ruleset writes the rules of a phase, or of a ruleset that others execute.
func ruleset(k kind, r *resource, does string) ([]change.Call, string) {
	at := r.values(does)
	path, why := r.path("/{scope}/rulesets", at)
	level := "account"
	if strings.HasPrefix(path, "/zones/") {
		level = "zone"
	}
	phase, custom := text(at["phase"]), at["kind"] == "custom"
	read := slices.ContainsFunc(snapshot.Sources(), func(s snapshot.Source) bool { return s.Name == level+"/ruleset/"+phase })
	switch {
	case why != "":
		return nil, why
	case custom && level == "zone", !custom && !read:
		return nil, fmt.Sprintf("rules of the phase %.60s are not assessed", phase)
	case does != create && scalar(r.before["id"]) == "":
		return nil, "its id is not known"
	case does == remove:
		return []change.Call{{Method: http.MethodDelete, Path: path + "/" + url.PathEscape(scalar(r.before["id"]))}}, ""
	case r.unknown["rules"] == true:
		return nil, "its rules are known only after apply"
	}
	plain, _ := k.plain(r.after).(object)
	rules := []any{}
	for _, v := range list(plain["rules"]) {
		rule, _ := v.(object)
		delete(rule, "last_updated")
		delete(rule, "version")
		if params, is := rule["action_parameters"].(object); is {
			rule["action_parameters"] = parameters(params)
		}
		rules = append(rules, rule)
	}
	body := object{"rules": rules}
	switch {
	case does == update:
		return []change.Call{write(http.MethodPut, path+"/"+url.PathEscape(scalar(r.before["id"])), body)}, ""
	case custom:
		body["kind"], body["phase"], body["name"] = "custom", phase, at["name"]
		return []change.Call{write(http.MethodPost, path, body)}, ""
	default:
		return []change.Call{write(http.MethodPut, path+"/phases/"+url.PathEscape(phase)+"/entrypoint", body)}, ""
	}
}

// parameters converts action parameters to the shape of the API: version 4 lists headers with their
// names, and joins rule ids with commas.
func parameters(p object) object {
	if headers := list(p["headers"]); headers != nil {
		byName := object{}
		for _, v := range headers {
			if h, is := v.(object); is && text(h["name"]) != "" {
				name := text(h["name"])
				delete(h, "name")
				byName[name] = h
			}
		}
		p["headers"] = byName
	}
	if rules, is := p["rules"].(object); is {
		for name, v := range rules {
			if ids, joined := v.(string); joined {
				rules[name] = strings.Split(strings.ReplaceAll(ids, " ", ""), ",")
			}
		}
	}
	return p
}

// healthBody moves attributes that version 4 has at the top level into http_config, where the API
// has them.
func healthBody(_ *resource, body object) (any, string) {
	if _, flat := body["allow_insecure"]; flat {
		config := object{}
		for _, name := range []string{"allow_insecure", "expected_body", "expected_codes", "follow_redirects", "method", "path", "port"} {
			if v, has := body[name]; has {
				config[name] = v
				delete(body, name)
			}
		}
		delete(body, "header")
		body["http_config"] = config
	}
	return body, ""
}

func recordBody(r *resource, body object) (any, string) {
	if v := body["value"]; v != nil && body["content"] == nil {
		body["content"] = v
	}
	delete(body, "value")
	if host := text(r.after["hostname"]); host != "" {
		body["name"] = host // version 4 has the full name here
	}
	if caa, is := body["data"].(object); is && body["type"] == "CAA" && body["content"] == nil {
		body["content"] = fmt.Sprintf("%v %v %q", caa["flags"], caa["tag"], text(caa["value"])) // in the form Cloudflare shows
	}
	if body["name"] == nil {
		return nil, "its name is known only after apply"
	}
	return body, ""
}

func mailRouting(k kind, r *resource, does string) ([]change.Call, string) {
	at, verb := r.values(does), "enable"
	if does == remove || at["enabled"] == false { // version 5 enables it by existing
		verb = "disable"
	}
	path, why := r.path(k.path, at)
	return []change.Call{{Method: http.MethodPost, Path: path + "/" + verb}}, why
}

// hostnameTLS writes a TLS setting of one hostname; version 4 calls the attribute setting.
func hostnameTLS(_ kind, r *resource, does string) ([]change.Call, string) {
	at := r.values(does)
	setting := text(at["setting_id"])
	if setting == "" {
		setting = text(at["setting"])
	}
	path, why := r.path("/zones/{zone_id}/hostnames/settings/"+setting+"/{hostname}", at)
	switch {
	case setting != "min_tls_version" && setting != "ciphers":
		return nil, "this setting is not assessed"
	case why != "":
		return nil, why
	case does == remove:
		return []change.Call{{Method: http.MethodDelete, Path: path}}, ""
	case r.after["value"] == nil:
		return nil, "its value is known only after apply"
	}
	return []change.Call{write(http.MethodPut, path, object{"value": r.after["value"]})}, ""
}

// originPulls handles the version 4 resource for the zone-wide setting or that of the zone's own
// certificate; the setting of a single host is not assessed.
func originPulls(_ kind, r *resource, does string) ([]change.Call, string) {
	enabled, given := r.value("enabled").(bool)
	path, why := r.path("/zones/{zone_id}", r.after)
	switch {
	case does == remove:
		return nil, leftAsItIs
	case !given || text(r.after["hostname"]) != "":
		return nil, notAssessed
	case why != "":
		return nil, why
	case text(r.after["authenticated_origin_pulls_certificate"]) != "":
		return []change.Call{write(http.MethodPut, path+"/origin_tls_client_auth/settings", object{"enabled": enabled})}, ""
	}
	value := "off"
	if enabled {
		value = "on"
	}
	return []change.Call{write(http.MethodPatch, path+"/settings/tls_client_auth", object{"value": value})}, ""
}

// appBody leaves out policies that the same plan creates, because they have no id yet.
func appBody(_ *resource, body object) (any, string) {
	if policies := list(body["policies"]); policies != nil {
		kept := []any{}
		for _, v := range policies {
			if p, is := v.(object); is {
				if p["id"] == nil && p["decision"] == nil {
					continue
				}
				v = withConditions(p)
			}
			kept = append(kept, v)
		}
		body["policies"] = kept
	}
	return body, ""
}

func policyBody(_ *resource, body object) (any, string) { return withConditions(body), "" }

func withConditions(o object) object {
	for _, name := range []string{"include", "exclude", "require"} {
		if all := list(o[name]); all != nil {
			out := []any{}
			for _, block := range all {
				out = append(out, conditions(block)...)
			}
			o[name] = out
		}
	}
	return o
}

// conditions converts the conditions of one block: version 4 lists the values of a kind, where the
// API has an object for each
// (developers.cloudflare.com/cloudflare-one/access-controls/policies/#selectors).
func conditions(block any) (out []any) {
	o, _ := block.(object)
	apiNames := map[string]string{"azure_ad": "azureAD", "azure": "azureAD", "github_organization": "github-organization",
		"github": "github-organization", "common_names": "common_name"}
	members := map[string]string{"email": "email", "email_domain": "domain", "ip": "ip", "ip_list": "id", "email_list": "id", "group": "id",
		"service_token": "token_id", "geo": "country_code", "login_method": "id", "device_posture": "integration_uid",
		"common_name": "common_name",
		"auth_method": "auth_method"}
	for _, kind := range sortedNames(o) {
		name := kind
		if now := apiNames[kind]; now != "" {
			name = now
		}
		switch v := o[kind].(type) {
		case bool:
			if v {
				out = append(out, object{name: object{}})
			}
		case string:
			if v != "" {
				out = append(out, object{name: object{members[name]: v}})
			}
		case object:
			out = append(out, object{name: v})
		case []any:
			for _, one := range v {
				block, is := one.(object)
				if !is {
					out = append(out, object{name: object{members[name]: one}})
					continue
				}
				for _, single := range singles(block) {
					out = append(out, object{name: named(single, map[string]string{"teams": "team"})})
				}
			}
		}
	}
	return out
}

// singles splits an object with a list of values into one object per value.
func singles(o object) []object {
	for _, name := range sortedNames(o) {
		if values, is := o[name].([]any); is {
			var out []object
			for _, v := range values {
				single := maps.Clone(o)
				single[name] = v
				out = append(out, single)
			}
			if out == nil {
				delete(o, name)
				return singles(o)
			}
			return out
		}
	}
	return []object{o}
}

// gatewaySettings writes the Gateway settings, which version 4 has side by side and together with
// the log settings.
func gatewaySettings(k kind, r *resource, does string) ([]change.Call, string) {
	if does == remove {
		return nil, leftAsItIs
	}
	path, why := r.path(k.path, r.after)
	if why != "" {
		return nil, why
	}
	plain, _ := named(k.plain(r.after), k.names).(object)
	if settings, is := plain["settings"].(object); is {
		return []change.Call{write(k.set, path, object{"settings": settings})}, ""
	}
	settings := present(plain, "antivirus", "block_page", "body_scanning", "certificate", "custom_certificate",
		"extended_email_matching", "fips")
	for _, name := range []string{"activity_log", "tls_decrypt", "protocol_detection"} {
		if v := plain[name+"_enabled"]; v != nil {
			settings[name] = object{"enabled": v}
		}
	}
	isolation := object{}
	for from, to := range map[string]string{"url_browser_isolation_enabled": "url_browser_isolation_enabled",
		"non_identity_browser_isolation_enabled": "non_identity_enabled"} {
		if v := plain[from]; v != nil {
			isolation[to] = v
		}
	}
	if len(isolation) > 0 {
		settings["browser_isolation"] = isolation
	}
	calls := []change.Call{write(k.set, path, object{"settings": settings})}
	if logging := plain["logging"]; logging != nil {
		path, why = r.path("/accounts/{account_id}/gateway/logging", r.after)
		calls = append(calls, write(k.set, path, logging))
	}
	return calls, why
}

// present returns the named members of an object that have a value.
func present(o object, names ...string) object {
	out := object{}
	for _, name := range names {
		if v := o[name]; v != nil {
			out[name] = v
		}
	}
	return out
}

// worker writes the bindings and the logging of a script; its content is not assessed.
func worker(k kind, r *resource, does string) ([]change.Call, string) {
	at := r.values(does)
	name := "script_name"
	if at[name] == nil {
		name = "name" // the name in version 4
	}
	path, why := r.path("/accounts/{account_id}/workers/scripts/{"+name+"}", at)
	switch {
	case why != "":
		return nil, why
	case does == remove:
		return []change.Call{{Method: http.MethodDelete, Path: path}}, ""
	}
	plain, _ := k.plain(r.after).(object)
	script := present(plain, "compatibility_date", "logpush", "observability", "tail_consumers")
	bindings := append([]any{}, list(plain["bindings"])...)
	for _, kind := range []string{"plain_text", "secret_text", "kv_namespace", "r2_bucket", "service", "d1_database", "queue",
		"analytics_engine",
		"hyperdrive_config"} {
		for _, v := range list(plain[kind+"_binding"]) {
			b, _ := named(v, map[string]string{"binding": "name", "queue": "queue_name"}).(object)
			b["type"] = strings.TrimSuffix(strings.TrimSuffix(kind, "_database"), "_config")
			bindings = append(bindings, b)
		}
	}
	return []change.Call{write(http.MethodPut, path, script), write(http.MethodPatch, path+"/settings", object{"bindings": bindings})}, ""
}

// balancerBody converts the pools by location to the shape of the API, a map keyed by location.
func balancerBody(_ *resource, body object) (any, string) {
	placed := func(o object) {
		for _, kind := range []string{"region", "country", "pop"} {
			all := list(o[kind+"_pools"])
			if all == nil {
				continue
			}
			pools := object{}
			for _, v := range all {
				pools[text(member(v, kind))] = member(v, "pool_ids")
			}
			o[kind+"_pools"] = pools
		}
	}
	placed(body)
	for _, rule := range list(body["rules"]) {
		if o, is := member(rule, "overrides").(object); is {
			placed(o)
		}
	}
	return body, ""
}

// addressList writes a list, and its items if the resource has them. Until Cloudflare assigns an
// id, a new list has its Terraform address as id.
func addressList(k kind, r *resource, does string) ([]change.Call, string) {
	items, _ := k.plain(r.after["items"]).([]any)
	if items == nil {
		items = listItems(list(k.plain(r.after["item"])))
	}
	k.whole = nil
	calls, why := k.calls(r, does)
	if why != "" || does == remove || items == nil {
		return calls, why
	}
	path := calls[0].Path
	if does == create {
		body, why := k.body(r)
		if why != "" {
			return nil, why
		}
		if o, is := body.(object); is {
			o["id"] = r.address
		}
		calls[0] = write(calls[0].Method, path, body)
		path += "/" + url.PathEscape(r.address)
	}
	return append(calls, write(http.MethodPut, path+"/items", items)), ""
}

// listItems converts the blocks of a list in version 4, which have the item in one named value and
// write switches of a redirect as words.
func listItems(blocks []any) (out []any) {
	for _, b := range blocks {
		value, is := member(b, "value").(object)
		if values := list(member(b, "value")); len(values) == 1 {
			value, is = values[0].(object)
		}
		if !is {
			continue
		}
		item := maps.Clone(value)
		for _, name := range []string{"redirect", "hostname"} {
			inner := item[name]
			if one := list(inner); len(one) == 1 {
				inner = one[0]
			}
			o, is := inner.(object)
			if !is {
				delete(item, name)
				continue
			}
			o = maps.Clone(o)
			for of, v := range o {
				if v == "enabled" || v == "disabled" {
					o[of] = v == "enabled"
				}
			}
			item[name] = o
		}
		out = append(out, item)
	}
	return out
}

// itemBody wraps the item in a list, as the API expects.
func itemBody(_ *resource, body object) (any, string) { return []any{body}, "" }

// accessRule handles only rules that allow requests, because only those are read.
func accessRule(k kind, r *resource, does string) ([]change.Call, string) {
	k.whole = nil
	switch passed, passes := r.before["mode"] == "whitelist", r.after["mode"] == "whitelist"; {
	case !passed && !passes:
		return nil, doesNotPass
	case does == update && !passed:
		return k.calls(r, create)
	default:
		return k.calls(r, does)
	}
}

func accountBody(r *resource, body object) (any, string) {
	if v := body["enforce_twofactor"]; v != nil && body["settings"] == nil {
		body["settings"] = object{"enforce_twofactor": v}
	}
	delete(body, "enforce_twofactor")
	return body, ""
}

// grantsBody accepts only grants with known names, because the names say what is allowed.
func grantsBody(r *resource, body object) (any, string) {
	for _, v := range list(body["policies"]) {
		policy, is := v.(object)
		if !is {
			continue
		}
		if resources := text(policy["resources"]); resources != "" { // version 5 has JSON here
			var o object
			if json.Unmarshal([]byte(resources), &o) == nil {
				policy["resources"] = o
			}
		}
		if slices.ContainsFunc(list(policy["permission_groups"]), func(g any) bool { return text(member(g, "name")) == "" }) {
			return nil, namelessGroup
		}
	}
	if slices.ContainsFunc(list(body["roles"]), func(role any) bool { return text(member(role, "name")) == "" }) ||
		len(list(body["policies"]))+len(list(body["roles"])) == 0 {
		return nil, namelessGroup
	}
	return body, ""
}

// alertBody collects the targets of notifications, which version 4 has in three attributes.
func alertBody(_ *resource, body object) (any, string) {
	mechanisms, _ := body["mechanisms"].(object)
	if mechanisms == nil {
		mechanisms = object{}
	}
	for _, name := range []string{"email", "webhooks", "pagerduty"} {
		if targets := list(body[name+"_integration"]); targets != nil {
			mechanisms[name] = targets
		}
		delete(body, name+"_integration")
	}
	body["mechanisms"] = mechanisms
	return body, ""
}
