package gateway

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// dangerous looks for a DNS rule that blocks known threats.
func dangerous() check.Check {
	return check.Check{
		ID: "CFL-GW-001", Title: "Dangerous domains are blocked",
		Category: "gateway", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Gateway DNS policies stop malware, phishing and command and control at the first DNS query. No " +
			"connection is made and no certificate is needed.",
		Fix: "Add a DNS policy that blocks the security categories, and place it before rules that allow them.",
		Words: posture.Words{
			Problem: "Malicious domains are not blocked in this account",
			Impact: "Someone who sends a phishing link reaches the people of the account, and malware on a device talks to " +
				"its operator.",
			Breaks: "A few legitimate domains that are in a security category no longer resolve.",
			Dashboard: "Zero Trust › Traffic policies › Firewall policies › DNS › Add a policy: Security Categories in All " +
				"security risks, action Block.",
			Call: posture.Call{Method: "POST", Path: "/accounts/{account_id}/gateway/rules",
				Body: `{"name": "Block security threats", "action": "block", "enabled": true, "filters": ["dns"], "traffic": ` +
					`"any(dns.security_category[*] in {80 117 131})"}`},
			Terraform: `resource "cloudflare_zero_trust_gateway_policy" "security_threats" {
  account_id = "{account_id}"
  name       = "Block security threats"
  action     = "block"
  enabled    = true
  filters    = ["dns"]
  traffic    = "any(dns.security_category[*] in {80 117 131})"
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/"},
		Controls: check.Controls{
			check.Shows("cis 9.2", "Known-bad domains are blocked by DNS filtering."),
			check.Supports("soc2 CC6.8", "Malicious software cannot be fetched from known-bad domains."),
			check.Supports("pci 1.3.2", "Outbound traffic to dangerous places is stopped."),
			check.Supports("pci 5.2.1", "Blocking the sources of malware supports anti-malware on systems."),
			check.Supports("nist PR.IR-01", "Systems cannot be steered from known command servers."),
		},
		Aliases: []string{"flareinspect:CFL-GW-001", "flareinspect:CFL-ZT-004"},
		Remedy: &propose.Remedy{Operation: "POST /accounts/{account_id}/gateway/rules", Risk: "medium", Reversible: true,
			Body: `{"name": <our mark>, "filters": ["dns"], "action": "block", "enabled": true, "traffic": "any(dns.security_category[*] in ` +
				`{<category ids>})"}`,
			Inverse: "DELETE the created rule id",
			Caution: "A few harmless domains may be blocked. Existing allow rules still come first.",
			Propose: proposeBlock},
		Needs:    []snapshot.Named{snapshot.GatewayRules, snapshot.AccessApps, snapshot.DevicePolicies},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Unless:   notOnboarded,
		Evaluate: evaluateDangerous,
	}
}

func dangerousExamples() []goodtest.Example {
	traffic := func(text string) func(*snapshot.Builder) {
		return editRule(goodtest.DNSRule, func(r *snapshot.GatewayRule) { r.Traffic = text })
	}
	ends := func(days int) func(*snapshot.Builder) {
		return editRule(goodtest.DNSRule, func(r *snapshot.GatewayRule) { r.Ends = goodtest.InDays(days) })
	}
	empty := editRules(func(rs *[]snapshot.GatewayRule) { *rs = nil })
	return []goodtest.Example{
		{Name: "the three categories for everyone", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "the whole group of threats", Want: posture.Pass, Edit: traffic("any(dns.security_category[*] in {21})")},
		{Name: "threats or a list of domains", Want: posture.Pass,
			Edit: traffic("any(dns.security_category[*] in {80 117 131}) or any(dns.domains[*] in $0c1b2f6e-1111-4c5b-9d77-4d0f3f0f0f0f)")},
		{Name: "two rules share the work", Want: posture.Pass, Edit: goodtest.Edits(traffic("any(dns.security_category[*] in {80 117})"),
			addRule(snapshot.GatewayRule{Action: "block", Filters: []string{"dns"}, Traffic: "any(dns.security_category[*] == 131)"}))},
		{Name: "everything is blocked", Want: posture.Pass, Edit: traffic("")},
		{Name: "switched off", Want: posture.Fail, Resource: goodtest.Account, Edit: disable(goodtest.DNSRule)},
		{Name: "ended", Want: posture.Fail, Resource: goodtest.Account, Edit: ends(-1)},
		{Name: "ends in a month", Want: posture.Pass, Edit: ends(30)},
		{Name: "only looked at", Want: posture.Fail, Edit: editRule(goodtest.DNSRule, func(r *snapshot.GatewayRule) { r.Action = "allow" })},
		{Name: "only for web traffic", Want: posture.Fail,
			Edit: editRule(goodtest.DNSRule, func(r *snapshot.GatewayRule) { r.Filters = []string{"http"} })},
		{Name: "only a list of domains", Want: posture.Fail, Edit: traffic("any(dns.domains[*] in $0c1b2f6e-1111-4c5b-9d77-4d0f3f0f0f0f)")},
		{Name: "phishing alone is not enough", Want: posture.Fail, Edit: traffic("any(dns.security_category[*] in {131})")},
		{Name: "all but the threats", Want: posture.Fail, Edit: traffic("not any(dns.security_category[*] in {80 117 131})")},
		{Name: "no rule although devices are managed", Want: posture.Fail, Edit: empty},
		{Name: "only for some people", Want: posture.Warning, Resource: goodtest.Account,
			Edit: editRule(goodtest.DNSRule, func(r *snapshot.GatewayRule) {
				r.Identity = `any(identity.groups.name[*] in {"Staff"})`
			})},
		{Name: "only for the people of a list without anybody", Want: posture.Fail, Resource: goodtest.Account, Edit: goodtest.Edits(
			editRule(goodtest.DNSRule, func(r *snapshot.GatewayRule) { r.Identity = "identity.email in $l1" }), goodtest.GatewayList("l1"))},
		{Name: "only for the people of a list", Want: posture.Warning, Resource: goodtest.Account, Edit: goodtest.Edits(
			editRule(goodtest.DNSRule, func(r *snapshot.GatewayRule) { r.Identity = "identity.email in $l1" }),
			goodtest.GatewayList("l1", snapshot.OtherItem))},
		{Name: "for all but the people of a list without anybody", Want: posture.Pass, Edit: goodtest.Edits(
			editRule(goodtest.DNSRule, func(r *snapshot.GatewayRule) { r.Identity = "not(identity.email in $l1)" }), goodtest.GatewayList("l1"))},
		{Name: "only in working hours", Want: posture.Warning,
			Edit: editRule(goodtest.DNSRule, func(r *snapshot.GatewayRule) { r.Scheduled = true })},
		{Name: "behind a rule that allows everything", Want: posture.Fail,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"dns"}, Traffic: `dns.fqdn matches ".*"`})},
		{Name: "behind a rule that allows one of the categories", Want: posture.Fail,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"dns"}, Traffic: "any(dns.security_category[*] in {131})"})},
		{Name: "behind a rule that allows all but one category", Want: posture.Fail,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"dns"}, Traffic: "not(any(dns.security_category[*] in {80}))"})},
		{Name: "behind a rule that allows all but some domains", Want: posture.Fail,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"dns"}, Traffic: `not(any(dns.domains[*] in {"bad.example"}))`})},
		{Name: "behind a rule that allows all but one name", Want: posture.Fail,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"dns"}, Traffic: `dns.fqdn != "bad.example"`})},
		{Name: "everything is blocked by a pattern", Want: posture.Pass, Edit: traffic(`dns.fqdn matches ".*"`)},
		{Name: "everything is blocked, in another spelling", Want: posture.Pass, Edit: traffic("true")},
		{Name: "all but some domains are blocked", Want: posture.Warning, Edit: traffic(`not(any(dns.domains[*] in {"partner.example"}))`)},
		{Name: "everything is blocked at one location", Want: posture.Warning, Edit: traffic(`dns.location in {"l1"}`)},
		{Name: "behind a rule that allows some domains", Want: posture.Pass,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"dns"}, Traffic: `any(dns.domains[*] in {"partner.example"})`})},
		{Name: "behind a rule that allows everything at one location", Want: posture.Warning, Resource: goodtest.Account,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"dns"}, Traffic: `dns.location in {"l1"}`})},
		{Name: "behind a rule that allows everything from other networks", Want: posture.Warning, Resource: goodtest.Account,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"dns"}, Traffic: `not(dns.src_ip in {45.60.10.0/24})`})},
		{Name: "behind a rule that allows everything in some hours", Want: posture.Warning, Resource: goodtest.Account,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"dns"}, Scheduled: true})},
		{Name: "behind a rule that allows one site at one location", Want: posture.Pass, Edit: addRule(snapshot.GatewayRule{Action: "allow",
			Filters: []string{"dns"}, Traffic: `dns.location in {"l1"} and any(dns.domains[*] in {"partner.example"})`})},
		{Name: "behind a rule that allows everything to some people", Want: posture.Warning, Resource: goodtest.Account,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"dns"}, Identity: `identity.email == "ann@shop.example"`})},
		{Name: "before a rule that allows everything", Want: posture.Pass, Edit: goodtest.Edits(
			addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"dns"}}),
			editRule("r9", func(r *snapshot.GatewayRule) { r.Precedence = 1001 }))},
		{Name: "everything is allowed of another filter", Want: posture.Pass,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"l4"}})},
		{Name: "only at one location", Want: posture.Warning, Resource: goodtest.Account,
			Edit: traffic(`any(dns.security_category[*] in {80 117 131}) and dns.location in {"l1"}`)},
		{Name: "an expression nobody can read", Want: posture.Unknown, Edit: traffic("any(dns.security_category[*] in {80 117 131}) and ???")},
		{Name: "categories in a list that was read", Want: posture.Pass, Edit: goodtest.Edits(
			traffic("any(dns.security_category[*] in $l1)"), goodtest.GatewayList("l1", "80", "117", "131"))},
		{Name: "some categories in a list that was read", Want: posture.Fail, Edit: goodtest.Edits(
			traffic("any(dns.security_category[*] in $l1)"), goodtest.GatewayList("l1", "80", "117"))},
		{Name: "categories by name in a list", Want: posture.Unknown, Edit: goodtest.Edits(
			traffic("any(dns.security_category[*] in $l1)"), goodtest.GatewayList("l1", "malware"))},
		{Name: "a list without a category", Want: posture.Fail, Edit: goodtest.Edits(
			traffic("any(dns.security_category[*] in $l1)"), goodtest.GatewayList("l1"))},
		{Name: "threats but for a list without a domain", Want: posture.Pass, Edit: goodtest.Edits(
			traffic("any(dns.security_category[*] in {80 117 131}) and not(any(dns.domains[*] in $l1))"), goodtest.GatewayList("l1"))},
		{Name: "threats but for a list of domains", Want: posture.Warning, Edit: goodtest.Edits(
			traffic("any(dns.security_category[*] in {80 117 131}) and not(any(dns.domains[*] in $l1))"),
			goodtest.GatewayList("l1", "partner.example"))},
		{Name: "categories in a list", Want: posture.Unknown, Edit: traffic("any(dns.security_category[*] in $threats)")},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: absent},
		{Name: "no rule and no managed device", Want: posture.NotApplicable, Edit: goodtest.Edits(empty, goodtest.Unmanaged)},
	}
}

