package ddos

import (
	"github.com/edgeposture/edgeposture/internal/check"
	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// httpFloods judges the overrides of the HTTP protection of a zone.
func httpFloods() check.Check {
	put := func(o *snapshot.Overrides) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZonePhaseDDoS, check.GoodZone, execute(o)) }
	}
	return check.Check{
		ID: "CFL-DDOS-001", Title: "HTTP DDoS overrides do not lower protection",
		Category: "ddos", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "A weakened mitigation lets floods reach the origin.",
		Fix:        "Remove the override or limit it to the path that misfired.",
		References: []string{"https://developers.cloudflare.com/ddos-protection/managed-rulesets/http/", "https://developers.cloudflare.com/ddos-protection/"},
		Controls:   posture.Controls{CIS: []string{"13.8"}, SOC2: []string{"CC7.2", "A1.1"}, PCI: []string{}, NIST: []string{"PR.IR-04"}},
		Aliases:    []string{"flareinspect:CFL-DDOS-001", "union:ddos-sensitivity"},
		Remedy: &check.Remedy{Operation: "PATCH /zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}", Risk: "medium", Reversible: true,
			Body:    "the whole rule as read without the weakening override members",
			Inverse: "PATCH the captured rule",
			Caution: "Legitimate bursts that caused the override may be mitigated again."},
		Needs: []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseDDoS, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			if reason := check.LiveTraffic(v); reason != "" {
				return v.NotApplicable(reason)
			}
			g, blamed, observed := worst(check.Read(v, snapshot.ZonePhaseDDoS))
			seen := check.Seen(snapshot.ZonePhaseDDoS, "/rules/"+blamed+"/action_parameters/overrides", observed, "no override that lowers the protection")
			switch g {
			case removed:
				return v.Fail("An override takes HTTP flood protection of "+v.Zone().Name+" out of force.", seen)
			case lowered:
				return v.Warn("An override makes HTTP flood protection of "+v.Zone().Name+" less sensitive.", seen)
			default:
				return v.Pass("HTTP flood protection is at full strength.")
			}
		},
		Examples: append(overrideExamples(put, check.GoodZone), check.Example{Name: "no proxied record", Want: posture.NotApplicable,
			Edit: check.Edits(put(&snapshot.Overrides{Action: "log"}), check.EditRecords(func(r *snapshot.DNSRecord) { r.Proxied = false }))}),
	}
}
