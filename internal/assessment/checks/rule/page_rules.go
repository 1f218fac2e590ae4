package rule

import (
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// pageRules judges page rules, a legacy feature that still takes effect and is easily forgotten.
func pageRules() check.Check {
	return check.Check{
		ID: "CFL-RULES-002", Title: "No old page rule weakens security",
		Category: "rules", Severity: posture.Medium, Resource: posture.ResourceRule, Scope: check.PerZone,
		Why: "Page Rules decide before the settings of the zone, and the page of a setting does not show them. Cloudflare " +
			"recommends its newer rules instead.",
		Fix: "Remove the weakening setting from the page rule, and move what is left to a configuration or cache rule.",
		Words: posture.Words{
			Problem: "Page rule {name} weakens {zone}",
			Impact:  "Anyone who requests an address that the rule matches meets less protection than on the rest of the zone.",
			Breaks: "Visitors get error 526 where the SSL mode is raised without a valid origin certificate; API clients may be " +
				"challenged.",
			Dashboard: "Rules › Page Rules › {name}: remove the setting.",
			Call:      withoutWeak("off", "flexible", "full"),
		},
		References: []string{"https://developers.cloudflare.com/rules/page-rules/",
			"https://developers.cloudflare.com/rules/configuration-rules/"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "Old rules do not take pages out of the baseline."),
			check.Supports("soc2 CC6.7", "No page loses its encryption by a forgotten rule."),
			check.Touches("soc2 CC8.1", "The result of changes is seen, not whether they were approved."),
			check.Touches("pci 6.5.1", "The result of changes is seen, not their process."),
			check.Supports("nist PR.PS-01", "No old rule overrides the secure configuration."),
		},
		Aliases: []string{"grclanker:CF-TRF-02", "union:legacy-page-rule-security-off"},
		Paths:   []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/pagerules/{pagerule_id}", Risk: "medium", Reversible: true,
			Body:    `{"actions": <captured actions without the weakening entries>}; when none is left {"status": "disabled"}`,
			Inverse: "PATCH the captured actions and status",
			Caution: "The page rule keeps its other actions; with none left it is switched off. Find out first why the action was " +
				"there.",
			Propose: proposePageRule},
		Edge:     true,
		Needs:    []snapshot.Named{snapshot.ZonePageRules},
		Optional: traffic.Sources(traffic.OriginTLS().Needs, traffic.Reaches("").Needs),
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			for _, r := range check.Read(v, snapshot.ZonePageRules) {
				if r.Status == "active" {
					judgePageRule(v, j, r, v.InZone(posture.ResourceRule, r.ID, strings.Join(r.Targets, ", ")))
				}
			}
			return j.Done("No page rule weakens security.", "the zone has no active page rule")
		},
	}
}

// withoutWeak removes the weakening actions from a page rule, of the encryption modes those that are named.
func withoutWeak(modes ...string) posture.Call {
	weak := ""
	for _, mode := range modes {
		weak += `["ssl", "` + mode + `"], `
	}
	return posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/pagerules/{id}", From: "/zones/{zone_id}/pagerules/{id}",
		Body: `[.result.actions[] | select([.id, .value] | (IN(` + weak + `["waf", "off"], ` +
			`["browser_check", "off"], ["security_level", "off"], ["security_level", "essentially_off"], ["security_level", "low"], ` +
			`["automatic_https_rewrites", "off"]) ` +
			`or .[0] == "disable_security") | not)] | if . == [] then {status: "disabled"} else {actions: .} end`}
}

