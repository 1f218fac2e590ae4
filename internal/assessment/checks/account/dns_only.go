package account

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// dnsOnly judges the emergency switch that turns off the proxy for every zone at once.
func dnsOnly() check.Check {
	return check.Check{
		ID: "CFL-ACC-012", Title: "The proxy is in force for the account",
		Category: "account", Severity: posture.Medium, Worst: posture.Critical, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Enforce DNS-only answers every DNS query with the addresses of the origins, whatever the records say. It is meant for an " +
			"outage of Cloudflare and takes WAF, rate limits and DDoS protection away from all zones at once.",
		Fix: "Turn Enforce DNS-only off as soon as the emergency is over, and give origins whose addresses were shown new ones.",
		Words: posture.Words{
			Problem: "Enforce DNS-only takes all zones of this account off the proxy",
			Impact: "Anyone looks up the addresses of the origins and attacks them directly. No rule of any zone is run, and Access does not " +
				"guard its applications.",
			Breaks:    "Traffic passes Cloudflare again: an origin that refuses the addresses of Cloudflare stops answering.",
			Dashboard: "Manage Account › Configurations › DNS Settings › Enforce DNS-only: Off.",
			Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/dns_settings",
				Body: `{"enforce_dns_only": false}`},
			Terraform: `resource "cloudflare_account_dns_settings" "this" {
  account_id       = "{account_id}"
  enforce_dns_only = false
}`},
		References: []string{"https://developers.cloudflare.com/dns/proxy-status/enforce-dns-only/"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "The firewall at the edge is not taken out of the way."),
			check.Supports("soc2 CC6.6", "The boundary is in force for all zones."),
			check.Supports("pci 1.4.2", "Untrusted networks reach the proxy and not the origin."),
			check.Supports("pci 1.4.5", "Addresses of origins are not given to everyone who asks."),
			check.Supports("nist PR.IR-01", "Origins are reached only through the edge."),
		},
		Needs:    []snapshot.Named{snapshot.AccountDNSSettings, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.ZoneDNSRecords},
		Evaluate: evaluateDNSOnly,
	}
}

func evaluateDNSOnly(v *check.View) check.Outcome {
	s, zones := check.Read(v, snapshot.AccountDNSSettings), check.Read(v, snapshot.ZoneList)
	switch {
	case len(zones) == 0:
		return v.NotApplicable("the account has no zone")
	case v.StatusOf(snapshot.AccountDNSSettings) != snapshot.OK || s.DNSOnly == nil:
		return v.Unknown("Cloudflare did not say whether DNS-only is enforced")
	case !*s.DNSOnly:
		return v.Pass("DNS-only is not enforced.")
	}
	proxied := false
	for _, z := range zones { // of one outside of the run nothing is known
		records, known := check.ReadOptionalAt(v, snapshot.ZoneDNSRecords, z.ID)
		proxied = proxied || !known || slices.ContainsFunc(records, func(r snapshot.DNSRecord) bool { return r.Proxied })
	}
	j := v.Judge()
	j.Fail(v.Resource(), "DNS-only is enforced: Cloudflare answers for every zone with the addresses of the origins.",
		check.Evidence(snapshot.AccountDNSSettings, "/enforce_dns_only", "true", "false"))
	if proxied {
		j.Rated(posture.Critical)
	} else {
		j.Rated(posture.Low) // no record is proxied
	}
	return j.Done("", "")
}

func dnsOnlyExamples() []goodtest.Example {
	set := func(on *bool) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountDNSSettings, goodtest.Account, snapshot.DNSDefaults{DNSOnly: on})
		}
	}
	on := true
	return []goodtest.Example{
		{Name: "off", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "on", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.Account, Edit: set(&on)},
		{Name: "on, and nothing is proxied", Want: posture.Fail, Severity: posture.Low, Edit: goodtest.Edits(set(&on), goodtest.NotProxied())},
		{Name: "on, and the records are not readable", Want: posture.Fail, Severity: posture.Critical, Edit: goodtest.Edits(set(&on),
			goodtest.Denied(snapshot.ZoneDNSRecords))},
		{Name: "not told", Want: posture.Unknown, Edit: set(nil)},
		{Name: "not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.AccountDNSSettings)},
		{Name: "no zone", Want: posture.NotApplicable, Edit: goodtest.Edits(set(&on), func(b *snapshot.Builder) {
			b.Zones = nil
			snapshot.Put(b, snapshot.ZoneList, goodtest.Account, []snapshot.Zone{})
		})},
	}
}

func dnsOnlyGood(b *snapshot.Builder) {
	off := false
	snapshot.Put(b, snapshot.AccountDNSSettings, goodtest.Account, snapshot.DNSDefaults{DNSOnly: &off})
}
