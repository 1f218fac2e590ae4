package aigateway

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// logged finds gateways whose use cannot be traced. Logpush exports what the gateway logs, so a
// gateway that collects no logs exports none
// (developers.cloudflare.com/ai-gateway/observability/logging/logpush/). A request header may
// override the setting, which is not visible here.
func logged() check.Check {
	return check.Check{
		ID: "CFL-AIGW-003", Title: "AI gateways keep a log",
		Category: "ai-gateway", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "The log of an AI Gateway is the only record of which prompts were sent with your keys.",
		Fix: "Turn the logs of the gateway on; Logpush sends nothing away without them.",
		Words: posture.Words{
			Problem:   "AI gateways of this account keep no log",
			Impact:    "Misuse of the gateway and leaked data can be neither seen nor traced.",
			Breaks:    "Nothing for clients; prompts and answers are stored, which privacy rules may limit.",
			Dashboard: "AI › AI Gateway › the gateway › Settings › Collect logs: On.",
		},
		References: []string{"https://developers.cloudflare.com/ai-gateway/observability/logging/"},
		Controls: check.Controls{
			check.Supports("cis 8.2", "Calls to models leave a record."),
			check.Supports("cis 8.5", "The record has the request, the caller and the answer's outcome."),
			check.Supports("soc2 CC7.2", "Unusual use of models can be seen."),
			check.Supports("pci 10.2.1", "Logs are on for the gateway, one component of many."),
			check.Supports("nist DE.CM-09", "What the runtime sends to models is on record."),
		},
		Needs:    []snapshot.Named{snapshot.AIGateways},
		Unless:   check.Empty(snapshot.AIGateways, "the account has no AI gateway"),
		Evaluate: evaluateLogged,
	}
}

func loggedExamples() []goodtest.Example {
	set := func(collect *bool, push bool) func(*snapshot.Builder) {
		return edit(func(g *snapshot.AIGateway) { g.CollectLogs, g.Logpush = collect, push })
	}
	yes, no := true, false
	return []goodtest.Example{
		{Name: "collected", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "collected and sent away", Want: posture.Pass, Edit: set(&yes, true)},
		{Name: "to be sent away, but not collected", Want: posture.Fail, Resource: goodtest.Account, Edit: set(&no, true)},
		{Name: "neither", Want: posture.Fail, Resource: goodtest.Account, Edit: set(&no, false)},
		{Name: "neither, and prompts must not be kept", Want: posture.NotApplicable, Edit: set(&no, false),
			Policy: func(p *policy.Policy) { p.PromptsNotKept = true }},
		{Name: "collection is not told", Want: posture.Unknown, Edit: set(nil, false)},
		{Name: "collection is not told, with Logpush", Want: posture.Unknown, Edit: set(nil, true)},
		{Name: "no gateway", Want: posture.NotApplicable, Edit: none},
	}
}

func evaluateLogged(v *check.View) check.Outcome {
	if v.Policy.PromptsNotKept {
		return v.NotApplicable("the operator declared that prompts must not be stored")
	}
	var silent check.Found
	odd := ""
	for _, g := range check.Read(v, snapshot.AIGateways) {
		switch {
		case g.CollectLogs == nil:
			odd = g.ID
		case !*g.CollectLogs:
			silent.Add(g.ID, seen(g, "/collect_logs", "false", "true"))
		}
	}
	switch {
	case len(silent.Names) > 0:
		return v.Fail("These AI gateways keep no log: "+silent.String()+".", silent.Rows...)
	case odd != "":
		return v.Unknown("Cloudflare does not tell whether the AI gateway " + odd + " collects logs")
	}
	return v.Pass("Every AI gateway keeps a log.")
}
