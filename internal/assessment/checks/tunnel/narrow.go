package tunnel

import (
	"cmp"
	"net/netip"
	"net/url"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// narrow judges how much of a network a tunnel opens. Its routes are judged together: the widest
// one decides.
func narrow() check.Check {
	return check.Check{
		ID: "CFL-TUNNEL-004", Title: "Private routes are narrow",
		Category: "tunnels", Severity: posture.Medium, Resource: posture.ResourceTunnel, Scope: check.PerAccount,
		Why: "A private route sends a range of addresses into a tunnel for every enrolled device. Access to it is " +
			"limited only by Gateway policies.",
		Fix: "Replace the route by the ranges that are in use, or by hostname routes.",
		Words: posture.Words{
			Problem:   "A private route of tunnel {name} is too wide",
			Impact:    "Someone with one infected device scans and attacks every machine in the range.",
			Breaks:    "Addresses outside the smaller range can no longer be reached through the tunnel.",
			Dashboard: "Zero Trust › Networks › Routes › CIDR routes: edit the route and enter the smaller range.",
			Terraform: `resource "cloudflare_zero_trust_tunnel_cloudflared_route" "network" {
  account_id = "{account_id}"
  tunnel_id  = "{id}"
  network    = var.network
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/"},
		Controls: check.Controls{
			check.Supports("cis 12.2", "Routes open only the parts of the network that are needed."),
			check.Supports("soc2 CC6.6", "Whoever enters by the client sees little of the inside."),
			check.Supports("pci 1.2.5", "Networks are routed only where that was approved."),
			check.Supports("nist PR.IR-01", "Most of the private network cannot be reached."),
		},
		Needs:    []snapshot.Named{snapshot.PrivateRoutes},
		Optional: []snapshot.Named{snapshot.Tunnels}, // for their names
		Evaluate: evaluateNarrow,
	}
}

func narrowExamples() []goodtest.Example {
	route := func(network string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.PrivateRoutes, goodtest.Account, func(rs *[]snapshot.PrivateRoute) {
				*rs = append(*rs, snapshot.PrivateRoute{ID: "r2-" + network, Network: network, TunnelID: goodtest.Tunnel, TunnelType: "cfd_tunnel"})
			})
		}
	}
	return []goodtest.Example{
		{Name: "a /16", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a /12", Want: posture.Pass, Edit: route("172.16.0.0/12")},
		{Name: "a v6 /32", Want: posture.Pass, Edit: route("2001:db8::/32")},
		{Name: "every address", Want: posture.Fail, Resource: goodtest.Tunnel, Edit: route("0.0.0.0/0")},
		{Name: "every v6 address", Want: posture.Fail, Resource: goodtest.Tunnel, Edit: route("::/0")},
		{Name: "a /8", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: route("10.0.0.0/8")},
		{Name: "a /1", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: route("0.0.0.0/1")},
		{Name: "the two halves of every address", Want: posture.Fail, Resource: goodtest.Tunnel,
			Edit: goodtest.Edits(route("0.0.0.0/1"), route("128.0.0.0/1"))},
		{Name: "every address in three parts", Want: posture.Fail, Resource: goodtest.Tunnel,
			Edit: goodtest.Edits(route("0.0.0.0/1"), route("128.0.0.0/2"), route("192.0.0.0/2"))},
		{Name: "every address but a part", Want: posture.Warning, Resource: goodtest.Tunnel,
			Edit: goodtest.Edits(route("0.0.0.0/1"), route("128.0.0.0/2"), route("192.0.0.0/3"))},
		{Name: "a v6 /24", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: route("fd00::/24")},
		{Name: "a network nobody can read", Want: posture.Unknown, Resource: goodtest.Tunnel, Edit: route("office")},
		{Name: "no route", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.PrivateRoutes, goodtest.Account, []snapshot.PrivateRoute{})
		}},
	}
}

func evaluateNarrow(v *check.View) check.Outcome {
	var order []string
	widest := map[string]snapshot.PrivateRoute{}
	grade, networks, wide := map[string]breadth{}, map[string][]netip.Prefix{}, map[string]int{}
	for _, r := range check.Read(v, snapshot.PrivateRoutes) {
		if p, ok := r.Prefix(); ok {
			networks[r.TunnelID] = append(networks[r.TunnelID], p.Masked())
		}
		g := breadthOf(r)
		if g > unreadable {
			wide[r.TunnelID]++
		}
		if was, known := grade[r.TunnelID]; !known {
			order = append(order, r.TunnelID)
		} else if was >= g {
			continue
		}
		grade[r.TunnelID], widest[r.TunnelID] = g, r
	}
	for id := range grade {
		if all(networks[id]) {
			grade[id] = everything
		}
	}
	names := map[string]string{}
	tunnels, _ := check.ReadOptional(v, snapshot.Tunnels)
	for _, t := range tunnels {
		names[t.ID] = t.Name
	}
	j := v.Judge()
	for _, id := range order {
		route := widest[id]
		r := posture.Resource{Type: posture.ResourceTunnel, ID: id, Name: cmp.Or(names[id], id)}
		seen := check.Evidence(snapshot.PrivateRoutes, "/"+route.ID+"/network", route.Network, "/12 (v4) or /32 (v6) and narrower")
		switch grade[id] {
		case everything:
			j.Fail(r, "The private routes of the tunnel "+r.Name+" cover every address, such as "+route.Network+".", seen)
			j.As(routeWords("A private route sends every address into tunnel {name}", route, wide[id]))
		case broad:
			j.Warn(r, "The private route "+route.Network+" of the tunnel "+r.Name+" is wider than /12 (IPv4) or /32 (IPv6).", seen)
			j.As(routeWords("A private route of tunnel {name} is too wide", route, wide[id]))
		case unreadable:
			j.Unclear(r, "Cloudflare returned a network this check cannot read")
		default:
			j.Pass()
		}
	}
	return j.Done("Every private route is narrow.", "no private route exists")
}

// routeWords returns the words for a tunnel's wide routes. A single one is narrowed with one
// request; several must be narrowed one by one.
func routeWords(problem string, r snapshot.PrivateRoute, wide int) posture.Words {
	if wide != 1 {
		return posture.Words{Problem: problem, ByHand: true}
	}
	return posture.Words{Problem: problem, Call: posture.Call{Method: "PATCH",
		Path: "/accounts/{account_id}/teamnet/routes/" + url.PathEscape(r.ID), Body: `{"network": "{$NETWORK}"}`,
		Choose: "NETWORK: the range that is in use behind the tunnel (such as 10.20.0.0/16)"}}
}

// breadth grades a route, worst last.
type breadth int

const (
	fine breadth = iota
	unreadable
	broad
	everything
)

func breadthOf(r snapshot.PrivateRoute) breadth {
	p, ok := r.Prefix()
	least := 12
	if ok && p.Addr().Is6() {
		least = 32
	}
	switch {
	case !ok:
		return unreadable
	case p.Bits() == 0:
		return everything
	case p.Bits() < least:
		return broad
	default:
		return fine
	}
}

// all reports whether networks together cover every address of an IP version, such as its two
// halves.
func all(networks []netip.Prefix) bool {
	var covers func(p netip.Prefix) bool
	covers = func(p netip.Prefix) bool {
		if slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Bits() <= p.Bits() && n.Overlaps(p) }) {
			return true
		}
		if !slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Overlaps(p) }) {
			return false
		}
		low := netip.PrefixFrom(p.Addr(), p.Bits()+1)
		half := p.Addr().AsSlice()
		half[p.Bits()/8] |= 0x80 >> (p.Bits() % 8)
		high, _ := netip.AddrFromSlice(half)
		return covers(low) && covers(netip.PrefixFrom(high, p.Bits()+1))
	}
	return covers(netip.PrefixFrom(netip.IPv4Unspecified(), 0)) || covers(netip.PrefixFrom(netip.IPv6Unspecified(), 0))
}
