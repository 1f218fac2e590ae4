package ddos

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
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
				now, blamed, observed, unsure := worst(check.Read(v, k), traffic.Packets)
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
				return v.Unknown("it is not known which traffic an override is for, or what it does")
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

func networkFloodsExamples() []goodtest.Example {
	put := func(k snapshot.Key[snapshot.Ruleset]) func(*snapshot.Overrides) func(*snapshot.Builder) {
		return func(o *snapshot.Overrides) func(*snapshot.Builder) {
			return func(b *snapshot.Builder) { snapshot.Put(b, k, goodtest.Account, execute(o)) }
		}
	}
	two := func(k snapshot.Key[snapshot.Ruleset], first, second string) func(*snapshot.Builder) {
		return behind(k, goodtest.Account, first, second)
	}
	return append(append(overrideExamples(put(snapshot.AccountPhaseDDoSL4), goodtest.Account),
		orderExamples(snapshot.AccountPhaseDDoSL4, goodtest.Account)...),
		goodtest.Example{Name: "logs for a network within one that an earlier rule blocks", Want: posture.Pass,
			Edit: two(snapshot.AccountPhaseDDoSL4, "ip.dst in {45.60.0.0/16}", "ip.dst in {45.60.10.0/24} and tcp.dstport eq 443")},
		goodtest.Example{Name: "logs for another network", Want: posture.Warning, Resource: goodtest.Account,
			Edit: two(snapshot.AccountPhaseDDoSL4, "ip.dst in {45.60.10.0/24}", "ip.dst in {45.60.11.0/24}")},
		goodtest.Example{Name: "logs for a wider network", Want: posture.Warning, Resource: goodtest.Account,
			Edit: two(snapshot.AccountPhaseDDoSL4, "ip.dst in {45.60.10.0/24}", "ip.dst in {45.60.0.0/16}")},
		goodtest.Example{Name: "logs for the rest", Want: posture.Warning, Resource: goodtest.Account,
			Edit: two(snapshot.AccountPhaseDDoSL4, "tcp.flags.syn", "true")},
		goodtest.Example{Name: "logs for both halves of all addresses", Want: posture.Fail, Resource: goodtest.Account, Edit: two(
			snapshot.AccountPhaseDDoSL4, "false", "ip.dst in {0.0.0.0/1 128.0.0.0/1 ::/0}")},
		goodtest.Example{Name: "logs for a list, behind a rule for another", Want: posture.Unknown,
			Edit: two(snapshot.AccountPhaseDDoSL4, "ip.dst in $office", "ip.dst in $plant")},
		goodtest.Example{Name: "logs for a path behind a rule for the same path", Want: posture.Unknown,
			Edit: two(snapshot.AccountPhaseDDoSL7, `http.request.uri.path contains "/a"`, `http.request.uri.path contains "/a/b"`)},
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
