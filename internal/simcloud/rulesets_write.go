package simcloud

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
)

// newWriteStream gives ids for objects a request creates.
func (c *call) newWriteStream() *stream {
	if c.zone != nil {
		return c.zone.next("written")
	}
	return c.acct.next("written")
}

// touch raises the version of a ruleset, as every write does.
func (c *call) touch(s *ruleset) {
	n, _ := strconv.Atoi(s.Version) // versions are generated numbers
	s.Version, s.Updated = num(n+1), stamp(c.now)
}

// complete fills in what the API adds to a rule that was sent.
func (c *call) complete(rule obj) (obj, bool) {
	action, _ := rule["action"].(string)
	expression, _ := rule["expression"].(string)
	if action == "" || expression == "" {
		return nil, false
	}
	if id, _ := rule["id"].(string); id == "" {
		rule["id"] = c.newWriteStream().hex32()
	}
	if ref, _ := rule["ref"].(string); ref == "" {
		rule["ref"] = rule["id"]
	}
	if _, given := rule["enabled"]; !given {
		rule["enabled"] = true
	}
	rule["version"], rule["last_updated"] = "1", stamp(c.now)
	return rule, true
}

func badRule() answer {
	return refuse(http.StatusBadRequest, 20021, "a rule needs an action and an expression")
}

// writeEntrypoint replaces all rules of a phase and creates the entry point
// when there is none, see
// https://developers.cloudflare.com/ruleset-engine/rulesets-api/update/.
func writeEntrypoint(c *call) answer {
	var body struct {
		Rules []obj `json:"rules"`
	}
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	rules := []obj{}
	for _, sent := range body.Rules {
		rule, valid := c.complete(sent)
		if !valid {
			return badRule()
		}
		rules = append(rules, rule)
	}
	all, kind := c.scope()
	s := entrypointOf(*all, kind, c.phase())
	if s == nil {
		s = &ruleset{ID: c.newWriteStream().hex32(), Kind: kind, Phase: c.phase(), Name: "default", Version: "0"}
		*all = append(*all, s)
	}
	s.Rules = rules
	c.touch(s)
	return ok(s.object())
}

// target finds the writable ruleset a path names.
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
	delete(sent, "id")
	delete(sent, "position")
	rule, valid := c.complete(sent)
	if !valid {
		return badRule()
	}
	s.Rules = append(s.Rules, rule)
	c.touch(s)
	return ok(s.object())
}

func noRule() answer { return refuse(http.StatusNotFound, 10005, "could not find rule") }

// patchRule replaces the members sent and keeps the others.
func patchRule(c *call) answer {
	s := c.target()
	if s == nil {
		return noRuleset(c.id("ruleset_id"))
	}
	i := byKey(s.Rules, "id", c.id("rule_id"))
	if i < 0 {
		return noRule()
	}
	var sent obj
	if json.Unmarshal(c.body, &sent) != nil {
		return badBody()
	}
	merged := obj{}
	for k, v := range s.Rules[i] {
		merged[k] = v
	}
	for k, v := range sent {
		if k != "id" && k != "position" {
			merged[k] = v
		}
	}
	old, _ := strconv.Atoi(asText(merged["version"])) // a foreign version counts as zero
	rule, valid := c.complete(merged)
	if !valid {
		return badRule()
	}
	rule["version"] = num(old + 1)
	s.Rules[i] = rule
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
