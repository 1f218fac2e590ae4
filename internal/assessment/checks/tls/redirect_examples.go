package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// unredirected is an example edit: the setting that redirects everything is off.
func unredirected() func(*snapshot.Builder) { return goodtest.Setting("always_use_https", "off") }

// byRedirectRule is an example edit: a redirect rule instead of the setting.
func byRedirectRule(expression, to string, raw bool) func(*snapshot.Builder) {
	return goodtest.Edits(unredirected(), entryPoint(snapshot.ZonePhaseRedirect, snapshot.Rule{ID: "d1", Enabled: true, Action: "redirect",
		Expression: expression, Params: snapshot.RuleParams{RedirectTo: to, RedirectRaw: raw}}))
}

// byPageRule is an example edit: a page rule instead of the setting.
func byPageRule(target, action, value string) func(*snapshot.Builder) {
	return goodtest.Edits(unredirected(), goodtest.OwnHosts, func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone, []snapshot.PageRule{{ID: "p1", Status: "active", Targets: []string{target},
			Actions: map[string]string{action: value}}})
	})
}

// byBulkRedirect is an example edit: bulk redirects instead of the setting.
func byBulkRedirect(items ...snapshot.ListRedirect) func(*snapshot.Builder) {
	return goodtest.Edits(unredirected(), goodtest.OwnHosts, func(b *snapshot.Builder) {
		list := []snapshot.ListItem{}
		for _, r := range items {
			list = append(list, snapshot.ListItem{ID: r.Source, Redirect: &r})
		}
		snapshot.Put(b, snapshot.AccountLists, goodtest.Account, []snapshot.List{{ID: "l1", Name: "moves", Kind: "redirect", References: 1}})
		snapshot.Put(b, snapshot.AccountListItems, "l1", list)
		snapshot.Put(b, snapshot.AccountRulesets, goodtest.Account, []snapshot.RulesetInfo{{ID: "br", Kind: "root",
			Phase: "http_request_redirect"}})
		snapshot.Put(b, snapshot.AccountPhaseRedirect, goodtest.Account, snapshot.Ruleset{ID: "br", Rules: []snapshot.Rule{{ID: "b1",
			Enabled: true, Action: "redirect", Expression: "http.request.full_uri in $moves", Params: snapshot.RuleParams{FromList: "moves"}}}})
	})
}

// bulkWhere is an example edit: a bulk redirect of the whole zone by a rule with this condition.
func bulkWhere(condition string) func(*snapshot.Builder) {
	all := snapshot.ListRedirect{Source: "shop.example", Target: "https://shop.example", Subdomains: true, Subpaths: true}
	return goodtest.Edits(byBulkRedirect(all), func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccountPhaseRedirect, goodtest.Account, func(set *snapshot.Ruleset) { set.Rules[0].Expression = condition })
	})
}

// routed is an example edit: these Worker routes and no other.
func routed(routes ...snapshot.WorkerRoute) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneWorkerRoutes, goodtest.Zone, routes) }
}

