package whatif

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// ruleset applies a change of rules, which are read as the entrypoint ruleset of a phase but can
// also be written by the id of their ruleset
// (developers.cloudflare.com/ruleset-engine/rulesets-api/). path is the part after /rulesets.
func (w *world) ruleset(level, scope string, path []string, r *request) error {
	lists := key{level + "/rulesets", scope}
	switch {
	case len(path) == 0 && r.method == http.MethodPost:
		return w.makeRuleset(level, scope, lists, r.object())
	case len(path) >= 3 && path[0] == "phases" && path[2] == "entrypoint":
		return w.entryPoint(level, scope, path[1], r)
	case len(path) == 0 || path[0] == "phases":
		return refuse("this is no write of Cloudflare's API")
	}
	k, phase := w.rulesetKey(level, scope, path[0])
	if k.source == "" {
		if phase != "" {
			return refuse("rules of the phase %s are not read", phase)
		}
		return refuse("there is no ruleset %s in what was read", path[0])
	}
	value, status := w.get(k)
	set, is := value.(object)
	if !is {
		if !status.Known() {
			w.doubt(k)
			return nil
		}
		return refuse("there is no ruleset %s in what was read", path[0])
	}
	rules, _ := set["rules"].([]any)
	switch rest := path[1:]; {
	case len(rest) == 0 && r.method == http.MethodDelete:
		w.put(k, nil)
		w.list(lists, path[0], nil)
		return nil
	case len(rest) == 0 && r.object()["rules"] == nil:
		return nil // its name or its description
	case len(rest) == 0:
		now, err := w.rulesOf(k, r.object()["rules"])
		if err != nil {
			return err
		}
		rules = now
	case rest[0] != "rules" || len(rest) > 2:
		return refuse("this is no write of Cloudflare's API")
	default:
		var err error
		if rules, err = w.changeRules(k, rules, rest[1:], r); err != nil {
			return err
		}
	}
	w.put(k, with(set, "rules", rules))
	return nil
}

func with(o object, name string, value any) object {
	out := copied(o)
	out[name] = value
	return out
}

// copied returns a shallow copy that can be modified.
func copied(o object) object {
	out := make(object, len(o)+1)
	maps.Copy(out, o)
	return out
}

// changeRules adds, changes or deletes one rule.
func (w *world) changeRules(k key, rules []any, id []string, r *request) ([]any, error) {
	rules = slices.Clone(rules)
	at := len(rules)
	if len(id) == 1 {
		if at = slices.IndexFunc(rules, func(v any) bool { return text(member(v, "id")) == id[0] }); at < 0 {
			return nil, refuse("there is no rule %s in the ruleset", id[0])
		}
	}
	switch {
	case r.method == http.MethodDelete && len(id) == 1:
		return slices.Delete(rules, at, at+1), nil
	case r.method == http.MethodPost && len(id) == 0:
		now, err := w.rulesOf(k, []any{r.body})
		if err != nil {
			return nil, err
		}
		return placed(append(rules, now...), at, r.object()["position"])
	case r.method == http.MethodPatch && len(id) == 1:
		now, err := w.patched(k, rules[at], r)
		if err != nil {
			return nil, err
		}
		rules[at] = now
		return placed(rules, at, r.object()["position"])
	default:
		return nil, refuse("this is no write of Cloudflare's API")
	}
}

// patched returns a rule as it is after a PATCH, which replaces its definition, unless only its
// position is sent (developers.cloudflare.com/ruleset-engine/rulesets-api/update-rule/).
func (w *world) patched(k key, old any, r *request) (any, error) {
	sent := copied(r.object())
	position := sent["position"]
	delete(sent, "position")
	switch {
	case position != nil && len(sent) == 0:
		rule, _ := old.(object)
		return with(rule, "last_updated", w.snap.TakenAt.UTC().Format(time.RFC3339Nano)), nil
	case text(sent["action"]) == "" || text(sent["expression"]) == "":
		return nil, refuse("a rule is sent whole, and this one has no action or no expression")
	}
	sent["id"] = member(old, "id")
	if sent["ref"] == nil {
		sent["ref"] = member(old, "ref")
	}
	now, err := w.rulesOf(k, []any{sent})
	if err != nil {
		return nil, err
	}
	return now[0], nil
}

// placed moves a rule to its requested position: before or after another rule, or to an index that
// counts from 1 (developers.cloudflare.com/ruleset-engine/rulesets-api/update-rule/).
func placed(rules []any, at int, position any) ([]any, error) {
	if position == nil {
		return rules, nil
	}
	rule := rules[at]
	rest := slices.Delete(slices.Clone(rules), at, at+1)
	find := func(name string) (int, bool) {
		id, is := member(position, name).(string)
		if !is {
			return 0, false
		}
		i := slices.IndexFunc(rest, func(v any) bool { return text(member(v, "id")) == id })
		return i, i >= 0 || id == ""
	}
	if n, is := member(position, "index").(json.Number); is {
		i, err := n.Int64()
		if err != nil || i < 1 || int(i) > len(rules) {
			return nil, refuse("there is no place %s in the ruleset", n)
		}
		return slices.Insert(rest, int(i)-1, rule), nil
	}
	if i, is := find("before"); is {
		return slices.Insert(rest, max(i, 0), rule), nil
	}
	if i, is := find("after"); is {
		if i < 0 {
			i = len(rest) - 1
		}
		return slices.Insert(rest, i+1, rule), nil
	}
	return nil, refuse("the rule that the position names is not there")
}

