package dns

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// registrantRedacted judges whether the registry shows the owner of a domain. Some registries
// require it and some companies want it, so this is only good practice.
// want to be found: it is hygiene.
func registrantRedacted() check.Check {
	return check.Check{
		ID: "CFL-REG-003", Title: "Registrant data is redacted",
		Category: "dns", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Without redaction WHOIS and RDAP show name, address, phone and mailbox of the registrant. That mailbox approves transfers, " +
			"and phishing is written with the rest.",
		Fix: "Turn redaction of registrant data on for domains whose registry allows it.",
		Words: posture.Words{
			Problem:   "Domains of this account publish who registered them",
			Impact:    "Anyone can look up the person and the mailbox that approve a transfer of the domain, and write to them.",
			Breaks:    "Nothing; people who look for the owner reach a form of Cloudflare instead.",
			Dashboard: "Domain Registration › Manage Domains › the domain › Manage › Configuration › WHOIS privacy: On.",
			Terraform: `resource "cloudflare_registrar_domain" "domain" {
  account_id  = "{account_id}"
  domain_name = var.domain_name
  privacy     = true
}`},
		References: []string{"https://developers.cloudflare.com/registrar/account-options/whois-redaction/"},
		Controls: check.Controls{
			check.Touches("cis 4.1", "Redaction is one setting of a registration."),
			check.Supports("soc2 C1.1", "Contact data of people is shown to nobody who has no need of it."),
			check.Touches("nist PR.AA-05", "It hides whom to deceive and takes no permission away."),
		},
		Needs: []snapshot.Named{snapshot.AccountRegistrations},
		Evaluate: func(v *check.View) check.Outcome {
			var shown, odd []string
			all := check.Read(v, snapshot.AccountRegistrations)
			for _, r := range all {
				switch strings.ToLower(r.Privacy) {
				case "redaction":
				case "off":
					shown = append(shown, r.Domain)
				default:
					odd = append(odd, r.Domain)
				}
			}
			return judgeDomains(v, len(all), domains{shown, "without redaction of registrant data", "redaction", posture.Words{}}, domains{},
				odd)
		},
	}
}

func registrantRedactedExamples() []goodtest.Example {
	with := func(modes ...string) func(*snapshot.Builder) {
		var all []snapshot.Registration
		for i, m := range modes {
			r := registration(string(rune('a'+i))+".example", true, true, 200)
			r.Privacy = m
			all = append(all, r)
		}
		return registered(all...)
	}
	return []goodtest.Example{
		{Name: "redacted", Want: posture.Pass, Resource: goodtest.Account, Edit: with("redaction")},
		{Name: "published", Want: posture.Fail, Resource: goodtest.Account, Edit: with("off")},
		{Name: "one of two", Want: posture.Fail, Edit: with("redaction", "off")},
		{Name: "in capitals", Want: posture.Fail, Edit: with("OFF")},
		{Name: "a mode nobody knows", Want: posture.Unknown, Edit: with("proxy")},
		{Name: "not told", Want: posture.Unknown, Edit: with("redaction", "")},
		{Name: "none is registered here", Want: posture.NotApplicable, Edit: with()},
	}
}
