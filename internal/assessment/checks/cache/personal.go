package cache

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// personal finds rules that store personal responses: visitors with a session are followed through
// the page rules and the cache rules of the zone, on each host and for sample paths.
func personal() check.Check {
	return check.Check{
		ID: "CFL-CDA-001", Title: "Cache rules do not store personal answers",
		Category: "cache", Severity: posture.High, Resource: posture.ResourceRule, Scope: check.PerZone, Edge: true,
		Why: "A cache rule that stores answers whatever the origin says also stores those that were made for one " +
			"signed-in visitor.",
		Fix: "Bypass the cache for personal paths and for requests with a session cookie, or let the origin decide with " +
			"Cache-Control.",
		Words: posture.Words{
			Problem: "Cache rule {name} of {zone} stores personal pages",
			Impact:  "The account page of one visitor is shown to the next who opens the same address.",
			Breaks:  "Pages that are no longer cached load the origin and answer more slowly.",
			Dashboard: "Caching › Cache Rules › {name}: exclude the personal paths, or add a rule behind it that bypasses the cache " +
				"when the session cookie is present.",
		},
		References: []string{docsRules, "https://developers.cloudflare.com/ruleset-engine/rulesets-api/"},
		Controls: check.Controls{
			check.Supports("cis 3.12", "Personal answers are kept apart from what is shared."),
			check.Supports("soc2 CC6.1", "A cached personal page would open it to other visitors."),
			check.Supports("soc2 C1.1", "Personal answers are treated as confidential by the cache."),
			check.Supports("pci 6.2.4", "Data exposure through the cache is avoided by rule."),
			check.Supports("nist PR.DS-01", "The cache stores no personal answer."),
		},
		Aliases:  []string{"flareinspect:CFL-CDA-001"},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseCache, snapshot.ZonePageRules},
		Optional: traffic.ServedNeeds(),
		Evaluate: evaluatePersonal,
	}
}

func evaluatePersonal(v *check.View) check.Outcome {
	j, rules, pages := v.Judge(), check.Read(v, snapshot.ZonePhaseCache).Rules, check.Read(v, snapshot.ZonePageRules)
	all := steps(v.Zone(), pages, rules)
	hosts, doubt := hostNames(v, all)
	judge := func(id, name string, seen posture.Evidence) {
		i := slices.IndexFunc(all, func(s step) bool { return s.id == id && s.stores })
		if i < 0 {
			j.Pass()
			return
		}
		r := v.InZone(posture.ResourceRule, id, name)
		switch personal, anyway := storesPersonal(all, i, hosts); {
		case personal == truth.No:
			j.Pass()
		case doubt != nil:
			j.Doubtful(r, *doubt)
		case personal == truth.Undecided:
			j.Unclear(r, "the expression of the rule, or of a later one, reads something whose meaning this check does not know")
		case anyway == truth.Undecided:
			j.Unclear(r, "the rule stores personal pages; whether also against what the origin says is not known")
		case anyway == truth.Yes:
			j.Fail(r, "The rule "+r.Name+" caches personal pages of "+r.Zone+", whatever the origin says.", seen)
		default:
			j.Warn(r, "The rule "+r.Name+" caches personal pages of "+r.Zone+" when the origin does not forbid it.", seen)
		}
	}
	const observed, expected = "caches a personal path", "no personal path, or only without a session cookie"
	for _, r := range rules {
		if !r.Enabled {
			continue
		}
		judge(r.ID, r.Name(), check.Evidence(snapshot.ZonePhaseCache, "/rules/"+r.ID, observed, expected))
	}
	for _, p := range pages {
		if everything(p) {
			judge(p.ID, pageName(p), check.Evidence(snapshot.ZonePageRules, "/"+p.ID, observed, expected))
		}
	}
	return j.Done("No cache rule stores answers that belong to one visitor.",
		"the zone has no cache rule and no page rule that caches everything")
}

