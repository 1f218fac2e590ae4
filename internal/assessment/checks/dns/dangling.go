package dns

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// dangling judges records that point to names that do not exist. It uses only DNS: a web page that
// looks abandoned proves nothing, and requesting it would be noticed. Targets on the provider's own
// platforms are judged by CFL-DNS-007.
func dangling() check.Check {
	return check.Check{
		ID: "CFL-DNS-006", Title: "No record points to something another party can claim",
		Category: "dns", Severity: posture.Critical, Resource: posture.ResourceDNSRecord, Scope: check.PerZone,
		Why: "A record keeps working when the service behind it is given up. Whoever registers the free name at the " +
			"platform, or the free domain, then answers under your name.",
		Fix: "Delete the record, or create the resource again under the same name if it is still needed.",
		Words: posture.Words{
			Problem: "{name} points to a name that anyone can claim",
			Impact: "Anyone with an account at the platform can claim the name, serve pages as {name}, get a certificate for it " +
				"and read cookies of the domain.",
			Breaks:    "Nothing that works today: the target of the record does not answer.",
			Dashboard: "DNS › Records › {name} › Edit › Delete.",
			Call:      posture.Call{Method: "DELETE", Path: "/zones/{zone_id}/dns_records/{id}"},
		},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: check.Controls{
			check.Supports("cis 4.8", "Records to services that were given up are removed."),
			check.Supports("cis 7.6", "It looks for claimable names on every run."),
			check.Supports("soc2 CC6.6", "Outsiders cannot serve pages from inside the domain."),
			check.Supports("pci 1.4.2", "A name of the domain does not lead to a component that a stranger runs."),
			check.Supports("pci 6.3.1", "Claimable names are found and ranked."),
			check.Supports("nist ID.RA-01", "Claimable names are found and recorded as vulnerabilities."),
		},
		Aliases: []string{"prowler:dns_record_cname_target_valid", "cfsi:dangling-cname", "subjack:cname"},
		Remedy: &propose.Remedy{Operation: "DELETE /zones/{zone_id}/dns_records/{dns_record_id}", Risk: "medium", Reversible: true,
			Body:    "none",
			Inverse: "POST /zones/{zone_id}/dns_records with the captured record (new id)",
			Caution: "The name no longer leads to its target, which does not exist. Check that nobody is about to create it again.",
			Propose: proposeRemoval},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.DNSLookup},
		Asks: func(v *check.View) []snapshot.Question {
			var out []snapshot.Question
			own := exposure.DomainsOf(check.OwnZones(v))
			for _, r := range check.Public(v, v.Zone()) {
				if questions := questionsOf(own, r); len(questions) > 0 {
					out = append(append(out, questions...), furtherQuestions(v, r, questions[0].Name)...)
				}
			}
			return out
		},
		Unless: check.NotPublic,
		Evaluate: func(v *check.View) check.Outcome {
			j, own := v.Judge(), exposure.DomainsOf(check.OwnZones(v))
			for _, r := range check.Public(v, v.Zone()) {
				if questions := questionsOf(own, r); len(questions) > 0 {
					judgeTarget(v, j, r, questions)
				}
			}
			return j.Done("Every target outside the account exists.", "no record points outside the zones of the account")
		},
	}
}

// proposeRemoval deletes a record whose target does not exist, once a new DNS look-up confirms it.
// A delegation is left to people: the names below it are not visible here.
func proposeRemoval(c *propose.Case) ([]change.Edit, error) {
	place, live, err := record(c)
	if live == nil || err != nil {
		return nil, err
	}
	kind := propose.Text(live, "type")
	target := targetOf(kind, propose.Text(live, "content"))
	switch {
	case kind == "NS":
		return nil, propose.Refuse("The record delegates a name, and what lies below it cannot be seen here; remove it by hand.")
	case target == "", exposure.Within(target, "pages.dev"), exposure.Within(target, "cfargotunnel.com"):
		return nil, nil
	}
	zone, err := c.OwnZoneOf(target)
	if err != nil || zone != nil && propose.Text(zone, "status") == "active" && propose.Text(zone, "type") != "internal" {
		return nil, err
	}
	for _, kind := range []string{"A", "AAAA"} {
		answer, err := c.Ask(snapshot.Question{Type: kind, Name: target})
		switch {
		case err != nil:
			return nil, err
		case answer.Rcode == "NOERROR":
			return nil, propose.Refuse("The target %s exists now, so the record stays; run a new assessment.", target)
		case !answer.Missing():
			return nil, propose.Refuse("The name system gave no clear answer about %s (%s), so the record stays.", target, answer.Rcode)
		}
	}
	return deletion(c, place, live)
}
