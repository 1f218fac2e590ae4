package waf

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// The ruleset that only detects leaked passwords; it stops no exploit. Source:
// developers.cloudflare.com/waf/managed-rules/.
const leakedPasswordsID = "c2e184081120413c86c3ab7e14069605"

// managedRuleset judges whether Cloudflare's managed rules run, and on how much of the traffic.
func managedRuleset() check.Check {
	return check.Check{
		ID: "CFL-WAF-005", Title: "A managed WAF ruleset runs on the zone",
		Category: "waf", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Managed rules stop known exploits, and Cloudflare updates them for newly published ones. Without them every " +
			"exploit reaches the application.",
		Fix: "Deploy the Cloudflare Managed Ruleset in log mode, look at its events for a week, then remove the log " +
			"action.",
		Words: posture.Words{
			Problem: "No managed ruleset protects {zone}",
			Impact: "Anyone can send known exploits, such as SQL injection or a published flaw of a CMS, straight to the " +
				"application.",
			Breaks:    "Nothing while the ruleset logs; later, requests that its rules take for an attack are blocked.",
			Dashboard: "Security › Settings › Web application exploits: turn on the Cloudflare Managed Ruleset.",
			Call:      deployment(snapshot.ManagedRulesetID),
			Terraform: deploymentTerraform(snapshot.ManagedRulesetID)},
		References: []string{"https://developers.cloudflare.com/waf/managed-rules/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: check.Controls{
			check.Shows("cis 13.8", "Managed rules block known intrusions."),
			check.Shows("cis 13.10", "A managed ruleset filters traffic at the application layer."),
			check.Shows("soc2 CC6.6", "The boundary of web applications is protected against known attacks."),
			check.Shows("pci 6.4.2", "A WAF runs before public web applications and is kept current by Cloudflare."),
			check.Shows("nist PR.IR-01", "Web applications are protected from known attacks."),
			check.Supports("nist DE.CM-01", "Attacks on web applications are seen."),
		},
		Aliases: []string{"prowler:zone_waf_enabled", "cnspec:waf-enabled", "cfsi:managed-rules-not-deployed",
			"cfsi:zones-without-waf-managed-rules", "cfsi:upgrade-to-new-managed-rules", "grclanker:CF-ZONE-01", "flareinspect:CFL-WAF-005"},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseManaged, snapshot.ZoneList, snapshot.ZoneDNSRecords},
		Optional: traffic.FirewallNeeds(),
		Evaluate: evaluateManagedRuleset,
	}
}

