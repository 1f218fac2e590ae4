package gateway

import (
	"math"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// dataLoss looks for a rule that stops sensitive data. Profiles alone stop nothing, so their number
// proves nothing.
func dataLoss() check.Check {
	return check.Check{
		ID: "CFL-DLP-001", Title: "Sensitive data is stopped at Gateway",
		Category: "dlp", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A DLP profile describes sensitive data and does nothing by itself. Only a Gateway HTTP policy that " +
			"names the profile stops an upload.",
		Fix: "Turn on TLS decryption, then add an HTTP policy that blocks the DLP profiles you need.",
		Words: posture.Words{
			Problem: "Gateway does not stop sensitive data in this account",
			Impact:  "Anyone inside, or malware on a device, uploads card numbers and credentials to any website.",
			Breaks:  "Uploads that match the profile are refused, including false matches.",
			Dashboard: "Zero Trust › Traffic policies › Firewall policies › HTTP › Add a policy: DLP Profile in the profile, " +
				"action Block.",
			Call: posture.Call{Method: "POST", Path: "/accounts/{account_id}/gateway/rules", From: "/accounts/{account_id}/dlp/profiles",
				Body: `[.result[] | select(.name == "{$PROFILE}") | "\"\(.id)\""] | {name: "Block sensitive data", action: "block", enabled: true, ` +
					`filters: ["http"], traffic: "any(dlp.profiles[*] in {\(join(" "))})"}`,
				Choose: "PROFILE: the name of the DLP profile to block (such as Financial information)"},
			Terraform: `resource "cloudflare_zero_trust_gateway_policy" "sensitive_data" {
  account_id = "{account_id}"
  name       = "Block sensitive data"
  action     = "block"
  enabled    = true
  filters    = ["http"]
  traffic    = "any(dlp.profiles[*] in {\"${var.profile_id}\"})"
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/"},
		Controls: check.Controls{
			check.Shows("cis 3.13", "Traffic is matched against profiles of sensitive data and stopped."),
			check.Shows("soc2 CC6.7", "Sensitive data cannot be sent out unnoticed."),
			check.Supports("soc2 C1.1", "What is confidential is described by profiles."),
			check.Touches("nist PR.DS-01", "It acts on data in motion; stored data is elsewhere."),
		},
		Aliases:  []string{"flareinspect:CFL-DLP-001", "flareinspect:CFL-ZT-005"},
		Needs:    []snapshot.Named{snapshot.DLPProfiles, snapshot.GatewayRules, snapshot.GatewayConfig},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Unless:   check.Empty(snapshot.DLPProfiles, "data loss prevention is not in use"),
		Evaluate: evaluateDataLoss,
	}
}

func dataLossExamples() []goodtest.Example {
	rule := func(change func(*snapshot.GatewayRule)) func(*snapshot.Builder) {
		return editRule(goodtest.DLPRule, change)
	}
	traffic := func(text string) func(*snapshot.Builder) {
		return rule(func(r *snapshot.GatewayRule) { r.Traffic = text })
	}
	idle := goodtest.Each(snapshot.DLPProfiles, goodtest.Account, func(p *snapshot.DLPProfile) { p.Idle = true })
	return []goodtest.Example{
		{Name: "a profile is blocked", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a profile is blocked at one site", Want: posture.Pass, Edit: traffic(`any(dlp.profiles[*] in {"` + goodtest.DLPProfile +
			`"}) and http.request.host == "drive.example"`)},
		{Name: "a profile is blocked for one person", Want: posture.Warning, Resource: goodtest.Account, Edit: editRule(goodtest.DLPRule,
			func(r *snapshot.GatewayRule) { r.Identity = `identity.email == "a@shop.example"` })},
		{Name: "a profile is blocked for anybody who signed in", Want: posture.Pass, Edit: editRule(goodtest.DLPRule,
			func(r *snapshot.GatewayRule) { r.Identity = `identity.email matches ".*"` })},
		{Name: "a profile is blocked in some hours", Want: posture.Warning, Edit: editRule(goodtest.DLPRule,
			func(r *snapshot.GatewayRule) { r.Scheduled = true })},
		{Name: "no rule names a profile", Want: posture.Fail, Resource: goodtest.Account, Edit: traffic(`http.request.host == "drive.example"`)},
		{Name: "the rule is off", Want: posture.Fail, Resource: goodtest.Account, Edit: disable(goodtest.DLPRule)},
		{Name: "a profile that is gone", Want: posture.Fail, Edit: traffic(`any(dlp.profiles[*] in {"gone"})`)},
		{Name: "a profile without an enabled entry", Want: posture.Fail, Resource: goodtest.Account, Edit: idle},
		{Name: "a profile without an enabled entry, beside one with", Want: posture.Pass, Edit: goodtest.Edits(func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DLPProfiles, goodtest.Account, func(ps *[]snapshot.DLPProfile) {
				*ps = append(*ps, snapshot.DLPProfile{ID: "second", Name: "Credentials", Type: "predefined"})
			})
		}, traffic(`any(dlp.profiles[*] in {"`+goodtest.DLPProfile+`" "second"})`), func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DLPProfiles, goodtest.Account, func(ps *[]snapshot.DLPProfile) { (*ps)[0].Idle = true })
		})},
		{Name: "all but the profile", Want: posture.Fail, Edit: traffic(`not any(dlp.profiles[*] in {"` + goodtest.DLPProfile + `"})`)},
		{Name: "nothing is inspected by a rule behind it", Want: posture.Warning, Edit: goodtest.Edits(
			addRule(snapshot.GatewayRule{Action: "off", Filters: []string{"http"}}),
			editRule("r9", func(r *snapshot.GatewayRule) { r.Precedence = 9999 }))},
		{Name: "nothing is inspected but one site", Want: posture.Warning, Edit: addRule(snapshot.GatewayRule{Action: "off",
			Filters: []string{"http"}, Traffic: `not(any(http.request.domains[*] in {"x.example"}))`})},
		{Name: "behind a rule that allows everything", Want: posture.Warning,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"http"}})},
		{Name: "behind a rule that allows one site", Want: posture.Pass,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"http"}, Traffic: `http.request.host == "drive.example"`})},
		{Name: "before a rule that allows everything", Want: posture.Pass, Edit: goodtest.Edits(
			addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"http"}}),
			editRule("r9", func(r *snapshot.GatewayRule) { r.Precedence = 9999 }))},
		{Name: "encrypted traffic is not seen", Want: posture.Warning,
			Edit: editConfig(func(s *snapshot.GatewaySettings) { s.TLSDecrypt = nil })},
		{Name: "only watched", Want: posture.Warning, Resource: goodtest.Account,
			Edit: rule(func(r *snapshot.GatewayRule) { r.Action = "allow" })},
		{Name: "blocked by a rule of another filter", Want: posture.Warning,
			Edit: rule(func(r *snapshot.GatewayRule) { r.Filters = []string{"l4"} })},
		{Name: "an expression nobody can read", Want: posture.Unknown, Edit: traffic("any(dlp.profiles[*] in ???")},
		{Name: "no profile", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.DLPProfiles, goodtest.Account, []snapshot.DLPProfile{})
		}},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.DLPProfiles.Source(),
				snapshot.NotEntitled, "", "")
		}},
		{Name: "not in use", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.DLPProfiles.Source(),
				snapshot.Absent, "", "")
		}},
	}
}

