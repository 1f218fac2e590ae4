package simcloud

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

const (
	permMailRules    = "Zone: Email Routing Rules Read"
	permMailboxes    = "Account: Email Routing Addresses Read"
	permMailAuth     = "Zone: DMARC Management Read"
	permMailSecurity = "Account: Cloud Email Security Read"
)

// mailRoutes returns the mail operations.
func mailRoutes() []Route {
	const settings, z = "/accounts/{account_id}/email-security/settings", "/zones/{zone_id}/email"
	filter := func(of func(*account) []obj) func(*call) answer {
		return func(c *call) answer {
			if !c.acct.filtersMail() {
				return refuse(http.StatusForbidden, 1002, "the account is not entitled to Email Security")
			}
			return listOf(c, of(c.acct))
		}
	}
	return []Route{
		read(z+"/routing", permSettings, "zone/email_routing", readRouting),
		list(z+"/routing/rules", permMailRules, "zone/email_rules", pages(20, 50), func(c *call) answer { return listOf(c, c.zone.rules) }),
		list("/accounts/{account_id}/email/routing/addresses", permMailboxes, "account/email_addresses", pages(20, 50),
			func(c *call) answer { return listOf(c, c.acct.mailboxes) }),
		read(z+"/routing/rules/catch_all", permMailRules, "zone/email_catch_all", func(c *call) answer { return ok(c.zone.catchAll) }),
		change(http.MethodPut, z+"/routing/rules/catch_all", permMailRules, writeCatchAll),
		read(z+"/auth/spf/inspect", permMailAuth, "zone/spf_inspect", inspectSPF),
		list(settings+"/domains", permMailSecurity, "account/email_security_domains", pages(20, 1000),
			filter(func(a *account) []obj { return a.mailDomains })),
		again(settings+"/domains/{domain_id}", permMailSecurity, func(c *call) answer {
			return c.one(c.acct.mailDomains, "domain_id", noMailSetting())
		}),
		change(http.MethodPatch, settings+"/domains/{domain_id}", permMailSecurity, func(c *call) answer {
			return c.patch(c.acct.mailDomains, "domain_id", noMailSetting(), acceptAny)
		}),
		change(http.MethodPatch, settings+"/allow_policies/{policy_id}", permMailSecurity, func(c *call) answer {
			return c.patch(c.acct.mailAllow, "policy_id", noMailSetting(), acceptAny)
		}),
		change(http.MethodDelete, settings+"/allow_policies/{policy_id}", permMailSecurity, func(c *call) answer {
			return c.drop(&c.acct.mailAllow, "policy_id", noMailSetting())
		}),
		change(http.MethodDelete, settings+"/trusted_domains/{trusted_domain_id}", permMailSecurity, func(c *call) answer {
			return c.drop(&c.acct.mailTrusted, "trusted_domain_id", noMailSetting())
		}),
		list(settings+"/allow_policies", permMailSecurity, "account/email_security_allow", pages(20, 1000),
			filter(func(a *account) []obj { return a.mailAllow })),
		list(settings+"/trusted_domains", permMailSecurity, "account/email_security_trusted", pages(20, 1000),
			filter(func(a *account) []obj { return a.mailTrusted })),
	}
}

func noMailSetting() answer { return notFound("Email Security setting") }

func acceptAny(obj) *answer { return nil }

// drop deletes the object of a list whose id is in the path.
func (c *call) drop(all *[]obj, param string, missing answer) answer {
	i := byKey(*all, "id", c.id(param))
	if i < 0 {
		return missing
	}
	*all = slices.Delete(*all, i, i+1)
	return ok(obj{"id": c.id(param)})
}

// writeCatchAll replaces the handling of mail to all other addresses, see
// https://developers.cloudflare.com/api/resources/email_routing/subresources/rules/subresources/catch_alls/methods/update/.
func writeCatchAll(c *call) answer {
	sent, valid := c.sent()
	if !valid || sent["actions"] == nil || sent["matchers"] == nil {
		return invalid("actions and matchers are required")
	}
	maps.Copy(c.zone.catchAll, sent)
	return ok(c.zone.catchAll)
}

func readRouting(c *call) answer {
	z := c.zone
	status := "unconfigured"
	if z.routing {
		status = "ready"
	}
	return ok(obj{
		"id": hexID(0, "routing", z.id), "tag": hexID(0, "routing", z.id), "name": z.name, "enabled": z.routing, "status": status,
		"skip_wizard": true, "created": z.created, "modified": z.created,
	})
}

// inspectSPF follows an SPF record, see
// https://developers.cloudflare.com/api/resources/email_auth/subresources/spf/.
func inspectSPF(c *call) answer {
	i := c.zone.recordIndex(c.query.Get("id"))
	if i < 0 {
		return noRecord()
	}
	text := strings.Trim(c.zone.records[i].Content, `"`)
	found := spfCount{acct: c.acct, errors: []obj{}}
	found.follow(c.zone.name, text)
	return ok(obj{"domain": c.zone.name, "record": text, "total_lookups": found.lookups, "components": []obj{}, "errors": found.errors})
}

// spfCount counts the lookups a receiver needs. The caller holds the account's lock.
type spfCount struct {
	acct    *account
	lookups int
	errors  []obj
}

func (n *spfCount) follow(domain, text string) {
	for _, term := range strings.Fields(text)[1:] {
		name, target, _ := strings.Cut(strings.TrimLeft(term, "+-~?"), ":")
		if next, is := strings.CutPrefix(term, "redirect="); is {
			name, target = "redirect", next
		}
		switch strings.Split(name, "/")[0] {
		case "all":
			return
		case "a", "mx", "ptr", "exists":
			n.lookups++
		case "include", "redirect":
			n.lookups++
			if n.lookups <= 30 { // stops a record that includes itself
				n.enter(domain, target)
			}
		}
	}
}

func (n *spfCount) enter(domain, target string) {
	o, known := n.acct.world[target]
	texts := o.records["TXT"]
	if !known {
		texts = byDefault("TXT", target)
	}
	for _, text := range texts {
		if strings.HasPrefix(text, "v=spf1") {
			n.follow(target, text)
			return
		}
	}
	n.errors = append(n.errors, obj{"code": "NO_SPF_RECORD", "domain": domain, "message": "No SPF record found for " + target, "details": nil})
}
