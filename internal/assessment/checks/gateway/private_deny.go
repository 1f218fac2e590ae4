package gateway

import (
	"math"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// privateDeny looks for a final block of traffic to the private ranges. The first matching network
// rule decides, so a block after a rule that lets everyone reach a range does not count.
func privateDeny() check.Check {
	return check.Check{
		ID: "CFL-GW-005", Title: "Private networks end with a deny rule",
		Category: "gateway", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A private route is reachable for every enrolled device until a Gateway network policy says otherwise. " +
			"Rules are asked in order, and the first that matches decides.",
		Fix: "Add allow rules by group for what people need, then a last rule that blocks the private ranges.",
		Words: posture.Words{
			Problem: "Private networks are open to every device of this account",
			Impact:  "Someone with one infected or stolen device reaches every machine behind the tunnels.",
			Breaks:  "Everything in the private ranges that no allow rule before the block permits becomes unreachable.",
			Dashboard: "Zero Trust › Traffic policies › Firewall policies › Network › Add a policy: Destination IP in the " +
				"private ranges, action Block, as the last rule.",
			Call: posture.Call{Method: "POST", Path: "/accounts/{account_id}/gateway/rules", From: routesPath,
				Body: `{name: "Block private networks", action: "block", enabled: true, filters: ["l4"], ` +
					`traffic: "net.dst.ip in {\([.result[].network] | join(" "))}"}`},
			Terraform: `resource "cloudflare_zero_trust_gateway_policy" "private_networks" {
  account_id = "{account_id}"
  name       = "Block private networks"
  action     = "block"
  enabled    = true
  filters    = ["l4"]
  traffic    = "net.dst.ip in {10.0.0.0/8 172.16.0.0/12 192.168.0.0/16}"
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/",
			"https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/"},
		Controls: check.Controls{
			check.Shows("cis 12.2", "Private networks are closed except for what is allowed."),
			check.Supports("soc2 CC6.6", "Whoever is inside the client does not reach everything."),
			check.Supports("pci 1.2.5", "Services that were not approved are not reached."),
			check.Supports("pci 1.3.1", "Traffic to private networks is limited to what is needed; all else is denied."),
			check.Shows("nist PR.IR-01", "Private networks are protected by a deny at the end."),
		},
		Aliases: []string{"union:default-deny-network"},
		Needs:   []snapshot.Named{snapshot.GatewayRules, snapshot.PrivateRoutes},
		Optional: []snapshot.Named{snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessGroups, snapshot.GatewayListItems,
			snapshot.DevicePosture},
		Unless:   check.Empty(snapshot.PrivateRoutes, "no private route exists"),
		Evaluate: evaluatePrivateDeny,
	}
}

// routesPath lists the routes as the check reads them: without the parameter, deleted ones are listed, too.
const routesPath = "/accounts/{account_id}/teamnet/routes?is_deleted=false&per_page=1000"

func privateDenyExamples() []goodtest.Example {
	traffic := func(text string) func(*snapshot.Builder) {
		return editRule(goodtest.NetworkRule, func(r *snapshot.GatewayRule) { r.Traffic = text })
	}
	allow := func(text string) func(*snapshot.Builder) {
		return addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"l4"}, Traffic: text})
	}
	later := editRule("r9", func(r *snapshot.GatewayRule) { r.Precedence = 99999 })
	route := func(network string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.PrivateRoutes, goodtest.Account, func(rs *[]snapshot.PrivateRoute) {
				*rs = append(*rs, snapshot.PrivateRoute{ID: "r2", Network: network, TunnelID: goodtest.Tunnel})
			})
		}
	}
	within := func(network string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.PrivateRoutes, goodtest.Account, func(rs *[]snapshot.PrivateRoute) { (*rs)[0].VirtualNetwork = network })
		}
	}
	unruled := disable(goodtest.NetworkRule)
	application := func(change func(*snapshot.AccessApp)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) { change(&(*as)[0]) })
		}
	}
	holds := func(d snapshot.AccessDestination) func(*snapshot.Builder) {
		d.Type = "private"
		return application(func(a *snapshot.AccessApp) { a.Elsewhere = append(a.Elsewhere, d) })
	}
	open := application(func(a *snapshot.AccessApp) {
		a.Policies = []snapshot.AccessPolicy{{ID: "o", Name: "Open", Decision: "bypass", Include: []snapshot.AccessRule{{Kind: "everyone"}}}}
	})
	people := editRule(goodtest.NetworkRule, func(r *snapshot.GatewayRule) { r.Identity = `identity.email == "guest@shop.example"` })
	return []goodtest.Example{
		{Name: "a final block", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a block for all but a public resolver", Want: posture.Pass, Edit: traffic("not (net.dst.ip in {8.8.8.8})")},
		{Name: "a block of every address in halves", Want: posture.Pass, Edit: traffic("net.dst.ip in {0.0.0.0/1 128.0.0.0/1}")},
		{Name: "an allow for some hours before", Want: posture.Pass, Edit: addRule(snapshot.GatewayRule{Action: "allow",
			Filters: []string{"l4"}, Traffic: "net.dst.ip in {10.0.0.0/8}", Scheduled: true})},
		{Name: "an allow of web requests before", Want: posture.Pass, Edit: addRule(snapshot.GatewayRule{Action: "allow",
			Filters: []string{"http"}, Traffic: "net.dst.ip in {10.0.0.0/8}"})},
		{Name: "a block with a port range for all ports", Want: posture.Pass,
			Edit: traffic("net.dst.ip in {10.0.0.0/8} and net.dst.port in {0..65535}")},
		{Name: "everything is blocked at the end", Want: posture.Pass, Edit: traffic("")},
		{Name: "a range of addresses", Want: posture.Pass, Edit: traffic("net.dst.ip in {10.0.0.0..10.255.255.255}")},
		{Name: "one block for each route", Want: posture.Pass, Edit: goodtest.Edits(route("fd00:1::/48"),
			addRule(snapshot.GatewayRule{Action: "block", Filters: []string{"l4"}, Traffic: "net.dst.ip in {fd00::/8}"}))},
		{Name: "two blocks for the halves of the range", Want: posture.Pass, Edit: goodtest.Edits(traffic("net.dst.ip in {10.0.0.0/17}"),
			addRule(snapshot.GatewayRule{Action: "block", Filters: []string{"l4"}, Traffic: "net.dst.ip in {10.0.128.0/17}"}))},
		{Name: "the range is allowed for everybody before", Want: posture.Fail, Resource: goodtest.Account,
			Edit: allow("net.dst.ip in {10.0.0.0/8}")},
		{Name: "everything is allowed before", Want: posture.Fail, Edit: allow("")},
		{Name: "the halves of the range are allowed before", Want: posture.Fail,
			Edit: allow("net.dst.ip in {10.0.0.0/17} or net.dst.ip in {10.0.128.0/17}")},
		{Name: "the range is allowed by one rule for each half before", Want: posture.Fail, Edit: goodtest.Edits(
			allow("net.dst.ip in {10.0.0.0/17}"), addRule(snapshot.GatewayRule{ID: "r8", Name: "High", Action: "allow", Filters: []string{"l4"},
				Traffic: "net.dst.ip in {10.0.128.0/17}"}))},
		{Name: "the range is allowed after the block", Want: posture.Pass, Edit: goodtest.Edits(allow("net.dst.ip in {10.0.0.0/8}"), later)},
		{Name: "half of the range is allowed before", Want: posture.Warning, Resource: goodtest.Account,
			Edit: allow("net.dst.ip in {10.0.0.0/17}")},
		{Name: "one address is allowed before", Want: posture.Pass, Edit: allow("net.dst.ip == 10.0.0.5")},
		{Name: "the range is allowed for some people before", Want: posture.Pass, Edit: addRule(snapshot.GatewayRule{Action: "allow",
			Filters: []string{"l4"}, Traffic: "net.dst.ip in {10.0.0.0/8}", Identity: `identity.email == "a@shop.example"`})},
		{Name: "one port of the range is allowed before", Want: posture.Pass, Edit: allow("net.dst.ip in {10.0.0.0/8} and net.dst.port == 443")},
		{Name: "TCP to the range is allowed before", Want: posture.Fail, Edit: allow(`net.dst.ip in {10.0.0.0/16} and net.protocol == "tcp"`)},
		{Name: "TCP to every range is allowed before", Want: posture.Fail, Edit: allow(`net.protocol in {"tcp" "udp"}`)},
		{Name: "every protocol is allowed before", Want: posture.Fail,
			Edit: allow(`net.dst.ip in {10.0.0.0/16} and net.protocol in {"tcp" "udp" "icmp" "icmpv6"}`)},
		{Name: "UDP to the range is allowed before", Want: posture.Pass, Edit: allow(`net.dst.ip in {10.0.0.0/16} and net.protocol == "udp"`)},
		{Name: "nearly all ports are allowed before", Want: posture.Fail,
			Edit: allow("net.dst.ip in {10.0.0.0/16} and net.dst.port in {2-65535}")},
		{Name: "some ports are allowed before", Want: posture.Pass,
			Edit: allow("net.dst.ip in {10.0.0.0/16} and net.dst.port in {80 443 8000-8099}")},
		{Name: "only TCP is blocked", Want: posture.Warning, Edit: traffic(`net.dst.ip in {10.0.0.0/8} and net.protocol == "tcp"`)},
		{Name: "the range is allowed before for whoever has a mail address", Want: posture.Fail, Edit: addRule(snapshot.GatewayRule{
			Action: "allow", Filters: []string{"l4"}, Traffic: "net.dst.ip in {10.0.0.0/8}", Identity: `identity.email matches ".*"`})},
		{Name: "its virtual network is allowed before", Want: posture.Fail, Edit: goodtest.Edits(within("v1"), allow(`net.vnet_id == "v1"`))},
		{Name: "another virtual network is allowed before", Want: posture.Pass, Edit: goodtest.Edits(within("v1"), allow(`net.vnet_id == "v2"`))},
		{Name: "a block in its virtual network", Want: posture.Pass,
			Edit: goodtest.Edits(within("v1"), traffic(`net.dst.ip in {10.0.0.0/16} and net.vnet_id == "v1"`))},
		{Name: "a block in another virtual network", Want: posture.Fail,
			Edit: goodtest.Edits(within("v1"), traffic(`net.dst.ip in {10.0.0.0/16} and net.vnet_id == "v2"`))},
		{Name: "a block in a virtual network, of which the route tells nothing", Want: posture.Unknown,
			Edit: traffic(`net.dst.ip in {10.0.0.0/16} and net.vnet_id == "v1"`)},
		{Name: "an application holds the range", Want: posture.Pass, Edit: goodtest.Edits(unruled, holds(snapshot.AccessDestination{
			Value: "10.0.0.0/16"}))},
		{Name: "an application holds the range in another virtual network", Want: posture.Fail, Edit: goodtest.Edits(unruled, within("v1"),
			holds(snapshot.AccessDestination{Value: "10.0.0.0/16", Network: "v2"}))},
		{Name: "an application holds one port of the range", Want: posture.Warning, Edit: goodtest.Edits(unruled,
			holds(snapshot.AccessDestination{Value: "10.0.0.0/16", Ports: "443"}))},
		{Name: "an application holds a part of the range", Want: posture.Warning, Edit: goodtest.Edits(unruled,
			holds(snapshot.AccessDestination{Value: "10.0.0.0/24"}))},
		{Name: "an application that lets everyone in holds the range", Want: posture.Fail, Edit: goodtest.Edits(unruled,
			holds(snapshot.AccessDestination{Value: "10.0.0.0/16"}), open)},
		{Name: "no rule, and nobody can read the applications", Want: posture.Unknown, Edit: goodtest.Edits(unruled,
			func(b *snapshot.Builder) { b.Mark(snapshot.AccessApps.Source(), snapshot.Denied, "x", "") })},
		{Name: "all but another range is allowed before", Want: posture.Fail, Edit: allow("net.dst.ip != 192.168.0.0/16")},
		{Name: "all but one port is allowed before", Want: posture.Fail, Edit: allow("not(net.dst.port in {22})")},
		{Name: "all but one protocol is allowed before", Want: posture.Fail, Edit: allow(`net.protocol != "udp"`)},
		{Name: "all but one name is allowed before", Want: posture.Fail, Edit: allow(`net.sni.host != "a.example"`)},
		{Name: "nearly all ports are allowed before, by order", Want: posture.Fail, Edit: allow("net.dst.port > 22")},
		{Name: "a block for all but one address", Want: posture.Pass, Edit: traffic("net.dst.ip != 8.8.8.8")},
		{Name: "a block outside its virtual network", Want: posture.Fail, Edit: goodtest.Edits(within("v1"), traffic(`net.vnet_id != "v1"`))},
		{Name: "a block for all but one source", Want: posture.Warning, Edit: traffic("not(net.src.ip in {100.64.0.0/10})")},
		{Name: "a block for all but one name", Want: posture.Warning, Edit: traffic(`not(any(net.sni.domains[*] in {"a.example"}))`)},
		{Name: "a rule before it that nobody can read", Want: posture.Unknown, Edit: allow("net.dst.ip ???")},
		{Name: "switched off", Want: posture.Fail, Resource: goodtest.Account, Edit: disable(goodtest.NetworkRule)},
		{Name: "another range", Want: posture.Fail, Edit: traffic("net.dst.ip in {192.168.0.0/16}")},
		{Name: "a block that has nothing to do with it", Want: posture.Fail, Edit: traffic(`any(net.sni.domains[*] in {"bad.example"})`)},
		{Name: "all but the range", Want: posture.Fail, Edit: traffic("not net.dst.ip in {10.0.0.0/8}")},
		{Name: "Gateway is not in use", Want: posture.Fail, Edit: absent},
		{Name: "half of the range", Want: posture.Warning, Resource: goodtest.Account, Edit: traffic("net.dst.ip in {10.0.0.0/17}")},
		{Name: "one of two routes", Want: posture.Warning, Resource: goodtest.Account, Edit: route("192.168.0.0/16")},
		{Name: "one port", Want: posture.Warning, Edit: traffic("net.dst.ip in {10.0.0.0/8} and net.dst.port == 22")},
		{Name: "for some people", Want: posture.Warning, Edit: people},
		{Name: "a list of the private ranges", Want: posture.Pass, Edit: goodtest.Edits(traffic("net.dst.ip in $l1"),
			goodtest.GatewayList("l1", "10.0.0.0/8", "172.16.0.0/12", "fd00::/8"))},
		{Name: "a list of half of the range", Want: posture.Warning, Edit: goodtest.Edits(traffic("net.dst.ip in $l1"),
			goodtest.GatewayList("l1", "10.0.0.0/17"))},
		{Name: "a list of both halves of the range", Want: posture.Pass, Edit: goodtest.Edits(traffic("net.dst.ip in $l1"),
			goodtest.GatewayList("l1", "10.0.0.0/17", "10.0.128.0/17"))},
		{Name: "a list without an address", Want: posture.Fail, Edit: goodtest.Edits(traffic("net.dst.ip in $l1"), goodtest.GatewayList("l1"))},
		{Name: "a block of all but an empty list", Want: posture.Pass, Edit: goodtest.Edits(traffic("not (net.dst.ip in $l1)"),
			goodtest.GatewayList("l1"))},
		{Name: "a list of the range is allowed before", Want: posture.Fail, Edit: goodtest.Edits(allow("net.dst.ip in $l1"),
			goodtest.GatewayList("l1", "10.0.0.0/8"))},
		{Name: "an empty list is allowed before", Want: posture.Pass, Edit: goodtest.Edits(allow("net.dst.ip in $l1"),
			goodtest.GatewayList("l1"))},
		{Name: "a list that is gone", Want: posture.Unknown, Edit: goodtest.Edits(traffic("net.dst.ip in $l1"), func(b *snapshot.Builder) {
			b.Set(snapshot.Section{Source: snapshot.GatewayListItems.Source(), Scope: "l1", Status: snapshot.Absent})
		})},
		{Name: "a list nobody read", Want: posture.Unknown, Edit: traffic("net.dst.ip in $0c1b2f6e-1111-4c5b-9d77-4d0f3f0f0f0f")},
		{Name: "an expression nobody can read", Want: posture.Unknown, Edit: traffic("net.dst.ip ???")},
		{Name: "a route nobody can read", Want: posture.Unknown, Edit: route("office")},
		{Name: "no private route", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.PrivateRoutes, goodtest.Account, []snapshot.PrivateRoute{})
		}},
	}
}

func evaluatePrivateDeny(v *check.View) check.Outcome {
	routes := check.Read(v, snapshot.PrivateRoutes)
	rules := admission.NetworkOf(check.GatewayRules(v))
	apps, known := check.ReadOptional(v, snapshot.AccessApps)
	access, reusable := check.AccessOf(v)
	all, some := truth.Yes, truth.No
	open := ""
	for _, r := range routes {
		whole, part := truth.Undecided, truth.Undecided
		if p, ok := r.Prefix(); ok {
			whole, part = rules.Blocks(p, r.VirtualNetwork)
			held := func(bits int) exposure.Guard { // by destinations of at most so many bits
				return access.Private(apps, reusable, func(d snapshot.AccessDestination) bool {
					q, ok := prefix(d.Value)
					return ok && q.Bits() <= bits && q.Overlaps(p) && (d.Network == "" || d.Network == r.VirtualNetwork)
				})
			}
			outer, any := held(p.Bits()), held(p.Addr().BitLen())
			whole = truth.Or(whole, truth.If(known && outer != exposure.UnsureGuard, outer == exposure.GuardedWhole))
			part = truth.Or(part, truth.If(known && any != exposure.UnsureGuard, any != exposure.Unguarded))
		}
		if whole != truth.Yes && open == "" {
			open = r.Network
		}
		all, some = truth.And(all, whole), truth.Or(some, part)
	}
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.GatewayRules, "", observed, "an enabled l4 rule with action block for every private range")
	}
	switch {
	case some == truth.No:
		return v.Fail("No network policy or Access application guards the private ranges, so every enrolled device reaches all of them, "+
			"such as "+open+".",
			seen("no block for "+open)).As(denyWords(v, routes, ""))
	case all == truth.No && some == truth.Yes:
		return v.Warn("Network policies and Access applications guard only a part of the private ranges; "+open+" is open, at least in part.",
			seen("no complete block for "+open)).
			As(denyWords(v, routes, "A part of the private networks of this account is open"))
	case all == truth.Yes:
		return v.Pass("Every private range is blocked by a last rule, or held by an Access application.")
	case !known:
		return v.Unknown("no network policy blocks every private range; whether Access applications hold the rest is not known")
	}
	return v.Unknown("a network rule or a route is not one this check can read, or a policy of an Access application is not known")
}

// denyWords returns the words for an account without such a block. A new rule comes last, after
// rules that admit everyone.
func denyWords(v *check.View, routes []snapshot.PrivateRoute, problem string) posture.Words {
	w := posture.Words{Problem: problem}
	var ranges []string
	for _, r := range routes {
		ranges = append(ranges, r.Network)
	}
	rules := admission.NetworkOf(append(check.GatewayRules(v), admission.RuleOf(snapshot.GatewayRule{Enabled: true,
		Filters: []string{"l4"}, Action: "block", Traffic: "net.dst.ip in {" + strings.Join(ranges, " ") + "}", Precedence: math.Inf(1)}, nil)))
	for _, r := range routes {
		p, ok := r.Prefix()
		if whole, _ := rules.Blocks(p, r.VirtualNetwork); !ok || whole != truth.Yes {
			w.ByHand = true
			break
		}
	}
	return w
}
