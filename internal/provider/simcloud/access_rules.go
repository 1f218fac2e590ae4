package simcloud

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"
)

// newAccessRule returns one IP access rule, see
// https://developers.cloudflare.com/api/resources/firewall/subresources/access_rules/.
func newAccessRule(s *stream, cl *Cloud, mode, target, value, notes string, age time.Duration) obj {
	created, modified := stampedPair(cl, age, age)
	return obj{
		"id": s.hex32(), "mode": mode, "notes": notes, "created_on": created, "modified_on": modified,
		"allowed_modes": accessModes(),
		"configuration": obj{"target": target, "value": value},
	}
}

func accessModes() []string {
	return []string{"block", "challenge", "whitelist", "js_challenge", "managed_challenge"}
}

func (z *zone) makeAccessRules() {
	s, cl := z.next("access-rules"), z.acct.cloud
	z.ipRules = []obj{newAccessRule(s, cl, "block", "country", "T1", "Anonymous network", 500*day)}
	if z.index%2 == 0 {
		z.ipRules = append(z.ipRules, newAccessRule(s, cl, "whitelist", "ip_range", "185.220.21.0/24", "Office network", 500*day))
	}
}

// makeAccountRules adds the account's access rules, address lists and rulesets.
func (a *account) makeAccountRules() {
	a.ipRules = []obj{newAccessRule(a.next("access-rule"), a.cloud, "whitelist", "ip", "185.220.20.7", "Uptime monitor", 400*day)}
	updated := a.cloud.ago(45 * day)
	s := a.next("rulesets")
	custom := &ruleset{ID: s.hex32(), Kind: "custom", Phase: phaseCustom, Name: "Shared blocks", Version: "2", Updated: updated,
		Rules: []obj{newRule(s, updated, "block", `(http.request.uri.path contains "/.git")`, "Block probes")}}
	a.rulesets = []*ruleset{
		{ID: managedRuleset, Kind: "managed", Phase: phaseManaged, Name: "Cloudflare Managed Ruleset", Version: "58", Updated: updated},
		{ID: s.hex32(), Kind: "root", Phase: "http_request_redirect", Name: "default", Version: "1", Updated: updated},
		custom,
	}
	if a.bestPlan() == "enterprise" {
		// Deployed for a zone that has left the account: it must not count for the zones still in it.
		a.rulesets = append(a.rulesets, &ruleset{ID: s.hex32(), Kind: "root", Phase: phaseCustom, Name: "default", Version: "1", Updated: updated,
			Rules: []obj{executeRule(s, updated, `(cf.zone.name eq "retired.test" and cf.zone.plan eq "ENT")`, custom.ID)}})
	}
	for i := range count(a.spec.Lists, 1) {
		a.addList("office_addresses_"+num(i+1), count(a.spec.ListItems, 2))
	}
}

func (a *account) addList(name string, items int) {
	s := a.next("list")
	id := s.hex32()
	created := a.cloud.ago(100 * day)
	a.lists = append(a.lists, obj{
		"id": id, "name": name, "description": "Own addresses", "kind": "ip", "num_items": items, "num_referencing_filters": 0,
		"created_on": created, "modified_on": created,
	})
	for i := range items {
		a.items[id] = append(a.items[id], obj{
			"id": s.hex32(), "ip": "185.220." + num(22+i/250) + "." + num(i%250+1), "comment": "Office",
			"created_on": created, "modified_on": created,
		})
	}
}

func listLists(c *call) answer { return listOf(c, c.acct.lists) }

func listListItems(c *call) answer {
	id := c.id("list_id")
	if byKey(c.acct.lists, "id", id) < 0 {
		return notFound("list")
	}
	return listOf(c, c.acct.items[id])
}

// scoped copies rules with the scope member of the list they are read from.
func scoped(rules []obj, kind, id, name string) []obj {
	out := make([]obj, 0, len(rules))
	for _, r := range rules {
		withScope := obj{"scope": obj{"type": kind, "id": id, "name": name}}
		maps.Copy(withScope, r)
		out = append(out, withScope)
	}
	return out
}

func (c *call) filterMode(rules []obj) answer {
	if mode := c.query.Get("mode"); mode != "" {
		rules = slices.DeleteFunc(rules, func(r obj) bool { return r["mode"] != mode })
	}
	return listOf(c, rules)
}

func listAccountAccessRules(c *call) answer {
	return c.filterMode(scoped(c.acct.ipRules, "organization", c.acct.id, c.acct.name))
}

// listZoneAccessRules returns the account's rules too, as the API does; the
// scope tells them apart.
func listZoneAccessRules(c *call) answer {
	rules := scoped(c.zone.ipRules, "zone", c.zone.id, c.zone.name)
	return c.filterMode(append(rules, scoped(c.acct.ipRules, "organization", c.acct.id, c.acct.name)...))
}

func (c *call) createAccessRule(rules *[]obj) answer {
	var body struct {
		Mode          string            `json:"mode"`
		Notes         string            `json:"notes"`
		Configuration map[string]string `json:"configuration"`
	}
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	if !slices.Contains(accessModes(), body.Mode) || body.Configuration["target"] == "" || body.Configuration["value"] == "" {
		return refuse(http.StatusBadRequest, 10001, "mode and configuration are required")
	}
	for _, r := range *rules {
		known, _ := r["configuration"].(obj)
		if known["target"] == body.Configuration["target"] && known["value"] == body.Configuration["value"] {
			return refuse(http.StatusBadRequest, 10009, "firewallaccessrules.api.duplicate_of_existing")
		}
	}
	rule := newAccessRule(c.newWriteStream(), c.cloud, body.Mode, body.Configuration["target"], body.Configuration["value"], body.Notes, 0)
	rule["created_on"], rule["modified_on"] = stamp(c.now), stamp(c.now)
	*rules = append(*rules, rule)
	return ok(rule)
}

func noAccessRule() answer {
	return refuse(http.StatusNotFound, 10002, "firewallaccessrules.api.not_found")
}

func readZoneAccessRule(c *call) answer {
	return c.one(scoped(c.zone.ipRules, "zone", c.zone.id, c.zone.name), "rule_id", noAccessRule())
}

func readAccountAccessRule(c *call) answer {
	return c.one(scoped(c.acct.ipRules, "organization", c.acct.id, c.acct.name), "rule_id", noAccessRule())
}

func (c *call) deleteAccessRule(rules *[]obj) answer { return c.drop(rules, "rule_id", noAccessRule()) }

// patchAccessRule changes only the members in the request, such as the notes.
func (c *call) patchAccessRule(rules []obj) answer {
	return c.patch(rules, "rule_id", noAccessRule(), acceptAny)
}

func createZoneAccessRule(c *call) answer    { return c.createAccessRule(&c.zone.ipRules) }
func deleteZoneAccessRule(c *call) answer    { return c.deleteAccessRule(&c.zone.ipRules) }
func patchZoneAccessRule(c *call) answer     { return c.patchAccessRule(c.zone.ipRules) }
func patchAccountAccessRule(c *call) answer  { return c.patchAccessRule(c.acct.ipRules) }
func createAccountAccessRule(c *call) answer { return c.createAccessRule(&c.acct.ipRules) }
func deleteAccountAccessRule(c *call) answer { return c.deleteAccessRule(&c.acct.ipRules) }