// threats are Cloudflare's numbers of the categories that must be blocked: command and control,
// malware, phishing. allThreats includes all of them.
func threats() []expression.Number { return []expression.Number{80, 117, 131} }

const allThreats = expression.Number(21)

// threatTraffic matches threats.
const threatTraffic = "any(dns.security_category[*] in {80 117 131})"

// blockWords returns the words for an account without such a rule. A new rule comes last, so it
// closes the finding unless an earlier rule allows the traffic.
func blockWords(rules []admission.Rule) posture.Words {
	added := admission.RuleOf(snapshot.GatewayRule{Enabled: true, Filters: []string{"dns"}, Action: "block", Traffic: threatTraffic,
		Precedence: math.Inf(1)}, nil)
	matched, whole, _ := stopped(append(slices.Clone(rules), added))
	return posture.Words{ByHand: truth.And(matched, whole) != truth.Yes}
}

// evaluateDangerous requires all three categories; several rules may share them.
func evaluateDangerous(v *check.View) check.Outcome {
	rules := check.GatewayRules(v)
	if len(rules) == 0 && !check.DeviceManaged(v) {
		return v.NotApplicable("Gateway has no rule and no device is managed")
	}
	matched, whole, behind := stopped(rules)
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.GatewayRules, "", observed,
			"an enabled dns rule that blocks malware, phishing and command and control for everyone")
	}
	switch {
	case matched == truth.No && behind != "":
		return v.Fail("The rule "+behind+" blocks malicious domains, and a rule before it allows them.",
			seen("a rule behind one that allows the same")).As(posture.Words{ByHand: true,
			Problem:   "A rule of this account allows malicious domains before the block",
			Dashboard: "Zero Trust › Traffic policies › Firewall policies › DNS: move the rule that blocks before the rule that allows."})
	case matched == truth.No:
		return v.Fail("No DNS policy blocks malware, phishing and command and control.", seen("no such rule")).As(blockWords(rules))
	case matched == truth.Undecided || whole == truth.Undecided:
		return v.Unknown("an expression of a DNS rule is not one this check can read")
	case whole == truth.No:
		words := blockWords(rules)
		words.Problem = "Malicious domains are blocked for some people of this account only"
		return v.Warn("Malicious domains are blocked for some users, devices or locations only.", seen("a rule with a limit")).As(words)
	}
	return v.Pass("Malicious domains are blocked for everyone.")
}

