package waf

import (
	"strconv"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// rateLimit judges whether a rate limit is active. Account limits are in custom rulesets, so those
// are read as well.
func rateLimit() check.Check {
	return check.Check{
		ID: "CFL-WAF-003", Title: "Rate limiting is enforced",
		Category: "waf", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Without a limit one client can send requests as fast as the origin answers. Password guessing, scraping and " +
			"costly searches all rely on that.",
		Fix: "Create a rate limiting rule for login, search and other costly paths, with a threshold above what real " +
			"visitors need.",
		Words: posture.Words{
			Problem: "No rate limit is in force on {zone}",
			Impact:  "Anyone can guess passwords, copy content or overload the origin with a short script.",
			Breaks: "Visitors who share one address, such as an office, may reach the threshold together and are blocked for a " +
				"while.",
			Dashboard: "Security › Security rules › Create rule › Rate limiting rules.",
			Call:      limitCall(editRules(snapshot.ZonePhaseRate, ". + ["+someLimit+"]")),
			Terraform: `# The resource holds all rules of the phase.
resource "cloudflare_ruleset" "rate_limits" {
  zone_id = "{zone_id}"
  name    = "default"
  kind    = "zone"
  phase   = "http_ratelimit"
  rules = [{
    action      = "block"
    description = "Limit logins"
    expression  = "http.request.uri.path eq \"${var.login_path}\""
    enabled     = true
    ratelimit = {
      characteristics     = ["cf.colo.id", "ip.src"]
      period              = 10
      requests_per_period = 20
      mitigation_timeout  = 10
    }
  }]
}`},
		References: []string{"https://developers.cloudflare.com/api/resources/rulesets/subresources/rules",
			"https://developers.cloudflare.com/ruleset-engine/rulesets-api/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Excessive requests are limited at the application layer."),
			check.Supports("soc2 CC6.6", "Floods and guessing stop at the boundary."),
			check.Supports("pci 6.4.2", "Limits stop automated attacks; others are for the WAF."),
			check.Supports("nist PR.IR-01", "One source cannot use up the application."),
		},
		Aliases: []string{"prowler:zone_rate_limiting_enabled", "grclanker:CF-TRF-01", "flareinspect:CFL-WAF-003"},
		Remedy: &propose.Remedy{Operation: "POST /zones/{zone_id}/rulesets/{ruleset_id}/rules", Risk: "medium", Reversible: true,
			Body: "one rule: expression given by the operator, ratelimit {characteristics: [cf.colo.id, ip.src], period, requests_per_period, " +
				"mitigation_timeout}, action block, description with our mark; if the phase has no entry point, PUT it once with this single rule",
			Inverse: "DELETE the created rule id; if the entry point was created by us and is empty, leave it empty",
			Caution: "Clients above the limit you choose are blocked. The plan of the zone limits how many rules there can be and " +
				"which periods.",
			Inputs:  limitInputs(),
			Propose: proposeLimit},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseRate, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.FirewallNeeds(),
		Evaluate: evaluateRateLimit,
	}
}