func managedRulesetExamples() []goodtest.Example {
	phase, account := snapshot.ZonePhaseManaged, snapshot.AccountPhaseManaged
	id := snapshot.ManagedRulesetID
	no := false
	stopped := execute("m1", id, "true")
	stopped.Params.Overrides = &snapshot.Overrides{Enabled: &no}
	yes, part := true, execute("m1", id, "true")
	part.Params.Overrides = &snapshot.Overrides{Enabled: &no, Categories: []snapshot.CategoryOverride{{Category: "wordpress", Enabled: &yes}}}
	return []goodtest.Example{
		{Name: "the ruleset runs", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "it is listed but not deployed", Want: posture.Fail, Resource: goodtest.Zone, Edit: zoneRules(phase)},
		{Name: "not deployed, and only a load balancer is proxied", Want: posture.Fail, Edit: goodtest.Edits(zoneRules(phase),
			goodtest.OnlyBalancer)},
		{Name: "nothing is proxied, and load balancers could not be read", Want: posture.Unknown, Edit: goodtest.Edits(goodtest.NotProxied(),
			goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "the rule is disabled", Want: posture.Fail, Edit: zoneRules(phase, goodtest.Off(execute("m1", id, "true")))},
		{Name: "every rule of it is overridden to off", Want: posture.Fail, Edit: zoneRules(phase, stopped)},
		{Name: "a category runs, every other rule is overridden to off", Want: posture.Unknown, Edit: zoneRules(phase, part)},
		{Name: "only leaked passwords are looked for", Want: posture.Fail, Edit: zoneRules(phase, execute("m1", leakedPasswordsID, "true"))},
		{Name: "it runs on one host", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: zoneRules(phase, execute("m1", id, `http.host eq "shop.example"`))},
		{Name: "it leaves a path out", Want: posture.Warning,
			Edit: zoneRules(phase, execute("m1", id, `not http.request.uri.path contains "/api"`))},
		{Name: "the account runs it", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(phase),
			accountPhase(account, execute("m1", id, `(cf.zone.plan eq "ENT")`)))},
		{Name: "the account runs it on other zones", Want: posture.Fail,
			Edit: goodtest.Edits(zoneRules(phase), accountPhase(account, execute("m1", id, `not cf.zone.name in {"shop.example"}`)))},
		{Name: "the account is not readable", Want: posture.Unknown, Edit: goodtest.Edits(zoneRules(phase), goodtest.Denied(account))},
		{Name: "a ruleset nobody knows", Want: posture.Unknown, Edit: zoneRules(phase, execute("m1", "f00", "true"))},
		{Name: "an expression nobody can read", Want: posture.Unknown, Edit: zoneRules(phase, execute("m1", id, "odd("))},
		{Name: "the free plan has it built in", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(phase),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "free" }))},
		{Name: "free, the ruleset is overridden to off", Want: posture.Fail, Edit: goodtest.Edits(goodtest.Plan("free"),
			zoneRules(phase, freeRuleset(&snapshot.Overrides{Enabled: &no})))},
		{Name: "free, the ruleset is deployed", Want: posture.Pass,
			Edit: goodtest.Edits(goodtest.Plan("free"), zoneRules(phase, freeRuleset(nil)))},
		{Name: "free, the rule that deploys it is off", Want: posture.Fail,
			Edit: goodtest.Edits(goodtest.Plan("free"), zoneRules(phase, goodtest.Off(freeRuleset(nil))))},
		{Name: "free, a custom rule skips managed rules for all", Want: posture.Fail, Edit: goodtest.Edits(goodtest.Plan("free"),
			zoneRules(phase), zoneRules(snapshot.ZonePhaseCustom, skipPhases("true", traffic.ManagedRules)))},
		{Name: "free, an exception before it takes all", Want: posture.Fail, Edit: goodtest.Edits(goodtest.Plan("free"),
			zoneRules(phase, skipRest("true"), freeRuleset(nil)))},
		{Name: "a custom rule skips managed rules for all", Want: posture.Fail,
			Edit: zoneRules(snapshot.ZonePhaseCustom, skipPhases("true", traffic.ManagedRules))},
		{Name: "a custom rule skips them on a path, which CFL-WAF-010 judges", Want: posture.Pass,
			Edit: zoneRules(snapshot.ZonePhaseCustom, skipPhases(`http.request.uri.path eq "/upload"`, traffic.ManagedRules))},
		{Name: "a custom rule skips them for a partner", Want: posture.Pass, Edit: zoneRules(snapshot.ZonePhaseCustom,
			skipPhases(`ip.src eq 45.60.10.9 and http.request.uri.path eq "/partner"`, traffic.ManagedRules))},
		{Name: "the custom rules are not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.ZonePhaseCustom)},
		{Name: "a custom rule skips rate limits only", Want: posture.Pass,
			Edit: zoneRules(snapshot.ZonePhaseCustom, skipPhases("true", traffic.RateLimits))},
		{Name: "an exception before it takes all", Want: posture.Fail, Edit: zoneRules(phase, skipRest("true"), execute("m1", id, "true"))},
		{Name: "an exception of the account, which skips no rule of the zone", Want: posture.Pass, Edit: goodtest.Edits(
			zoneRules(phase, execute("m1", id, "true")), accountPhase(snapshot.AccountPhaseManaged, snapshot.Rule{ID: "ex", Enabled: true,
				Action: "skip", Expression: "true", Params: snapshot.RuleParams{Rulesets: []string{id}}}))},
		{Name: "an exception after it", Want: posture.Pass, Edit: zoneRules(phase, execute("m1", id, "true"), skipRest("true"))},
		{Name: "what it leaves out skips rate limits only", Want: posture.Warning, Resource: goodtest.Zone, Edit: goodtest.Edits(
			zoneRules(phase, execute("m1", id, `not http.request.uri.path contains "/api"`)),
			zoneRules(snapshot.ZonePhaseCustom, skipPhases(`http.request.uri.path contains "/api"`, traffic.RateLimits)))},
		{Name: "what it leaves out has an exception that skips nothing", Want: posture.Warning, Edit: zoneRules(phase,
			execute("m1", id, `not http.request.uri.path contains "/api"`), skipRest(`http.request.uri.path contains "/api"`))},
		{Name: "it leaves a path out, and so does an exception before it", Want: posture.Warning, Resource: goodtest.Zone, Edit: zoneRules(phase,
			skipRest(`http.request.uri.path contains "/api"`), execute("m1", id, `not http.request.uri.path contains "/api"`))},
		{Name: "it leaves a path out, which a custom rule skips", Want: posture.Warning, Edit: goodtest.Edits(
			zoneRules(phase, execute("m1", id, `not http.request.uri.path contains "/api"`)),
			zoneRules(snapshot.ZonePhaseCustom, skipPhases(`starts_with(http.request.uri.path, "/")`, traffic.RateLimits),
				skipPhases(`http.request.uri.path contains "/api"`, traffic.ManagedRules)))},
		{Name: "it leaves a path out, which a custom rule skips and the account runs it on", Want: posture.Pass, Edit: goodtest.Edits(
			zoneRules(phase, execute("m1", id, `not http.request.uri.path contains "/api"`)),
			accountPhase(account, execute("m2", id, `http.request.uri.path contains "/api"`)),
			zoneRules(snapshot.ZonePhaseCustom, skipPhases(`http.request.uri.path contains "/api"`, traffic.ManagedRules)))},
		{Name: "it runs on one path, and single rules of it have an exception elsewhere", Want: posture.Warning, Edit: zoneRules(phase,
			skips(`http.request.uri.path ne "/x"`, snapshot.RuleParams{Rules: map[string][]string{id: {"r"}}}),
			execute("m1", id, `http.request.uri.path eq "/login"`))},
		{Name: "an exception takes part of what it is for", Want: posture.Pass,
			Edit: zoneRules(phase, skipRest(`ip.src.country eq "DE"`), execute("m1", id, "true"))},
		{Name: "everyone skips rate limits, and an exception takes a part", Want: posture.Pass, Edit: goodtest.Edits(
			zoneRules(snapshot.ZonePhaseCustom, skipPhases("true", traffic.RateLimits)),
			zoneRules(phase, skipRest(`ip.src.country eq "DE"`), execute("m1", id, "true")))},
		{Name: "what it leaves out is blocked before", Want: posture.Pass, Edit: goodtest.Edits(
			zoneRules(phase, execute("m1", id, `not http.request.uri.path contains "/api"`)),
			zoneRules(snapshot.ZonePhaseCustom, rule("b", "block", `http.request.uri.path contains "/api"`)))},
		{Name: "a rule blocks the addresses of a list nobody read", Want: posture.Pass,
			Edit: zoneRules(snapshot.ZonePhaseCustom, rule("b", "block", "ip.src in $elsewhere"))},
		{Name: "a rule blocks by what detected a bot", Want: posture.Pass,
			Edit: zoneRules(snapshot.ZonePhaseCustom, rule("b", "block", "any(cf.bot_management.detection_ids[*] eq 33554817)"))},
		{Name: "a list nobody read blocks, and nothing is deployed", Want: posture.Fail, Edit: goodtest.Edits(zoneRules(phase),
			zoneRules(snapshot.ZonePhaseCustom, rule("b", "block", "ip.src in $elsewhere")))},
		{Name: "a plan nobody knows", Want: posture.Unknown, Edit: goodtest.Edits(zoneRules(phase),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "odd" }))},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

