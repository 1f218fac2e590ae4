package simcloud

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// rulesetsOf returns the rulesets of a zone, or of the account when z is nil.
func rulesetsOf(a *account, z *zone) []*ruleset {
	if z != nil {
		return z.rulesets
	}
	return a.rulesets
}

// hollow reports whether a ruleset is an entrypoint without rules.
func (s *ruleset) hollow() bool {
	return (s.Kind == "zone" || s.Kind == "root") && len(s.Rules) == 0
}

// assigned returns the names of the dates the provider sets on objects.
func assigned() []string {
	return []string{
		"created", "created_at", "created_on", "modified", "modified_at", "modified_on", "updated", "updated_at", "updated_on",
		"last_updated", "last_modified", "last_complete", "timestamp",
	}
}

// unassigned drops these dates at every depth.
func unassigned(v any) any {
	switch v := v.(type) {
	case obj:
		for _, k := range assigned() {
			if _, isText := v[k].(string); isText || v[k] == nil {
				delete(v, k)
			}
		}
		for k, inner := range v {
			v[k] = unassigned(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = unassigned(inner)
		}
	}
	return v
}

// settled drops the other values the provider assigns in one response, and fills in the defaults of
// members that may be missing.
func (s *stateView) settled(key string, v any) any {
	o, _ := v.(obj)
	switch key {
	case "/": // of the zone: the remaining seconds decrease by themselves
		if left, isNumber := o["development_mode"].(json.Number); isNumber {
			o["development_mode"] = left != "0" && !strings.HasPrefix(string(left), "-")
		}
	case "/settings/{setting_id}":
		delete(o, "time_remaining")
	case "/bot_management":
		if _, told := o["ai_bots_protection"]; !told {
			o["ai_bots_protection"] = "disabled"
		}
	case "/rulesets":
		list, _ := v.([]any)
		return slices.DeleteFunc(list, func(entry any) bool {
			e, _ := entry.(obj)
			delete(e, "version")
			return s.isHollow(asText(e["id"]))
		})
	case "/rulesets/{ruleset_id}":
		delete(o, "version")
		for _, rule := range objects(o["rules"]) {
			delete(rule, "version")
		}
	case "/gateway/rules":
		for _, rule := range objects(v) {
			delete(rule, "version")
		}
	}
	return v
}

func (s *stateView) isHollow(id string) bool {
	all := slices.Clone(s.acct.rulesets)
	for _, z := range s.acct.zones {
		if z != nil {
			all = append(all, z.rulesets...)
		}
	}
	return slices.ContainsFunc(all, func(r *ruleset) bool { return r.ID == id && r.hollow() })
}

// nameAccount names the objects of the account by their content.
func (s *stateView) nameAccount(section obj) {
	s.nameAll(section, "/members", "member", "email")
	s.nameAll(section, "/alerting/v3/policies", "alert", "alert_type", "name")
	s.nameAll(section, "/alerting/v3/silences", "silence", "policy_id", "start_time", "end_time")
	s.nameAll(section, "/firewall/access_rules/rules", "access rule", "configuration", "mode", "notes")
	s.nameAll(section, "/gateway/rules", "gateway rule", "name", "precedence")
	s.nameAll(section, "/access/apps", "application", "type", "name", "domain")
	for _, app := range objects(section["/access/apps"]) {
		name := s.names[asText(app["id"])]
		s.names[asText(app["uid"])], s.names[asText(app["aud"])] = "uid of "+name, "audience of "+name
		for i, p := range objects(app["policies"]) {
			if byKey(s.acct.policies, "id", asText(p["id"])) < 0 {
				s.names[asText(p["id"])] = "policy " + num(i+1) + " of " + name
			}
		}
	}
	s.nameRules(section)
}

// nameZone names the objects of a zone by their content.
func (s *stateView) nameZone(section obj) {
	s.nameAll(section, "/dns_records", "record", "type", "name", "content", "priority", "data")
	s.nameAll(section, "/firewall/access_rules/rules", "access rule", "scope", "configuration", "mode", "notes")
	s.nameRules(section)
}

// nameAll names the entries of a list by some of their members; entries with equal names are
// numbered in the order of their other members.
func (s *stateView) nameAll(section obj, key, kind string, members ...string) {
	type entry struct{ id, name, rest string }
	var all []entry
	for _, o := range objects(section[key]) {
		e := entry{id: asText(o["id"]), name: kind}
		for _, m := range members {
			if o[m] != nil {
				e.name += " " + strings.Trim(string(mustJSON(s.rename(o[m]))), `"`)
			}
		}
		rest := merged(o, obj{"id": nil, "uid": nil, "aud": nil, "policies": nil})
		e.rest = string(mustJSON(rest))
		all = append(all, e)
	}
	slices.SortFunc(all, func(x, y entry) int { return cmp.Or(cmp.Compare(x.name, y.name), cmp.Compare(x.rest, y.rest)) })
	first := 0 // index of the first entry with the current name
	for i, e := range all {
		if e.name != all[first].name {
			first = i
		}
		if s.names[e.id] = e.name; i > first {
			s.names[e.id] += " (" + num(i-first+1) + ")"
		}
	}
}

// nameRules names entrypoints by phase and rules by position. A rule's ref that the provider
// derived from an id is dropped.
func (s *stateView) nameRules(section obj) {
	sets, _ := section["/rulesets/{ruleset_id}"].(obj)
	for id, v := range sets {
		set, _ := v.(obj)
		name := id
		if set["kind"] == "zone" || set["kind"] == "root" {
			name = "entry point of " + asText(set["phase"])
			s.names[id] = name
		}
		for i, rule := range objects(set["rules"]) {
			s.names[asText(rule["id"])] = "rule " + num(i+1) + " of " + name
			if ref := asText(rule["ref"]); s.ids.FindString(ref) == ref {
				delete(rule, "ref")
			}
		}
	}
}

// idPattern matches the ids of the provider, the longest first.
const idPattern = `[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`

// rename replaces ids by names, wherever they occur.
func (s *stateView) rename(v any) any {
	text := func(old string) string {
		return s.ids.ReplaceAllStringFunc(old, func(id string) string {
			if name, known := s.names[id]; known {
				return name
			}
			return id
		})
	}
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return text(v)
		case obj:
			out := obj{}
			for k, inner := range v {
				out[text(k)] = walk(inner)
			}
			return out
		case []any:
			out := make([]any, 0, len(v))
			for _, inner := range v {
				out = append(out, walk(inner))
			}
			return out
		}
		return v
	}
	return walk(v)
}

// arrange sorts the lists of a section that have no order of their own, and Gateway rules by precedence.
func arrange(section any) {
	lists, _ := section.(obj)
	for _, key := range []string{
		"/members", "/alerting/v3/policies", "/alerting/v3/silences", "/firewall/access_rules/rules", "/access/apps", "/dns_records",
		"/hostnames/settings/min_tls_version", "/gateway/rules", "/rulesets",
	} {
		list, isList := lists[key].([]any)
		if !isList {
			continue
		}
		type entry struct {
			place float64
			text  []byte
			value any
		}
		all := make([]entry, 0, len(list))
		for _, v := range list {
			o, _ := v.(obj)
			n, _ := o["precedence"].(json.Number)
			place, _ := n.Float64() // zero for a list without precedence
			all = append(all, entry{place, mustJSON(v), v})
		}
		slices.SortFunc(all, func(x, y entry) int { return cmp.Or(cmp.Compare(x.place, y.place), bytes.Compare(x.text, y.text)) })
		for i, e := range all {
			list[i] = e.value
		}
	}
}