// entryPoint writes the rules of a phase.
func (w *world) entryPoint(level, scope, phase string, r *request) error {
	k := key{level + "/ruleset/" + phase, scope}
	if w.source(k.source).Name == "" {
		return refuse("rules of the phase %s are not read", phase)
	}
	value, status := w.get(k)
	switch set, is := value.(object); {
	case r.method != http.MethodPut:
		return refuse("an entry point is written with PUT")
	case !is && !status.Known():
		w.doubt(k)
		return nil
	case !is:
		return w.makeRuleset(level, scope, key{level + "/rulesets", scope}, with(r.object(), "phase", phase))
	case r.object()["rules"] == nil:
		return nil // its description
	default:
		rules, err := w.rulesOf(k, r.object()["rules"])
		if err != nil {
			return err
		}
		w.put(k, with(set, "rules", rules))
		return nil
	}
}

// makeRuleset creates the entrypoint ruleset of a phase, or a custom ruleset of the account.
func (w *world) makeRuleset(level, scope string, lists key, body object) error {
	phase, kind := text(body["phase"]), text(body["kind"])
	if kind == "" {
		kind = map[string]string{"zone": "zone", "account": "root"}[level]
	}
	body = copied(body)
	if body["id"] == nil {
		body["id"] = w.newID()
	}
	body["kind"] = kind
	k := key{level + "/ruleset/" + phase, scope}
	if kind == "custom" {
		k = key{snapshot.AccountRulesetCustom.Source(), text(body["id"])}
	}
	if w.source(k.source).Name == "" {
		return refuse("rules of the phase %s are not read", phase)
	}
	rules, err := w.rulesOf(k, body["rules"])
	if err != nil {
		return err
	}
	w.put(k, object{"id": body["id"], "kind": kind, "phase": phase, "rules": rules})
	w.list(lists, text(body["id"]), object{"id": body["id"], "kind": kind, "phase": phase, "name": text(body["name"])})
	return nil
}

// list adds a ruleset to the list of rulesets, or removes it.
func (w *world) list(k key, id string, row object) {
	value, status := w.get(k)
	items, _ := value.([]any)
	if status != snapshot.OK {
		return
	}
	items = slices.DeleteFunc(slices.Clone(items), func(v any) bool { return text(member(v, "id")) == id })
	if row != nil {
		items = sorted(append(items, row))
	}
	w.put(k, items)
}

// longestExpression is in characters (developers.cloudflare.com/ruleset-engine/rules-language/expressions/).
const longestExpression = 4096

// rulesOf converts rules to their stored form; those without an id get one.
func (w *world) rulesOf(k key, sent any) ([]any, error) {
	list, _ := sent.([]any)
	out := make([]any, len(list))
	for i, v := range list {
		rule, is := v.(object)
		if !is {
			return nil, refuse("a rule is not an object")
		}
		if n := utf8.RuneCountInString(text(rule["expression"])); n > longestExpression {
			return nil, refuse("Cloudflare accepts expressions of %d characters, and one of the rules has %d", longestExpression, n)
		}
		rule = maps.Clone(rule)
		if rule["id"] == nil {
			rule["id"] = w.newID()
		}
		if rule["ref"] == nil {
			rule["ref"] = rule["id"]
		}
		rule["last_updated"] = w.snap.TakenAt
		out[i] = rule
	}
	now, err := stored(w.source(k.source), object{"rules": out})
	if err != nil {
		return nil, err
	}
	rules, _ := member(now, "rules").([]any)
	if len(rules) != len(list) {
		return nil, fmt.Errorf("reduce %d rules: %d came back", len(list), len(rules))
	}
	return rules, nil
}

// rulesetKey finds the section that holds a ruleset. If none does, it returns the phase, when the
// list names the ruleset.
func (w *world) rulesetKey(level, scope, id string) (k key, phase string) {
	if level == "account" {
		if _, status := w.get(key{snapshot.AccountRulesetCustom.Source(), id}); status == snapshot.OK {
			return key{snapshot.AccountRulesetCustom.Source(), id}, ""
		}
	}
	for _, s := range w.sources {
		if !strings.HasPrefix(s.Name, level+"/ruleset/") {
			continue
		}
		if value, _ := w.get(key{s.Name, scope}); text(member(value, "id")) == id {
			return key{s.Name, scope}, ""
		}
	}
	if _, row, found := w.find(key{level + "/rulesets", scope}, id); found {
		phase = text(member(row, "phase"))
		if member(row, "kind") == "custom" {
			return key{snapshot.AccountRulesetCustom.Source(), id}, phase
		}
		if k := (key{level + "/ruleset/" + phase, scope}); w.source(k.source).Name != "" {
			return k, phase
		}
	}
	return key{}, phase
}