func personalExamples() []goodtest.Example {
	const fixed = "override_origin"
	page := func(pages ...snapshot.PageRule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone, pages) }
	}
	legacy := func(id, target string, priority int, actions map[string]string) snapshot.PageRule {
		return snapshot.PageRule{ID: id, Status: "active", Priority: priority, Targets: []string{target}, Actions: actions}
	}
	all, long := map[string]string{"cache_level": "cache_everything"}, map[string]string{"cache_level": "cache_everything",
		"edge_cache_ttl": "7200"}
	out := []goodtest.Example{
		{Name: "assets by extension", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "the zone moved away", Want: posture.NotApplicable, Edit: goodtest.Edits(rules(store("k1", "true", fixed)),
			goodtest.Status("moved"))},
		{Name: "no cache rule", Want: posture.NotApplicable, Edit: rules()},
		{Name: "a disabled rule", Want: posture.NotApplicable, Edit: rules(goodtest.Off(store("k1", "true", fixed)))},
		{Name: "a rule that bypasses", Want: posture.Pass, Edit: rules(bypass("k1", "true"))},
		{Name: "a later rule bypasses the rest", Want: posture.Pass, Edit: rules(store("k1", "true", fixed),
			bypass("k2", `http.request.uri.path matches "^/(login|account|api|cart|admin)"`))},
		{Name: "a later rule bypasses one path only", Want: posture.Fail, Resource: "k1", Edit: rules(store("k1", "true", fixed),
			bypass("k2", `starts_with(http.request.uri.path, "/login")`))},
		{Name: "an earlier bypass is overruled", Want: posture.Fail, Resource: "k2",
			Edit: rules(bypass("k1", "true"), store("k2", "true", fixed))},
		{Name: "a later rule bypasses sessions", Want: posture.Pass, Edit: rules(store("k1", "true", fixed),
			bypass("k2", `http.cookie contains "session="`))},
		{Name: "a page rule for everything", Want: posture.Warning, Resource: "p1", Edit: page(legacy("p1", "*shop.example/*", 1, all))},
		{Name: "a page rule with its own life time", Want: posture.Fail, Resource: "p1",
			Edit: page(legacy("p1", "https://www.shop.example/account/*", 1, long))},
		{Name: "a page rule for pictures", Want: posture.Pass, Edit: page(legacy("p1", "shop.example/img/*", 1, long))},
		{Name: "a page rule that bypasses on a cookie", Want: posture.Pass,
			Edit: page(legacy("p1", "shop.example/*", 1, map[string]string{"cache_level": "cache_everything",
				"bypass_cache_on_cookie": "session=.*"}))},
		{Name: "a stronger page rule takes some pages out", Want: posture.Fail, Resource: "p1",
			Edit: page(legacy("p1", "*shop.example/*", 1, long), legacy("p2", "*shop.example/admin*", 2,
				map[string]string{"cache_level": "bypass"}))},
		{Name: "a stronger page rule takes the page out", Want: posture.Pass,
			Edit: page(legacy("p1", "*shop.example/admin/users", 1, long), legacy("p2", "*shop.example/admin*", 2,
				map[string]string{"cache_level": "bypass"}))},
		{Name: "a page rule for profiles", Want: posture.Fail, Resource: "p1", Edit: page(legacy("p1", "*shop.example/Profile/*", 1, long))},
		{Name: "a later rule bypasses the profiles", Want: posture.Pass,
			Edit: rules(store("k1", `starts_with(http.request.uri.path, "/profile")`,
				fixed), bypass("k2", `http.request.uri.path contains "/profile"`))},
		{Name: "profiles, and the origin keeps control", Want: posture.Warning, Resource: "k1",
			Edit: rules(store("k1", `starts_with(http.request.uri.path, "/profile")`, ""))},
		{Name: "a later rule leaves the last word to the origin", Want: posture.Warning, Resource: "k1",
			Edit: rules(store("k1", "true", fixed), store("k2", "ssl or not ssl", "respect_origin"))},
		{Name: "a later rule takes the last word from the origin", Want: posture.Fail, Resource: "k1",
			Edit: rules(store("k1", "true", ""), store("k2", "ssl or not ssl", fixed))},
		{Name: "an earlier rule has the last word about what a later one stores", Want: posture.Fail, Resource: "k3",
			Edit: rules(store("k1", "true", fixed), bypass("k2", "true"), store("k3", "true", ""))},
		{Name: "two later rules bypass plain and encrypted requests", Want: posture.Pass,
			Edit: rules(store("k1", "true", fixed), bypass("k2", "ssl"), bypass("k3", "not ssl"))},
		{Name: "two later rules bypass each method", Want: posture.Pass, Edit: rules(store("k1", "true", fixed),
			bypass("k2", `http.request.method eq "GET"`), bypass("k3", `not http.request.method eq "GET"`))},
		{Name: "for another method than GET", Want: posture.Pass, Edit: rules(store("k1", `http.request.method eq "POST"`, fixed))},
		{Name: "a later rule bypasses encrypted requests only", Want: posture.Fail, Resource: "k1",
			Edit: rules(store("k1", "true", fixed), bypass("k2", "ssl"))},
		{Name: "a page rule with its own life time, and a cache rule leaves the last word to the origin", Want: posture.Warning, Resource: "p1",
			Edit: goodtest.Edits(rules(store("k1", "true", "respect_origin")), page(legacy("p1", "*shop.example/*", 1, long)))},
		{Name: "a later rule sets the life time only", Want: posture.Fail, Resource: "k1",
			Edit: rules(store("k1", "true", ""), lasting("k2", fixed))},
		{Name: "a later rule leaves the life time to the origin", Want: posture.Warning, Resource: "k1",
			Edit: rules(store("k1", "true", fixed), lasting("k2", "respect_origin"))},
		{Name: "a rule that sets the life time only", Want: posture.Pass, Edit: rules(lasting("k1", fixed))},
		{Name: "a cache rule overrules a page rule", Want: posture.Pass, Edit: goodtest.Edits(rules(bypass("k1", "true")),
			page(legacy("p1", "*shop.example/*", 1, long)))},
	}
	return slices.Concat(out, personalRules(fixed), personalHosts(fixed))
}

