package simcloud

import (
	"net/http"
	"slices"
)

// withGateway returns the documented error while Zero Trust is not in use.
func withGateway(handle func(*call) answer) func(*call) answer {
	return func(c *call) answer {
		if c.acct.org == nil {
			return c.gatewayOf(nil)
		}
		return handle(c)
	}
}

func noGatewayRule() answer { return refuse(http.StatusNotFound, 2072, "gateway rule not found") }

func (c *call) gatewayRule() int { return byKey(c.acct.gatewayRules, "id", c.id("rule_id")) }

func readGatewayRule(c *call) answer {
	if i := c.gatewayRule(); i >= 0 {
		return ok(c.acct.gatewayRules[i])
	}
	return noGatewayRule()
}

func gatewayActions() []string {
	return []string{"allow", "block", "isolate", "noisolate", "off", "on", "scan", "noscan", "safesearch", "ytrestricted", "l4_override",
		"egress", "resolve", "quarantine", "redirect", "override", "audit_ssh"}
}

// validGatewayRule checks a rule and assigns the last precedence if none is given; two rules cannot
// have the same one.
func (c *call) validGatewayRule(sent obj) *answer {
	bad := invalid("name, a known action and at most one of the filters dns, http, l4 and egress are required")
	filters, _ := sent["filters"].([]any)
	if asText(sent["name"]) == "" || !slices.Contains(gatewayActions(), asText(sent["action"])) || len(filters) > 1 {
		return &bad
	}
	for _, f := range filters {
		if !slices.Contains([]any{"dns", "http", "l4", "egress", "dns_resolver"}, f) {
			return &bad
		}
	}
	last := 0.0
	for _, r := range c.acct.gatewayRules {
		place := number(r["precedence"])
		if sent["precedence"] != nil && place == number(sent["precedence"]) && r["id"] != c.id("rule_id") {
			taken := invalid("precedence is that of another rule")
			return &taken
		}
		last = max(last, place)
	}
	if sent["precedence"] == nil {
		sent["precedence"] = last + 1000
	}
	return nil
}

// number reads a number, either from a request or generated; anything else is 0.
func number(v any) float64 {
	switch n := v.(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return 0
}

func gatewayRuleDefaults() obj {
	return obj{
		"description": "", "enabled": false, "filters": []string{}, "traffic": "", "identity": "", "device_posture": "", "rule_settings": obj{},
		"schedule": nil, "expiration": nil, "deleted_at": nil, "sharable": false,
	}
}

func createGatewayRule(c *call) answer {
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	if bad := c.validGatewayRule(sent); bad != nil {
		return *bad
	}
	r := merged(gatewayRuleDefaults(), sent, "deleted_at")
	r["id"], r["version"], r["created_at"], r["updated_at"] = c.newWriteStream().uuid(), 1, stamp(c.now), stamp(c.now)
	c.acct.gatewayRules = append(c.acct.gatewayRules, r)
	return ok(r)
}

// writeGatewayRule replaces a rule; it keeps its precedence if none is given.
func writeGatewayRule(c *call) answer {
	i := c.gatewayRule()
	if i < 0 {
		return noGatewayRule()
	}
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	old := c.acct.gatewayRules[i]
	if sent["precedence"] == nil {
		sent["precedence"] = old["precedence"]
	}
	if bad := c.validGatewayRule(sent); bad != nil {
		return *bad
	}
	r := replaced(old, gatewayRuleDefaults(), sent, "id", "created_at", "deleted_at")
	r["version"], r["updated_at"] = number(old["version"])+1, stamp(c.now)
	c.acct.gatewayRules[i] = r
	return ok(r)
}

func deleteGatewayRule(c *call) answer {
	i := c.gatewayRule()
	if i < 0 {
		return noGatewayRule()
	}
	c.acct.gatewayRules = slices.Delete(c.acct.gatewayRules, i, i+1)
	return ok(obj{})
}

// writeGatewayLogging replaces the logging settings: a missing switch is off.
func writeGatewayLogging(c *call) answer {
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	full := obj{"redact_pii": sent["redact_pii"] == true}
	kinds, _ := sent["settings_by_rule_type"].(obj)
	settings := obj{}
	for _, kind := range []string{"dns", "http", "l4"} {
		depth, _ := kinds[kind].(obj)
		if !fits(obj{"log_all": false, "log_blocks": false}, depth) {
			return invalid("log_all and log_blocks must be true or false")
		}
		settings[kind] = obj{"log_all": depth["log_all"] == true, "log_blocks": depth["log_blocks"] == true}
	}
	full["settings_by_rule_type"] = settings
	c.acct.gatewayLog = full
	return ok(full)
}
