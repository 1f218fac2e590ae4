package simcloud

import (
	"slices"
	"strings"
	"time"
)

func plantsToken() []Plant {
	zones, accounts := "com.cloudflare.api.account.zone.*", "com.cloudflare.api.account.*"
	used := func(last, issued time.Duration) func(*account, obj) {
		return func(a *account, t obj) {
			t["issued_on"] = a.cloud.ago(issued)
			if t["last_used_on"] = a.cloud.ago(last); last == 0 {
				t["last_used_on"] = nil
			}
		}
	}
	ends := func(in time.Duration) func(*account, obj) {
		return func(a *account, t obj) { t["expires_on"] = a.cloud.ahead(in) }
	}
	from := func(ranges ...string) func(*account, obj) {
		return func(_ *account, t obj) { t["condition"] = obj{"request_ip": obj{"in": ranges}} }
	}
	return []Plant{
		tokenPlant("CFL-TOK-003", "unused", failed, used(100*day, 200*day)),
		tokenPlant("CFL-TOK-003", "never-used", failed, used(0, 150*day)),
		tokenPlant("CFL-TOK-004", "six-on-zones", failed, may(6, obj{zones: "*"})),
		tokenPlant("CFL-TOK-004", "six-on-accounts", failed, may(6, obj{accounts: "*"})),
		tokenPlant("CFL-TOK-004", "six-nested", failed, func(a *account, t obj) {
			may(6, obj{"com.cloudflare.api.account." + a.id: obj{zones: "*"}})(a, t)
		}),
		tokenPlant("CFL-TOK-004", "five-on-zones", warning, func(a *account, t obj) {
			may(6, obj{zones: "*"})(a, t)
			grant(t, "Zone Settings Write", "SSL and Certificates Write", "Cache Rules Write", "Bot Management Write", "Cache Purge")
		}),
		tokenPlant("CFL-TOK-004", "dns-on-zones", failed, may(1, obj{zones: "*"})),
		tokenPlant("CFL-TOK-004", "dns-anywhere", failed, func(a *account, t obj) {
			may(1, obj{zones: "*"})(a, t)
			delete(t, "condition")
		}, Planted{CheckID: "CFL-TOK-005", Result: failed}),
		tokenPlant("CFL-TOK-004", "six-on-account", failed, func(a *account, t obj) {
			may(6, obj{"com.cloudflare.api.account." + a.id: "*"})(a, t)
		}),
		tokenPlant("CFL-TOK-005", "anywhere", failed, func(_ *account, t obj) { delete(t, "condition") }),
		tokenPlant("CFL-TOK-005", "all-addresses", failed, from("185.220.20.0/28", "0.0.0.0/0")),
		tokenPlant("CFL-TOK-005", "all-addresses-6", failed, from("::/0")),
		tokenPlant("CFL-TOK-005", "wide", warning, from("185.220.0.0/12")),
		tokenPlant("CFL-TOK-005", "wide-6", warning, from("2a06:98c0::/32")),
		tokenPlant("CFL-TOK-008", "old", failed, used(day, 400*day)),
		tokenPlant("CFL-TOK-008", "ageing", warning, used(day, 330*day)),
		tokenPlant("CFL-TOK-010", "unbound", failed, func(_ *account, t obj) {
			grant(t, "API Tokens Write")
			delete(t, "condition")
		}, Planted{CheckID: "CFL-TOK-005", Result: failed}),
		tokenPlant("CFL-TOK-010", "endless", failed, func(_ *account, t obj) {
			grant(t, "Account API Tokens Write")
			delete(t, "expires_on")
		}, Planted{CheckID: "CFL-TOK-002", Result: failed}),
		tokenPlant("CFL-TOK-010", "bound", warning, func(_ *account, t obj) { grant(t, "Memberships Write") }),
		tokenPlant("CFL-TOK-010", "settings", warning, func(_ *account, t obj) { grant(t, "Account Settings Write") }),
		tokenPlant("CFL-TOK-011", "lapsed", failed, ends(-day)),
		tokenPlant("CFL-TOK-011", "ending", warning, ends(7*day)),
		accountWide("CFL-TOK-007", "changed", failed, "key-changed", func(a *account) { a.addAudit("api_key", "update", "success", 4*day) }),
		accountWide("CFL-TOK-007", "tried", warning, "key-tried", func(a *account) { a.addAudit("api_key", "delete", "failure", 6*day) }),
	}
}

// tokenPlant adds a token of the account; also lists further findings on it.
func tokenPlant(check, variant, result string, change func(*account, obj), also ...Planted) Plant {
	return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: "token",
		Apply: func(s *Scene) []Planted {
			a := s.account
			t := a.newToken("Job "+check+" "+variant, a.cloud.ahead(90*day))
			t["last_used_on"] = a.cloud.ago(day)
			change(a, t)
			a.tokens = append(a.tokens, t)
			id := asText(t["id"])
			found := one(check, "token", id, result)
			for _, f := range also {
				found = append(found, Planted{f.CheckID, "token", id, f.Result})
			}
			return found
		}}
}

// may grants a token the given number of write groups on resources.
func may(groups int, resources obj) func(*account, obj) {
	return func(_ *account, t obj) {
		grant(t, []string{"DNS Write", "Zone Settings Write", "Zaraz Edit", "Page Rules Write", "SSL and Certificates Write",
			"Cache Rules Write"}[:groups]...)
		t["policies"].([]obj)[0]["resources"] = resources
	}
}

// grant replaces the permission groups of a token.
func grant(t obj, names ...string) {
	groups := []obj{}
	for _, n := range names {
		groups = append(groups, obj{"id": hexID(0, "permission", n), "name": n})
	}
	t["policies"].([]obj)[0]["permission_groups"] = groups
}

// listedTruth returns the findings about one more token a run can list, other than about its
// expiry. own is set for the token of the run itself.
func (cl *Cloud) listedTruth(t *Token, own bool) []Planted {
	var found []Planted
	add := func(check, result string) { found = append(found, Planted{check, "token", t.ID, result}) }
	writing, settings, takes := 0, false, false
	for _, g := range cl.grants(t) {
		name := asText(g["name"])
		if strings.HasSuffix(name, writeSuffix) || strings.HasSuffix(name, " Edit") {
			writing++
		}
		takes = takes || slices.Contains([]string{"DNS Write", "Page Rules Write", "Load Balancers Write", "Workers Routes Write",
			"Workers Scripts Write", "Zone Write"}, name)
		settings = settings || name == "Account Settings Write" || name == "API Tokens Write" || name == "Account API Tokens Write"
	}
	everywhere := len(t.Accounts) == 0
	switch {
	case writing > 5 || everywhere && takes:
		add("CFL-TOK-004", failed)
	case everywhere && writing > 0:
		add("CFL-TOK-004", warning)
	}
	switch {
	case settings && t.ExpiresOn == nil:
		add("CFL-TOK-010", failed)
	case settings:
		add("CFL-TOK-010", warning)
	}
	if !own && t.ExpiresOn != nil && t.ExpiresOn.Sub(cl.born) <= 14*day {
		add("CFL-TOK-011", warning)
	}
	return found
}