// stopped reports whether the rules block all three categories, and for everyone. The first
// matching rule decides, so a block after an exception for the whole category does not count;
// behind names such an exception.
func stopped(rules []admission.Rule) (matched, whole truth.Value, behind string) {
	matched, whole = truth.Yes, truth.Yes
	ordered := slices.Concat(admission.EnabledRules(rules, "dns", "block"), admission.EnabledRules(rules, "dns", "allow"))
	slices.SortStableFunc(ordered, func(a, b admission.Rule) int { return cmp.Compare(a.Precedence, b.Precedence) })
	for _, c := range threats() {
		some, all, open, opened := truth.No, truth.No, truth.No, truth.No // opened for some people, places or hours
		for _, r := range ordered {
			fact := func(other func(expression.Expr) exposure.Fact) func(expression.Expr) exposure.Fact {
				return func(e expression.Expr) exposure.Fact {
					if m, ok := admission.MemberOf(e); ok && strings.HasSuffix(m.Field, "security_category") {
						return category(m, c)
					}
					return other(e)
				}
			}
			forSome := admission.CoversForSome(r, fact(mostly))
			if r.Action == "allow" {
				opened = truth.Or(opened, forSome)
				open = truth.Or(open, truth.And(admission.Covers(r, fact(mostly)).All, truth.Is(!admission.Limited(r))))
				continue
			}
			got := admission.Covers(r, fact(everything))
			named := truth.Or(forSome, admission.Names(r, "security_category", func(e expression.Expr) bool {
				m, ok := admission.MemberOf(e)
				return ok && category(m, c) != exposure.Never
			}))
			if truth.And(named, open) == truth.Yes {
				behind = r.Name
			}
			named = truth.And(named, truth.Not(open))
			some = truth.Or(some, truth.And(named, got.Some))
			all = truth.Or(all, truth.And(named, got.All, truth.Is(!admission.Limited(r)), truth.Not(opened)))
		}
		matched, whole = truth.And(matched, some), truth.And(whole, all)
	}
	return matched, whole, behind
}