func evaluateManagedRuleset(v *check.View) check.Outcome {
	switch plan := v.Zone().Plan; plan {
	case "free":
		return evaluateFreeRuleset(v)
	case "pro", "business", "enterprise":
		return judgeDeployment(v, "a managed ruleset", snapshot.ManagedRulesetID, func(r snapshot.Rule, all []snapshot.RulesetInfo) truth.Value {
			return truth.And(isManaged(r.Params.ExecuteID, all), runs(r.Params.Overrides))
		})
	default:
		return v.Unknown("the plan of the zone is one this check does not know: " + plan)
	}
}

// evaluateFreeRuleset judges the ruleset that Cloudflare deploys on the Free plan. A zone without
// an entrypoint ruleset has it unmodified
// (developers.cloudflare.com/waf/managed-rules/reference/cloudflare-free-managed-ruleset/, as the
// docs describe its deployment).
func evaluateFreeRuleset(v *check.View) check.Outcome {
	rules := check.Read(v, snapshot.ZonePhaseManaged).Rules
	mentioned := slices.ContainsFunc(rules, func(r snapshot.Rule) bool { return r.Action == "execute" || r.Action == "skip" })
	if lanes := traffic.Reaching(firewall(v, traffic.ManagedRules)); !mentioned && len(lanes) > 0 {
		if by, all := skippedForAll(lanes); all {
			return v.Fail("The rule "+by+" skips managed rules for every request to "+v.Zone().Name+".",
				check.Evidence(snapshot.ZonePhaseCustom, "/rules", "managed rules skipped for everyone", "no such rule")).As(skippedWords())
		}
		return v.Pass("Cloudflare deploys its Free Managed Ruleset on this plan.")
	}
	return judgeDeployment(v, "the Free Managed Ruleset", freeRulesetID, func(r snapshot.Rule, _ []snapshot.RulesetInfo) truth.Value {
		return truth.And(truth.Is(r.Params.ExecuteID == freeRulesetID), runs(r.Params.Overrides))
	})
}

