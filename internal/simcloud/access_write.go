package simcloud

import (
	"encoding/json"
	"net/http"
	"slices"
)

func noApp() answer { return refuse(http.StatusNotFound, 11021, "access.api.error.app_not_found") }

func noPolicy() answer {
	return refuse(http.StatusNotFound, 11022, "access.api.error.policy_not_found")
}

func (c *call) app() (obj, int) {
	i := byKey(c.acct.apps, "id", c.id("app_id"))
	if i < 0 {
		return nil, i
	}
	return c.acct.apps[i], i
}

func readApp(c *call) answer {
	app, _ := c.app()
	if app == nil {
		return noApp()
	}
	return ok(app)
}

// attachedPolicies reads the policies member of an application that was sent:
// ids of reusable policies, objects with an id, or complete policies.
func (c *call) attachedPolicies(sent any, known []obj) ([]obj, bool) {
	list, isList := sent.([]any)
	if !isList {
		return nil, sent == nil
	}
	out := []obj{}
	for _, entry := range list {
		policy, isObject := entry.(map[string]any)
		id, _ := entry.(string)
		if isObject {
			id = asText(policy["id"])
		}
		pool := append(slices.Clone(known), c.acct.policies...)
		switch at := byKey(pool, "id", id); {
		case at >= 0:
			out = append(out, pool[at])
		case isObject && asText(policy["decision"]) != "":
			policy["id"] = c.newWriteStream().uuid()
			out = append(out, policy)
		default:
			return nil, false
		}
	}
	return out, true
}

func createApp(c *call) answer {
	if c.acct.org == nil {
		return notEnabled()
	}
	var sent obj
	if json.Unmarshal(c.body, &sent) != nil || sent == nil {
		return badBody()
	}
	if asText(sent["type"]) == "" || asText(sent["name"]) == "" {
		return refuse(http.StatusBadRequest, 12130, "access.api.error.invalid_request: type and name are required")
	}
	policies, valid := c.attachedPolicies(sent["policies"], nil)
	if !valid {
		return noPolicy()
	}
	app := c.acct.addApp(asText(sent["name"]), asText(sent["type"]), asText(sent["domain"]))
	delete(sent, "id")
	for k, v := range sent {
		app[k] = v
	}
	app["policies"] = append([]obj{}, policies...)
	app["created_at"], app["updated_at"] = stamp(c.now), stamp(c.now)
	return ok(app)
}

// writeApp replaces the members sent; policies stay when they are not sent.
func writeApp(c *call) answer {
	app, i := c.app()
	if app == nil {
		return noApp()
	}
	var sent obj
	if json.Unmarshal(c.body, &sent) != nil || sent == nil {
		return badBody()
	}
	attached, _ := app["policies"].([]obj)
	changed := obj{}
	for k, v := range app {
		changed[k] = v
	}
	for k, v := range sent {
		if k != "id" && k != "policies" {
			changed[k] = v
		}
	}
	if list, given := sent["policies"]; given {
		policies, valid := c.attachedPolicies(list, attached)
		if !valid {
			return noPolicy()
		}
		changed["policies"] = append([]obj{}, policies...)
	}
	changed["updated_at"] = stamp(c.now)
	c.acct.apps[i] = changed
	return ok(changed)
}

func deleteApp(c *call) answer {
	_, i := c.app()
	if i < 0 {
		return noApp()
	}
	c.acct.apps = slices.Delete(c.acct.apps, i, i+1)
	return ok(obj{"id": c.id("app_id")})
}

func readAccessPolicy(c *call) answer {
	if i := byKey(c.acct.policies, "id", c.id("policy_id")); i >= 0 {
		return ok(c.acct.counted(c.acct.policies[i]))
	}
	return noPolicy()
}

// overwrite changes a policy in place, so that every application that shares
// it sees the change.
func (c *call) overwrite(policy obj) answer {
	var sent obj
	if json.Unmarshal(c.body, &sent) != nil || sent == nil {
		return badBody()
	}
	for k, v := range sent {
		if k != "id" && k != "reusable" && k != "app_count" {
			policy[k] = v
		}
	}
	policy["updated_at"] = stamp(c.now)
	return ok(policy)
}

func writeAccessPolicy(c *call) answer {
	i := byKey(c.acct.policies, "id", c.id("policy_id"))
	if i < 0 {
		return noPolicy()
	}
	return c.overwrite(c.acct.policies[i])
}

func writeAppPolicy(c *call) answer {
	app, _ := c.app()
	if app == nil {
		return noApp()
	}
	attached, _ := app["policies"].([]obj)
	i := byKey(attached, "id", c.id("policy_id"))
	if i < 0 || attached[i]["reusable"] == true {
		return noPolicy()
	}
	return c.overwrite(attached[i])
}
