package waf

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// customRules judges whether the account's own rules do more than log.
func customRules() check.Check {
	return check.Check{
		ID: "CFL-WAF-002", Title: "Custom rules enforce something",
		Category: "waf", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "A custom rule with the action Log, a disabled rule and a rule that matches no request stop nothing. Only " +
			"Block and the challenges keep a request from the application.",
		Fix: "Read the events of the tested rules, then switch them to Block or Managed Challenge; or add a rule for paths that no " +
			"visitor asks for.",
		Words: posture.Words{
			Problem:   "Custom rules of {zone} stop no request",
			Impact:    "Requests that the rules were written against, such as probes for secrets, reach the application.",
			Breaks:    "Visitors whose requests match a rule are blocked; the events of the rule show who that is.",
			Dashboard: "Security › Security rules › Custom rules › the rule › Edit › Then take action: Block or Managed Challenge.",
			Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/rulesets/phases/http_request_firewall_custom/entrypoint",
				From: "/zones/{zone_id}/rulesets/phases/http_request_firewall_custom/entrypoint",
				Body: `{rules: ([{action: "block", enabled: true, description: "Block probes",
  expression: "http.request.uri.path contains \"{$PROBED_PATH}\""}] +
  .result.rules)}`,
				Choose: "PROBED_PATH: a path that only attackers ask for (such as /.env)"},
			Terraform: `# The resource holds all rules of the phase.
resource "cloudflare_ruleset" "custom" {
  zone_id = "{zone_id}"
  name    = "default"
  kind    = "zone"
  phase   = "http_request_firewall_custom"
  rules = [{
    action      = "block"
    expression  = "http.request.uri.path contains \"${var.probed_path}\""
    description = "Block probes"
    enabled     = true
  }]
}`},
		References: []string{"https://developers.cloudflare.com/api/resources/rulesets/subresources/rules",
			"https://developers.cloudflare.com/waf/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Rules of one's own filter traffic at the application layer."),
			check.Supports("soc2 CC6.6", "Known unwanted traffic stops at the boundary."),
			check.Supports("pci 6.4.2", "Rules of one's own add to an automated solution; they are not all of it."),
			check.Supports("nist PR.IR-01", "Unwanted traffic is kept from the application."),
		},
		Aliases:  []string{"prowler:zone_firewall_blocking_rules_configured", "flareinspect:CFL-WAF-002"},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseCustom, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.FirewallNeeds(),
		Evaluate: evaluateCustomRules,
	}
}

func customRulesExamples() []goodtest.Example {
	return append(customRulesByOrder(), customRulesBySpelling()...)
}