func redirectExamples() []goodtest.Example {
	unlisted := goodtest.Denied(snapshot.ZoneCustomHostnames)
	off, rule, page, bulk := unredirected(), byRedirectRule, byPageRule, byBulkRedirect
	forward := page("http://*shop.example/*", "forwarding_url", `{"url":"https://$1shop.example/$2","status_code":301}`)
	same := `concat("https://", http.host, http.request.uri.path)`
	custom := func(rules ...snapshot.Rule) func(*snapshot.Builder) {
		return goodtest.Edits(off, entryPoint(snapshot.ZonePhaseCustom, rules...))
	}
	block := snapshot.Rule{ID: "b1", Enabled: true, Action: "block", Expression: "not ssl"}
	return []goodtest.Example{
		{Name: "a custom rule blocks it", Want: posture.Pass, Resource: goodtest.Zone, Edit: custom(block)},
		{Name: "a custom rule blocks it on a path", Want: posture.Fail, Resource: goodtest.Zone, Edit: custom(snapshot.Rule{ID: "b1",
			Enabled: true, Action: "block", Expression: `not ssl and http.request.uri.path eq "/admin"`})},
		{Name: "a custom rule challenges it", Want: posture.Fail, Edit: custom(snapshot.Rule{ID: "b1", Enabled: true,
			Action: "managed_challenge", Expression: "not ssl"})},
		{Name: "a custom rule blocks it, behind one that lets anyone past", Want: posture.Fail, Edit: custom(snapshot.Rule{ID: "s1",
			Enabled: true, Action: "skip", Expression: "true", Params: snapshot.RuleParams{Ruleset: "current"}}, block)},
		{Name: "custom rules are not readable", Want: posture.Fail, Edit: goodtest.Edits(off, goodtest.Denied(snapshot.ZonePhaseCustom))},
		{Name: "a rule for own hosts, and the custom hostnames are not readable", Want: posture.Unknown, Edit: goodtest.Edits(goodtest.OwnHosts,
			byRedirectRule(`ends_with(http.host, "shop.example")`, "https://shop.example/", false), unlisted)},
		{Name: "the setting, and the custom hostnames are not readable", Want: posture.Pass, Edit: unlisted},
		{Name: "neither, and the custom hostnames are not readable", Want: posture.Fail, Edit: goodtest.Edits(unredirected(), unlisted)},
		{Name: "the setting is on", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "all but the challenge of a certificate authority", Want: posture.Pass,
			Edit: rule(`not ssl and not starts_with(http.request.uri.path, "/.well-known/acme-challenge/")`, same, true)},
		{Name: "a page rule for the challenge before the one for all", Want: posture.Pass, Edit: goodtest.Edits(off, goodtest.OwnHosts,
			goodtest.PageRules(
				snapshot.PageRule{ID: "p1", Status: "active", Priority: 2, Targets: []string{"*shop.example/.well-known/acme-challenge/*"},
					Actions: map[string]string{"cache_level": "bypass"}},
				snapshot.PageRule{ID: "p2", Status: "active", Priority: 1, Targets: []string{"*shop.example/*"},
					Actions: map[string]string{"always_use_https": ""}}))},
		{Name: "a rule for all but a path of the application", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: rule(`not ssl and not starts_with(http.request.uri.path, "/legacy/")`, same, true)},
		{Name: "the setting is off", Want: posture.Fail, Resource: goodtest.Zone, Edit: off},
		{Name: "a rule for plain requests", Want: posture.Pass, Edit: rule(`http.request.scheme eq "http"`, same, true)},
		{Name: "a rule for requests without TLS", Want: posture.Pass, Edit: rule("not ssl", same, true)},
		{Name: "a rule of the dashboard template", Want: posture.Pass,
			Edit: rule(`(http.request.full_uri wildcard r"http://*")`, `wildcard_replace(http.request.full_uri, r"http://*", r"https://${1}")`,
				true)},
		{Name: "a rule for all requests with a fixed target", Want: posture.Pass, Edit: rule("true", "https://shop.example/", false)},
		{Name: "a rule that leads to plain HTTP", Want: posture.Fail, Edit: rule("true", "http://shop.example/", false)},
		{Name: "a rule for all after one that nobody can read, which leads to plain HTTP", Want: posture.Unknown, Edit: goodtest.Edits(
			rule("true", "https://shop.example/", false), func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.ZonePhaseRedirect, goodtest.Zone, func(of *snapshot.Ruleset) {
					first := of.Rules[0]
					first.ID, first.Expression, first.Params.RedirectTo = "r0", "ip.src in $nobody_knows", "http://shop.example/"
					of.Rules = append([]snapshot.Rule{first}, of.Rules...)
				})
			})},
		{Name: "a replacement that changes no plain address", Want: posture.Fail,
			Edit: rule("true", `wildcard_replace(http.request.full_uri, "https://*", "https://www.${1}")`, true)},
		{Name: "a replacement for one host", Want: posture.Warning,
			Edit: rule("true", `wildcard_replace(http.request.full_uri, "http://www.*", "https://${1}")`, true)},
		{Name: "a rule nobody can read, with a target nobody can read", Want: posture.Unknown,
			Edit: rule("ip.src in $nobody_knows", "http.request.full_uri", true)},
		{Name: "a page rule for the whole zone, and the redirect rules are not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(page("http://*shop.example/*", "always_use_https", ""), goodtest.Denied(snapshot.ZonePhaseRedirect))},
		{Name: "a rule for requests that have TLS already", Want: posture.Fail, Edit: rule("ssl", same, true)},
		{Name: "a rule for one path", Want: posture.Warning, Resource: goodtest.Zone, Edit: rule(`not ssl and http.request.uri.path eq "/login"`,
			same, true)},
		{Name: "a target nobody can read", Want: posture.Unknown, Edit: rule("not ssl", "http.request.full_uri", true)},
		{Name: "a page rule for the whole zone", Want: posture.Pass, Edit: page("http://*shop.example/*", "always_use_https", "")},
		{Name: "a forwarding page rule for the whole zone", Want: posture.Pass, Edit: goodtest.Edits(routed(), forward)},
		{Name: "a forwarding page rule, and a Worker on a path", Want: posture.Warning, Edit: goodtest.Edits(forward,
			routed(snapshot.WorkerRoute{ID: "r1", Pattern: "shop.example/shop/*", Script: "w"}))},
		{Name: "a forwarding page rule, and a Worker for everything", Want: posture.Fail, Edit: goodtest.Edits(forward,
			routed(snapshot.WorkerRoute{ID: "r1", Pattern: "*shop.example/*", Script: "w"}))},
		{Name: "a forwarding page rule, and a route that keeps all from the Worker", Want: posture.Pass, Edit: goodtest.Edits(forward,
			routed(snapshot.WorkerRoute{ID: "r1", Pattern: "*shop.example/*", Script: "w"}, snapshot.WorkerRoute{ID: "r2",
				Pattern: "http://*shop.example/*"}))},
		{Name: "a forwarding page rule, and the routes are not readable", Want: posture.Unknown, Edit: goodtest.Edits(forward,
			goodtest.Denied(snapshot.ZoneWorkerRoutes))},
		{Name: "a page rule for a path, whatever the query, and a rule for the rest", Want: posture.Pass, Edit: goodtest.Edits(
			page("http://*shop.example/login", "always_use_https", ""), entryPoint(snapshot.ZonePhaseRedirect, snapshot.Rule{ID: "d1",
				Enabled: true, Action: "redirect", Expression: `not ssl and http.request.uri.path ne "/login"`,
				Params: snapshot.RuleParams{RedirectTo: same, RedirectRaw: true}}))},
		{Name: "a page rule for one host", Want: posture.Warning, Edit: page("www.shop.example/*", "always_use_https", "on")},
		{Name: "a page rule for requests that have TLS already", Want: posture.Fail, Edit: page("https://*shop.example/*", "always_use_https",
			"on")},
		{Name: "the page rules are not readable", Want: posture.Unknown, Edit: goodtest.Edits(off, goodtest.Denied(snapshot.ZonePageRules))},
		{Name: "a redirect rule is enough without page rules", Want: posture.Pass, Edit: goodtest.Edits(rule("not ssl", same, true),
			goodtest.Denied(snapshot.ZonePageRules))},
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: goodtest.Edits(off, goodtest.Denied(snapshot.ZoneRulesets))},
		{Name: "a bulk redirect for the whole zone", Want: posture.Pass, Edit: bulk(snapshot.ListRedirect{Source: "shop.example",
			Target: "https://shop.example", Subdomains: true, Subpaths: true})},
		{Name: "a bulk redirect for one host", Want: posture.Warning, Edit: bulk(snapshot.ListRedirect{Source: "http://www.shop.example/",
			Target: "https://shop.example", Subpaths: true})},
		{Name: "a bulk redirect for another zone", Want: posture.Fail, Edit: bulk(snapshot.ListRedirect{Source: "other.example",
			Target: "https://other.example", Subdomains: true, Subpaths: true})},
		{Name: "a bulk redirect to plain HTTP", Want: posture.Fail, Edit: bulk(snapshot.ListRedirect{Source: "shop.example",
			Target: "http://shop.example", Subdomains: true, Subpaths: true})},
		{Name: "a bulk redirect for visitors from one country", Want: posture.Warning,
			Edit: bulkWhere(`http.request.full_uri in $moves and ip.src.country eq "DE"`)},
		{Name: "a bulk redirect whose rule is for another zone", Want: posture.Fail,
			Edit: bulkWhere(`http.request.full_uri in $moves and cf.zone.name eq "other.example"`)},
		{Name: "a bulk redirect whose rule is for one path", Want: posture.Warning,
			Edit: bulkWhere(`http.request.full_uri in $moves and http.request.uri.path eq "/x"`)},
		{Name: "a bulk redirect whose rule does not name the list", Want: posture.Pass,
			Edit: bulkWhere(`http.request.full_uri wildcard "http://*"`)},
		{Name: "a bulk redirect whose more specific one leads to plain HTTP", Want: posture.Warning, Edit: bulk(
			snapshot.ListRedirect{Source: "shop.example", Target: "https://shop.example", Subdomains: true, Subpaths: true},
			snapshot.ListRedirect{Source: "shop.example/old", Target: "http://shop.example", Subdomains: true, Subpaths: true})},
		{Name: "the list of bulk redirects is not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(bulk(), goodtest.Denied(snapshot.AccountLists))},
		{Name: "a page rule that takes everything before it", Want: posture.Fail, Edit: goodtest.Edits(off, goodtest.PageRules(
			snapshot.PageRule{ID: "p1", Status: "active", Priority: 2, Targets: []string{"*shop.example/*"},
				Actions: map[string]string{"cache_level": "bypass"}},
			snapshot.PageRule{ID: "p2", Status: "active", Priority: 1, Targets: []string{"*shop.example/*"},
				Actions: map[string]string{"always_use_https": ""}}))},
		{Name: "the setting is missing", Want: posture.Unknown, Edit: goodtest.MissingSetting("always_use_https")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}