// category returns the fact of a test of the categories of threats for the domains of one of them; hardly any is in
// another one, too.
func category(m admission.Membership, c expression.Number) exposure.Fact {
	switch {
	case !strings.HasSuffix(m.Field, "security_category"):
		return exposure.Never
	case m.Listed:
		return exposure.Unclear
	case m.Holds(c, allThreats):
		return exposure.Always
	case slices.ContainsFunc(m.Values, func(o expression.Operand) bool { _, text := o.(expression.Text); return text }):
		return exposure.Unclear // a list of categories by name
	}
	return exposure.Never
}

// proposeBlock adds one rule after all others, so that no exception loses its effect.
func proposeBlock(c *propose.Case) ([]change.Edit, error) {
	collection := c.Path("/accounts/{account_id}/gateway/rules")
	all, err := c.Read(collection)
	if err != nil {
		return nil, err
	}
	if all == nil {
		return nil, propose.Refuse("Gateway is not in use.")
	}
	last, rules := int64(0), []snapshot.GatewayRule{}
	for _, r := range propose.Objects(all) {
		if propose.Text(r, "name") == c.Mark() {
			return nil, propose.Refuse("The rule %s exists already and was changed since; look at it, or delete it and plan again.", c.Mark())
		}
		if place, isNumber := r["precedence"].(json.Number); isNumber {
			if f, err := place.Float64(); err == nil {
				last = max(last, int64(math.Ceil(f)))
			}
		}
		rules = append(rules, ruleOf(r))
	}
	if matched, whole, _ := stopped(admission.Rules(rules, c.Now, nil)); matched == truth.Yes && whole == truth.Yes {
		return nil, nil
	}
	rule := map[string]any{"name": c.Mark(), "filters": []string{"dns"}, "action": "block", "enabled": true, "traffic": threatTraffic}
	added := ruleOf(rule)
	added.Enabled, added.Filters, added.Precedence = true, []string{"dns"}, float64(last+1000)
	if matched, whole, _ := stopped(admission.Rules(append(rules, added), c.Now, nil)); matched != truth.Yes || whole != truth.Yes {
		return nil, propose.Refuse("A DNS rule of the account allows such domains, and a rule behind it would do nothing; " +
			"narrow that rule first.")
	}
	or := change.Encode(rule) // without the precedence, which the API may change
	rule["precedence"] = last + 1000
	e := propose.Create(change.Place{Path: collection, Match: map[string]any{"name": c.Mark()}}, collection, rule)
	e.Or = or
	return []change.Edit{e}, nil
}

// ruleOf converts a live rule to the form the checks judge. A deleted or expired rule counts as
// disabled.
func ruleOf(r map[string]any) snapshot.GatewayRule {
	place, _ := r["precedence"].(json.Number)
	precedence, _ := place.Float64() // 0 when missing
	over := propose.Text(r, "deleted_at") != "" || propose.Member(r, "expiration.expired") == true
	text, _ := propose.Member(r, "expiration.expires_at").(string)
	ends, _ := time.Parse(time.RFC3339, text) // zero for a rule that does not end
	return snapshot.GatewayRule{ID: propose.Text(r, "id"), Name: propose.Text(r, "name"), Action: propose.Text(r, "action"),
		Enabled: propose.Flag(r, "enabled") && !over, Filters: propose.Texts(r["filters"]), Traffic: propose.Text(r, "traffic"),
		Identity: propose.Text(r, "identity"), DevicePosture: propose.Text(r, "device_posture"), Precedence: precedence,
		Scheduled: r["schedule"] != nil, Ends: snapshot.Time{Time: ends}}
}
