package developer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// aroundAccess finds sites that require a login at their own domain but not at pages.dev, which
// cannot be turned off for Pages (developers.cloudflare.com/pages/configuration/custom-domains/).
func aroundAccess() check.Check {
	return check.Check{
		ID: "CFL-PAGE-010", Title: "Pages sites behind Access need a login at pages.dev, too",
		Category: "pages", Severity: posture.High, Resource: posture.ResourcePagesProject, Scope: check.PerAccount,
		Why: "A Pages project keeps its pages.dev hostname when it gets a custom domain. An Access application for the custom domain " +
			"does not cover that hostname.",
		Fix: "Add the pages.dev hostname and its previews to the Access application of the site, or redirect both to the custom domain.",
		Words: posture.Words{
			Problem: "Pages project {name} asks for no login at pages.dev",
			Impact:  "Anyone who knows the pages.dev hostname reads the site that Access closes at its own domain.",
			Breaks:  "Scripts and links that use the pages.dev hostname have to sign in.",
			Dashboard: "Zero Trust › Access controls › Applications › the application of the site › Edit: add the pages.dev hostname as " +
				"a public hostname.",
			Terraform: `resource "cloudflare_zero_trust_access_application" "site" {
  account_id = "{account_id}"
  name       = "{name}"
  type       = "self_hosted"
  destinations = [
    { type = "public", uri = "{id}.pages.dev" },
    { type = "public", uri = "*.{id}.pages.dev" },
  ]
}`},
		References: []string{"https://developers.cloudflare.com/pages/configuration/custom-domains/",
			"https://developers.cloudflare.com/pages/configuration/preview-deployments/"},
		Controls: check.Controls{
			check.Supports("cis 3.3", "A site that needs a login needs one at each of its hostnames."),
			check.Supports("soc2 CC6.1", "No hostname of the site goes around its sign-in."),
			check.Supports("pci 1.4.2", "The public reaches the site only by the approved way."),
			check.Supports("nist PR.AA-05", "The login of the site holds at all of its addresses."),
		},
		Needs: []snapshot.Named{snapshot.PagesProjects, snapshot.AccessApps},
		Optional: []snapshot.Named{snapshot.AccessPolicies, snapshot.AccessGroups,
			snapshot.GatewayListItems, snapshot.DevicePosture, snapshot.AccountRulesets, snapshot.AccountPhaseRedirect,
			snapshot.AccountLists, snapshot.AccountListItems},
		Evaluate: evaluateAroundAccess,
	}
}

func aroundAccessExamples() []goodtest.Example {
	const own, host = "docs.shop.example", "docs.pages.dev"
	app := func(decision string, domains ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				*as = append(*as, snapshot.AccessApp{ID: "a9", Name: "Docs", Type: "self_hosted", Domain: domains[0], Domains: domains,
					Policies: []snapshot.AccessPolicy{{ID: "p9", Name: "Docs", Decision: decision,
						Include: []snapshot.AccessRule{{Kind: "everyone"}}}}})
			})
		}
	}
	served := func(domains ...string) func(*snapshot.Builder) {
		return editProject(func(p *snapshot.PagesProject) { p.Subdomain, p.Domains = host, domains })
	}
	both := served(own, host)
	bulk := func(expression string, r snapshot.ListRedirect) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountPhaseRedirect, goodtest.Account, snapshot.Ruleset{ID: "ar", Rules: []snapshot.Rule{{ID: "d1",
				Enabled: true, Action: "redirect", Expression: expression, Params: snapshot.RuleParams{FromList: "away"}}}})
			snapshot.Put(b, snapshot.AccountLists, goodtest.Account, []snapshot.List{{ID: "l9", Name: "away", Kind: "redirect", Items: 1}})
			snapshot.Put(b, snapshot.AccountListItems, "l9", []snapshot.ListItem{{ID: "i1", Redirect: &r}})
		}
	}
	return []goodtest.Example{
		{Name: "no application covers the custom domain", Want: posture.NotApplicable, Edit: both},
		{Name: "the custom domain alone", Want: posture.Fail, Resource: goodProject, Edit: goodtest.Edits(both, app("allow", own))},
		{Name: "the custom domain in capitals", Want: posture.Fail, Edit: goodtest.Edits(both, app("allow", "Docs.Shop.Example"))},
		{Name: "a wildcard for the zone", Want: posture.Fail, Edit: goodtest.Edits(both, app("allow", "*.shop.example"))},
		{Name: "both hostnames", Want: posture.Pass, Resource: goodtest.Account, Edit: goodtest.Edits(both, app("allow", own, host))},
		{Name: "a wildcard for pages.dev", Want: posture.Pass, Edit: goodtest.Edits(both, app("allow", own, "*.pages.dev"))},
		{Name: "previews but not production", Want: posture.Fail, Edit: goodtest.Edits(both, app("allow", own, "*."+host))},
		{Name: "a path of pages.dev", Want: posture.Fail, Edit: goodtest.Edits(both, app("allow", own, host+"/admin"))},
		{Name: "an application that lets everyone in", Want: posture.NotApplicable, Edit: goodtest.Edits(both, app("bypass", own))},
		{Name: "an application that lets in a group that is missing", Want: posture.Unknown, Resource: goodProject,
			Edit: goodtest.Edits(both, app("allow", own), policies(lets("bypass", "group", "g9")))},
		{Name: "an application that lets in a group that is missing, for both hostnames", Want: posture.Unknown, Resource: goodProject,
			Edit: goodtest.Edits(both, app("allow", own, host), policies(lets("bypass", "group", "g9")))},
		{Name: "a path of the custom domain", Want: posture.NotApplicable, Edit: goodtest.Edits(both, app("allow", own+"/admin"))},
		{Name: "pages.dev only", Want: posture.NotApplicable, Edit: goodtest.Edits(served(host), app("allow", own))},
		{Name: "a type of application nobody knows", Want: posture.Unknown, Resource: goodProject,
			Edit: goodtest.Edits(both, app("allow", own), func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
					*as = append(*as, snapshot.AccessApp{ID: "a10", Type: "new", Domain: host})
				})
			})},
		{Name: "a bulk redirect leads away from pages.dev", Want: posture.Pass, Edit: goodtest.Edits(both, app("allow", own),
			bulk("http.request.full_uri in $away", snapshot.ListRedirect{Source: host, Target: "https://" + own, Subpaths: true}))},
		{Name: "a bulk redirect for one path", Want: posture.Fail, Edit: goodtest.Edits(both, app("allow", own),
			bulk("http.request.full_uri in $away", snapshot.ListRedirect{Source: host + "/a", Target: "https://" + own, Subpaths: true}))},
		{Name: "a bulk redirect for the start page alone", Want: posture.Fail, Edit: goodtest.Edits(both, app("allow", own),
			bulk("http.request.full_uri in $away", snapshot.ListRedirect{Source: host, Target: "https://" + own}))},
		{Name: "a bulk redirect under a further condition", Want: posture.Unknown, Resource: goodProject, Edit: goodtest.Edits(both,
			app("allow", own), bulk(`http.request.full_uri in $away and ip.src.country ne "DE"`,
				snapshot.ListRedirect{Source: host, Target: "https://" + own, Subpaths: true}))},
		{Name: "bulk redirects are not readable", Want: posture.Unknown, Resource: goodProject, Edit: goodtest.Edits(both, app("allow", own),
			func(b *snapshot.Builder) {
				b.Mark(snapshot.AccountPhaseRedirect.Source(), snapshot.Denied, "Bulk URL Redirects Read", "")
			})},
		{Name: "no project", Want: posture.NotApplicable, Edit: noProject},
	}
}

