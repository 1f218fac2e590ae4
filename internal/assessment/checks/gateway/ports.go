package gateway

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// ports judges whether HTTP policies see web traffic on ports other than 80 and 443.
func ports() check.Check {
	return check.Check{
		ID: "CFL-GW-009", Title: "HTTP policies see web traffic on every port",
		Category: "gateway", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Gateway inspects HTTP on port 80 and HTTPS on port 443 unless it detects protocols and inspects all ports. Anything " +
			"else is judged by network policies alone.",
		Fix: "Turn on protocol detection and inspection on all ports, or end the network policies with a block of other ports.",
		Words: posture.Words{
			Problem: "Gateway inspects web traffic of this account on two ports",
			Impact: "Malware that fetches from or sends to a site on port 8443 passes every HTTP policy, DLP profile and virus " +
				"scan.",
			Breaks: "Programs that use TLS with a pinned certificate on other ports fail until a Do Not Inspect policy names them.",
			Dashboard: "Zero Trust › Traffic policies › Traffic settings › Proxy and inspection: Allow protocol detection: On, then " +
				"Manage HTTP inspection by port: Inspect on all ports.",
			Call: posture.Call{Method: "PATCH", Path: configPath,
				Body: `{"settings": {"protocol_detection": {"enabled": true}, "inspection": {"mode": "dynamic"}}}`},
			Terraform: `resource "cloudflare_zero_trust_gateway_settings" "gateway" {
  account_id = "{account_id}"
  settings = {
    protocol_detection = { enabled = true }
    inspection         = { mode = "dynamic" }
  }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/traffic-policies/network-policies/protocol-detection/"},
		Controls: check.Controls{
			check.Supports("cis 9.3", "URL filters hold on ports that are not usual for the web."),
			check.Supports("soc2 CC6.8", "Files are scanned whatever port they come from."),
			check.Supports("nist DE.CM-01", "Web traffic on every port is seen."),
		},
		Needs:    []snapshot.Named{snapshot.GatewayConfig, snapshot.GatewayRules},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Unless:   notDecrypting,
		Evaluate: evaluatePorts,
	}
}

const configPath = "/accounts/{account_id}/gateway/configuration"

func portsGood(b *snapshot.Builder) {
	on := true
	snapshot.Edit(b, snapshot.GatewayConfig, goodtest.Account, func(s *snapshot.GatewaySettings) { s.Protocols, s.Ports = &on, "dynamic" })
}

func portsExamples() []goodtest.Example {
	off := false
	set := func(protocols *bool, mode string) func(*snapshot.Builder) {
		return editConfig(func(s *snapshot.GatewaySettings) { s.Protocols, s.Ports = protocols, mode })
	}
	on := true
	closed := func(r snapshot.GatewayRule) func(*snapshot.Builder) {
		r.Action, r.Filters = "block", []string{"l4"}
		return goodtest.Edits(set(&off, "static"), addRule(r))
	}
	open := func(traffic string) func(*snapshot.Builder) {
		return editRules(func(rs *[]snapshot.GatewayRule) {
			*rs = append(*rs, snapshot.GatewayRule{ID: "r8", Name: "Open", Enabled: true, Action: "allow", Filters: []string{"l4"},
				Traffic: traffic, Precedence: 1})
		})
	}
	return []goodtest.Example{
		{Name: "every port", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "two ports, and the rest is blocked", Want: posture.Pass, Edit: closed(snapshot.GatewayRule{})},
		{Name: "two ports, and every address is blocked at the end", Want: posture.Pass,
			Edit: closed(snapshot.GatewayRule{Traffic: "net.dst.ip in {0.0.0.0/0 ::/0}"})},
		{Name: "two ports, and a rule allows everything before the block", Want: posture.Fail,
			Edit: goodtest.Edits(closed(snapshot.GatewayRule{}), open(`net.dst.port in {1..65535}`))},
		{Name: "two ports, and a rule allows all but one network before the block", Want: posture.Fail,
			Edit: goodtest.Edits(closed(snapshot.GatewayRule{}), open("not(net.dst.ip in {45.60.10.0/24})"))},
		{Name: "two ports, and every other port is blocked", Want: posture.Pass,
			Edit: closed(snapshot.GatewayRule{Traffic: "not(net.dst.port in {80 443})"})},
		{Name: "two ports, and the ports between and around them are blocked", Want: posture.Pass,
			Edit: closed(snapshot.GatewayRule{Traffic: "net.dst.port in {1..79 81..442 444..65535}"})},
		{Name: "two ports, and the ports around them are blocked, in another spelling", Want: posture.Pass,
			Edit: closed(snapshot.GatewayRule{Traffic: "net.dst.port in {1-79 81-442 444-65535}"})},
		{Name: "two ports, and all of TCP but them is blocked", Want: posture.Pass,
			Edit: closed(snapshot.GatewayRule{Traffic: `net.protocol == "tcp" and net.dst.port != 80 and net.dst.port != 443`})},
		{Name: "two ports, and every other port is blocked by two rules", Want: posture.Pass, Edit: goodtest.Edits(
			closed(snapshot.GatewayRule{Traffic: "net.dst.port in {1024..65535}"}), addRule(snapshot.GatewayRule{ID: "r7", Name: "Low",
				Action: "block", Filters: []string{"l4"}, Traffic: "net.dst.port < 1024 and net.dst.port != 80 and net.dst.port != 443"}))},
		{Name: "two ports, and a rule allows everything between the two that block every other port", Want: posture.Fail, Edit: goodtest.Edits(
			addRule(snapshot.GatewayRule{ID: "r7", Name: "High", Action: "block", Filters: []string{"l4"}, Traffic: "net.dst.port >= 1024"}),
			addRule(snapshot.GatewayRule{ID: "r6", Name: "All", Action: "allow", Filters: []string{"l4"}}),
			closed(snapshot.GatewayRule{Traffic: "net.dst.port < 1024"}), editRule("r9", func(r *snapshot.GatewayRule) { r.Precedence = 11 }))},
		{Name: "two ports, and two rules allow all names but one and that one before the block", Want: posture.Fail, Edit: goodtest.Edits(
			closed(snapshot.GatewayRule{}), open(`net.sni.host == "a.example"`), addRule(snapshot.GatewayRule{ID: "r7", Name: "Others",
				Action: "allow", Filters: []string{"l4"}, Traffic: `net.sni.host != "a.example"`}), editRule("r9",
				func(r *snapshot.GatewayRule) { r.Precedence = 11 }))},
		{Name: "two ports, and high ports are blocked", Want: posture.Fail,
			Edit: closed(snapshot.GatewayRule{Traffic: "net.dst.port in {1024..65535}"})},
		{Name: "two ports, and UDP is blocked", Want: posture.Fail, Edit: closed(snapshot.GatewayRule{Traffic: `net.protocol == "udp"`})},
		{Name: "two ports, and a rule allows TCP before the block", Want: posture.Fail,
			Edit: goodtest.Edits(closed(snapshot.GatewayRule{}), open(`net.protocol == "tcp"`))},
		{Name: "two ports, and a rule allows high ports before the block", Want: posture.Fail,
			Edit: goodtest.Edits(closed(snapshot.GatewayRule{}), open("net.dst.port in {1024..65535}"))},
		{Name: "two ports, and a rule allows all but one port before the block", Want: posture.Fail,
			Edit: goodtest.Edits(closed(snapshot.GatewayRule{}), open("net.dst.port != 22"))},
		{Name: "two ports, and a rule allows one port before the block", Want: posture.Pass,
			Edit: goodtest.Edits(closed(snapshot.GatewayRule{}), open("net.dst.port == 22"))},
		{Name: "two ports, and the rest is blocked for some people", Want: posture.Fail,
			Edit: closed(snapshot.GatewayRule{Identity: `identity.email == "a@shop.example"`})},
		{Name: "two ports", Want: posture.Fail, Resource: goodtest.Account, Edit: set(&off, "static")},
		{Name: "never set", Want: posture.Fail, Resource: goodtest.Account, Edit: set(nil, "")},
		{Name: "protocols are detected and two ports inspected", Want: posture.Fail, Edit: set(&on, "static")},
		{Name: "all ports without detection", Want: posture.Fail, Edit: set(&off, "dynamic")},
		{Name: "a mode nobody knows", Want: posture.Unknown, Resource: goodtest.Account, Edit: set(&on, "strict")},
		{Name: "encrypted traffic is not seen", Want: posture.NotApplicable,
			Edit: goodtest.Edits(set(nil, ""), editConfig(func(s *snapshot.GatewaySettings) { s.TLSDecrypt = &off }))},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: absent},
	}
}

func evaluatePorts(v *check.View) check.Outcome {
	s := check.Read(v, snapshot.GatewayConfig)
	rest := truth.No
	open, closed := admission.NewUnion(otherPorts(exposure.Always)), admission.NewUnion(otherPorts(exposure.Varies))
	for _, r := range admission.NetworkOf(check.GatewayRules(v)) {
		switch {
		case admission.Limited(r):
		case r.Action == "allow":
			open.Add(r)
		default:
			rest = truth.Or(rest, truth.And(closed.Add(r), truth.Not(open.All())))
		}
	}
	seen := check.Evidence(snapshot.GatewayConfig, "/inspection", "ports 80 and 443", "all ports")
	switch mode := strings.ToLower(s.Ports); {
	case mode != "dynamic" && mode != "static" && mode != "":
		return v.Unknown("Cloudflare returned an inspection mode this check does not know")
	case mode == "dynamic" && s.Protocols != nil && *s.Protocols:
		return v.Pass("Web traffic is inspected on every port.")
	case rest == truth.Yes:
		return v.Pass("Web traffic is inspected on ports 80 and 443, and a network policy blocks what no policy allows.")
	case rest == truth.Undecided:
		return v.Unknown("the expression of a network rule that blocks is not one this check can read")
	}
	return v.Fail("Gateway inspects web traffic on ports 80 and 443 only.", seen)
}

const lastPort = 1<<16 - 1

// otherPorts is mostly for web traffic on ports other than 80 and 443, where many is the fact of a test for many of
// these ports, but not all.
func otherPorts(many exposure.Fact) func(expression.Expr) exposure.Fact {
	return func(e expression.Expr) exposure.Fact {
		m, ok := admission.MemberOf(e)
		switch {
		case ok && m.Field == "net.protocol":
			return exposure.Fixed(m.Holds(expression.Text("tcp")))
		case !ok || m.Field != "net.dst.port" || m.Listed:
			return mostly(e)
		}
		var held [lastPort + 1]bool
		for _, r := range m.Ports() {
			for port := max(r.Lo, 1); port <= min(r.Hi, lastPort); port++ {
				held[port] = true
			}
		}
		others := 0
		for port, is := range held {
			if is && port != 80 && port != 443 {
				others++
			}
		}
		switch {
		case others == lastPort-2:
			return exposure.Always
		case others < admission.ManyPorts:
			return exposure.Never
		}
		return many
	}
}
