package aigateway

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// full finds gateways that stop logging when their log storage is full
// (developers.cloudflare.com/ai-gateway/observability/logging/legacy-logs/).
func full() check.Check {
	return check.Check{
		ID: "CFL-AIGW-005", Title: "AI gateways go on logging when the storage is full",
		Category: "ai-gateway", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "The log of an AI Gateway has a storage limit. Without automatic deletion no further request is recorded once " +
			"the limit is reached.",
		Fix: "Turn on Automatic Log Deletion; send what must be kept to a store of your own with Logpush first.",
		Words: posture.Words{
			Problem:   "AI gateways of this account stop logging when storage is full",
			Impact:    "Someone who sends enough requests ends the record, and what follows cannot be traced.",
			Breaks:    "The oldest log entries are deleted once the limit is reached; export what must be kept.",
			Dashboard: "AI › AI Gateway › the gateway › Settings › Automatic Log Deletion: On.",
		},
		References: []string{"https://developers.cloudflare.com/ai-gateway/observability/logging/legacy-logs/"},
		Controls: check.Controls{
			check.Supports("soc2 CC7.2", "Use of models stays on record."),
			check.Touches("pci 10.5.1", "The log goes on; how long entries are kept is not seen."),
			check.Supports("nist PR.PS-04", "Records of the gateway go on being made."),
		},
		Needs:    []snapshot.Named{snapshot.AIGateways},
		Evaluate: evaluateFull,
	}
}

func fullGood(b *snapshot.Builder) {
	edit(func(g *snapshot.AIGateway) { g.WhenFull = "DELETE_OLDEST" })(b)
}

func fullExamples() []goodtest.Example {
	set := func(when string, push bool) func(*snapshot.Builder) {
		return edit(func(g *snapshot.AIGateway) { g.WhenFull, g.Logpush = when, push })
	}
	no := false
	return []goodtest.Example{
		{Name: "the oldest go", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "no more are kept", Want: posture.Fail, Resource: goodtest.Account, Edit: set("STOP_INSERTING", false)},
		{Name: "no more are kept, so that none is sent away either", Want: posture.Fail, Resource: goodtest.Account,
			Edit: set("STOP_INSERTING", true)},
		{Name: "the oldest go, and all are sent away", Want: posture.Pass, Edit: set("DELETE_OLDEST", true)},
		{Name: "what happens is not told", Want: posture.Unknown, Edit: set("", false)},
		{Name: "what happens is not told, with Logpush", Want: posture.Unknown, Edit: set("", true)},
		{Name: "a word nobody knows", Want: posture.Unknown, Edit: set("ARCHIVE", false)},
		{Name: "no log at all", Want: posture.NotApplicable,
			Edit: edit(func(g *snapshot.AIGateway) { g.CollectLogs, g.WhenFull = &no, "STOP_INSERTING" })},
		{Name: "whether there is a log is not told", Want: posture.Fail,
			Edit: edit(func(g *snapshot.AIGateway) { g.CollectLogs, g.WhenFull = nil, "STOP_INSERTING" })},
		{Name: "no gateway", Want: posture.NotApplicable, Edit: none},
	}
}

func evaluateFull(v *check.View) check.Outcome {
	var t check.Tally
	for _, g := range check.Read(v, snapshot.AIGateways) {
		switch {
		case g.CollectLogs != nil && !*g.CollectLogs: // another check reports the missing log
		case g.WhenFull == "DELETE_OLDEST":
			t.Pass()
		case g.WhenFull == "STOP_INSERTING":
			t.Fail(g.ID, g.ID, check.Evidence(snapshot.AIGateways, "/"+g.ID+"/log_management_strategy", g.WhenFull, "DELETE_OLDEST"))
		default:
			t.Unknown("Cloudflare does not tell what the AI gateway " + g.ID + " does when its log is full")
		}
	}
	return t.Done(v, check.Said{None: "no AI gateway keeps a log", Fail: "These AI gateways stop logging when the storage is full",
		Pass: "Every AI gateway that keeps a log goes on when the storage is full."})
}
