package aigateway

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// guarded judges whether the costs and contents of prompts are limited.
func guarded() check.Check {
	return check.Check{
		ID: "CFL-AIGW-002", Title: "AI gateways are limited and guarded",
		Category: "ai-gateway", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Prompts can carry secrets out and harmful answers in, and a script in a loop runs up a bill.",
		Fix: "Set a rate limit for the gateway, then turn on Guardrails or a DLP policy that blocks.",
		Words: posture.Words{
			Problem:   "AI gateways of this account have no limits or guardrails",
			Impact:    "A runaway or hostile client spends your budget, and personal data leaves in prompts unseen.",
			Breaks:    "Clients above the limit get an error 429; prompts that Guardrails flags are refused.",
			Dashboard: "AI › AI Gateway › the gateway › Settings › Rate limiting, and Guardrails.",
		},
		References: []string{"Cloudflare docs: AI Gateway"},
		Controls: check.Controls{
			check.Supports("cis 3.13", "Guardrails look at prompts and answers for what must not leave."),
			check.Supports("soc2 CC6.7", "Data that is sent to a model passes a filter."),
			check.Supports("soc2 A1.1", "Rate limits keep one caller from using up the capacity."),
			check.Touches("pci 6.2.4", "Limits and guardrails dampen abuse of a model; they are not secure engineering."),
			check.Supports("nist PR.DS-10", "Data that is being processed by a model is filtered."),
		},
		Needs:    []snapshot.Named{snapshot.AIGateways},
		Unless:   check.Empty(snapshot.AIGateways, "the account has no AI gateway"),
		Evaluate: evaluateGuarded,
	}
}

func guardedExamples() []goodtest.Example {
	set := func(rate int, spend, guard, loss bool) func(*snapshot.Builder) {
		return edit(func(g *snapshot.AIGateway) {
			g.RateLimit, g.RateInterval, g.SpendLimit, g.Guardrails, g.LossRules = rate, 1, spend, guard, loss
		})
	}
	return []goodtest.Example{
		{Name: "a rate limit and guardrails", Want: posture.Pass, Resource: goodtest.Account, Edit: set(100, false, true, false)},
		{Name: "a spend limit and data loss rules", Want: posture.Pass, Edit: set(0, true, false, true)},
		{Name: "neither", Want: posture.Fail, Resource: goodtest.Account, Edit: set(0, false, false, false)},
		{Name: "only a limit", Want: posture.Warning, Resource: goodtest.Account, Edit: set(100, false, false, false)},
		{Name: "100 a second", Want: posture.Pass, Edit: set(100, false, true, false)},
		{Name: "a limit nobody reaches", Want: posture.Warning, Edit: set(101, false, true, false)},
		{Name: "a limit nobody reaches, and a spend limit", Want: posture.Pass, Edit: set(1_000_000, true, true, false)},
		{Name: "6000 a minute", Want: posture.Pass, Edit: edit(func(g *snapshot.AIGateway) { g.RateLimit, g.RateInterval = 6000, 60 })},
		{Name: "a limit without an interval", Want: posture.Warning, Edit: edit(func(g *snapshot.AIGateway) { g.RateInterval = 0 })},
		{Name: "only guardrails", Want: posture.Warning, Edit: set(0, false, true, false)},
		{Name: "a limit, and prompts are only flagged", Want: posture.Warning, Edit: edit(func(g *snapshot.AIGateway) {
			g.RateLimit, g.Guardrails, g.LossRules, g.OnlyFlags = 100, false, false, true
		})},
		{Name: "no limit, and prompts are only flagged", Want: posture.Warning, Edit: edit(func(g *snapshot.AIGateway) {
			g.RateLimit, g.SpendLimit, g.Guardrails, g.LossRules, g.OnlyFlags = 0, false, false, false, true
		})},
		{Name: "no gateway", Want: posture.NotApplicable, Edit: none},
	}
}

// mostPrompts is the highest rate limit, in requests per second, that still counts as one.
const mostPrompts = 100

// limits reports whether a gateway has an effective rate limit. Without an interval there is none.
func limits(g snapshot.AIGateway) bool {
	return g.RateLimit > 0 && g.RateInterval > 0 && g.RateLimit <= mostPrompts*g.RateInterval
}

func evaluateGuarded(v *check.View) check.Outcome {
	var bare, half check.Found
	for _, g := range check.Read(v, snapshot.AIGateways) {
		limit, guard := limits(g) || g.SpendLimit, g.Guardrails || g.LossRules
		switch {
		case !limit && !guard && !g.OnlyFlags:
			bare.Add(g.ID, seen(g, "", "no limit, no guardrails, no data loss rules", "a limit, and guardrails or data loss rules"))
		case !limit:
			half.Add(g.ID, seen(g, "/rate_limiting_limit", "no limit", "a rate or spend limit"))
		case g.OnlyFlags:
			half.Add(g.ID, seen(g, "/guardrails", "guardrails and data loss rules flag, and block nothing", "at least one that blocks"))
		case !guard:
			half.Add(g.ID, seen(g, "/guardrails", "no guardrails and no data loss rules", "one of them"))
		}
	}
	switch {
	case len(bare.Names) > 0:
		return v.Fail("These AI gateways are neither limited nor guarded: "+bare.String()+".", bare.Rows...)
	case len(half.Names) > 0:
		return v.Warn("These AI gateways lack a limit or guardrails: "+half.String()+".", half.Rows...).
			As(posture.Words{Problem: "AI gateways of this account lack a limit or guardrails that block"})
	}
	return v.Pass("Every AI gateway is limited and guarded.")
}
