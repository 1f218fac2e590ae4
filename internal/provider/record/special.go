package record

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// special translates changes that are not changes of an object: a switch that is a path, a value
// that takes effect after somebody else has done their part, and a ruleset, which is recorded as
// the entrypoint of its phase.
func (e *edits) special(at string, sent any, query url.Values) (string, any) {
	object, isObject := sent.(map[string]any)
	if object == nil {
		object = map[string]any{}
	}
	for name, values := range query {
		object[name] = values[0]
	}
	above, name := path.Dir(at), path.Base(at)
	switch {
	case path.Base(above) == "content-upload-scan" && (name == "enable" || name == "disable"):
		return above + "/settings", map[string]any{"value": name + "d"}
	case name == "dnssec" && object["status"] == "active":
		object["status"] = "pending"
	}
	if isObject || sent == nil {
		sent = object
	}
	if rules, is := object["rules"].([]any); is && phaseOf(at) != "" {
		for _, rule := range rules {
			if o, is := rule.(map[string]any); is && o["id"] == nil {
				o["id"] = e.newID()
			}
		}
	}
	head, rest, _ := strings.Cut(at, "/rulesets/")
	id, tail, _ := strings.Cut(rest, "/")
	for entry, all := range e.shown {
		if strings.HasPrefix(entry, head+"/rulesets/phases/") && len(all) > 0 && member(all[0].body["result"], "id") == id {
			return path.Join(entry, tail), sent
		}
	}
	return at, sent
}

// newEntrypoint returns the entrypoint that a new ruleset of a list becomes, or the path as it is.
func (e *edits) newEntrypoint(method, at string, sent any) (string, bool) {
	phase, is := member(sent, "phase").(string)
	if method != http.MethodPost || path.Base(at) != "rulesets" || !is || phase == "" || member(sent, "kind") == "custom" {
		return at, false
	}
	return at + "/phases/" + phase + "/entrypoint", true
}

// revived returns the object that a change creates where there is none: a deleted one again, or a
// new entrypoint.
func (e *edits) revived(at string) map[string]any {
	list, name := path.Dir(at), path.Base(at)
	old := e.add(list, nil, func(o map[string]any) bool { return slices.Contains(namesOf(o), name) })
	phase := path.Base(list)
	if old != nil || phaseOf(at) == "" {
		return old
	}
	made := map[string]any{"id": e.newID(), "kind": "zone", "name": "default", "phase": phase, "version": "1"}
	e.add(path.Dir(path.Dir(list)), maps.Clone(made), func(map[string]any) bool { return false })
	e.shown[at], e.made[at] = []*answered{{body: envelope(made)}}, true
	return made
}

// attached replaces the ids of an application's policies, as sent, by the whole policies.
func (e *edits) attached(access string, app, sent map[string]any) map[string]any {
	sent = maps.Clone(sent)
	policies, is := sent["policies"].([]any)
	if !is || path.Base(access) != "access" {
		return sent
	}
	known, _ := app["policies"].([]any)
	for i, policy := range policies {
		id, isID := policy.(string)
		if !isID {
			id = fmt.Sprint(member(policy, "id"))
		}
		if at := slices.IndexFunc(known, func(v any) bool { return member(v, "id") == id }); at >= 0 {
			policies[i] = known[at]
		} else if reusable := e.find(access + "/policies/" + id); reusable != nil {
			policies[i] = reusable
		}
	}
	return sent
}

// settle applies the consequences of a change: the newer list of scripts shows it, an entrypoint
// disappears with its last rule, and the audit log records it, which tells later runs what to read
// again.
func (e *edits) settle(method, at string) {
	if script, is := strings.CutSuffix(at, "/subdomain"); is {
		sent := e.find(at)
		e.each(strings.Replace(script, "/scripts/", "/workers/", 1), func(o map[string]any) bool {
			if shown, is := o["subdomain"].(map[string]any); is {
				merge(shown, sent, false)
			}
			return true
		})
	}
	if entry, _, inside := strings.Cut(at, "/rules/"); inside && e.made[entry] {
		ruleset := e.find(entry)
		if rules, _ := ruleset["rules"].([]any); len(rules) == 0 {
			head, _, _ := strings.Cut(entry, "/phases/")
			e.each(head+"/"+fmt.Sprint(ruleset["id"]), func(map[string]any) bool { return false })
			delete(e.shown, entry)
			delete(e.made, entry)
		}
	}
	parts := strings.Split(at, "/")
	account := parts[2]
	action := map[string]string{http.MethodPost: "create", http.MethodDelete: "delete"}[method]
	if action == "" {
		action = "update"
	}
	entry := map[string]any{"action": map[string]any{"type": action, "result": "success",
		"time": e.clock().UTC().Format(time.RFC3339Nano)}, "actor": map[string]any{"context": "api_token"},
		"resource": map[string]any{"product": parts[min(3, len(parts)-1)]}}
	if parts[1] == "zones" {
		account, _ = member(e.find("/zones/" + parts[2])["account"], "id").(string)
		entry["zone"] = map[string]any{"id": parts[2]}
	}
	e.add("/accounts/"+account+"/logs/audit", entry, func(map[string]any) bool { return false })
}