func evaluateDataLoss(v *check.View) check.Outcome {
	var ids, idle []expression.Operand
	for _, p := range check.Read(v, snapshot.DLPProfiles) {
		if p.Idle {
			idle = append(idle, expression.Text(p.ID))
		} else {
			ids = append(ids, expression.Text(p.ID))
		}
	}
	names := func(r admission.Rule, profiles []expression.Operand) truth.Value {
		return admission.Names(r, "dlp.profiles", func(e expression.Expr) bool {
			m, ok := admission.MemberOf(e)
			return ok && m.Field == "dlp.profiles" && len(profiles) > 0 && m.Holds(profiles...)
		})
	}
	named, stopped, whole, behind, rules := truth.No, truth.No, truth.No, "", check.GatewayRules(v)
	for _, r := range rules {
		if !r.Enabled {
			continue
		}
		t := names(r, ids)
		named = truth.Or(named, t)
		blocks := truth.Is(r.Action == "block" && slices.Contains(r.Filters, "http"))
		never := overtaken(r, "http", rules, mostly)
		if truth.And(t, blocks, never) == truth.Yes {
			behind = r.Name
		}
		stops := truth.And(t, blocks, truth.Not(never))
		stopped, whole = truth.Or(stopped, stops), truth.Or(whole, truth.And(stops, truth.Is(!admission.Limited(r))))
	}
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.GatewayRules, "", observed, "an enabled http rule with action block that names a profile")
	}
	switch {
	case named == truth.No && slices.ContainsFunc(rules, func(r admission.Rule) bool { return r.Enabled && names(r, idle) == truth.Yes }):
		return v.Fail("The DLP profiles that Gateway rules name have no enabled detection entry, so they match nothing.",
			seen("only profiles that match nothing")).As(posture.Words{ByHand: true, Problem: "DLP profiles of this account detect nothing",
			Dashboard: "Zero Trust › Data loss prevention › Profiles › the profile › Edit: enable detection entries."})
	case named == truth.No:
		return v.Fail("No enabled Gateway rule names a DLP profile.", seen("no rule names a profile")).As(added(rules))
	case stopped == truth.Yes && !decrypts(v):
		return v.Warn("TLS decryption is off, so Gateway stops sensitive data in plain HTTP only.", notDecrypted()).
			As(decryptWords("Sensitive data over HTTPS is not stopped in this account"))
	case stopped == truth.Yes && whole == truth.No:
		return v.Warn("Gateway stops sensitive data of some people, devices or hours only.", seen("only rules with a limit")).
			As(posture.Words{ByHand: true, Problem: "Sensitive data of some people only is stopped in this account",
				Impact: "Whoever the rules leave out uploads customer data to any site.",
				Dashboard: "Zero Trust › Traffic policies › Firewall policies › HTTP › the DLP policy › Edit: remove the identity, the device " +
					"posture or the schedule."})
	case whole == truth.Yes:
		return v.Pass("Gateway stops sensitive data.")
	case stopped == truth.No && behind != "":
		return v.Warn("The rule "+behind+" blocks sensitive data and hardly ever applies: a rule before it matches all traffic, or nearly all.",
			seen("a rule behind one that takes all traffic, or nearly all")).As(neverAsked("The DLP rule of this account never applies"))
	case named == truth.Yes && stopped == truth.No:
		return v.Warn("Gateway rules name DLP profiles, and none of them blocks.", seen("no rule blocks")).As(posture.Words{ByHand: true,
			Problem:   "Sensitive data is logged and not blocked in this account",
			Dashboard: "Zero Trust › Traffic policies › Firewall policies › HTTP › the DLP policy › Edit: set the action to Block."})
	}
	return v.Unknown("a Gateway rule that may name a profile is not one this check can read")
}

// added returns the words for an account without an HTTP rule. A new rule comes last, after any
// rule for all traffic.
func added(rules []admission.Rule) posture.Words {
	last := admission.RuleOf(snapshot.GatewayRule{Action: "block", Precedence: math.Inf(1)}, nil)
	return posture.Words{ByHand: overtaken(last, "http", rules, mostly) != truth.No}
}
