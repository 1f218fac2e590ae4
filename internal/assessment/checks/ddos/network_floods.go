package ddos

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// networkFloods judges the overrides of the account, on both layers.
func networkFloods() check.Check {
	phases := []snapshot.Key[snapshot.Ruleset]{snapshot.AccountPhaseDDoSL4, snapshot.AccountPhaseDDoSL7}
	return check.Check{
		ID: "CFL-DDOS-002", Title: "Network DDoS overrides do not lower protection",
		Category: "ddos", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Plans: []string{"enterprise"},
		Why: "An override of the account applies to every announced prefix at once; one of HTTP protection to every zone that has none " +
			"of its own.",
		Fix: "Remove the override, or limit it by expression to the prefix that misfired.",
		Words: posture.Words{
			Problem:   "Network DDoS protection of this account is weakened",
			Impact:    "An attacker who floods any address of the account gets traffic through that Cloudflare would have stopped.",
			Breaks:    "Legitimate bursts that were the reason for the override may be mitigated again.",
			Dashboard: "L3/4 DDoS protection › DDoS managed rules: delete the override or set it back to the default.",
		},
		References: []string{"https://developers.cloudflare.com/ddos-protection/managed-rulesets/network/",
			"https://developers.cloudflare.com/ddos-protection/"},
		Controls: check.Controls{
			check.Supports("cis 13.8", "Network floods are blocked at the sensitivity that Cloudflare chose."),
			check.Touches("soc2 CC7.2", "It acts on anomalies in traffic; nobody is told of them by it."),
			check.Supports("soc2 A1.1", "Network capacity is not given away to floods."),
			check.Supports("nist PR.IR-04", "Network capacity is kept available because floods are blocked in full."),
		},
		Needs: []snapshot.Named{snapshot.AccountRulesets, snapshot.AccountPhaseDDoSL4, snapshot.AccountPhaseDDoSL7, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			var g grade
			var seen posture.Evidence
			var words posture.Words
			open := false
			for _, k := range phases {
				now, blamed, observed, unsure := worst(check.Read(v, k), partOf)
				open = open || unsure
				if now > g {
					words = posture.Words{}
					if k == snapshot.AccountPhaseDDoSL7 {
						words = httpOfAccount()
					}
					g, seen = now, check.Evidence(k, "/rules/"+blamed+"/action_parameters/overrides", observed, "no override that lowers the protection")
				}
			}
			switch {
			case g == removed:
				return v.Fail("An override of the account takes flood protection out of force.", seen).As(words)
			case g == lowered:
				return v.Warn("An override of the account weakens flood protection.", seen).As(words)
			case open:
				return v.Unknown("it is not known which traffic an override is for")
			default:
				return v.Pass("Flood protection of the account is at full strength.")
			}
		},
	}
}

// httpOfAccount returns the words for an override of HTTP protection, which no page of the dashboard
// shows.
func httpOfAccount() posture.Words {
	return posture.Words{ByHand: true, Problem: "HTTP DDoS protection of zones in this account is weakened",
		Impact: "An attacker who floods a zone without overrides of its own gets requests through that Cloudflare would have stopped.",
		Dashboard: "Security › Settings › DDoS of a zone shows its own overrides only. Remove that of the account by the API, in the " +
			"phase ddos_l7."}
}

// partOf treats an override with a condition as one for part of the traffic.
func partOf(condition string) traffic.Coverage {
	return traffic.Coverage(exposure.Cover(condition, func(expression.Expr) exposure.Fact { return exposure.Varies }))
}

func networkFloodsExamples() []goodtest.Example {
	put := func(k snapshot.Key[snapshot.Ruleset]) func(*snapshot.Overrides) func(*snapshot.Builder) {
		return func(o *snapshot.Overrides) func(*snapshot.Builder) {
			return func(b *snapshot.Builder) { snapshot.Put(b, k, goodtest.Account, execute(o)) }
		}
	}
	return append(overrideExamples(put(snapshot.AccountPhaseDDoSL4), goodtest.Account),
		goodtest.Example{Name: "on the HTTP layer", Want: posture.Fail,
			Edit: put(snapshot.AccountPhaseDDoSL7)(&snapshot.Overrides{Action: "log"})},
		goodtest.Example{Name: "for one address", Want: posture.Warning, Resource: goodtest.Account, Edit: func(b *snapshot.Builder) {
			entry := execute(&snapshot.Overrides{Sensitivity: "eoff"})
			entry.Rules[0].Expression = "ip.dst in {45.60.10.0/24}"
			snapshot.Put(b, snapshot.AccountPhaseDDoSL4, goodtest.Account, entry)
		}},
		goodtest.Example{Name: "no enterprise zone", Want: posture.NotApplicable,
			Edit: goodtest.Edits(put(snapshot.AccountPhaseDDoSL4)(&snapshot.Overrides{Action: "log"}),
				goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" }))})
}