func pageRulesExamples() []goodtest.Example {
	with := func(target string, actions map[string]string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone, []snapshot.PageRule{{ID: "p1", Status: "active", Targets: []string{target},
				Actions: actions}})
		}
	}
	act := func(id, value string) func(*snapshot.Builder) {
		return with("shop.example/*", map[string]string{id: value})
	}
	config := func(expression string) func(*snapshot.Builder) {
		return rules(snapshot.ZonePhaseConfig, goodtest.ConfigRule("c1", expression, snapshot.ConfigParams{SSL: "strict"}))
	}
	unread := func(b *snapshot.Builder) {
		b.Mark(snapshot.ZonePhaseConfig.Source(), snapshot.Denied, "Config Rules Read", "")
	}
	before := func(target string) func(*snapshot.Builder) {
		return stronger(target, map[string]string{"rocket_loader": "off"})
	}
	return []goodtest.Example{
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.Edits(act("ssl", "off"),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
		{Name: "a redirect", Want: posture.Pass, Resource: goodtest.Zone, Edit: act("forwarding_url", "{}")},
		{Name: "security disabled", Want: posture.Fail, Resource: "p1", Edit: act("disable_security", "")},
		{Name: "flexible", Want: posture.Fail, Edit: act("ssl", "flexible")},
		{Name: "no TLS", Want: posture.Fail, Edit: act("ssl", "off")},
		{Name: "the firewall off", Want: posture.Fail, Edit: act("waf", "off")},
		{Name: "the browser check off", Want: posture.Fail, Edit: act("browser_check", "off")},
		{Name: "security essentially off", Want: posture.Fail, Edit: act("security_level", "essentially_off")},
		{Name: "security low", Want: posture.Warning, Resource: "p1", Edit: act("security_level", "low")},
		{Name: "no rewrites", Want: posture.Warning, Resource: "p1", Edit: act("automatic_https_rewrites", "off")},
		{Name: "everything cached on an account page", Want: posture.Warning, Edit: with("shop.example/account/*",
			map[string]string{"cache_level": "cache_everything"})},
		{Name: "everything cached on pictures", Want: posture.Pass,
			Edit: with("shop.example/img/*", map[string]string{"cache_level": "cache_everything"})},
		{Name: "everything cached on a page with a word of that kind in another", Want: posture.Pass,
			Edit: with("shop.example/capital/*", map[string]string{"cache_level": "cache_everything"})},
		{Name: "flexible, and a configuration rule sets it right", Want: posture.Pass,
			Edit: goodtest.Edits(act("ssl", "flexible"), config("true"))},
		{Name: "flexible, and a configuration rule of another page", Want: posture.Fail,
			Edit: goodtest.Edits(act("ssl", "flexible"), config(`http.request.uri.path eq "/a"`))},
		{Name: "flexible, and nobody may see the configuration rules", Want: posture.Unknown,
			Edit: goodtest.Edits(act("ssl", "flexible"), unread)},
		{Name: "flexible, and nobody may see the records", Want: posture.Unknown,
			Edit: goodtest.Edits(act("ssl", "flexible"), func(b *snapshot.Builder) {
				b.Mark(snapshot.ZoneDNSRecords.Source(), snapshot.Denied, "DNS Read", "")
			})},
		{Name: "flexible before a tunnel", Want: posture.Pass, Edit: with("admin.shop.example/*", map[string]string{"ssl": "flexible"})},
		{Name: "the firewall off on a host that is not there", Want: posture.Pass, Edit: with("old.shop.example/*",
			map[string]string{"waf": "off"})},
		{Name: "security disabled on a host that is not there", Want: posture.Pass, Edit: with("old.shop.example/*",
			map[string]string{"disable_security": ""})},
		{Name: "security low on every host", Want: posture.Warning, Edit: with("*shop.example*", map[string]string{"security_level": "low"})},
		{Name: "strict", Want: posture.Pass, Edit: act("ssl", "strict")},
		{Name: "a mode nobody knows", Want: posture.Unknown, Resource: "p1", Edit: act("ssl", "odd")},
		{Name: "full", Want: posture.Warning, Resource: "p1", Edit: act("ssl", "full")},
		{Name: "full, and a configuration rule sets it right", Want: posture.Pass, Edit: goodtest.Edits(act("ssl", "full"), config("true"))},
		{Name: "full before a tunnel", Want: posture.Pass, Edit: with("admin.shop.example/*", map[string]string{"ssl": "full"})},
		{Name: "full, and the zone has no better", Want: posture.Warning, Edit: goodtest.Edits(act("ssl", "full"),
			goodtest.Setting("ssl", "full"))},
		{Name: "full where the mode of the zone is not known", Want: posture.Unknown, Resource: "p1", Edit: goodtest.Edits(act("ssl", "full"),
			goodtest.MissingSetting("ssl"))},
		{Name: "full where the zone has flexible", Want: posture.Pass, Edit: goodtest.Edits(act("ssl", "full"),
			goodtest.Setting("ssl", "flexible"))},
		{Name: "flexible behind a stronger rule", Want: posture.Pass, Resource: goodtest.Zone,
			Edit: goodtest.Edits(act("ssl", "flexible"), before("*shop.example/*"))},
		{Name: "the firewall off behind a stronger rule", Want: posture.Pass, Edit: goodtest.Edits(act("waf", "off"), before("*shop.example/*"))},
		{Name: "the firewall off behind a stronger rule for one path", Want: posture.Fail, Resource: "p1",
			Edit: goodtest.Edits(act("waf", "off"), before("shop.example/a"))},
		{Name: "the firewall off behind as many rules as a zone may have", Want: posture.Fail, Resource: "p1", Edit: func(b *snapshot.Builder) {
			act("waf", "off")(b)
			for i := range 124 {
				before("*shop.example/dir" + strconv.Itoa(i) + "/*")(b)
			}
			snapshot.Edit(b, snapshot.ZonePageRules, goodtest.Zone, func(ps *[]snapshot.PageRule) {
				(*ps)[0].Targets = []string{"*shop.example/login/*"}
				for i := range *ps {
					(*ps)[i].ID = "p" + strconv.Itoa(i+1)
				}
			})
		}},
		{Name: "security low behind a stronger rule, and nobody may see the configuration rules", Want: posture.Pass,
			Edit: goodtest.Edits(act("security_level", "low"), before("*shop.example/*"), unread)},
		{Name: "security low, and nobody may see the configuration rules", Want: posture.Unknown, Resource: "p1",
			Edit: goodtest.Edits(act("security_level", "low"), unread)},
		{Name: "security low, and a configuration rule sets it right", Want: posture.Pass, Edit: goodtest.Edits(act("security_level", "low"),
			rules(snapshot.ZonePhaseConfig, goodtest.ConfigRule("c1", "true", snapshot.ConfigParams{SecurityLevel: "high"})))},
		{Name: "disabled", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone,
				[]snapshot.PageRule{{ID: "p1", Status: "disabled", Actions: map[string]string{"ssl": "off"}}})
		}},
		{Name: "no rule", Want: posture.NotApplicable},
	}
}