// personalRules returns examples that store by each expression, with or without the consent of the
// origin's headers.
func personalRules(fixed string) []goodtest.Example {
	var out []goodtest.Example
	for _, e := range []struct {
		text string
		want posture.Result
	}{
		{"true", posture.Fail}, {`http.host eq "www.shop.example"`, posture.Fail}, {`starts_with(http.request.uri.path, "/api/")`,
			posture.Fail},
		{`http.request.uri.path wildcard "/shop/cart/*"`, posture.Fail},
		{`http.request.full_uri wildcard "https://www.shop.example/account/*"`,
			posture.Fail},
		{`http.request.uri.path contains "login"`, posture.Fail}, {`not starts_with(http.request.uri.path, "/api/")`, posture.Fail},
		{`http.request.uri.path in {"/blog" "/wp-admin/index.php"}`, posture.Fail}, {`not http.cookie contains "session"`, posture.Pass},
		{`http.cookie eq ""`, posture.Pass}, {`len(http.cookie) eq 0`, posture.Pass}, {`not any(http.request.cookies["sid"][*] ne "")`,
			posture.Pass},
		{`starts_with(http.request.uri.path, "/blog/")`, posture.Pass}, {`http.request.uri.path contains "/capital"`, posture.Pass},
		{`http.request.full_uri wildcard "https://shop.example/static/*"`, posture.Pass}, {`http.host eq "other.example"`, posture.Pass},
		{`starts_with(http.request.uri.path, "/profile")`, posture.Fail}, {`http.request.uri.path eq "/Orders"`, posture.Fail},
		{`http.request.uri.path wildcard "/mein-konto/*"`, posture.Fail}, {`http.request.uri.path contains "/invoices/"`, posture.Fail},
		{`starts_with(http.request.uri.path, "/mysettings")`, posture.Fail}, {`ends_with(http.request.uri.path, "/dashboard")`, posture.Fail},
		{`http.request.uri.path matches "^/(profile|wishlist)(/|$)"`, posture.Fail},
		{`http.request.uri.path matches "^/(blog|news)(/|$)"`, posture.Pass}, {`ends_with(http.request.uri.path, "/feed")`, posture.Pass},
		{`starts_with(http.request.uri.path, "/profile") and http.request.uri.path.extension eq "json"`, posture.Fail},
		{`starts_with(http.request.uri.path, "/profile") and not http.cookie contains "session"`, posture.Pass},
		{`http.cookie contains "session" and starts_with(http.request.uri.path, "/blog")`, posture.Fail},
		{`http.cookie ne "" and http.host eq "www.shop.example"`, posture.Fail},
		{`any(http.request.headers["authorization"][*] ne "") and starts_with(http.request.uri.path, "/blog")`, posture.Fail},
		{`any(http.request.headers.names[*] eq "Authorization")`, posture.Fail},
		{`starts_with(http.request.uri.path, "/profile") and not any(http.request.headers.names[*] eq "cookie")`, posture.Pass},
		{`starts_with(http.request.uri.path, "/profile") and not any(http.request.headers["authorization"][*] ne "")`, posture.Pass},
		{`starts_with(http.request.uri.path, "/blog") and has_key(http.request.headers, "authorization")`, posture.Fail},
		{`starts_with(http.request.uri.path, "/blog") and has_key(http.request.headers, "accept")`, posture.Pass},
		{`starts_with(http.request.uri.path, "/profiler")`, posture.Pass}, {`starts_with(http.request.uri.path, "/#\t")`, posture.Pass},
		{`http.request.uri.path in $paths`, posture.Unknown}, {`odd(`, posture.Unknown},
	} {
		out = append(out, goodtest.Example{Name: "a rule on " + e.text, Want: e.want, Edit: rules(store("k1", e.text, fixed))})
	}
	return append(out, goodtest.Example{Name: "the origin keeps control", Want: posture.Warning, Resource: "k1",
		Edit: rules(store("k1", "true", "respect_origin"))}, goodtest.Example{Name: "no life time is set", Want: posture.Warning,
		Edit: rules(store("k1", "true", ""))})
}