// redirected reports whether a bulk redirect takes every request for a hostname of Pages elsewhere
// (developers.cloudflare.com/pages/how-to/redirect-to-custom-domain/).
func redirected(v *check.View, host string) truth.Value {
	rules, known := check.EntryPoint(v, snapshot.AccountRulesets, snapshot.AccountPhaseRedirect, v.Account().ID)
	lists, listed := check.ReadOptionalAt(v, snapshot.AccountLists, v.Account().ID)
	out := truth.If(known, false)
	for _, r := range rules.Rules {
		if !r.Enabled || r.Params.FromList == "" {
			continue
		}
		leads := truth.If(listed, false)
		for _, l := range lists {
			if l.Name != r.Params.FromList {
				continue
			}
			items, read := check.ReadOptionalAt(v, snapshot.AccountListItems, l.ID)
			leads = truth.If(read, slices.ContainsFunc(items, func(i snapshot.ListItem) bool { return takesAll(i.Redirect, host) }))
		}
		whole := strings.EqualFold(strings.TrimSpace(r.Expression), "http.request.full_uri in $"+r.Params.FromList)
		out = truth.Or(out, truth.And(leads, truth.If(whole, true))) // another condition may leave requests out
	}
	return out
}

// takesAll reports whether a bulk redirect is for every path of a host.
func takesAll(r *snapshot.ListRedirect, host string) bool {
	if r == nil || !r.Subpaths {
		return false
	}
	scheme, rest, found := strings.Cut(r.Source, "://")
	if !found {
		scheme, rest = "https", r.Source
	}
	of, path, _ := strings.Cut(rest, "/")
	return scheme == "https" && path == "" && (exposure.Same(of, host) || r.Subdomains && exposure.Within(host, of))
}

func evaluateAroundAccess(v *check.View) check.Outcome {
	doors := check.DoorsOf(v)
	j := v.Judge()
	for _, p := range check.Read(v, snapshot.PagesProjects) {
		own, perhaps := "", ""
		for _, d := range p.Domains {
			if exposure.Same(d, p.Subdomain) {
				continue
			}
			switch exposure.Guarded(doors, d, "") {
			case exposure.GuardedWhole:
				own = cmp.Or(own, d)
			case exposure.UnsureGuard:
				perhaps = cmp.Or(perhaps, d)
			}
		}
		if own == "" && perhaps == "" {
			continue
		}
		guard, away := exposure.Guarded(doors, p.Subdomain, ""), truth.Yes
		if guard != exposure.GuardedWhole {
			away = redirected(v, p.Subdomain)
		}
		switch {
		case away == truth.Yes:
			j.Pass()
		case own == "":
			j.Unclear(project(p), "whether an application covers "+perhaps+" depends on a policy or a type of application that is not known")
		case guard == exposure.UnsureGuard:
			j.Unclear(project(p), "whether an application covers "+p.Subdomain+" depends on a policy or a type of application that is not known")
		case away == truth.Undecided:
			j.Unknown(project(p), "no application covers "+p.Subdomain+"; whether a bulk redirect leads away from it is not known")
		default:
			j.Fail(project(p), "The site "+p.Name+" asks for a login at "+own+" and for none at "+p.Subdomain+".",
				check.Evidence(snapshot.PagesProjects, "/"+p.Name+"/subdomain", p.Subdomain+", no application", "an application"))
		}
	}
	return j.Done("Every Pages site behind Access needs a login at pages.dev, too.", "no Pages site sits behind Access at a domain of its own")
}