// customRulesBySpelling returns examples of a single blocking rule with conditions as people write
// them.
func customRulesBySpelling() (out []goodtest.Example) {
	for want, conditions := range map[posture.Result][]string{
		posture.Pass: {
			`http.request.full_uri wildcard "https://*shop.example/admin*"`, `http.request.full_uri wildcard r"http*://shop.example/*.php"`,
			`lower(http.host) eq "shop.example"`, `lower(url_decode(http.request.uri.path)) contains "../"`,
			`any(http.request.headers.names[*] contains "x-original-url")`, `any(lower(http.request.headers["x-forwarded-host"][*])[*] ne "")`,
			`(ip.src.country in {"XX" "T1"} and not cf.client.bot) or (cf.threat_score gt 20)`,
			`not http.request.method in {"GET" "POST" "HEAD"}`, `!ssl && http.host == "shop.example"`, `ip.geoip.asnum in {64496 64511}`,
			`http.user_agent == "" or http.user_agent matches "(?i)sqlmap|nikto"`, `http.request.uri.path ~ "^/wp-(login|admin)"`,
			`cf.waf.score lt 20 and cf.waf.score.class eq "attack"`, `http.request.version in {"HTTP/1.0" "HTTP/1.1"}`,
			`ip.src in $cf.anonymizer or ip.src in {::/0}`, `len(http.request.uri.query) > 2000`,
			`cf.tls_client_auth.cert_presented and not cf.tls_client_auth.cert_verified`,
			`starts_with(lower(http.request.uri.path), "/xmlrpc.php")`, `http.request.uri contains "%00"`,
			`http.request.cookies["debug"][0] eq "1"`, `http.request.uri.args["id"][0] contains "union"`,
			`lookup_json_string(http.request.body.raw, "user") eq "root"`, `http.x_forwarded_for ne ""`,
			`ends_with(http.host, ".shop.example") or http.host eq "shop.example"`,
			`cf.bot_management.score eq 1 and not cf.bot_management.static_resource`,
			`is_timed_hmac_valid_v0("secret", http.request.uri, 10, http.request.timestamp.sec, 8)`,
		},
		posture.Fail: {
			`http.host wildcard "*.other.example"`, `lower(http.host) eq "SHOP.example"`,
			`http.host in {"a.other.example" "b.other.example"}`,
			`not (true)`, `ip.src in {10.0.0.0/8} and ip.src in {192.168.0.0/16}`, `http.host matches "\\.other\\.example$"`,
		},
	} {
		for _, c := range conditions {
			out = append(out, goodtest.Example{Name: c, Want: want, Edit: goodtest.Edits(goodtest.OwnHosts,
				zoneRules(snapshot.ZonePhaseCustom, rule("x", "block", c)))})
		}
	}
	slices.SortFunc(out, func(a, b goodtest.Example) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// customRulesByOrder returns examples of the order of rules.
func customRulesByOrder() []goodtest.Example {
	custom, account := snapshot.ZonePhaseCustom, snapshot.AccountPhaseCustom
	count, block := rule("x1", "log", "true"), rule("x2", "block", `http.request.uri.path contains "/.env"`)
	return []goodtest.Example{
		{Name: "a rule blocks", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "rules only count", Want: posture.Fail, Resource: goodtest.Zone, Edit: zoneRules(custom, count)},
		{Name: "the blocking rule is disabled", Want: posture.Fail, Edit: zoneRules(custom, goodtest.Off(block))},
		{Name: "no rule anywhere", Want: posture.Warning, Resource: goodtest.Zone, Edit: zoneRules(custom)},
		{Name: "the account blocks in its place", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(custom, count),
			accountPhase(account, block))},
		{Name: "the account runs a ruleset that blocks", Want: posture.Pass,
			Edit: goodtest.Edits(zoneRules(custom), accountPhase(account, execute("e1", "cr", `cf.zone.plan eq "ENT"`)),
				customRuleset("cr", block))},
		{Name: "the account runs a ruleset that counts", Want: posture.Fail,
			Edit: goodtest.Edits(zoneRules(custom), accountPhase(account, execute("e1", "cr", "true")), customRuleset("cr", count))},
		{Name: "the account rule is for another zone", Want: posture.Warning,
			Edit: goodtest.Edits(zoneRules(custom), accountPhase(account, rule("a1", "block", `cf.zone.name eq "other.example"`)))},
		{Name: "the account only skips rules", Want: posture.Warning,
			Edit: goodtest.Edits(zoneRules(custom), accountPhase(account, skipRest("true")))},
		{Name: "the ruleset of the account was not read", Want: posture.Unknown,
			Edit: goodtest.Edits(zoneRules(custom), accountPhase(account, execute("e1", "cr", "true")))},
		{Name: "the zones of the account rule are not known", Want: posture.Unknown,
			Edit: goodtest.Edits(zoneRules(custom), accountPhase(account, rule("a1", "block", "cf.zone.name in $zones")))},
		{Name: "the account is not readable", Want: posture.Unknown, Edit: goodtest.Edits(zoneRules(custom, count), goodtest.Denied(account))},
		{Name: "the account may skip or end what the rule of the zone is for", Want: posture.Unknown, Edit: goodtest.Denied(account)},
		{Name: "a zone rule is enough where the account has none", Want: posture.Pass, Edit: goodtest.Edits(goodtest.Plan("pro"),
			goodtest.Denied(account))},
		{Name: "of an unknown plan, and the account has rules", Want: posture.Unknown,
			Edit: goodtest.Edits(goodtest.Plan("growth"), zoneRules(custom, count), accountPhase(account, block))},
		{Name: "of an unknown plan, and the rules of the account are off", Want: posture.Fail,
			Edit: goodtest.Edits(goodtest.Plan("growth"), zoneRules(custom, count), accountPhase(account, goodtest.Off(block)))},
		{Name: "a rule for a host of another zone", Want: posture.Fail,
			Edit: zoneRules(custom, rule("x1", "block", `http.host eq "other.example"`))},
		{Name: "a rule for a host the zone does not serve", Want: posture.Fail,
			Edit: zoneRules(custom, rule("x1", "block", `http.host eq "gone.shop.example"`))},
		{Name: "a rule after one that skips the rest for everybody", Want: posture.Fail,
			Edit: zoneRules(custom, skipRest("true"), block)},
		{Name: "a rule after one that skips the rest for a path", Want: posture.Pass,
			Edit: zoneRules(custom, skipRest(`http.request.uri.path eq "/up"`), block)},
		{Name: "a rule before one that skips the rest", Want: posture.Pass, Edit: zoneRules(custom, block, skipRest("true"))},
		{Name: "an action nobody knows", Want: posture.Unknown, Edit: zoneRules(custom, rule("x1", "odd", "ssl"))},
		{Name: "an action nobody knows, and a rule that blocks other requests", Want: posture.Pass,
			Edit: zoneRules(custom, rule("x1", "odd", "ssl"), rule("x2", "block", "not ssl"))},
		{Name: "a rule that never matches", Want: posture.Fail, Edit: zoneRules(custom, rule("x1", "block", `ssl and not ssl`))},
		{Name: "by what detected a bot", Want: posture.Pass, Edit: zoneRules(snapshot.ZonePhaseCustom,
			rule("b", "block", "any(cf.bot_management.detection_ids[*] in {33554817 50331651})"))},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

func evaluateCustomRules(v *check.View) check.Outcome {
	rules, lanes := check.Read(v, snapshot.ZonePhaseCustom).Rules, firewall(v, traffic.CustomRules)
	acts := traffic.Guarding(lanes, func(a traffic.Act) truth.Value { return truth.Is(traffic.Stops(a.Rule.Action)) }).Some
	// A rule of the account that skips others is not one that stops too little.
	exist := truth.Or(truth.Is(len(rules) > 0),
		traffic.Acting(lanes, func(a traffic.Act) truth.Value { return truth.Is(a.Rule.Action != "skip") }).Some)
	seen := check.Evidence(snapshot.ZonePhaseCustom, "/rules",
		check.Count(len(rules), "rule", "")+", none of which blocks or challenges a request to a host of the zone",
		"an enabled rule that blocks or challenges")
	switch {
	case acts == truth.Yes:
		return v.Pass("A custom rule blocks or challenges requests to the zone.")
	case acts == truth.No && exist == truth.Yes:
		return v.Fail("The custom rules for "+v.Zone().Name+" only log, are disabled, or match no request to its hosts.", seen).
			As(withRules(rules, posture.Words{}))
	case exist == truth.No:
		return v.Warn("No custom rule of the zone or the account is for "+v.Zone().Name+".", seen).As(withRules(rules, posture.Words{
			Problem:   "{zone} has no custom rules",
			Impact:    "Probes for secrets and admin pages reach the application, as far as no managed rule knows them.",
			Breaks:    "Visitors whose requests match a new rule; look at its events with the action Log first.",
			Dashboard: "Security › Security rules › Create rule › Custom rules: the paths that no visitor needs; action Block."}))
	}
	return undecided(v, lanes, "a rule cannot be read, so whether one blocks or challenges is not known")
}

// withRules adds the call for a phase without rules, which may have no entrypoint ruleset that
// could be read first.
func withRules(rules []snapshot.Rule, w posture.Words) posture.Words {
	if len(rules) == 0 {
		w.Call = posture.Call{Method: "PUT", Path: "/zones/{zone_id}/rulesets/phases/http_request_firewall_custom/entrypoint",
			Body: `{"rules": [{"action": "block", "enabled": true, "description": "Block probes",
  "expression": "http.request.uri.path contains \"{$PROBED_PATH}\""}]}`,
			Choose: "PROBED_PATH: a path that only attackers ask for (such as /.env)"}
	}
	return w
}