func rateLimitExamples() []goodtest.Example {
	phase, account := snapshot.ZonePhaseRate, snapshot.AccountPhaseRate
	return []goodtest.Example{
		{Name: "a limit blocks", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a limit that counts nothing of the zone", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: zoneRules(phase, counting(`http.host eq "www.other.example"`))},
		{Name: "a limit that counts failed logins", Want: posture.Pass, Edit: zoneRules(phase, counting("http.response.code eq 401"))},
		{Name: "a limit that counts nothing", Want: posture.Fail, Edit: zoneRules(phase, counting("false"))},
		{Name: "a limit by cost", Want: posture.Pass, Edit: zoneRules(phase, func() snapshot.Rule {
			r := limited("true", 0, 60)
			r.Limit.Score = 400
			return r
		}())},
		{Name: "a limit that challenges", Want: posture.Pass, Edit: zoneRules(phase, rule("l", "managed_challenge", "true"))},
		{Name: "an entry point without rules", Want: posture.Fail, Resource: goodtest.Zone, Edit: zoneRules(phase)},
		{Name: "the limit only counts", Want: posture.Fail, Edit: zoneRules(phase, rule("l1", "log", "true"))},
		{Name: "the limit is disabled", Want: posture.Fail, Edit: zoneRules(phase, goodtest.Off(rule("l1", "block", "true")))},
		{Name: "the account limits", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(phase),
			accountPhase(account, rule("l1", "block", "true")))},
		{Name: "a ruleset of the account limits", Want: posture.Pass,
			Edit: goodtest.Edits(zoneRules(phase), accountPhase(account, execute("e1", "cr", `cf.zone.name in {"shop.example"}`)),
				customRuleset("cr", rule("l1", "managed_challenge", "true")))},
		{Name: "the account limits another zone", Want: posture.Fail,
			Edit: goodtest.Edits(zoneRules(phase), accountPhase(account, rule("l1", "block", `cf.zone.name eq "other.example"`)))},
		{Name: "a limit for a host of another zone", Want: posture.Fail,
			Edit: zoneRules(phase, rule("l1", "block", `http.host eq "other.example"`))},
		{Name: "a limit that nobody reaches", Want: posture.Fail, Edit: zoneRules(phase, limited("true", 1000000, 10))},
		{Name: "a limit that nobody reaches, and one that is reached", Want: posture.Pass,
			Edit: zoneRules(phase, limited("true", 1000000, 10), limited(`http.request.uri.path eq "/a"`, 20, 60))},
		{Name: "100 a second", Want: posture.Pass, Edit: zoneRules(phase, limited("true", 1000, 10))},
		{Name: "just above", Want: posture.Fail, Edit: zoneRules(phase, limited("true", 1001, 10))},
		{Name: "a limit that a custom rule skips for everybody", Want: posture.Fail, Edit: goodtest.Edits(
			zoneRules(phase, limited("true", 100, 60)), zoneRules(snapshot.ZonePhaseCustom, skipPhases("true", traffic.RateLimits)))},
		{Name: "a limit that a custom rule skips on a path", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(phase, limited("true", 100, 60)),
			zoneRules(snapshot.ZonePhaseCustom, skipPhases(`http.request.uri.path eq "/up"`, traffic.RateLimits)))},
		{Name: "a limit that the account skips for everybody", Want: posture.Fail, Edit: goodtest.Edits(
			zoneRules(phase, limited("true", 100, 60)), accountPhase(snapshot.AccountPhaseCustom, skipPhases("true", traffic.RateLimits)))},
		{Name: "a limit for what another rule blocks before", Want: posture.Fail, Edit: goodtest.Edits(
			zoneRules(phase, limited(`http.request.uri.path eq "/x"`, 100, 60)),
			zoneRules(snapshot.ZonePhaseCustom, rule("b", "block", `http.request.uri.path eq "/x"`)))},
		{Name: "custom rules block all, and nothing is limited", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(phase),
			zoneRules(snapshot.ZonePhaseCustom, rule("b1", "block", "ssl"), rule("b2", "block", "not ssl")))},
		{Name: "a limit for private addresses, from which no request comes", Want: posture.Fail, Edit: zoneRules(phase,
			limited("ip.src in {10.0.0.0/8}", 100, 60))},
		{Name: "a limit for a range with private addresses at both ends", Want: posture.Pass, Edit: zoneRules(phase,
			limited("ip.src in {10.0.0.0..172.16.0.1}", 100, 60))},
		{Name: "an action nobody knows", Want: posture.Unknown, Edit: zoneRules(phase, rule("x", "odd", "true"))},
		{Name: "the account is not readable", Want: posture.Unknown, Edit: goodtest.Edits(zoneRules(phase), goodtest.Denied(account))},
		{Name: "a rule blocks the addresses of a list nobody read", Want: posture.Pass,
			Edit: zoneRules(snapshot.ZonePhaseCustom, rule("b", "block", "ip.src in $elsewhere"))},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

