package simcloud

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
)

// newWriteStream returns the random stream for the ids of objects a request creates.
func (c *call) newWriteStream() *stream {
	if c.zone != nil {
		return c.zone.next("written")
	}
	return c.acct.next("written")
}

// touch increments the version of a ruleset, as every write does.
func (c *call) touch(s *ruleset) {
	n, _ := strconv.Atoi(s.Version) // versions are generated numbers, so this cannot fail
	s.Version, s.Updated = num(n+1), stamp(c.now)
}

// ruleActions returns the actions the engine knows, see
// https://developers.cloudflare.com/ruleset-engine/rules-language/actions/.
func ruleActions() []string {
	return []string{
		"block", "challenge", "compress_response", "execute", "js_challenge", "log", "log_custom_field", "managed_challenge", "redirect",
		"rewrite", "route", "score", "serve_error", "set_cache_control", "set_cache_settings", "set_cache_tags", "set_config", "skip",
	}
}

// complete checks a rule in a request for a phase and adds what the API adds to it.
func (c *call) complete(rule obj, phase string) (obj, *answer) {
	action, _ := rule["action"].(string)
	expression, _ := rule["expression"].(string)
	enabled, isSwitch := rule["enabled"].(bool)
	if !slices.Contains(ruleActions(), action) || expression == "" || (rule["enabled"] != nil && !isSwitch) {
		bad := badRule("a rule needs a known action and an expression, and enabled is true or false")
		return nil, &bad
	}
	limit, _ := rule["ratelimit"].(obj)
	if traits, _ := limit["characteristics"].([]any); phase == phaseRateLimit && action != "skip" &&
		(len(traits) == 0 || number(limit["period"]) <= 0) {
		bad := badRule("a rule of this phase needs ratelimit with characteristics and a period")
		return nil, &bad
	}
	parameters, _ := rule["action_parameters"].(obj)
	if action == "execute" && !c.deployable(asText(parameters["id"])) {
		bad := badRule("the ruleset to execute does not exist, or the plan does not include it")
		return nil, &bad
	}
	if id, _ := rule["id"].(string); id == "" {
		rule["id"] = c.newWriteStream().hex32()
	}
	if ref, _ := rule["ref"].(string); ref == "" {
		rule["ref"] = rule["id"]
	}
	if _, given := rule["description"]; !given {
		rule["description"] = ""
	}
	rule["enabled"] = enabled || rule["enabled"] == nil
	rule["version"], rule["last_updated"] = "1", stamp(c.now)
	return rule, nil
}

// deployable reports whether a rule may execute a ruleset: the provider's that the plan lists, and
// the account's own.
func (c *call) deployable(id string) bool {
	if c.zone == nil {
		best := c.acct.bestPlan()
		paid := slices.Contains([]string{managedRuleset, owaspRuleset, leakedRuleset, ddosRuleset}, id) && best != "free"
		return paid || slices.ContainsFunc(c.acct.rulesets, func(s *ruleset) bool { return s.ID == id && s.Kind != "root" })
	}
	return slices.ContainsFunc(slices.Concat(c.zone.rulesets, c.acct.rulesets), func(s *ruleset) bool {
		return s.ID == id && (s.Kind == "custom" || s.Kind == "managed")
	})
}

func badRule(message string) answer { return refuse(http.StatusBadRequest, 20021, message) }

// place inserts a rule at the requested position, see
// https://developers.cloudflare.com/ruleset-engine/rulesets-api/update-rule/. Without a position
// the fallback index is used.
func (s *ruleset) place(rule obj, sent any, fallback int) *answer {
	at, position := fallback, obj{}
	if given, isObject := sent.(obj); isObject {
		position = given
	}
	for key, v := range position {
		i := byKey(s.Rules, "id", asText(v))
		switch {
		case key == "index" && number(v) >= 1 && int(number(v)) <= len(s.Rules)+1:
			at = int(number(v)) - 1
		case key == "before" && asText(v) == "":
			at = 0
		case key == "after" && asText(v) == "":
			at = len(s.Rules)
		case key == "before" && i >= 0:
			at = i
		case key == "after" && i >= 0:
			at = i + 1
		default:
			bad := badRule("position takes one of index, before and after, with a rule that exists")
			return &bad
		}
	}
	s.Rules = slices.Insert(slices.Clone(s.Rules), at, rule)
	return nil
}

// writeEntrypoint replaces all rules of a phase and creates the entrypoint if there is none, see
// https://developers.cloudflare.com/ruleset-engine/rulesets-api/update/.
func writeEntrypoint(c *call) answer {
	var body struct {
		Rules []obj `json:"rules"`
	}
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	return c.writeRules(body.Rules, c.phase())
}

// writeRuleset replaces all rules of an entrypoint by its id, as Terraform does.
func writeRuleset(c *call) answer {
	var body struct {
		Rules []obj `json:"rules"`
	}
	s := c.target()
	switch _, kind := c.scope(); {
	case s == nil || s.Kind != kind:
		return noRuleset(c.id("ruleset_id"))
	case json.Unmarshal(c.body, &body) != nil:
		return badBody()
	}
	return c.writeRules(body.Rules, s.Phase)
}

