package aigateway

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// authentication finds gateways that anyone who knows the address can use.
func authentication() check.Check {
	return check.Check{
		ID: "CFL-AIGW-001", Title: "AI gateways demand authentication",
		Category: "ai-gateway", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "An AI Gateway forwards prompts with your keys. Without authentication its address is all that is needed.",
		Fix: "Turn on Authenticated Gateway, after your clients send the header cf-aig-authorization with a token.",
		Words: posture.Words{
			Problem:   "AI gateways of this account answer without authentication",
			Impact:    "Anyone who learns the address sends prompts at your cost and may read answers from the cache.",
			Breaks:    "Clients that send no cf-aig-authorization header are refused.",
			Dashboard: "AI › AI Gateway › the gateway › Settings › Authenticated Gateway: On.",
		},
		References: []string{"Cloudflare docs: AI Gateway authentication"},
		Controls: check.Controls{
			check.Supports("cis 6.1", "Only callers who were given a token may use the gateway."),
			check.Supports("soc2 CC6.1", "The gateway asks for a credential before it forwards to a model."),
			check.Supports("pci 7.2.5", "Applications that call models have an identity of their own."),
			check.Supports("nist PR.AA-05", "Use of a paid model follows from a grant and not from knowing an address."),
		},
		Aliases: []string{"flareinspect:CFL-AIGW-001"},
		Needs:   []snapshot.Named{snapshot.AIGateways},
		Unless:  check.Empty(snapshot.AIGateways, "the account has no AI gateway"),
		Evaluate: func(v *check.View) check.Outcome {
			var open check.Found
			untold := ""
			for _, g := range check.Read(v, snapshot.AIGateways) {
				switch {
				case g.Authentication == nil:
					untold = g.ID
				case !*g.Authentication:
					open.Add(g.ID, seen(g, "/authentication", "false", "true"))
				}
			}
			switch {
			case len(open.Names) > 0:
				return v.Fail("These AI gateways demand no authentication: "+open.String()+".", open.Rows...)
			case untold != "":
				return v.Unknown("Cloudflare did not return whether the gateway " + untold + " demands authentication")
			}
			return v.Pass("Every AI gateway demands authentication.")
		},
	}
}

func authenticationExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "on", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "off", Want: posture.Fail, Resource: goodtest.Account, Edit: edit(func(g *snapshot.AIGateway) { g.Authentication = new(false) })},
		{Name: "not told", Want: posture.Unknown, Edit: edit(func(g *snapshot.AIGateway) { g.Authentication = nil })},
		{Name: "no gateway", Want: posture.NotApplicable, Edit: none},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.AIGateways.Source(),
				snapshot.NotEntitled, "", "")
		}},
	}
}
