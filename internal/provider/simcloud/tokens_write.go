package simcloud

import (
	"net/http"
	"slices"
)

func noToken() answer { return refuse(http.StatusNotFound, 1003, "Token not found") }

// disable switches an accepted token off or on again.
func (cl *Cloud) disable(tokenID string, off bool) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	cl.disabled[tokenID] = off
}

func (cl *Cloud) isDisabled(t *Token) bool {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	return cl.disabled[t.ID]
}

// groupNames returns the names of the permission groups held by the account's tokens, by id.
func (c *call) groupNames() map[string]any {
	names := map[string]any{}
	for _, t := range c.accountTokens() {
		for _, p := range objects(t["policies"]) {
			for _, g := range objects(p["permission_groups"]) {
				names[asText(g["id"])] = g["name"]
			}
		}
	}
	return names
}

// tokenPolicies checks the policies of a token in a request and adds the names of permission
// groups, which are sent by id.
func (c *call) tokenPolicies(sent any) ([]obj, bool) {
	names := c.groupNames()
	out := []obj{}
	for _, p := range objects(sent) {
		resources, _ := p["resources"].(obj)
		groups := objects(p["permission_groups"])
		if !slices.Contains([]any{"allow", "deny"}, p["effect"]) || len(resources) == 0 || len(groups) == 0 {
			return nil, false
		}
		full := []obj{}
		for _, g := range groups {
			name, known := names[asText(g["id"])]
			if !known {
				return nil, false
			}
			full = append(full, obj{"id": g["id"], "name": name})
		}
		if asText(p["id"]) == "" {
			p["id"] = c.newWriteStream().hex32()
		}
		p["permission_groups"] = full
		out = append(out, p)
	}
	return out, len(out) > 0
}

// writeAccountToken replaces a token but not its secret, see
// https://developers.cloudflare.com/api/resources/accounts/subresources/tokens/methods/update/. For
// a token of [Options] only the status changes.
func writeAccountToken(c *call) answer {
	tokens := c.accountTokens()
	at := byKey(tokens, "id", c.id("token_id"))
	if at < 0 {
		return noToken()
	}
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	policies, complete := c.tokenPolicies(sent["policies"])
	if asText(sent["name"]) == "" || !complete {
		return refuse(http.StatusBadRequest, 1001, "name and complete policies are required")
	}
	status := sent["status"]
	if status == nil {
		status = tokens[at]["status"]
	}
	if !slices.Contains([]any{statusActive, "disabled", "expired"}, status) {
		return refuse(http.StatusBadRequest, 1001, "status must be active or disabled")
	}
	i := byKey(c.acct.tokens, "id", c.id("token_id"))
	if i < 0 {
		c.cloud.disable(c.id("token_id"), status == "disabled")
		return readAccountToken(c)
	}
	changed := replaced(c.acct.tokens[i], obj{}, sent, "id", "issued_on", "last_used_on")
	changed["policies"], changed["status"], changed["modified_on"] = policies, status, stamp(c.now)
	c.acct.tokens[i] = changed
	return ok(changed)
}