// createRuleset creates the entrypoint of a phase that has none, see
// https://developers.cloudflare.com/ruleset-engine/rulesets-api/create/.
func createRuleset(c *call) answer {
	var body struct {
		Name  string `json:"name"`
		Kind  string `json:"kind"`
		Phase string `json:"phase"`
		Rules []obj  `json:"rules"`
	}
	all, kind := c.scope()
	if json.Unmarshal(c.body, &body) != nil || body.Name == "" || body.Kind != kind {
		return badBody()
	}
	if entrypointOf(*all, kind, body.Phase) != nil {
		return refuse(http.StatusBadRequest, 20217, "'"+kind+"' is not a valid value for kind because exceeded maximum number of "+kind+
			" rulesets for phase "+body.Phase)
	}
	return c.writeRules(body.Rules, body.Phase)
}

// writeRules replaces the rules of the entrypoint of a phase, unless none are sent.
func (c *call) writeRules(sent []obj, phase string) answer {
	all, kind := c.scope()
	s := entrypointOf(*all, kind, phase)
	rules := []obj{}
	for _, r := range sent {
		if s != nil && r["id"] == nil && r["ref"] != nil { // a rule keeps its id by its reference
			if at := slices.IndexFunc(s.Rules, func(old obj) bool { return old["ref"] == r["ref"] }); at >= 0 {
				r["id"] = s.Rules[at]["id"]
			}
		}
		rule, bad := c.complete(r, phase)
		if bad != nil {
			return *bad
		}
		rules = append(rules, rule)
	}
	if s == nil {
		s = &ruleset{ID: c.newWriteStream().hex32(), Kind: kind, Phase: phase, Name: "default", Version: "0"}
		*all = append(*all, s)
	}
	if sent != nil || s.Rules == nil {
		s.Rules = rules
	}
	c.touch(s)
	return ok(s.object())
}

// target returns the writable ruleset named in the path, nil if there is none.
func (c *call) target() *ruleset {
	all, _ := c.scope()
	for _, s := range *all {
		if s.ID == c.id("ruleset_id") && s.Kind != "managed" {
			return s
		}
	}
	return nil
}

func createRule(c *call) answer {
	s := c.target()
	if s == nil {
		return noRuleset(c.id("ruleset_id"))
	}
	var sent obj
	if json.Unmarshal(c.body, &sent) != nil || sent == nil {
		return badBody()
	}
	position := sent["position"]
	delete(sent, "id")
	delete(sent, "position")
	rule, bad := c.complete(sent, s.Phase)
	if bad == nil {
		bad = s.place(rule, position, len(s.Rules))
	}
	if bad != nil {
		return *bad
	}
	c.touch(s)
	return ok(s.object())
}

func noRule() answer { return refuse(http.StatusNotFound, 10005, "could not find rule") }

// patchRule replaces the definition of a rule: missing members are dropped. A position alone moves
// the rule and keeps its definition.
func patchRule(c *call) answer {
	s := c.target()
	if s == nil {
		return noRuleset(c.id("ruleset_id"))
	}
	i := byKey(s.Rules, "id", c.id("rule_id"))
	if i < 0 {
		return noRule()
	}
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	old, position := s.Rules[i], sent["position"]
	delete(sent, "position")
	if len(sent) == 0 {
		sent = maps.Clone(old)
	}
	sent["id"] = old["id"]
	if asText(sent["ref"]) == "" {
		sent["ref"] = old["ref"]
	}
	rule, bad := c.complete(sent, s.Phase)
	if bad != nil {
		return *bad
	}
	version, _ := strconv.Atoi(asText(old["version"])) // a malformed version counts as zero
	rule["version"] = num(version + 1)
	others := *s
	others.Rules = slices.Delete(slices.Clone(s.Rules), i, i+1)
	if bad := others.place(rule, position, i); bad != nil {
		return *bad
	}
	s.Rules = others.Rules
	c.touch(s)
	return ok(s.object())
}

func asText(v any) string {
	text, _ := v.(string)
	return text
}

func deleteRule(c *call) answer {
	s := c.target()
	if s == nil {
		return noRuleset(c.id("ruleset_id"))
	}
	i := byKey(s.Rules, "id", c.id("rule_id"))
	if i < 0 {
		return noRule()
	}
	s.Rules = slices.Delete(s.Rules, i, i+1)
	c.touch(s)
	return ok(s.object())
}

// deleteRuleset removes a ruleset with all its rules.
func deleteRuleset(c *call) answer {
	s := c.target()
	if s == nil {
		return noRuleset(c.id("ruleset_id"))
	}
	all, _ := c.scope()
	*all = slices.DeleteFunc(*all, func(o *ruleset) bool { return o == s })
	return ok(nil)
}