// limiting reports whether a rule limits anything. One with its own counting expression may count
// no request of the zone.
func limiting(v *check.View, r snapshot.Rule) truth.Value {
	if !traffic.Stops(r.Action) || r.Limit == nil || r.Limit.Counting == "" {
		return truth.Is(traffic.Stops(r.Action))
	}
	return check.Reaches(v, v.Zone(), r.Limit.Counting).Some
}

func evaluateRateLimit(v *check.View) check.Outcome {
	lanes := firewall(v, traffic.RateLimits)
	if nothingPasses(lanes) {
		return v.Pass("Custom rules block every request to the zone.")
	}
	inForce := traffic.Guarding(lanes, func(a traffic.Act) truth.Value {
		return truth.And(truth.Is(a.Rule.Limit.InReach()), limiting(v, *a.Rule))
	}).Some
	high := traffic.Acting(lanes, func(a traffic.Act) truth.Value { return limiting(v, *a.Rule) }).Some
	rules := check.Read(v, snapshot.ZonePhaseRate).Rules
	switch {
	case inForce == truth.Yes:
		return v.Pass("A rate limiting rule is in force on the zone.")
	case inForce == truth.No && high == truth.Yes:
		return v.Fail("The rate limits of "+v.Zone().Name+" act only above 100 requests a second from one source.",
			check.Evidence(snapshot.ZonePhaseRate, "/rules", "thresholds above 100 requests a second", "a threshold that an attack reaches")).
			As(posture.Words{Problem: "The rate limits of {zone} act too late",
				Impact: "Anyone can guess passwords or copy content with a hundred requests a second, and no limit acts."})
	case inForce == truth.No:
		words := posture.Words{}
		if first := firstRule(snapshot.ZonePhaseRate, check.Read(v, snapshot.ZoneRulesets), someLimit); first.Method != "" {
			words.Call = limitCall(first)
		}
		return v.Fail("No rate limiting rule is in force on "+v.Zone().Name+".", check.Evidence(snapshot.ZonePhaseRate, "/rules",
			check.Count(len(rules), "rule", "")+", none of which limits requests to a host of the zone",
			"an enabled rule with an action other than log")).As(words)
	}
	return undecided(v, lanes, "a rule cannot be read, so whether a rate limit is in force is not known")
}

// someLimit is a rule that every plan allows, for a path that a person supplies.
const someLimit = `{"action": "block", "description": "Limit requests", "expression": "http.request.uri.path eq \"{$LIMITED_PATH}\"", ` +
	`"ratelimit": {"characteristics": ["cf.colo.id", "ip.src"], "period": 10, "requests_per_period": 20, "mitigation_timeout": 10}}`

// limitCall describes the values a person fills in.
func limitCall(c posture.Call) posture.Call {
	c.Choose = "LIMITED_PATH: a path that is costly or takes passwords (such as /login)"
	return c
}

// limited returns an enabled example rate limit.
func limited(expression string, requests, period int) snapshot.Rule {
	r := rule("l"+strconv.Itoa(requests), "block", expression)
	r.Limit = &snapshot.RateLimit{Requests: requests, Period: period, Characteristics: []string{"cf.colo.id", "ip.src"}}
	return r
}

// counting returns an example limit with its own counting expression.
func counting(expression string) snapshot.Rule {
	r := limited("true", 10, 60)
	r.Limit.Counting = expression
	return r
}

// skipPhases returns an enabled example rule that skips phases.
func skipPhases(expression string, phases ...string) snapshot.Rule {
	r := rule("s1", "skip", expression)
	r.Params.Phases = phases
	return r
}

// skipRest returns an enabled example rule that skips the rules after it.
func skipRest(expression string) snapshot.Rule {
	r := rule("s2", "skip", expression)
	r.Params.Ruleset = "current"
	return r
}
