package dns

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// delegation judges whether the zone is delegated to the provider. It queries a resolver for the
// name servers; the parent zone and the servers it names differ only while a change propagates.
func delegation() check.Check {
	return check.Check{
		ID: "CFL-DNS-013", Title: "Delegation at the registry matches the assigned name servers",
		Category: "dns", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Resolvers ask the name servers that the registry lists. Where these are not the ones Cloudflare assigned, " +
			"records and rules of this zone do not apply.",
		Fix: "Enter the name servers that Cloudflare assigned at the registrar, or delete the zone when another provider " +
			"serves the domain.",
		Words: posture.Words{
			Problem: "{zone} is delegated to name servers that Cloudflare did not assign",
			Impact: "Whoever runs the other name servers decides where visitors go, and none of the protection configured here " +
				"applies.",
			Breaks: "Records that exist only at the other DNS provider no longer answer; copy them first.",
			Dashboard: "DNS › Records › Cloudflare Nameservers: copy both names to the registrar, then Overview › Check nameservers " +
				"now.",
		},
		References: []string{"https://developers.cloudflare.com/dns/"},
		Controls: check.Controls{
			check.Supports("cis 1.1", "The domain is served by the name servers that the inventory believes in."),
			check.Supports("soc2 CC6.6", "A delegation to foreign servers would move the boundary elsewhere."),
			check.Supports("pci 1.4.2", "Visitors are led through the approved components."),
			check.Supports("nist PR.IR-01", "Nobody else answers for the domain."),
		},
		Aliases:  []string{"union:nameserver-mismatch"},
		Needs:    []snapshot.Named{snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.DNSLookup},
		Asks: func(v *check.View) []snapshot.Question {
			if delegatedElsewhere(v) != "" {
				return nil
			}
			return []snapshot.Question{{Type: "NS", Name: v.Zone().Name}}
		},
		Unless:   delegatedElsewhere,
		Evaluate: evaluateDelegation,
	}
}

func delegationExamples() []goodtest.Example {
	answer := func(servers ...string) func(*snapshot.Builder) {
		return goodtest.Answer("NS", goodtest.Domain, "NOERROR", servers...)
	}
	return []goodtest.Example{
		{Name: "the assigned servers", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "the assigned servers, in capitals and with a final dot", Want: posture.Pass,
			Edit: answer("A.NS.cloudflare.com.", "B.NS.cloudflare.com.")},
		{Name: "other servers", Want: posture.Fail, Resource: goodtest.Zone, Edit: answer("ns1.elsewhere.test")},
		{Name: "the domain is not delegated", Want: posture.Fail, Edit: goodtest.Answer("NS", goodtest.Domain, "NXDOMAIN")},
		{Name: "one is missing", Want: posture.Warning, Resource: goodtest.Zone, Edit: answer("a.ns.cloudflare.com")},
		{Name: "one too many", Want: posture.Warning, Edit: answer("a.ns.cloudflare.com", "b.ns.cloudflare.com", "ns1.elsewhere.test")},
		{Name: "a second provider", Want: posture.Pass, Edit: answer("a.ns.cloudflare.com", "b.ns.cloudflare.com", "ns1.elsewhere.test"),
			Policy: func(p *policy.Policy) { p.NameServers = []string{"ns1.elsewhere.test"} }},
		{Name: "vanity name servers", Want: posture.Pass, Edit: answer("ns1.shop.example", "ns2.shop.example"),
			Policy: func(p *policy.Policy) { p.NameServers = []string{"ns1.shop.example", "ns2.shop.example"} }},
		{Name: "vanity name servers that Cloudflare names", Want: posture.Pass, Edit: goodtest.Edits(vanity,
			answer("ns1.shop.example", "ns2.shop.example"))},
		{Name: "one of the vanity name servers", Want: posture.Warning, Edit: goodtest.Edits(answer("ns1.shop.example"), vanity)},
		{Name: "the resolver fails", Want: posture.Unknown, Edit: goodtest.Answer("NS", goodtest.Domain, "SERVFAIL")},
		{Name: "nobody looked", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.DNSLookup.Source(), snapshot.Failed, "", "look-ups are off")
		}},
		{Name: "a partial zone", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "partial" })},
		{Name: "not active", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" })},
	}
}

// vanity is an example edit: the name servers of the zone have names of their own.
func vanity(b *snapshot.Builder) {
	goodtest.EditZone(func(z *snapshot.Zone) { z.Vanity = []string{"ns1.shop.example", "ns2.shop.example"} })(b)
}

func delegatedElsewhere(v *check.View) string {
	switch z := v.Zone(); {
	case z.Type == "partial" || z.Type == "secondary" || z.Type == "internal":
		return "the zone is of type " + z.Type
	case z.Status != "active":
		return "the zone is not active (CFL-ZONE-003)"
	default:
		return ""
	}
}

func evaluateDelegation(v *check.View) check.Outcome {
	z := v.Zone()
	l, ok := check.ReadOptionalAt(v, snapshot.DNSLookup, snapshot.LookupScope("NS", z.Name))
	own := func(host string) bool { return assigned(z, host) || listed(v.Policy.NameServers, host) }
	seen := check.Evidence(snapshot.DNSLookup, "/"+z.Name, strings.Join(l.Answers, ", "), strings.Join(z.NameServers, ", "))
	switch {
	case !ok:
		return v.Unknown("no look-up told which name servers the domain is delegated to")
	case !l.Missing() && l.Rcode != "NOERROR":
		return v.Unknown("the resolver answered " + l.Rcode)
	case len(z.NameServers) == 0:
		return v.Unknown("Cloudflare returned no name servers of the zone")
	case len(l.Answers) == 0:
		return v.Fail(z.Name+" is not delegated to any name server.", seen).As(posture.Words{Problem: "{zone} is not delegated",
			Impact: "Nobody reaches the domain, and when it has expired, whoever registers it decides where its visitors and mail go."})
	case !slices.ContainsFunc(l.Answers, own):
		return v.Fail(z.Name+" is delegated to "+strings.Join(l.Answers, ", ")+" and to none of the name servers that Cloudflare assigned.", seen)
	}
	declared := !slices.ContainsFunc(l.Answers, func(h string) bool { return !own(h) })
	all := func(names []string) bool {
		return !slices.ContainsFunc(names, func(h string) bool { return !listed(l.Answers, h) })
	}
	complete := all(z.NameServers) || len(z.Vanity) > 0 && all(z.Vanity)
	elsewhere := !slices.ContainsFunc(l.Answers, func(h string) bool { return assigned(z, h) })
	if declared && (complete || elsewhere) {
		return v.Pass("The domain is delegated to the name servers of the zone.")
	}
	return v.Warn(z.Name+" is delegated to "+strings.Join(l.Answers, ", ")+"; Cloudflare assigned "+
		strings.Join(z.NameServers, ", ")+".", seen).
		As(posture.Words{Problem: "Delegation of {zone} differs from the assigned name servers",
			Impact: "A foreign name server in the list answers a part of the queries and can send those visitors elsewhere; a missing one " +
				"makes an outage more likely."})
}