// stronger is an example edit: a page rule with a higher priority than the others.
func stronger(target string, actions map[string]string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZonePageRules, goodtest.Zone, func(ps *[]snapshot.PageRule) {
			*ps = append(*ps, snapshot.PageRule{ID: "p0", Status: "active", Priority: 9, Targets: []string{target}, Actions: actions})
		})
	}
}

// weakening is an action of a page rule that reduces security.
type weakening struct {
	action string
	name   string   // setting name
	values []string // none: any value
	mild   bool
}

func weakenings() []weakening {
	return []weakening{
		{action: "ssl", name: "the SSL mode", values: []string{"off", "flexible"}}, {action: "waf", name: "the WAF", values: []string{"off"}},
		{action: "browser_check", name: "Browser Integrity Check", values: []string{"off"}},
		{action: "security_level", name: "the security level", values: []string{"essentially_off", "off"}},
		{action: "disable_security"}, {action: "ssl", name: "the SSL mode", values: []string{"full"}, mild: true},
		{action: "security_level", name: "the security level", values: []string{"low"}, mild: true},
		{action: "automatic_https_rewrites", name: "Automatic HTTPS Rewrites", values: []string{"off"}, mild: true},
	}
}

func (w weakening) in(r snapshot.PageRule) bool {
	value, set := r.Actions[w.action]
	return set && (len(w.values) == 0 || slices.Contains(w.values, value))
}

