package cache

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// armor judges whether cached files must have the type their name promises. The setting is in the
// cache key of each rule; there is no zone setting for it.
func armor() check.Check {
	return check.Check{
		ID: "CFL-CDA-002", Title: "Cache deception armor is on for cached paths",
		Category: "cache", Severity: posture.Medium, Resource: posture.ResourceRule, Scope: check.PerZone, Edge: true,
		Why: "In web cache deception an attacker sends a victim to a private page with a file ending that is cached, such " +
			"as /account/x.css, and reads the stored copy.",
		Fix: "Turn Cache Deception Armor on in the cache rule, so that only answers whose type matches the file ending " +
			"are stored.",
		Words: posture.Words{
			Problem:   "Cache rule {name} of {zone} has no Cache Deception Armor",
			Impact:    "Anyone who gets a signed-in visitor to open a link can read the visitor's private page from the cache.",
			Breaks:    "Files whose content type does not match their ending are no longer cached, which adds load on the origin.",
			Dashboard: "Caching › Cache Rules › {name} › Cache key › Cache deception armor: On.",
			Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/rulesets/phases/http_request_cache_settings/entrypoint",
				From: "/zones/{zone_id}/rulesets/phases/http_request_cache_settings/entrypoint",
				Body: `{rules: (.result.rules | map(if .id == "{id}" then .action_parameters.cache_key.cache_deception_armor = true else . end))}`},
		},
		References: []string{docsRules},
		Controls: check.Controls{
			check.Supports("cis 3.12", "A personal page is kept out of the shared cache when its address pretends to be a file."),
			check.Supports("soc2 CC6.1", "One visitor does not get the page of another."),
			check.Supports("pci 6.2.4", "Web cache deception is an attack that this setting stops."),
			check.Supports("nist PR.DS-01", "Personal answers are not stored where others can fetch them."),
		},
		Aliases: []string{"flareinspect:CFL-CDA-001"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}", Risk: "low", Reversible: true,
			Body:    "the whole rule as read with cache_key.cache_deception_armor true",
			Inverse: "PATCH the captured rule",
			Caution: "Files whose content type differs from their extension are no longer cached.",
			Propose: proposeArmor},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseCache},
		Optional: append(traffic.Reaches("").Needs, snapshot.ZonePageRules),
		Evaluate: evaluateArmor,
	}
}

