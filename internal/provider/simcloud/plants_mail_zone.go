package simcloud

import (
	"slices"
	"strings"
)

// plantsReceiving weaken how mail is received.
func plantsReceiving() []Plant {
	catchAll := func(variant, result string, action func(*zone) obj) Plant {
		return zonal("CFL-EMAIL-007", variant, result, "catch-all", func(z *zone) { z.catchAll["actions"] = []obj{action(z)} }).
			on("pro", "business", "enterprise").when(func(a *account) bool { return !a.spec.Plain })
	}
	// A wildcard record would answer for the policy host.
	transport := func(variant, result string, labels ...string) Plant {
		return zonal("CFL-EMAIL-009", variant, result, "mta-sts", func(z *zone) {
			z.drop(func(r record) bool {
				label, found := strings.CutSuffix(r.Name, "."+z.name)
				return found && slices.Contains(labels, label)
			})
		}).claimingOnly("mta-sts", "wildcard")
	}
	rule := func(check, variant, local string, action func(*zone) obj) Plant {
		return Plant{CheckID: check, Variant: variant, Result: failed, ResourceType: "rule", Zonal: true, slots: []string{"mail-routing"},
			Apply: func(s *Scene) []Planted {
				return one(check, "rule", asText(s.zone.addMailRule(local, action(s.zone))["id"]), failed)
			}}.on("pro", "business", "enterprise").when(func(a *account) bool { return !a.spec.Plain })
	}
	outside := func(z *zone) obj {
		address := canaryMailSender + "@free-mailbox.test"
		z.acct.addMailbox(address, true)
		return obj{"type": "forward", "value": []string{address}}
	}
	return []Plant{
		rule("CFL-EMAIL-012", "outside", "invoices", outside), rule("CFL-EMAIL-013", "outside", "hostmaster", outside),
		rule("CFL-EMAIL-014", "unverified", "support", func(z *zone) obj {
			z.acct.addMailbox(canaryMailSender+".new@"+z.name, false)
			return obj{"type": "forward", "value": []string{canaryMailSender + ".new@" + z.name}}
		}),
		rule("CFL-EMAIL-014", "unknown", "support", func(z *zone) obj {
			return obj{"type": "forward", "value": []string{canaryMailSender + ".gone@" + z.name}}
		}),
		zonal("CFL-EMAIL-015", "gone", failed, "mail-worker", func(z *zone) {
			z.addMailRule("tickets", obj{"type": "worker", "value": []string{"mail-sorter-that-is-gone"}})
		}).claimingOnly("mail-routing").on("pro", "business", "enterprise").when(func(a *account) bool { return !a.spec.Plain }),
		catchAll("outside", failed, func(*zone) obj {
			return obj{"type": "forward", "value": []string{canaryMailSender + "@free-mailbox.test"}}
		}),
		catchAll("inside", warning, func(z *zone) obj {
			return obj{"type": "forward", "value": []string{canaryMailSender + "@" + z.name}}
		}),
		catchAll("worker", warning, func(*zone) obj { return obj{"type": "worker", "value": []string{"mail-sorter"}} }).
			with(Planted{"CFL-EMAIL-015", "zone", "", failed}),
		transport("neither", failed, "_mta-sts", "mta-sts"), transport("no-host", warning, "mta-sts"),
		transport("no-text", warning, "_mta-sts"), transport("no-reports", warning, "_smtp._tls"),
	}
}

// plantsParked remove mail from a zone. The findings come from mailTruth, since another plant may
// add a mail host again.
func plantsParked() []Plant {
	refuse := func(z *zone) { z.apexText("v=spf1").Content = `"v=spf1 -all"` }
	parked := func(variant, result string, change func(*zone)) Plant {
		return zoneState("CFL-EMAIL-011", variant, result, "mail-host", func(z *zone) {
			z.drop(func(r record) bool { return r.Type == "MX" || r.Name == "mail."+z.name })
			z.routing = false
			change(z)
		}).claimingOnly("mail-host", "spf", "dmarc", "dkim", "mta-sts", "catch-all", "mail-routing")
	}
	// also adds a finding that does not depend on other plants in the zone.
	also := func(p Plant, check string) Plant { return p.with(Planted{check, "zone", "", failed}) }
	return []Plant{
		parked("sending", failed, func(*zone) {}),
		also(parked("no-spf", failed, func(z *zone) {
			id := z.apexText("v=spf1").ID
			z.drop(func(r record) bool { return r.ID == id || strings.Contains(r.Name, "._domainkey.") })
		}), "CFL-EMAIL-001"),
		parked("quarantine", failed, func(z *zone) {
			refuse(z)
			z.find("TXT", "_dmarc."+z.name).Content = `"v=DMARC1; p=quarantine; rua=mailto:dmarc@` + z.name + `"`
		}),
		also(parked("no-dmarc", failed, func(z *zone) {
			refuse(z)
			z.drop(func(r record) bool { return r.Name == "_dmarc."+z.name })
		}), "CFL-EMAIL-003"),
		parked("no-null-mx", warning, refuse),
	}
}

// mailTruth returns the findings for a zone without mail once all plants are applied.
func (z *zone) mailTruth() []Planted {
	if slices.ContainsFunc(z.records, func(r record) bool { return r.Type == "MX" && r.Content != "." }) {
		return nil
	}
	refuses, rejects, null := false, false, false
	for _, r := range z.records {
		refuses = refuses || r.Type == "TXT" && r.Name == z.name && r.Content == `"v=spf1 -all"`
		rejects = rejects || r.Type == "TXT" && r.Name == "_dmarc."+z.name && strings.Contains(r.Content, "p=reject")
		null = null || r.Type == "MX"
	}
	switch {
	case !refuses || !rejects:
		return one("CFL-EMAIL-011", "zone", z.id, failed)
	case !null:
		return one("CFL-EMAIL-011", "zone", z.id, warning)
	}
	return nil
}
