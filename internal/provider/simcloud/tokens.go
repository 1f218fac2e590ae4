package simcloud

import (
	"net/http"
	"slices"
	"strings"
)

// verification is the response of both verification endpoints, see
// https://developers.cloudflare.com/api/resources/user/subresources/tokens/methods/verify/.
func (c *call) verification() answer {
	t := c.token
	result := obj{"id": t.ID, "status": c.cloud.stateOf(t)}
	if t.ExpiresOn != nil {
		result["expires_on"] = t.ExpiresOn.UTC().Format("2006-01-02T15:04:05Z")
	}
	return ok(result)
}

func verifyUserToken(c *call) answer {
	if c.token.Kind != UserToken {
		return invalidToken()
	}
	return c.verification()
}

func verifyAccountToken(c *call) answer {
	if c.token.Kind != AccountToken {
		return invalidToken()
	}
	return c.verification()
}

// stateOf returns the status of an accepted token, which a write may have disabled.
func (cl *Cloud) stateOf(t *Token) string {
	if cl.isDisabled(t) {
		return "disabled"
	}
	return t.state(cl.now())
}

// object returns a token as lists and single reads show it. The secret never appears, but a canary
// value member does, as right after creation.
func (t *Token) object(cl *Cloud) obj {
	resources := obj{"com.cloudflare.api.account.*": "*"}
	if len(t.Accounts) > 0 {
		clear(resources)
		for _, id := range t.Accounts {
			resources["com.cloudflare.api.account."+id] = "*"
		}
	}
	o := obj{
		"id": t.ID, "name": t.Name, "status": cl.stateOf(t), "issued_on": cl.ago(30 * day), "modified_on": cl.ago(30 * day),
		"last_used_on": cl.ago(0), "value": canaryTokenValue,
		"condition": obj{"request_ip": obj{"in": []string{"185.220.20.0/28"}}},
		"policies":  []obj{{"id": hexID(0, "policy", t.ID), "effect": "allow", "resources": resources, "permission_groups": cl.grants(t)}},
	}
	if t.ExpiresOn != nil {
		o["expires_on"] = t.ExpiresOn.UTC().Format("2006-01-02T15:04:05Z")
	}
	return o
}

// grants returns the permission groups of a token under the provider's names, which have no scope prefix.
func (cl *Cloud) grants(t *Token) []obj {
	var names []string
	for _, r := range Routes() {
		if r.Permission == "" || !cl.permits(t, r.Permission) {
			continue
		}
		_, name, _ := strings.Cut(r.Permission, ": ")
		names = append(names, name)
	}
	slices.Sort(names)
	groups := []obj{}
	for _, name := range slices.Compact(names) {
		groups = append(groups, obj{"id": hexID(0, "permission", name), "name": name})
	}
	return groups
}

func listUserTokens(c *call) answer {
	if c.token.Kind != UserToken {
		return noPermission()
	}
	var out []obj
	for _, t := range c.cloud.tokens {
		if t.Kind == UserToken && t.User == c.token.User {
			out = append(out, t.object(c.cloud))
		}
	}
	return listOf(c, out)
}

func readUserToken(c *call) answer {
	for _, t := range c.cloud.tokens {
		if c.token.Kind == UserToken && t.Kind == UserToken && t.User == c.token.User && t.ID == c.id("token_id") {
			return ok(t.object(c.cloud))
		}
	}
	return refuse(http.StatusNotFound, 1003, "Token not found")
}

// accountTokens returns the accepted account tokens of an account, followed by the generated ones.
func (c *call) accountTokens() []obj {
	var out []obj
	for _, t := range c.cloud.tokens {
		if t.Kind == AccountToken && t.mayUse(c.acct.id) {
			out = append(out, t.object(c.cloud))
		}
	}
	return append(out, c.acct.tokens...)
}

func listAccountTokens(c *call) answer { return listOf(c, c.accountTokens()) }

func readAccountToken(c *call) answer {
	tokens := c.accountTokens()
	if i := byKey(tokens, "id", c.id("token_id")); i >= 0 {
		return ok(tokens[i])
	}
	return refuse(http.StatusNotFound, 1003, "Token not found")
}