func armorExamples() []goodtest.Example {
	plain := func(text string) snapshot.Rule {
		r := store("k1", text, "override_origin")
		r.Params.Cache.Armor = false
		return r
	}
	again := func(id, text string) snapshot.Rule {
		r := plain(text)
		r.ID = id
		return r
	}
	bare := func(text string) func(*snapshot.Builder) { return rules(plain(text)) }
	page := func(target, armor string) func(*snapshot.Builder) {
		actions := map[string]string{"cache_level": "cache_everything"}
		if armor != "" {
			actions["cache_deception_armor"] = armor
		}
		return goodtest.Edits(rules(), goodtest.OwnHosts, func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone, []snapshot.PageRule{{ID: "p1", Status: "active", Targets: []string{target},
				Actions: actions}})
		})
	}
	both := func(text string, later snapshot.Rule) func(*snapshot.Builder) { return rules(plain(text), later) }
	return []goodtest.Example{
		{Name: "armoured", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "all traffic", Want: posture.Fail, Resource: "k1", Edit: bare("true")},
		{Name: "file extensions", Want: posture.Fail, Resource: "k1", Edit: bare(`http.request.uri.path.extension in {"css" "js"}`)},
		{Name: "the end of the path", Want: posture.Fail, Edit: bare(`ends_with(http.request.uri.path, ".js")`)},
		{Name: "a pattern of extensions", Want: posture.Fail, Edit: bare(`http.request.uri.path matches "\\.(css|js)$"`)},
		{Name: "the end of a host", Want: posture.Warning, Resource: "k1", Edit: bare(`ends_with(http.host, "ww.shop.example")`)},
		{Name: "the end of a host after its first label", Want: posture.Warning, Resource: "k1",
			Edit: bare(`ends_with(http.host, ".shop.example")`)},
		{Name: "file extensions, and hosts that are not readable", Want: posture.Fail, Resource: "k1", Edit: goodtest.Edits(
			bare(`http.request.uri.path.extension in {"css" "js"}`),
			goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "a host among those that are not readable", Want: posture.Unknown, Resource: "k1", Edit: goodtest.Edits(
			bare(`http.host eq "old.shop.example"`), goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "any extension", Want: posture.Fail, Edit: bare(`http.request.uri.path.extension ne ""`)},
		{Name: "any other extension", Want: posture.Warning, Edit: bare(`http.request.uri.path.extension ne "php"`)},
		{Name: "any other extension, in other words", Want: posture.Warning, Edit: bare(`not http.request.uri.path.extension eq "php"`)},
		{Name: "all traffic, by two rules", Want: posture.Fail, Resource: "k1", Edit: both("ssl", again("k2", "not ssl"))},
		{Name: "a half and a path, by two rules", Want: posture.Warning, Resource: "k1", Edit: both("ssl",
			again("k2", `http.request.uri.path eq "/a"`))},
		{Name: "no extension", Want: posture.Warning, Edit: bare(`http.request.uri.path.extension eq ""`)},
		{Name: "any path but one", Want: posture.Warning, Edit: bare(`http.request.uri.path ne "/app.js"`)},
		{Name: "one path", Want: posture.Warning, Resource: "k1", Edit: bare(`starts_with(http.request.uri.path, "/blog/")`)},
		{Name: "one host", Want: posture.Warning, Edit: bare(`http.host eq "www.shop.example"`)},
		{Name: "a host that is not there", Want: posture.Pass, Edit: bare(`http.host eq "old.shop.example"`)},
		{Name: "every host", Want: posture.Fail, Resource: "k1", Edit: goodtest.Edits(goodtest.OwnHosts,
			bare(`ends_with(http.host, "shop.example")`))},
		{Name: "an expression nobody can read", Want: posture.Unknown, Resource: "k1", Edit: bare("odd(")},
		{Name: "all traffic, and a later rule gives all of it the armor", Want: posture.Pass, Resource: goodtest.Zone,
			Edit: both(`starts_with(http.request.uri.path, "/blog/")`, store("k2", "true", ""))},
		{Name: "a path, and a later rule keeps it out of the cache", Want: posture.Pass,
			Edit: both(`http.request.uri.path eq "/login"`, bypass("k2", `http.request.uri.path in {"/login" "/cart"}`))},
		{Name: "all traffic, and later rules together give it the armor or keep it out", Want: posture.Pass, Resource: goodtest.Zone,
			Edit: rules(plain("true"), store("k2", "ssl", ""), bypass("k3", "not ssl"))},
		{Name: "all traffic, and a later rule gives a path the armor", Want: posture.Fail, Resource: "k1",
			Edit: both("true", store("k2", `starts_with(http.request.uri.path, "/blog/")`, ""))},
		{Name: "all traffic after a rule that gives it the armor", Want: posture.Fail, Resource: "k1",
			Edit: rules(store("k2", "true", ""), plain("true"))},
		{Name: "all traffic, and a later rule that is off", Want: posture.Fail, Resource: "k1",
			Edit: both("true", goodtest.Off(store("k2", "true", "")))},
		{Name: "a disabled rule", Want: posture.NotApplicable, Edit: rules(goodtest.Off(store("k1", "true", "")))},
		{Name: "only a bypass", Want: posture.NotApplicable, Edit: rules(bypass("k1", "true"))},
		{Name: "a page rule for all traffic", Want: posture.Fail, Resource: "p1", Edit: page("*shop.example/*", "")},
		{Name: "a page rule for all traffic with the armor off", Want: posture.Fail, Resource: "p1", Edit: page("*shop.example/*", "off")},
		{Name: "a page rule for one path", Want: posture.Warning, Resource: "p1", Edit: page("*shop.example/blog/*", "")},
		{Name: "a page rule with the armor", Want: posture.Pass, Edit: page("*shop.example/*", "on")},
		{Name: "a page rule of a host that is not there", Want: posture.Pass, Edit: page("old.shop.example/*", "")},
		{Name: "a page rule, and a cache rule gives all of it the armor", Want: posture.Pass,
			Edit: goodtest.Edits(page("*shop.example/*", ""), rules(store("k1", "true", "")))},
		{Name: "a page rule, and a cache rule gives another path the armor", Want: posture.Fail, Resource: "p1",
			Edit: goodtest.Edits(page("*shop.example/*", ""), rules(store("k1", `http.request.uri.path eq "/a"`, "")))},
		{Name: "a page rule behind a stronger one", Want: posture.Pass, Edit: goodtest.Edits(page("*shop.example/*", ""),
			func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.ZonePageRules, goodtest.Zone, func(ps *[]snapshot.PageRule) {
					*ps = append(*ps, snapshot.PageRule{ID: "p2", Status: "active", Priority: 9, Targets: []string{"*shop.example/*"},
						Actions: map[string]string{"cache_level": "bypass"}})
				})
			})},
		{Name: "page rules are not readable", Want: posture.Unknown, Resource: goodtest.Zone, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.ZonePageRules.Source(), snapshot.Denied, "Page Rules Read", "")
		}},
	}
}

