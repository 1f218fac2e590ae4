package simcloud

import (
	"encoding/json"
	"maps"
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
	return ok(withoutReuse(app))
}

// attachedPolicies reads the policies member of an application in a request: ids of reusable
// policies, objects with an id, or complete policies.
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
			out = append(out, merged(c.acct.newPolicy(asText(policy["name"]), asText(policy["decision"])), policy, "id", "reusable"))
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
	if bad := validApp(sent); bad != nil {
		return *bad
	}
	policies, valid := c.attachedPolicies(sent["policies"], nil)
	if !valid {
		return noPolicy()
	}
	app := c.acct.addApp(asText(sent["name"]), asText(sent["type"]), asText(sent["domain"]))
	maps.Copy(app, merged(appDefaults(sent), sent, "id", "uid", "aud"))
	app["policies"] = append([]obj{}, policies...)
	app["created_at"], app["updated_at"] = stamp(c.now), stamp(c.now)
	return ok(app)
}

// appDefaults returns the defaults of members missing from an application, see
// https://developers.cloudflare.com/api/resources/zero_trust/subresources/access/subresources/applications/.
func appDefaults(sent obj) obj {
	o := obj{
		"session_duration": "24h", "allowed_idps": []any{}, "auto_redirect_to_identity": false, "http_only_cookie_attribute": true,
		"same_site_cookie_attribute": "", "enable_binding_cookie": false, "options_preflight_bypass": false, "skip_interstitial": false,
		"app_launcher_visible": true, "logo_url": "", "service_auth_401_redirect": false,
	}
	if domain := asText(sent["domain"]); domain != "" {
		o["self_hosted_domains"], o["destinations"] = []string{domain}, []obj{{"type": "public", "uri": domain}}
	}
	return o
}

// validApp checks what the API requires of every application.
func validApp(sent obj) *answer {
	kind := asText(sent["type"])
	somewhere := asText(sent["domain"]) != "" || len(objects(sent["destinations"])) > 0
	if kind == "" || asText(sent["name"]) == "" || (kind == "self_hosted" && !somewhere) {
		a := refuse(http.StatusBadRequest, 12130, "access.api.error.invalid_request: type, name and domain or destinations are required")
		return &a
	}
	return nil
}

// writeApp replaces an application. Policies missing from the request are detached, as every
// missing member falls back to its default.
func writeApp(c *call) answer {
	app, i := c.app()
	if app == nil {
		return noApp()
	}
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	if bad := validApp(sent); bad != nil {
		return *bad
	}
	attached, _ := app["policies"].([]obj)
	policies, known := c.attachedPolicies(sent["policies"], attached)
	if !known {
		return noPolicy()
	}
	changed := replaced(app, appDefaults(sent), sent, "id", "uid", "aud", "created_at")
	changed["policies"], changed["updated_at"] = append([]obj{}, policies...), stamp(c.now)
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

// overwrite replaces a policy in place, so that every application that shares
// it sees the change.
func (c *call) overwrite(policy obj) answer {
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	decisions := []string{"allow", "deny", "non_identity", "bypass"}
	if asText(sent["name"]) == "" || !slices.Contains(decisions, asText(sent["decision"])) || len(objects(sent["include"])) == 0 {
		return refuse(http.StatusBadRequest, 12130, "access.api.error.invalid_request: name, decision and include are required")
	}
	defaults := obj{
		"require": []obj{}, "exclude": []obj{}, "approval_required": false, "isolation_required": false,
		"purpose_justification_required": false, "approval_groups": []obj{}, "precedence": policy["precedence"],
	}
	delete(sent, "app_count")
	changed := replaced(policy, defaults, sent, "id", "reusable", "created_at")
	clear(policy)
	maps.Copy(policy, changed)
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

func noServiceToken() answer {
	return refuse(http.StatusNotFound, 11023, "access.api.error.service_token_not_found")
}

func readServiceToken(c *call) answer {
	if i := byKey(c.acct.serviceTokens, "id", c.id("service_token_id")); i >= 0 {
		return ok(withoutMember(c.acct.serviceTokens[i:i+1], "client_secret")[0])
	}
	return noServiceToken()
}

// refreshServiceToken sets the expiry of a service token to a year from now; its secret is
// unchanged, so the response does not show it.
func refreshServiceToken(c *call) answer {
	i := byKey(c.acct.serviceTokens, "id", c.id("service_token_id"))
	if i < 0 {
		return noServiceToken()
	}
	t := c.acct.serviceTokens[i]
	t["expires_at"], t["updated_at"] = stamp(c.now.AddDate(1, 0, 0)), stamp(c.now)
	return readServiceToken(c)
}

func readAppPolicy(c *call) answer {
	app, _ := c.app()
	if app == nil {
		return noApp()
	}
	attached, _ := app["policies"].([]obj)
	return c.one(withoutMember(attached, "reusable"), "policy_id", noPolicy())
}