// skippedForAll reports whether managed rules are certainly skipped on every lane, and by which
// rule.
func skippedForAll(lanes []traffic.Lane[traffic.Flow]) (by string, all bool) {
	for _, l := range lanes {
		a, skipped := l.Value.Skipped[traffic.ManagedRules]
		if !skipped || !a.Sure {
			return "", false
		}
		by = a.By.Name
	}
	return by, true
}

// freeRulesetID is the managed ruleset of the Free plan.
const freeRulesetID = "77454fe2d30c4220b5701f6fdfb893ba"

// judgeDeployment judges on how much of the traffic that passes the custom rules a managed ruleset
// runs, deployed by the zone or the account and not skipped. counts says whether an execute rule
// runs a relevant ruleset; id is the one that the call deploys.
func judgeDeployment(v *check.View, what, id string, counts func(snapshot.Rule, []snapshot.RulesetInfo) truth.Value) check.Outcome {
	lanes := traffic.Reaching(firewall(v, traffic.ManagedRules))
	if len(lanes) == 0 {
		return v.Pass("Custom rules block every request to the zone.")
	}
	ofZone := check.Read(v, snapshot.ZoneRulesets)
	ofAccount, _ := check.ReadOptionalAt(v, snapshot.AccountRulesets, v.Account().ID)
	deploys := func(r snapshot.Rule, ofTheAccount bool) truth.Value {
		switch {
		case r.Action != "execute":
			return truth.No
		case ofTheAccount:
			return counts(r, ofAccount)
		}
		return counts(r, ofZone)
	}
	covered := func(f traffic.Flow) truth.Value {
		return f.Guards(func(a traffic.Act) truth.Value { return deploys(*a.Rule, a.By.Account) })
	}
	excepted := func(f traffic.Flow) bool { // CFL-WAF-010 judges the rule
		return covered(f) != truth.Yes && exceptedBy(v, f, deploys) != nil
	}
	but := ""
	if usual := traffic.Without(lanes, excepted); len(usual) > 0 && len(usual) < len(lanes) {
		lanes, but = usual, ", except for what skip rules let past"
	}
	cover := traffic.Cover(lanes, covered)
	if but != "" && cover.All == truth.Yes { // unless those requests are left out by what is deployed, too
		if out := undeployed(v, deploys); len(out) > 0 {
			lanes, cover.All = out, truth.No
		}
	}
	bare := slices.IndexFunc(lanes, func(l traffic.Lane[traffic.Flow]) bool { return covered(l.Value) == truth.No })
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZonePhaseManaged, "/rules", observed, what+" on all traffic")
	}
	skipper := func() string {
		a := exceptedBy(v, lanes[bare].Value, deploys)
		switch {
		case a == nil:
			return ""
		case a.Phase == traffic.ManagedRules:
			return ": the exception " + a.By.Name + " skips managed rules"
		}
		return ": the rule " + a.By.Name + " skips managed rules"
	}
	words := func() posture.Words {
		if skipper() != "" {
			return skippedWords()
		}
		w := posture.Words{Call: deployment(id), Terraform: deploymentTerraform(id)}
		if first := firstRule(snapshot.ZonePhaseManaged, ofZone, executing(id)); first.Method != "" {
			w.Call = first
		}
		if id == freeRulesetID {
			w.Dashboard = "Security › Settings › Web application exploits: turn on the Cloudflare Free Managed Ruleset."
		}
		return w
	}
	switch {
	case cover.All == truth.Yes:
		return v.Pass("All traffic of the zone is checked by %s%s.", what, but)
	case cover.Some == truth.No:
		return v.Fail("Requests to "+v.Zone().Name+" are not checked by "+what+skipper()+".",
			seen("no enabled rule executes "+what)).As(words())
	case cover.Some == truth.Yes && bare >= 0:
		return v.Warn("Only a part of the traffic of "+v.Zone().Name+" is checked by "+what+"; the request "+
			lanes[bare].Example().Describe()+" is not"+skipper()+".", seen(what+" on part of the traffic")).
			As(words().Or(posture.Words{Problem: "A part of {zone} is not checked by " + what}))
	}
	return undecided(v, lanes, "whether "+what+" runs on the zone is not known")
}