func evaluateArmor(v *check.View) check.Outcome {
	j := v.Judge()
	all := check.Read(v, snapshot.ZonePhaseCache).Rules
	pages, known := check.ReadOptional(v, snapshot.ZonePageRules)
	conditions := check.Conditions(all)
	for _, p := range pages {
		if everything(p) {
			conditions = append(conditions, traffic.PageActing(pages, p))
		}
	}
	left := check.Left(v, v.Zone(), conditions)
	parts := apart(v, all, left)
	for i, r := range all {
		if !r.Enabled || r.Params.Cache == nil || !r.Params.Cache.Eligible {
			continue
		}
		if r.Params.Cache.Armor || settled(left, r.Expression, all[i+1:]) {
			j.Pass()
			continue
		}
		res := v.InZone(posture.ResourceRule, r.ID, r.Name())
		seen := check.Evidence(snapshot.ZonePhaseCache, "/rules/"+r.ID+"/params/cache/cache_deception_armor", "false", "true")
		e, err := expression.Parse(r.Expression)
		reach := check.Reaches(v, v.Zone(), r.Expression)
		switch whole := reach.All; {
		case reach.Some == truth.No:
			j.Pass()
		case whole == truth.Yes || slices.Contains(parts, r.Expression) || reach.Some == truth.Yes && err == nil && byExtension(e):
			j.Fail(res, "The rule "+res.Name+" of "+res.Zone+" caches all traffic or files by their ending without the armor.", seen)
		case whole == truth.Undecided, reach.Some == truth.Undecided:
			j.ReachUnknown(res, v.Zone())
		default:
			j.Warn(res, "The rule "+res.Name+" of "+res.Zone+" caches without the armor.", seen)
		}
	}
	if !known {
		j.Unread(v.Resource(), snapshot.ZonePageRules, v.Zone().ID)
	}
	for _, p := range pages {
		if everything(p) {
			condition := traffic.PageActing(pages, p)
			judgePageArmor(v, j, p, condition, settled(left, condition, all))
		}
	}
	return j.Done("Every rule that caches has the armor.", "no enabled rule caches")
}

// apart lists the conditions of rules that cache without the armor a part of the traffic each, and all of it together.
func apart(v *check.View, all []snapshot.Rule, left check.Remainder) []string {
	var bare []string
	for i, r := range all {
		if c := r.Params.Cache; r.Enabled && c != nil && c.Eligible && !c.Armor && !settled(left, r.Expression, all[i+1:]) {
			bare = append(bare, r.Expression)
		}
	}
	return check.Together(v, v.Zone(), bare)
}

