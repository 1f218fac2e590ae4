package gateway

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// broad finds exceptions that exempt whole kinds of traffic from the rules after them. The order of
// evaluation is by precedence, not by the list.
func broad() check.Check {
	return check.Check{
		ID: "CFL-GW-003", Title: "No broad allow or do-not-inspect rule",
		Category: "gateway", Severity: posture.High, Resource: posture.ResourceRule, Scope: check.PerAccount,
		Why: "Gateway asks the rules of a filter in order, and the first that matches decides. A Do Not Inspect rule " +
			"comes before all others.",
		Fix: "Narrow the rule to the applications or hosts that need it; an allow rule can also move behind the block rules.",
		Words: posture.Words{
			Problem: "Gateway rule {name} takes traffic away from other rules",
			Impact:  "Malware and data pass by this rule, and the block, DLP and scan rules behind it never see them.",
			Breaks: "Applications that need the exception, such as those with pinned certificates, until they have a narrow " +
				"rule.",
			Dashboard: "Zero Trust › Traffic policies › Firewall policies › {name} › Edit: narrow the traffic, or change the " +
				"order.",
			Call: ruleCall(`.enabled = false`),
			Terraform: `resource "cloudflare_zero_trust_gateway_policy" "rule" {
  account_id = "{account_id}"
  name       = "{name}"
  action     = "off"
  enabled    = true
  filters    = ["http"]
  traffic    = "any(app.ids[*] in {606})"
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "No rule switches the firewall for outbound traffic off."),
			check.Supports("cis 9.3", "No broad exception takes traffic out of the filter."),
			check.Supports("soc2 CC6.6", "Exceptions at the boundary are narrow."),
			check.Touches("pci 1.2.7", "Broad rules are what a review looks for; this is not the review."),
			check.Supports("pci 1.3.2", "Outbound traffic is not allowed wholesale."),
			check.Supports("nist PR.IR-01", "The filter of the network has no hole that everybody can use."),
		},
		Needs:    []snapshot.Named{snapshot.GatewayRules},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Unless:   notOnboarded,
		Evaluate: evaluateBroad,
	}
}

func broadExamples() []goodtest.Example {
	rule := func(action, filter, traffic string) func(*snapshot.Builder) {
		return addRule(snapshot.GatewayRule{Action: action, Filters: []string{filter}, Traffic: traffic})
	}
	last := editRule("r9", func(r *snapshot.GatewayRule) { r.Precedence = 99999 })
	return []goodtest.Example{
		{Name: "narrow exceptions", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "one host is not inspected", Want: posture.Pass, Edit: rule("off", "http", `http.conn.hostname == "updates.vendor.example"`)},
		{Name: "everything is allowed at the end", Want: posture.Pass, Edit: goodtest.Edits(rule("allow", "http", ""), last)},
		{Name: "everything is allowed of a filter that blocks nothing", Want: posture.Pass, Edit: goodtest.Edits(rule("allow", "dns", ""),
			disable(goodtest.DNSRule))},
		{Name: "everything is allowed for some people", Want: posture.Pass,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"http"}, Identity: `identity.email == "a@shop.example"`})},
		{Name: "switched off", Want: posture.Pass, Edit: goodtest.Edits(rule("allow", "http", ""), disable("r9"))},
		{Name: "everything is allowed first", Want: posture.Fail, Resource: "r9", Edit: rule("allow", "http", "")},
		{Name: "nothing is inspected", Want: posture.Fail, Resource: "r9", Edit: rule("off", "http", " ")},
		{Name: "nothing is scanned", Want: posture.Fail, Resource: "r9", Edit: rule("noscan", "http", "")},
		{Name: "nothing is isolated", Want: posture.Fail, Resource: "r9", Edit: rule("noisolate", "http", "")},
		{Name: "nothing is isolated, where nothing would be", Want: posture.Pass, Edit: goodtest.Edits(rule("noisolate", "http", ""),
			disable(goodtest.IsolateRule))},
		{Name: "the whole network is allowed first", Want: posture.Fail, Resource: "r9", Edit: rule("allow", "l4", "")},
		{Name: "nothing is inspected of some people", Want: posture.Warning, Resource: "r9", Edit: addRule(snapshot.GatewayRule{Action: "off",
			Filters: []string{"http"}, Identity: `any(identity.groups.name[*] in {"Everybody"})`})},
		{Name: "nothing is inspected of the people of a list without anybody", Want: posture.Pass, Edit: goodtest.Edits(addRule(
			snapshot.GatewayRule{Action: "off", Filters: []string{"http"}, Identity: "identity.email in $l1"}), goodtest.GatewayList("l1"))},
		{Name: "nothing is inspected in some hours", Want: posture.Warning, Resource: "r9", Edit: addRule(snapshot.GatewayRule{Action: "off",
			Filters: []string{"http"}, Scheduled: true})},
		{Name: "one host is not inspected of some people", Want: posture.Pass, Edit: addRule(snapshot.GatewayRule{Action: "off",
			Filters: []string{"http"}, Traffic: `http.conn.hostname == "bank.example"`, Identity: `identity.email == "a@shop.example"`})},
		{Name: "a top-level domain is not inspected", Want: posture.Warning, Resource: "r9",
			Edit: rule("off", "http", `any(http.conn.domains[*] in {"example" "vendor.example"})`)},
		{Name: "a top-level domain by a pattern", Want: posture.Warning, Resource: "r9",
			Edit: rule("off", "http", `http.conn.hostname matches ".*\.example$"`)},
		{Name: "a host without a dot is one host", Want: posture.Pass, Edit: rule("off", "http", `http.conn.hostname == "intranet"`)},
		{Name: "names that hold a word", Want: posture.Pass, Edit: rule("off", "http", `http.conn.hostname matches "intranet"`)},
		{Name: "any name by a pattern", Want: posture.Fail, Resource: "r9", Edit: rule("off", "http", `http.conn.hostname matches ".*"`)},
		{Name: "nothing is inspected, by the last rule", Want: posture.Fail, Resource: "r9", Edit: goodtest.Edits(rule("off", "http", ""), last)},
		{Name: "any name is not inspected, by the last rule", Want: posture.Fail, Resource: "r9",
			Edit: goodtest.Edits(rule("off", "http", `http.request.uri matches ".+"`), last)},
		{Name: "any name is allowed first", Want: posture.Fail, Resource: "r9", Edit: rule("allow", "http", `http.request.host matches ".*"`)},
		{Name: "any name is allowed first, by one way of two", Want: posture.Fail, Resource: "r9",
			Edit: rule("allow", "http", `http.request.host == "a.example" or http.request.host matches "^.*$"`)},
		{Name: "any name is allowed last", Want: posture.Pass,
			Edit: goodtest.Edits(rule("allow", "http", `http.request.host matches ".*"`), last)},
		{Name: "names of one domain are allowed first", Want: posture.Pass,
			Edit: rule("allow", "http", `http.request.host matches ".*\\.vendor\\.example$"`)},
		{Name: "every address is allowed first", Want: posture.Fail, Resource: "r9", Edit: rule("allow", "l4", "net.dst.ip in {0.0.0.0/0}")},
		{Name: "any name is allowed first for some people", Want: posture.Pass, Edit: addRule(snapshot.GatewayRule{Action: "allow",
			Filters: []string{"http"}, Traffic: `http.request.host matches ".*"`, Identity: `identity.email == "a@shop.example"`})},
		{Name: "all but one domain is not inspected", Want: posture.Warning, Resource: "r9",
			Edit: rule("off", "http", `not(any(http.request.domains[*] in {"x.example"}))`)},
		{Name: "all but one host is not inspected", Want: posture.Warning, Resource: "r9",
			Edit: rule("off", "http", `not(http.request.host == "x.example")`)},
		{Name: "all but one host is not inspected, in another spelling", Want: posture.Warning, Resource: "r9",
			Edit: rule("off", "http", `http.request.host != "x.example"`)},
		{Name: "all but the sites of a list are not inspected", Want: posture.Warning, Resource: "r9",
			Edit: rule("off", "http", `not(any(http.request.domains[*] in $0c1b2f6e-1111-4c5b-9d77-4d0f3f0f0f0f))`)},
		{Name: "the sites of a list are not inspected", Want: posture.Pass, Edit: goodtest.Edits(
			rule("off", "http", `any(http.conn.domains[*] in $l1)`), goodtest.GatewayList("l1", "bank.example", "vendor.example"))},
		{Name: "a top-level domain on a list is not inspected", Want: posture.Warning, Resource: "r9", Edit: goodtest.Edits(
			rule("off", "http", `any(http.conn.domains[*] in $l1)`), goodtest.GatewayList("l1", "bank.example", "example"))},
		{Name: "all but the sites of an empty list are not inspected", Want: posture.Fail, Resource: "r9", Edit: goodtest.Edits(
			rule("off", "http", `not(any(http.conn.domains[*] in $l1))`), goodtest.GatewayList("l1"))},
		{Name: "all addresses in halves are allowed first", Want: posture.Fail, Resource: "r9",
			Edit: rule("allow", "l4", "net.dst.ip in {128.0.0.0/1 0.0.0.0/1}")},
		{Name: "all addresses in ranges that overlap are allowed first", Want: posture.Fail, Resource: "r9",
			Edit: rule("allow", "l4", "net.dst.ip in {0.0.0.0/1 10.0.0.0/8 128.0.0.0/1}")},
		{Name: "all addresses in ranges that hold each other are allowed first", Want: posture.Fail, Resource: "r9",
			Edit: rule("allow", "l4", "net.dst.ip in {0.0.0.0/1 64.0.0.0/2 100.0.0.0/8 128.0.0.0/1}")},
		{Name: "ranges that leave a gap are allowed first", Want: posture.Pass,
			Edit: rule("allow", "l4", "net.dst.ip in {0.0.0.0/2 96.0.0.0/3 128.0.0.0/2}")},
		{Name: "all but every address is allowed first", Want: posture.Pass, Edit: rule("allow", "l4", "net.dst.ip != 0.0.0.0/0")},
		{Name: "all but half of the internet is allowed first", Want: posture.Pass, Edit: rule("allow", "l4", "not(net.dst.ip in {0.0.0.0/1})")},
		{Name: "every site with HTTPS is not inspected", Want: posture.Fail, Resource: "r9",
			Edit: rule("off", "http", `http.request.uri matches "^https://"`)},
		{Name: "all but HTTPS is not inspected", Want: posture.Pass, Edit: rule("off", "http", `not(http.request.uri matches "^https://")`)},
		{Name: "all addresses in halves on a list are allowed first", Want: posture.Fail, Resource: "r9", Edit: goodtest.Edits(
			rule("allow", "l4", "net.dst.ip in $l1"), goodtest.GatewayList("l1", "0.0.0.0/1", "128.0.0.0/1"))},
		{Name: "all but a category is not inspected", Want: posture.Warning, Resource: "r9",
			Edit: rule("off", "http", "not(any(http.request.uri.content_category[*] in {67}))")},
		{Name: "any host is not inspected", Want: posture.Fail, Resource: "r9", Edit: rule("off", "http", `http.request.host != ""`)},
		{Name: "all but one host is not inspected at one host", Want: posture.Pass,
			Edit: rule("off", "http", `not(http.request.host == "x.example") and http.request.host == "y.example"`)},
		{Name: "all but one method is not inspected", Want: posture.Pass, Edit: rule("off", "http", `not(http.request.method == "GET")`)},
		{Name: "all but one host is allowed first", Want: posture.Warning, Resource: "r9",
			Edit: rule("allow", "http", `not(http.request.host == "x.example")`)},
		{Name: "all but one host is allowed last", Want: posture.Pass,
			Edit: goodtest.Edits(rule("allow", "http", `not(http.request.host == "x.example")`), last)},
		{Name: "one host and all others are not inspected, by two rules", Want: posture.Fail, Resource: "r8", Edit: goodtest.Edits(
			rule("off", "http", `http.request.host == "x.example"`), addRule(snapshot.GatewayRule{ID: "r8", Name: "Others", Action: "off",
				Filters: []string{"http"}, Traffic: `not(http.request.host == "x.example")`}))},
		{Name: "all addresses in halves are allowed first, by two rules", Want: posture.Fail, Resource: "r9", Edit: goodtest.Edits(
			addRule(snapshot.GatewayRule{ID: "r8", Name: "Low", Action: "allow", Filters: []string{"l4"},
				Traffic: "net.dst.ip in {0.0.0.0/1}"}), rule("allow", "l4", "net.dst.ip in {128.0.0.0/1}"))},
		{Name: "half of all addresses is allowed first, and half of them last", Want: posture.Pass, Edit: goodtest.Edits(
			addRule(snapshot.GatewayRule{ID: "r8", Name: "Low", Action: "allow", Filters: []string{"l4"}, Traffic: "net.dst.ip in {0.0.0.0/1}"}),
			rule("allow", "l4", "net.dst.ip in {128.0.0.0/1}"), last)},
		{Name: "all ports in halves are allowed first, by two rules", Want: posture.Fail, Resource: "r9", Edit: goodtest.Edits(
			addRule(snapshot.GatewayRule{ID: "r8", Name: "Low", Action: "allow", Filters: []string{"l4"},
				Traffic: "net.dst.port <= 30000"}), rule("allow", "l4", "net.dst.port > 30000"))},
		{Name: "a kind of application is not inspected", Want: posture.Warning, Resource: "r9",
			Edit: rule("off", "http", "any(app.type.ids[*] in {16})")},
		{Name: "a kind of application at one host", Want: posture.Pass,
			Edit: rule("off", "http", `any(app.type.ids[*] in {16}) and http.conn.hostname == "a.vendor.example"`)},
		{Name: "an expression nobody can read", Want: posture.Unknown, Resource: "r9", Edit: rule("off", "http", "???")},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: absent},
		{Name: "Gateway has no rule", Want: posture.NotApplicable, Edit: editRules(func(rs *[]snapshot.GatewayRule) { *rs = nil })},
	}
}

func evaluateBroad(v *check.View) check.Outcome {
	rules := check.GatewayRules(v)
	last := completing(rules)
	j := v.Judge()
	for _, r := range rules {
		r0 := posture.Resource{Type: posture.ResourceRule, ID: r.ID, Name: r.Name}
		if !r.Enabled || !slices.Contains([]string{"allow", "off", "noscan", "noisolate"}, r.Action) {
			j.Pass()
			continue
		}
		seen := check.Evidence(snapshot.GatewayRules, "/"+r.ID+"/traffic", r.Traffic, "a condition that names what is excepted")
		wide := truth.Is(false)
		if r.Action == "off" {
			wide = admission.Covers(r, wideTarget).All
		}
		covers := admission.Covers(r, everything).All
		whole := truth.And(truth.Is(!admission.Limited(r)), covers)
		nearly := truth.And(truth.Is(!admission.Limited(r)), admission.Covers(r, mostly).All)
		switch {
		case whole == truth.Yes && r.Action == "off":
			j.Fail(r0, "The rule "+r.Name+" keeps Gateway from inspecting any traffic: Do Not Inspect comes before every other rule, whatever its "+
				"order.", shown(seen))
		case whole == truth.Yes && beforeStricter(r, rules):
			j.Fail(r0, "The rule "+r.Name+" matches all traffic, so the "+stricter(r)+" rules behind it never apply.", shown(seen))
			j.As(taken(r, posture.Words{}))
		case last[r.ID] && r.Action == "off":
			j.Fail(r0, "The rule "+r.Name+" keeps, with other Do Not Inspect rules, Gateway from inspecting any traffic: together they match all "+
				"of it.", shown(seen))
		case last[r.ID] && beforeStricter(r, rules):
			j.Fail(r0, "The rule "+r.Name+" matches, with those of the same action before it, all traffic, so the "+stricter(r)+
				" rules behind it never apply.", shown(seen))
			j.As(taken(r, posture.Words{}))
		case covers == truth.Yes && r.Action == "off":
			j.Warn(r0, "The rule "+r.Name+" keeps Gateway from inspecting any traffic of some people, devices or hours.", shown(seen))
			j.As(posture.Words{Problem: "Gateway rule {name} exempts some people from all inspection",
				Impact: "Malware and data on any site pass the block, DLP and scan rules unseen where the rule applies."})
		case strings.TrimSpace(r.Traffic) == "":
			j.Pass()
		case nearly == truth.Yes && r.Action == "off":
			j.Warn(r0, "The rule "+r.Name+" keeps Gateway from inspecting all traffic but what it names.", seen)
			j.As(posture.Words{Problem: "Gateway rule {name} leaves nearly all traffic uninspected",
				Impact: "Malware and data on nearly any site pass the block, DLP and scan rules unseen."})
		case nearly == truth.Yes && beforeStricter(r, rules):
			j.Warn(r0, "The rule "+r.Name+" matches all traffic but what it names, so the "+stricter(r)+" rules behind it hardly ever apply.", seen)
			j.As(taken(r, posture.Words{Problem: "Gateway rule {name} takes nearly all traffic from the others"}))
		case wide == truth.Yes:
			j.Warn(r0, "The rule "+r.Name+" keeps a whole top-level domain or application type from being inspected.", seen)
			j.As(posture.Words{Problem: "Gateway rule {name} exempts too much from inspection",
				Impact: "Malware and data on any site of that domain or application type pass the block, DLP and scan rules unseen."})
		case wide == truth.Undecided:
			j.Unclear(r0, "the expression of the rule is not one this check can read")
		default:
			j.Pass()
		}
	}
	return j.Done("No rule takes whole kinds of traffic away from the others.", "Gateway has no rule")
}

// completing returns, by id, the exceptions with which those of an action match all traffic of a filter that none
// matches alone.
func completing(rules []admission.Rule) map[string]bool {
	ordered := slices.SortedStableFunc(slices.Values(rules), func(a, b admission.Rule) int { return cmp.Compare(a.Precedence, b.Precedence) })
	unions, out := map[string]*admission.Union{}, map[string]bool{}
	for _, r := range ordered {
		if !r.Enabled || admission.Limited(r) || !slices.Contains([]string{"allow", "off", "noscan", "noisolate"}, r.Action) {
			continue
		}
		for _, filter := range r.Filters {
			u := unions[r.Action+filter]
			if u == nil {
				u = admission.NewUnion(everything)
				unions[r.Action+filter] = u
			}
			was := u.All()
			out[r.ID] = out[r.ID] || u.Add(r) == truth.Yes && was != truth.Yes
		}
	}
	return out
}

// shown makes evidence of an expression, which may be empty.
func shown(e posture.Evidence) posture.Evidence {
	if strings.TrimSpace(e.Observed) == "" {
		e.Observed = "empty"
	}
	return e
}

// stricter is the action of the rules that an exception takes traffic from. Do Not Isolate takes it
// from isolation only: block rules come in a later stage and see all requests (see before).
func stricter(r admission.Rule) string {
	if r.Action == "noisolate" {
		return "isolate"
	}
	return "block"
}

// beforeStricter reports whether a rule that an exception takes traffic from comes later in the same
// filter.
func beforeStricter(r admission.Rule, rules []admission.Rule) bool {
	return slices.ContainsFunc(rules, func(b admission.Rule) bool {
		return b.Enabled && b.Action == stricter(r) && b.Precedence > r.Precedence &&
			slices.ContainsFunc(b.Filters, func(f string) bool { return slices.Contains(r.Filters, f) })
	})
}

// taken says what an exception from isolation lets happen.
func taken(r admission.Rule, w posture.Words) posture.Words {
	if r.Action == "noisolate" {
		w.Impact = "Code of risky sites runs in the browsers of people, as the isolate rules behind this one never see the visit."
	}
	return w
}