// judgePageRule reports a rule that decides for some request. A rule whose setting a configuration
// rule overrides, or that no request matches before a stronger page rule does, has no effect.
func judgePageRule(v *check.View, j *check.Judgement, r snapshot.PageRule, res posture.Resource) {
	seen := func(action string) posture.Evidence {
		return check.Evidence(snapshot.ZonePageRules, "/"+r.ID+"/actions/"+action, strings.TrimSpace(action+" "+r.Actions[action]),
			"no such action")
	}
	weaker := slices.DeleteFunc([]string{"off", "flexible", "full"}, func(mode string) bool { return raises(v, "ssl", mode) != truth.No })
	undecided := false
	for _, w := range weakenings() {
		if !w.in(r) {
			continue
		}
		if raised := raises(v, w.action, r.Actions[w.action]); raised != truth.No {
			undecided = undecided || raised == truth.Undecided
			continue
		}
		does := "sets " + w.name + " to " + r.Actions[w.action]
		if w.action == "disable_security" {
			does = "turns off the security features"
		}
		words := posture.Words{Problem: "Page rule {name} " + does, Call: withoutWeak(weaker...)}
		if w.action == "ssl" {
			words.Impact = "Anyone on the network path between Cloudflare and the origin can read and change the requests that match, session " +
				"cookies included."
			if w.mild {
				words.Impact = "Someone who can redirect traffic between Cloudflare and the origin can pose as the origin for the requests that " +
					"match."
			}
		}
		switch acts := decides(v, r, w.action); {
		case acts == truth.Undecided:
			undecided = true
		case acts == truth.Yes && w.mild:
			j.Warn(res, "The page rule for "+res.Name+" "+does+".", seen(w.action))
			j.As(words)
			return
		case acts == truth.Yes:
			j.Fail(res, "The page rule for "+res.Name+" "+does+".", seen(w.action))
			j.As(words)
			return
		}
	}
	if r.Actions["cache_level"] == "cache_everything" && slices.ContainsFunc(r.Targets, personal) {
		switch decides(v, r, "cache_level") {
		case truth.Yes:
			j.Warn(res, "The page rule for "+res.Name+" caches everything on a path whose pages differ from visitor to visitor.",
				seen("cache_level"))
			j.As(posture.Words{ByHand: true, Problem: "Page rule {name} caches personal pages",
				Impact:    "Anyone can receive the page of another visitor, with that visitor's personal data, from the cache.",
				Breaks:    "Pages that are no longer cached add load on the origin.",
				Dashboard: "Rules › Page Rules › {name}: remove Cache Level: Cache Everything, or limit the rule to static files."})
			return
		case truth.Undecided:
			undecided = true
		}
	}
	mode := r.Actions["ssl"]
	switch {
	case undecided:
		j.Unclear(res, "whether the page rule decides for any request, and lowers the SSL mode of the zone, is not known")
	case mode != "" && !slices.Contains(traffic.OriginModes(), mode):
		j.Unclear(res, "the page rule sets the SSL mode to a value that is not known here: "+mode)
	default:
		j.Pass()
	}
}

// decides reports whether an action of a page rule decides for some request.
func decides(v *check.View, r snapshot.PageRule, action string) truth.Value {
	condition := traffic.PageActing(check.Read(v, snapshot.ZonePageRules), r)
	member := map[string]string{"security_level": "security_level", "browser_check": "bic",
		"automatic_https_rewrites": "automatic_https_rewrites"}[action]
	switch {
	case action == "ssl":
		mode, _ := modeOf(v, condition, snapshot.ZonePageRules, r.ID)
		return mode
	case member != "":
		config, known := check.EntryPoint(v, snapshot.ZoneRulesets, snapshot.ZonePhaseConfig, v.Zone().ID)
		some := check.Reaches(v, v.Zone(), traffic.Except(condition, setting(config.Rules, member))).Some
		return truth.And(some, truth.If(known, true))
	}
	return check.Reaches(v, v.Zone(), condition).Some
}

// personal reports whether the path of a target suggests pages that differ between visitors.
func personal(target string) bool {
	if _, rest, ok := strings.Cut(target, "://"); ok {
		target = rest
	}
	_, path, _ := strings.Cut(target, "/")
	return exposure.Personal(path)
}

// proposePageRule removes the weakening actions from the rule, and disables it when no other action
// is left. Caching actions are left to people.
func proposePageRule(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/zones/{zone_id}/pagerules/{id}")
	if err != nil || propose.Text(live, "status") != "active" {
		return nil, err
	}
	all, _ := live["actions"].([]any)
	var zone any
	if slices.ContainsFunc(propose.Objects(live["actions"]), func(a map[string]any) bool { return a["id"] == "ssl" }) {
		if zone, err = c.Value("ssl"); err != nil {
			return nil, err
		}
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(a any) bool {
		action, _ := a.(map[string]any)
		id, value := propose.Text(action, "id"), propose.Text(action, "value")
		return weakAction(id, action["value"]) && !(id == "ssl" && above(value, zone))
	})
	switch {
	case len(kept) < len(all) && len(kept) > 0:
		return []change.Edit{propose.Patch("PATCH", place, place.Path, live, map[string]any{"actions": kept})}, nil
	case len(kept) < len(all):
		return []change.Edit{propose.Patch("PATCH", place, place.Path, live, map[string]any{"status": "disabled"})}, nil
	case slices.ContainsFunc(propose.Objects(live["actions"]), func(a map[string]any) bool { return a["value"] == "cache_everything" }):
		return nil, propose.Refuse("Which of the pages may be cached is not known here; limit the page rule by hand.")
	}
	return nil, nil
}

// weakAction reports whether an action of a page rule weakens security.
func weakAction(id string, value any) bool {
	weak := map[string][]any{"ssl": {"off", "flexible", "full"}, "waf": {"off"}, "browser_check": {"off"},
		"security_level": {"off", "essentially_off", "low"}, "automatic_https_rewrites": {"off"}}
	return id == "disable_security" || slices.Contains(weak[id], value)
}
