package gateway

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// locations finds DNS endpoints that answer everyone. It is worse if they resolve private names.
func locations() check.Check {
	return check.Check{
		ID: "CFL-GW-012", Title: "DNS locations answer the organization's own devices",
		Category: "gateway", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "The DoH, DoT and IPv6 endpoints of a DNS location answer whoever knows their address, unless they are limited to source " +
			"networks or, for DoH, to users who are signed in.",
		Fix: "Limit the endpoints of each location to your networks, require a token for DoH, and turn off the endpoints nobody uses.",
		Words: posture.Words{
			Problem: "DNS endpoints of this account answer anyone and resolve private names",
			Impact: "Anyone who learns the address of an endpoint, from one configured device, asks for names that only internal " +
				"resolvers know.",
			Breaks: "Devices outside of the listed networks without the Cloudflare One Client can no longer resolve names there.",
			Dashboard: "Zero Trust › Networks › Resolvers & Proxies › DNS locations › the location › Edit: set source networks for each " +
				"endpoint, or require a user token for DoH.",
			Terraform: `resource "cloudflare_zero_trust_dns_location" "office" {
  account_id = "{account_id}"
  name       = "Office"
  endpoints = { # version 5.24 needs each of these members
    doh  = { enabled = true, require_token = true, networks = [] }
    dot  = { enabled = false, networks = [] }
    ipv4 = { enabled = true }
    ipv6 = { enabled = false, networks = [] }
  }
  networks = [{ network = var.office_network }]
  max_ttl  = { mode = "inherit" }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/networks/resolvers-and-proxies/dns/locations/"},
		Controls: check.Controls{
			check.Supports("cis 4.9", "The resolver of the organization serves its own devices."),
			check.Supports("soc2 CC6.6", "Outsiders cannot ask the resolver."),
			check.Touches("pci 1.4.5", "It keeps internal names from outsiders when a resolver policy would give them away."),
		},
		Needs:    []snapshot.Named{snapshot.GatewayRules, snapshot.GatewayLocations},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Unless:   notOnboarded,
		Evaluate: evaluateLocations,
	}
}

func locationsGood(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.GatewayLocations, goodtest.Account, []snapshot.GatewayLocation{goodLocation()})
}

func goodLocation() snapshot.GatewayLocation {
	return snapshot.GatewayLocation{ID: "l1", Name: "Office", DoH: &snapshot.DNSEndpoint{Enabled: true, Token: true},
		DoT: &snapshot.DNSEndpoint{}, IPv6: &snapshot.DNSEndpoint{Enabled: true, Networks: []string{"2001:db8::/48"}}}
}

func locationsExamples() []goodtest.Example {
	location := func(change func(*snapshot.GatewayLocation)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			l := goodLocation()
			change(&l)
			snapshot.Put(b, snapshot.GatewayLocations, goodtest.Account, []snapshot.GatewayLocation{l})
		}
	}
	doh := func(e *snapshot.DNSEndpoint) func(*snapshot.Builder) {
		return location(func(l *snapshot.GatewayLocation) { l.DoH = e })
	}
	resolver := addRule(snapshot.GatewayRule{Action: "resolve", Filters: []string{"dns_resolver"}, Traffic: `any(dns.domains[*] in {"corp"})`})
	openDoH := doh(&snapshot.DNSEndpoint{Enabled: true})
	return []goodtest.Example{
		{Name: "a token and networks", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "DoH for some networks", Want: posture.Pass,
			Edit: doh(&snapshot.DNSEndpoint{Enabled: true, Networks: []string{"203.0.113.0/28"}})},
		{Name: "DoH is off", Want: posture.Pass, Edit: doh(&snapshot.DNSEndpoint{})},
		{Name: "DoH for everyone, and private names", Want: posture.Fail, Resource: goodtest.Account, Edit: goodtest.Edits(openDoH, resolver)},
		{Name: "DoH for everyone, and the rule for private names is off", Want: posture.Warning,
			Edit: goodtest.Edits(openDoH, resolver, disable("r9"))},
		{Name: "DoH for everyone", Want: posture.Warning, Resource: goodtest.Account, Edit: openDoH},
		{Name: "DoH for both halves of everyone", Want: posture.Warning,
			Edit: doh(&snapshot.DNSEndpoint{Enabled: true, Networks: []string{"0.0.0.0/1", "128.0.0.0/1"}})},
		{Name: "DoT for everyone", Want: posture.Warning,
			Edit: location(func(l *snapshot.GatewayLocation) { l.DoT = &snapshot.DNSEndpoint{Enabled: true} })},
		{Name: "IPv6 for everyone", Want: posture.Warning, Edit: location(func(l *snapshot.GatewayLocation) { l.IPv6.Networks = nil })},
		{Name: "an endpoint is not told", Want: posture.Unknown, Resource: goodtest.Account, Edit: doh(nil)},
		{Name: "a network nobody can read", Want: posture.Unknown,
			Edit: doh(&snapshot.DNSEndpoint{Enabled: true, Networks: []string{"office"}})},
		{Name: "no location", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.GatewayLocations, goodtest.Account, []snapshot.GatewayLocation{})
		}},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: goodtest.Edits(absent, skip(snapshot.GatewayLocations))},
	}
}

func evaluateLocations(v *check.View) check.Outcome {
	all, odd := check.Read(v, snapshot.GatewayLocations), false
	var found []posture.Evidence
	for _, l := range all {
		for _, e := range []struct {
			name string
			at   *snapshot.DNSEndpoint
		}{{"doh", l.DoH}, {"dot", l.DoT}, {"ipv6", l.IPv6}} {
			switch {
			case e.at == nil:
				odd = true
			case !e.at.Enabled || e.at.Token && e.name == "doh":
			case len(e.at.Networks) == 0 || breadthOf(e.at.Networks) == open:
				found = append(found, check.Evidence(snapshot.GatewayLocations, "/"+l.ID+"/endpoints/"+e.name,
					l.Name+": "+strings.ToUpper(e.name)+" for everyone", "source networks, or a token for DoH"))
			case breadthOf(e.at.Networks) == unreadable:
				odd = true
			}
		}
	}
	private := admission.EnabledRules(check.GatewayRules(v), "dns_resolver", "resolve")
	endpoints := check.Count(len(found), "DNS endpoint", "")
	switch {
	case len(all) == 0:
		return v.NotApplicable("the account has no DNS location")
	case len(found) > 0 && len(private) > 0:
		return v.Fail("Everyone may ask "+endpoints+", and the rule "+private[0].Name+" resolves names by a resolver of its own.", found...)
	case len(found) > 0:
		return v.Warn("Everyone may ask "+endpoints+" of the DNS locations.", found...).Rated(posture.Low).
			As(posture.Words{Problem: "DNS endpoints of this account answer anyone",
				Impact: "Anyone who learns the address of an endpoint fills your DNS logs and can test which names your policies block."})
	case odd:
		return v.Unknown("Cloudflare returned an endpoint or a network this check cannot read")
	}
	return v.Pass("The endpoints of DNS locations are limited to networks or to users who are signed in.")
}
