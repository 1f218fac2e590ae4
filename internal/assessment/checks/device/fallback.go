package device

import (
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// fallback finds public suffixes that local resolvers answer.
func fallback() check.Check {
	return check.Check{
		ID: "CFL-DEVICE-010", Title: "Local domain fallback names no public suffix",
		Category: "posture", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Queries for a domain in Local Domain Fallback go to the resolver of the local network, past every DNS policy. That is " +
			"meant for internal domains.",
		Fix: "Replace the suffix in Local Domain Fallback by the internal domains that only the local resolver knows.",
		Words: posture.Words{
			Problem: "Whole public suffixes bypass DNS policies in this account",
			Impact: "Anyone can register a domain below the suffix; malware and phishing there resolve unseen, and a foreign network " +
				"chooses the answer.",
			Breaks:    "Internal names below the suffix stop resolving until their own domain is listed.",
			Dashboard: profilesAt + "Local Domain Fallback › Manage: replace the suffix.",
			Terraform: `resource "cloudflare_zero_trust_device_default_profile_local_domain_fallback" "default" {
  account_id = "{account_id}"
  domains    = [{ suffix = var.internal_domain, dns_server = [var.internal_resolver] }]
}`},
		References: []string{
			"https://developers.cloudflare.com/cloudflare-one/team-and-resources/devices/cloudflare-one-client/configure/" +
				"route-traffic/local-domains/"},
		Controls: check.Controls{
			check.Supports("cis 9.2", "Names of the internet are resolved by the filter."),
			check.Supports("soc2 CC6.8", "Malicious domains are blocked wherever a device is."),
			check.Supports("nist DE.CM-01", "Queries for names of the internet are seen."),
		},
		Needs:    []snapshot.Named{snapshot.DevicePolicy, snapshot.DevicePolicies, snapshot.AccessApps},
		Unless:   notManaged,
		Evaluate: evaluateFallback,
	}
}

func fallbackGood(b *snapshot.Builder) {
	set := func(p *snapshot.DeviceProfile) { p.Fallback = []string{} }
	goodtest.Edits(editDefault(set), editCustom(set))(b)
}

func fallbackExamples() []goodtest.Example {
	names := func(list ...string) func(*snapshot.Builder) {
		return editCustom(func(p *snapshot.DeviceProfile) { p.Fallback = list })
	}
	return []goodtest.Example{
		{Name: "nothing", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "what Cloudflare sets at first", Want: posture.Pass, Edit: names("home.arpa", "intranet", "internal", "private", "localdomain",
			"domain", "lan", "home", "host", "corp", "local", "localhost", "invalid", "test")},
		{Name: "a domain of the organization", Want: posture.Pass, Edit: names("corp.shop.example")},
		{Name: "a registered domain", Want: posture.Pass, Edit: names("shop.com", "shop.co.uk")},
		{Name: "a suffix that a company offers", Want: posture.Pass, Edit: names("github.io")},
		{Name: "a free profile that is off", Want: posture.Pass,
			Edit: editCustom(func(p *snapshot.DeviceProfile) { p.Fallback, p.Enabled = []string{"com"}, false })},
		{Name: "com", Want: posture.Fail, Resource: goodtest.Account, Edit: names("com")},
		{Name: "com, written in other ways", Want: posture.Fail, Edit: names("*.COM.")},
		{Name: "a suffix of two parts", Want: posture.Fail, Edit: names("co.uk")},
		{Name: "every name", Want: posture.Fail, Edit: names(".")},
		{Name: "com in the default profile", Want: posture.Fail,
			Edit: editDefault(func(p *snapshot.DeviceProfile) { p.Fallback = []string{"com"} })},
		{Name: "not told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: editCustom(func(p *snapshot.DeviceProfile) { p.Fallback = nil })},
		{Name: "no device is managed", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Unmanaged,
			editDefault(func(p *snapshot.DeviceProfile) { p.Fallback = []string{"com"} }))},
	}
}

func evaluateFallback(v *check.View) check.Outcome {
	var found []posture.Evidence
	reported, custom := true, false // the Terraform is for the default profile
	for _, p := range check.Profiles(v) {
		reported = reported && p.Fallback != nil
		for _, name := range p.Fallback {
			if registry(name) {
				found, custom = append(found, p.Evidence("fallback_domains", `"`+name+`"`, "internal domains")), custom || !p.Default
			}
		}
	}
	if len(found) > 0 {
		return v.Fail("Local resolvers answer for "+check.Count(len(found), "public suffix", "public suffixes")+" on devices.", found...).
			As(posture.Words{ByHand: custom})
	}
	if !reported {
		return v.Unknown("Cloudflare did not return which domains local resolvers answer for")
	}
	return v.Pass("Local resolvers answer for single domains only.")
}

// registry reports whether anyone can register names below a suffix, according to the registry
// section of the Public Suffix List. The suffix host is in it but is also in Cloudflare's default
// list.
func registry(name string) bool {
	name = strings.Trim(strings.ToLower(strings.TrimSpace(name)), "*.")
	suffix, official := publicsuffix.PublicSuffix(name)
	return name == "" || official && suffix == name && name != "arpa" && name != "host" && !strings.HasSuffix(name, ".arpa")
}
