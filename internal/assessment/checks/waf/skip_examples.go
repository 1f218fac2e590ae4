package waf

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func skipRulesExamples() []goodtest.Example {
	return slices.Concat(skippedForWhom(), skippedBySender(), skippedInOrder(), skippedWhat())
}

func skippedForWhom() []goodtest.Example {
	custom, managed, account := snapshot.ZonePhaseCustom, snapshot.ZonePhaseManaged, snapshot.AccountPhaseCustom
	skip := func(expression string) func(*snapshot.Builder) {
		return zoneRules(custom, rule("k1", "skip", expression))
	}
	api := ` and starts_with(http.request.uri.path, "/api/")`
	return []goodtest.Example{
		{Name: "no skip rule", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "always true", Want: posture.Fail, Severity: posture.Critical, Resource: "k1", Edit: skip("true")},
		{Name: "a magic header", Want: posture.Fail, Resource: "k1", Edit: skip(`any(http.request.headers["x-key"][*] eq "letmein")` + api)},
		{Name: "the word true in a path says nothing", Want: posture.Pass,
			Edit: skip(`ip.src eq 45.60.10.9 and http.request.uri.path eq "/true"`)},
		{Name: "an exception of the managed rules for one path", Want: posture.Fail, Resource: "k1",
			Edit: zoneRules(managed, rule("k1", "skip", `http.request.uri.path eq "/upload"`))},
		{Name: "a host of another zone", Want: posture.Pass, Edit: skip(`http.host eq "other.example"`)},
		{Name: "a name of the zone that is not there", Want: posture.Pass, Edit: skip(`http.host eq "gone.shop.example"`)},
		{Name: "a custom hostname", Want: posture.Fail, Severity: posture.Critical, Resource: "k1",
			Edit: skip(`http.host eq "shop.customer.example"`)},
		{Name: "a host, the custom hostnames are not readable", Want: posture.Fail, Resource: "k1",
			Edit: goodtest.Edits(skip(`http.host eq "other.example"`), goodtest.Denied(snapshot.ZoneCustomHostnames))},
		{Name: "one address and one path", Want: posture.Pass, Edit: skip("ip.src in {45.60.10.0/24}" + api)},
		{Name: "one address for the whole site", Want: posture.Warning, Resource: "k1", Edit: skip("ip.src eq 45.60.10.9")},
		{Name: "a wide range", Want: posture.Fail, Resource: "k1", Edit: skip("ip.src in {45.60.10.9 45.0.0.0/8}" + api)},
		{Name: "a private range, from which no request comes", Want: posture.Pass, Edit: skip("ip.src in {10.0.0.0/8 45.60.10.9}" + api)},
		{Name: "a range that begins in a private one", Want: posture.Fail, Resource: "k1", Edit: skip("ip.src in {10.0.0.0..12.0.0.0}" + api)},
		{Name: "a country", Want: posture.Warning, Resource: "k1", Edit: skip(`ip.src.country eq "DE"` + api)},
		{Name: "everyone but a country", Want: posture.Fail, Edit: skip(`ip.src.country ne "DE"` + api)},
		{Name: "or: the weakest branch counts", Want: posture.Fail, Resource: "k1",
			Edit: skip(`(ip.src eq 45.60.10.9 or http.user_agent contains "monitor")` + api)},
		{Name: "a negated range is no limit", Want: posture.Fail, Edit: skip("not ip.src in {45.60.10.0/24}" + api)},
		{Name: "a client certificate", Want: posture.Pass,
			Edit: skip("cf.tls_client_auth.cert_verified and not cf.tls_client_auth.cert_revoked" + api)},
		{Name: "a field nobody knows", Want: posture.Unknown, Resource: "k1", Edit: skip("cf.future.trust gt 5")},
		{Name: "an expression nobody can read", Want: posture.Unknown, Resource: "k1", Edit: skip("odd(")},
		{Name: "a leaked password, which anyone may send", Want: posture.Fail, Resource: "k1",
			Edit: skip("cf.waf.credential_check.password_leaked")},
		{Name: "disabled", Want: posture.Pass, Edit: zoneRules(custom, goodtest.Off(rule("k1", "skip", "true")))},
		{Name: "a list of addresses", Want: posture.Warning, Resource: "k1", Edit: goodtest.Edits(skip("ip.src in $office"),
			officeList(snapshot.ListItem{ID: "1", IP: "45.60.10.9"}))},
		{Name: "a list that holds a wide range", Want: posture.Fail, Resource: "k1", Edit: goodtest.Edits(skip("ip.src in $office"),
			officeList(snapshot.ListItem{ID: "1", IP: "45.0.0.0/8"}))},
		{Name: "a list that holds a network operator", Want: posture.Fail, Edit: goodtest.Edits(skip("ip.src in $office"),
			officeList(snapshot.ListItem{ID: "1", ASN: 64500}))},
		{Name: "a wide list behind a path is judged by CFL-WAF-012", Want: posture.Pass, Edit: goodtest.Edits(skip("ip.src in $office"+api),
			officeList(snapshot.ListItem{ID: "1", IP: "45.0.0.0/8"}))},
		{Name: "the lists are not readable", Want: posture.Unknown, Resource: "k1", Edit: goodtest.Edits(skip("ip.src in $office"),
			goodtest.Denied(snapshot.AccountLists))},
		{Name: "a skip rule of the account", Want: posture.Fail, Resource: "k2",
			Edit: accountPhase(account, rule("k2", "skip", `cf.zone.name eq "shop.example"`))},
		{Name: "a skip rule of the account for a zone that is gone", Want: posture.Pass,
			Edit: accountPhase(account, rule("k2", "skip", `cf.zone.name eq "gone.example"`))},
		{Name: "a skip rule of the account for a host that is gone", Want: posture.Pass,
			Edit: accountPhase(account, rule("k2", "skip", `http.host eq "gone.shop.example"`))},
		{Name: "a skip rule of the account for a zone of a smaller plan", Want: posture.Pass,
			Edit: goodtest.Edits(accountPhase(account, rule("k2", "skip", `cf.zone.name eq "small.example"`)), listed("small.example", "pro"))},
		{Name: "a skip rule of the account for a zone that is not part of the run", Want: posture.Fail, Resource: "k2",
			Edit: goodtest.Edits(accountPhase(account, rule("k2", "skip", `cf.zone.name eq "next.example"`)), listed("next.example", "enterprise"))},
		{Name: "a skip rule of a ruleset that the account runs for a zone that is gone", Want: posture.Pass,
			Edit: goodtest.Edits(accountPhase(account, execute("e1", "cr", `cf.zone.name eq "gone.example"`)),
				customRuleset("cr", rule("k3", "skip", "ssl")))},
		{Name: "a skip rule of a ruleset the account runs", Want: posture.Fail, Resource: "k3",
			Edit: goodtest.Edits(accountPhase(account, execute("e1", "cr", "true")), customRuleset("cr", rule("k3", "skip", "ssl")))},
		{Name: "the account limits a ruleset in which anything goes", Want: posture.Pass,
			Edit: goodtest.Edits(accountPhase(account, execute("e1", "cr", "ip.src eq 45.60.10.9"+api)),
				customRuleset("cr", rule("k3", "skip", "true")))},
		{Name: "the account skips, and nobody knows the plan of the zone", Want: posture.Unknown, Resource: "ax", Edit: goodtest.Edits(
			goodtest.Plan("odd"), accountPhase(account, rule("ax", "skip", "true")))},
		{Name: "the account is not readable", Want: posture.Unknown, Resource: goodtest.Account, Edit: goodtest.Denied(account)},
		{Name: "no skip rule and no enterprise zone", Want: posture.NotApplicable,
			Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" })},
	}
}

// skippedBySender returns examples of requirements on the request.
func skippedBySender() []goodtest.Example {
	skip := func(expression string) func(*snapshot.Builder) {
		return zoneRules(snapshot.ZonePhaseCustom, rule("k1", "skip", expression))
	}
	api := ` and starts_with(http.request.uri.path, "/api/")`
	return []goodtest.Example{
		{Name: "verified bots", Want: posture.Warning, Resource: "k1", Edit: skip("cf.client.bot")},
		{Name: "a user agent, which anyone may send", Want: posture.Fail, Resource: "k1", Edit: skip(`http.user_agent contains "UptimeRobot"`)},
		{Name: "a cookie", Want: posture.Fail, Resource: "k1", Edit: skip(`http.cookie contains "qa=1"`)},
		{Name: "a referrer on a path", Want: posture.Fail, Resource: "k1", Edit: skip(`http.referer contains "partner.example"` + api)},
		{Name: "an address that the visitor claims", Want: posture.Fail, Resource: "k1",
			Edit: skip(`http.x_forwarded_for contains "45.60.10.9"`)},
		{Name: "every address of both kinds", Want: posture.Fail, Resource: "k1", Edit: skip("ip.src in {0.0.0.0/0 ::/0}" + api)},
		{Name: "a network operator", Want: posture.Warning, Resource: "k1", Edit: skip("ip.src.asnum eq 64496")},
		{Name: "a certificate that was presented, not verified", Want: posture.Fail, Resource: "k1",
			Edit: skip("cf.tls_client_auth.cert_presented")},
		{Name: "a verified certificate that may be revoked", Want: posture.Pass, Edit: skip("cf.tls_client_auth.cert_verified" + api)},
		{Name: "an address or its absence", Want: posture.Fail, Resource: "k1", Edit: skip("ip.src eq 45.60.10.9 or not ip.src eq 45.60.10.9")},
		{Name: "an address and an impossible host", Want: posture.Pass, Edit: skip(`ip.src eq 45.60.10.9 and http.host eq "a.other.example"`)},
		{Name: "the whole address of a path", Want: posture.Fail, Resource: "k1",
			Edit: skip(`http.request.full_uri wildcard "https://shop.example/api/*"`)},
		{Name: "a method", Want: posture.Fail, Resource: "k1", Edit: skip(`http.request.method eq "OPTIONS"`)},
	}
}

// skippedInOrder returns examples of rules before and after the one that skips.
func skippedInOrder() []goodtest.Example {
	custom := snapshot.ZonePhaseCustom
	return []goodtest.Example{
		{Name: "what an earlier rule blocks for everyone", Want: posture.Pass,
			Edit: zoneRules(custom, rule("b", "block", "true"), rule("k1", "skip", "true"))},
		{Name: "what an earlier rule leaves to one address", Want: posture.Warning, Resource: "k1",
			Edit: zoneRules(custom, rule("b", "block", "ip.src ne 45.60.10.9"), rule("k1", "skip", "true"))},
		{Name: "what an earlier rule leaves to one address, on a path", Want: posture.Pass,
			Edit: zoneRules(custom, rule("b", "block", "not ip.src eq 45.60.10.9"), rule("k1", "skip", `http.request.uri.path eq "/up"`))},
		{Name: "what an earlier rule of the account leaves to one address", Want: posture.Warning, Resource: "k2",
			Edit: accountPhase(snapshot.AccountPhaseCustom, rule("b", "block", "ip.src ne 45.60.10.9"), rule("k2", "skip", "true"))},
		{Name: "what an earlier rule of the same ruleset leaves to one address", Want: posture.Warning, Resource: "k3",
			Edit: goodtest.Edits(accountPhase(snapshot.AccountPhaseCustom, execute("e1", "cr", "true")),
				customRuleset("cr", rule("b", "block", "ip.src ne 45.60.10.9"), rule("k3", "skip", "true")))},
		{Name: "what an earlier rule challenges", Want: posture.Fail, Resource: "k1",
			Edit: zoneRules(custom, rule("b", "managed_challenge", "ip.src ne 45.60.10.9"), rule("k1", "skip", "true"))},
		{Name: "what a later rule blocks", Want: posture.Fail, Resource: "k1",
			Edit: zoneRules(custom, rule("k1", "skip", "true"), rule("b", "block", "ip.src ne 45.60.10.9"))},
		{Name: "what earlier rules leave to one address, each for other methods", Want: posture.Warning, Resource: "k1", Edit: zoneRules(custom,
			rule("b1", "block", `http.request.method eq "POST" and ip.src ne 45.60.10.9`),
			rule("b2", "block", `http.request.method ne "POST" and ip.src ne 45.60.10.9`), rule("k1", "skip", "true"))},
		{Name: "what a rule of the account leaves to one address", Want: posture.Warning, Resource: "k1", Edit: goodtest.Edits(
			accountPhase(snapshot.AccountPhaseCustom, rule("b", "block", "ip.src ne 45.60.10.9")), zoneRules(custom, rule("k1", "skip", "true")))},
		{Name: "what a custom rule leaves to one address, before an exception", Want: posture.Warning, Resource: "k1", Edit: goodtest.Edits(
			zoneRules(custom, rule("b", "block", "ip.src ne 45.60.10.9")), zoneRules(snapshot.ZonePhaseManaged, skips("true",
				snapshot.RuleParams{Ruleset: "current"}), execute("m1", snapshot.ManagedRulesetID, "true")))},
		{Name: "an exception that a custom rule leaves to one address", Want: posture.Warning, Resource: "k2", Edit: goodtest.Edits(
			zoneRules(custom, skipPhases("not ip.src eq 45.60.10.9", "http_request_firewall_managed")), zoneRules(snapshot.ZonePhaseManaged,
				snapshot.Rule{ID: "k2", Enabled: true, Action: "skip", Expression: "true", Params: snapshot.RuleParams{Ruleset: "current"}},
				execute("m1", snapshot.ManagedRulesetID, "true")))},
		{Name: "what an earlier rule leaves to one path", Want: posture.Fail, Severity: posture.High, Resource: "k1", Edit: zoneRules(custom,
			rule("b", "block", `http.request.uri.path ne "/upload"`), rule("k1", "skip", "true"))},
		{Name: "what a rule before the block lets past it", Want: posture.Fail, Severity: posture.High, Resource: "k1", Edit: zoneRules(custom,
			skips(`http.cookie contains "x"`, snapshot.RuleParams{Ruleset: "current"}), rule("b", "block", "ip.src ne 45.60.10.9"))},
		{Name: "one address, in two halves that meet", Want: posture.Warning, Resource: "k1", Edit: zoneRules(custom, rule("k1", "skip",
			`(ip.src eq 45.60.10.9 or http.request.method eq "GET") and (ip.src eq 45.60.10.9 or http.request.method ne "GET")`))},
		{Name: "what an earlier rule blocks on one host", Want: posture.Fail, Resource: "k1", Edit: zoneRules(custom,
			rule("b", "block", `http.host eq "shop.example" and ip.src ne 45.60.10.9`), rule("k1", "skip", "true"))},
	}
}

// skippedWhat returns examples of what a rule skips.
func skippedWhat() []goodtest.Example {
	custom, managed, account := snapshot.ZonePhaseCustom, snapshot.ZonePhaseManaged, snapshot.AccountPhaseCustom
	current := skips(`ip.src in $office and starts_with(http.request.uri.path, "/api/")`, snapshot.RuleParams{Ruleset: "current"})
	deployed := execute("m1", snapshot.ManagedRulesetID, "true")
	return []goodtest.Example{
		{Name: "a list that holds the internet in halves", Want: posture.Fail, Severity: posture.High, Resource: "k1",
			Edit: goodtest.Edits(zoneRules(managed, current, deployed), officeList(snapshot.ListItem{ID: "1", IP: "0.0.0.0/1"},
				snapshot.ListItem{ID: "2", IP: "128.0.0.0/1"}))},
		{Name: "a list that holds all of IPv6", Want: posture.Fail, Edit: goodtest.Edits(zoneRules(managed, current, deployed),
			officeList(snapshot.ListItem{ID: "1", IP: "2000::/3"}))},
		{Name: "an exception of the account's managed rules", Want: posture.Fail, Severity: posture.Critical, Resource: "k2",
			Edit: accountPhase(snapshot.AccountPhaseManaged, rule("k2", "skip", `cf.zone.name eq "shop.example"`))},
		{Name: "one managed ruleset on a path, for anyone", Want: posture.Warning, Severity: posture.Low, Resource: "k1",
			Edit: zoneRules(managed, skips(`http.request.uri.path eq "/upload"`, snapshot.RuleParams{Rulesets: []string{"r1"}}),
				execute("m1", "r1", "true"))},
		{Name: "some managed rules on a path, for anyone", Want: posture.Pass,
			Edit: zoneRules(managed, skips(`http.request.uri.path eq "/upload"`, snapshot.RuleParams{Rules: map[string][]string{"r1": {"x"}}}),
				execute("m1", "r1", "true"))},
		{Name: "six managed rules on a path, for anyone", Want: posture.Warning, Severity: posture.Low, Resource: "k1",
			Edit: zoneRules(managed, skips(`http.request.uri.path eq "/upload"`, snapshot.RuleParams{Rules: map[string][]string{
				snapshot.ManagedRulesetID: {"1", "2", "3", "4", "5", "6"}}}), deployed)},
		{Name: "the score rule of OWASP, for anyone", Want: posture.Fail, Severity: posture.High, Resource: "k1",
			Edit: zoneRules(managed, skips("true", snapshot.RuleParams{Rules: map[string][]string{
				snapshot.OWASPRulesetID: {snapshot.OWASPScoreRuleID}}}), execute("m1", snapshot.OWASPRulesetID, "true"))},
		{Name: "managed rules that stand before the exception, for anyone", Want: posture.Pass,
			Edit: zoneRules(managed, deployed, skips("true", snapshot.RuleParams{Ruleset: "current"}))},
		{Name: "a managed ruleset that stands before the exception, for anyone", Want: posture.Pass,
			Edit: zoneRules(managed, deployed, skips("true", snapshot.RuleParams{Rulesets: []string{snapshot.ManagedRulesetID}}),
				execute("m2", snapshot.OWASPRulesetID, "true"))},
		{Name: "later custom rules, of which none acts, for anyone", Want: posture.Pass,
			Edit: zoneRules(custom, skips("true", snapshot.RuleParams{Ruleset: "current"}), rule("l", "log", "true"))},
		{Name: "later custom rules, for anyone", Want: posture.Fail, Severity: posture.High, Resource: "k1",
			Edit: zoneRules(custom, skips("true", snapshot.RuleParams{Ruleset: "current"}), rule("b", "block", "ssl"))},
		{Name: "all managed rules on a path, for anyone", Want: posture.Fail, Severity: posture.High, Resource: "k1",
			Edit: zoneRules(managed, skips(`http.request.uri.path eq "/upload"`, snapshot.RuleParams{Ruleset: "current"}), deployed)},
		{Name: "all managed rules, for anyone", Want: posture.Fail, Severity: posture.Critical, Resource: "k1",
			Edit: zoneRules(managed, skips("true", snapshot.RuleParams{Ruleset: "current"}), deployed)},
		{Name: "browser integrity check on a path, for anyone", Want: posture.Pass,
			Edit: zoneRules(custom, skips(`starts_with(http.request.uri.path, "/feed")`, snapshot.RuleParams{Products: []string{"bic"}}))},
		{Name: "browser integrity check, for anyone", Want: posture.Warning, Severity: posture.Low, Resource: "k1",
			Edit: zoneRules(custom, skips("true", snapshot.RuleParams{Products: []string{"bic"}}))},
		{Name: "zone lockdown on a path, for anyone", Want: posture.Warning, Severity: posture.Low, Resource: "k1",
			Edit: zoneRules(custom, skips(`http.request.uri.path eq "/admin"`, snapshot.RuleParams{Products: []string{"zoneLockdown"}}))},
		{Name: "zone lockdown, for anyone", Want: posture.Fail, Severity: posture.High, Resource: "k1",
			Edit: zoneRules(custom, skips("true", snapshot.RuleParams{Products: []string{"zoneLockdown"}}))},
		{Name: "the bot phase for a webhook", Want: posture.Warning, Severity: posture.Low, Resource: "k1", Edit: zoneRules(custom,
			skips(`http.request.uri.path eq "/webhook"`, snapshot.RuleParams{Phases: []string{"http_request_sbfm"}}))},
		{Name: "the bot phase for anyone, anywhere", Want: posture.Fail, Severity: posture.High, Resource: "k1",
			Edit: zoneRules(custom, skips("true", snapshot.RuleParams{Phases: []string{"http_request_sbfm"}}))},
		{Name: "rate limits for one address", Want: posture.Warning, Severity: posture.Medium, Resource: "k1",
			Edit: zoneRules(custom, skips("ip.src eq 45.60.10.9", snapshot.RuleParams{Phases: []string{traffic.RateLimits}}))},
		{Name: "browser integrity check for one address", Want: posture.Pass,
			Edit: zoneRules(custom, skips("ip.src eq 45.60.10.9", snapshot.RuleParams{Products: []string{"bic"}}))},
		{Name: "managed rules among several phases", Want: posture.Fail, Severity: posture.Critical, Resource: "k1",
			Edit: zoneRules(custom, skips("true", snapshot.RuleParams{Phases: []string{traffic.RateLimits, traffic.ManagedRules}}))},
		{Name: "a product of the account's rule, for anyone", Want: posture.Warning, Resource: "k1",
			Edit: accountPhase(account, skips("true", snapshot.RuleParams{Products: []string{"uaBlock"}}))},
	}
}

// skips returns an enabled example skip rule.
func skips(expression string, p snapshot.RuleParams) snapshot.Rule {
	r := rule("k1", "skip", expression)
	r.Params = p
	return r
}

// officeList is an example edit that sets the items of the account list office.
func officeList(items ...snapshot.ListItem) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.AccountLists, goodtest.Account, []snapshot.List{{ID: "l1", Name: "office", Kind: "ip", Items: len(items),
			References: 1}})
		snapshot.Put(b, snapshot.AccountListItems, "l1", items)
	}
}