// undeployed returns the lanes whose requests no rule that deploys something is for, whether a skip rule takes them or not.
func undeployed(v *check.View, deploys func(r snapshot.Rule, ofTheAccount bool) truth.Value) []traffic.Lane[traffic.Flow] {
	var terms []string
	add := func(rules []snapshot.Rule, ofTheAccount bool) {
		for _, r := range rules {
			if r.Enabled && deploys(r, ofTheAccount) != truth.No {
				terms = append(terms, "not ("+r.Expression+")")
			}
		}
	}
	add(check.Read(v, snapshot.ZonePhaseManaged).Rules, false)
	if v.Zone().MayHave("enterprise") {
		shared, _ := check.ReadOptionalAt(v, snapshot.AccountPhaseManaged, v.Account().ID)
		add(shared.Rules, true)
	}
	condition := strings.Join(terms, " and ")
	if _, err := expression.Parse(condition); err != nil {
		return nil
	}
	return traffic.Reaching(check.Lanes(v, traffic.Firewall(traffic.ManagedRules).Of("", condition), v.Zone()))
}

// skippedWords returns the words for managed rules that are deployed but skipped by a rule.
func skippedWords() posture.Words {
	return posture.Words{ByHand: true, Problem: "A skip rule keeps managed rules from {zone}",
		Breaks:    "Requests that the skip rule was made for may be blocked.",
		Dashboard: "Security › Security rules: turn the skip rule off, or limit the rule to the requests that need the exception."}
}

// exceptedBy returns the skip rule that keeps managed rules, or a ruleset that counts, from a lane, or nil.
func exceptedBy(v *check.View, f traffic.Flow, counts func(r snapshot.Rule, ofTheAccount bool) truth.Value) *traffic.Act {
	if a, ok := f.Skipped[traffic.ManagedRules]; ok {
		return &a
	}
	for _, a := range f.Acts {
		if a.Phase != traffic.ManagedRules || a.Rule.Action != "skip" || len(a.Rule.Params.Rules) > 0 {
			continue
		}
		rules := check.Read(v, snapshot.ZonePhaseManaged).Rules
		if a.By.Account {
			entry, _ := check.ReadOptionalAt(v, snapshot.AccountPhaseManaged, v.Account().ID)
			rules = entry.Rules
		}
		if slices.ContainsFunc(spared(rules, *a.Rule), func(r snapshot.Rule) bool { return counts(r, a.By.Account) != truth.No }) {
			return &a
		}
	}
	return nil
}

func isManaged(id string, infos []snapshot.RulesetInfo) truth.Value {
	switch id {
	case snapshot.ManagedRulesetID:
		return truth.Yes
	case leakedPasswordsID:
		return truth.No
	}
	for _, i := range infos {
		if i.ID == id {
			return truth.Is(i.Kind == "managed")
		}
	}
	return truth.Undecided
}

// runs is No when an override disables the whole ruleset. Single rules or categories may be enabled again; how
// much that protects cannot be determined here.
func runs(o *snapshot.Overrides) truth.Value {
	if o == nil || o.Enabled == nil || *o.Enabled {
		return truth.Yes
	}
	on := func(enabled *bool) bool { return enabled != nil && *enabled }
	some := slices.ContainsFunc(o.Rules, func(r snapshot.RuleOverride) bool { return on(r.Enabled) }) ||
		slices.ContainsFunc(o.Categories, func(c snapshot.CategoryOverride) bool { return on(c.Enabled) })
	return truth.If(!some, false)
}

// freeRuleset returns an example rule that deploys the ruleset of the Free plan.
func freeRuleset(o *snapshot.Overrides) snapshot.Rule {
	r := execute("fr", freeRulesetID, "true")
	r.Params.Overrides = o
	return r
}