// judgePageArmor judges a page rule that caches everything. Cache rules override it
// (developers.cloudflare.com/cache/how-to/cache-rules/order/).
func judgePageArmor(v *check.View, j *check.Judgement, p snapshot.PageRule, condition string, settled bool) {
	reach := check.Reaches(v, v.Zone(), condition)
	if p.Actions["cache_deception_armor"] == "on" || reach.Some == truth.No || settled {
		j.Pass()
		return
	}
	res := v.InZone(posture.ResourceRule, p.ID, pageName(p))
	seen := check.Evidence(snapshot.ZonePageRules, "/"+p.ID+"/actions/cache_deception_armor",
		cmp.Or(p.Actions["cache_deception_armor"], "not set"), "on")
	switch {
	case reach.All == truth.Yes:
		j.Fail(res, "The page rule for "+res.Name+" caches everything without the armor.", seen)
	case reach.Some == truth.Undecided:
		j.ReachUnknown(res, v.Zone())
		return
	default:
		j.Warn(res, "The page rule for "+res.Name+" caches everything it matches without the armor.", seen)
	}
	j.As(posture.Words{ByHand: true, Problem: "Page rule {name} has no Cache Deception Armor",
		Dashboard: "Rules › Page Rules › {name} › Add a setting › Cache Deception Armor: On."})
}

// settled reports whether later rules together cover all requests that meet a condition and give them the armor, or
// keep them out of the cache: of several matching rules, the last that sets something wins
// (developers.cloudflare.com/cache/how-to/cache-rules/order/).
func settled(left check.Remainder, condition string, later []snapshot.Rule) bool {
	var settle []string
	for _, o := range later {
		if o.Enabled && o.Params.Cache != nil && (!o.Params.Cache.Eligible || o.Params.Cache.Armor) {
			settle = append(settle, o.Expression)
		}
	}
	return len(settle) > 0 && left(condition, settle) == truth.No
}

// byExtension reports whether a rule tests the file extension of the path.
func byExtension(e expression.Expr) bool {
	ending := regexp.MustCompile(`\.(\*|[(\[]?[a-z0-9|?:()]+[)\]]?)\$?$`)
	return expression.Any(e, func(e expression.Expr, negated bool) bool {
		e, negated = expression.Positive(e, negated)
		switch e := e.(type) {
		case expression.Flag:
			c, ok := e.Value.(expression.Call)
			return ok && !negated && c.Name == "ends_with" && len(c.Args) == 2 && fieldOf(c.Args[0]) != "http.host" &&
				strings.HasPrefix(strings.Join(values(c.Args[1]), ""), ".")
		case expression.Test:
			name := fieldOf(e.Left)
			if name == "http.request.uri.path.extension" {
				none := strings.Join(values(e.Right), "") == ""
				return negated == none // not none is any
			}
			return !negated && name == "http.request.uri.path" && e.Op != expression.Eq && e.Op != expression.In &&
				ending.MatchString(strings.ToLower(strings.Join(values(e.Right), "")))
		}
		return false
	})
}

// proposeArmor adds the armor to the cache key of the rule.
func proposeArmor(c *propose.Case) ([]change.Edit, error) {
	if source, _ := c.Cause(); source == snapshot.ZonePageRules.Source() {
		return nil, propose.Refuse("A page rule caches everything; add Cache Deception Armor to it by hand, or replace it by a cache rule.")
	}
	return c.ReplaceRule("http_request_cache_settings", func(rule map[string]any) bool {
		parameters, _ := rule["action_parameters"].(map[string]any)
		if !propose.Flag(rule, "enabled") || !propose.Flag(parameters, "cache") ||
			propose.Member(parameters, "cache_key.cache_deception_armor") == true {
			return false
		}
		key, _ := parameters["cache_key"].(map[string]any)
		if key == nil {
			key = map[string]any{}
		}
		key["cache_deception_armor"] = true
		parameters["cache_key"] = key
		return true
	}, "action_parameters")
}
