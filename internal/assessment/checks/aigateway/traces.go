package aigateway

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// traces finds gateways whose traces can be read in transit. A trace of AI Gateway contains prompt
// and answer (developers.cloudflare.com/ai-gateway/observability/otel-integration/).
func traces() check.Check {
	return check.Check{
		ID: "CFL-AIGW-004", Title: "Traces of AI gateways are sent over TLS",
		Category: "ai-gateway", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "AI Gateway exports a trace of each request to an OpenTelemetry endpoint, with the prompt, the answer and the " +
			"header that authorises the export.",
		Fix: "Change the address of the exporter to HTTPS, then issue a new key for it, because the old one was sent in clear text.",
		Words: posture.Words{
			Problem:   "AI gateways of this account send traces over plain HTTP",
			Impact:    "Anyone on the way to the endpoint reads prompts, answers and the key of the trace store.",
			Breaks:    "Traces stop until the endpoint answers over HTTPS with a valid certificate.",
			Dashboard: "AI › AI Gateway › the gateway › Settings › OpenTelemetry: enter an address that starts with https.",
		},
		References: []string{"https://developers.cloudflare.com/ai-gateway/observability/otel-integration/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Traces are encrypted on their way."),
			check.Supports("soc2 CC6.7", "Prompts and answers do not leave in clear text."),
			check.Supports("pci 4.2.1", "Traces that may hold card data are encrypted; other ways are not seen."),
			check.Supports("nist PR.DS-02", "Traces are protected on the wire."),
		},
		Needs: []snapshot.Named{snapshot.AIGateways},
		Evaluate: func(v *check.View) check.Outcome {
			var t check.Tally
			for _, g := range check.Read(v, snapshot.AIGateways) {
				if len(g.PlainTraces) == 0 {
					t.Pass()
					continue
				}
				t.Fail(g.ID, g.ID, check.Evidence(snapshot.AIGateways, "/"+g.ID+"/plain_traces", "http to "+strings.Join(g.PlainTraces, ", "),
					"https"))
			}
			return t.Done(v, check.Said{None: "the account has no AI gateway", Fail: "These AI gateways send traces over plain HTTP",
				Pass: "No AI gateway sends traces over plain HTTP."})
		},
	}
}

func tracesExamples() []goodtest.Example {
	to := func(hosts ...string) func(*snapshot.Builder) {
		return edit(func(g *snapshot.AIGateway) { g.PlainTraces = hosts })
	}
	return []goodtest.Example{
		{Name: "no plain address", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a plain address", Want: posture.Fail, Resource: goodtest.Account, Edit: to("traces.partner.example")},
		{Name: "two plain addresses", Want: posture.Fail, Edit: to("traces.partner.example", "203.0.113.4")},
		{Name: "one of two gateways", Want: posture.Fail, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AIGateways, goodtest.Account, []snapshot.AIGateway{{ID: "a"}, {ID: "b", PlainTraces: []string{"t.example"}}})
		}},
		{Name: "no gateway", Want: posture.NotApplicable, Edit: none},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.AIGateways.Source(), snapshot.NotEntitled, "", "")
		}},
		{Name: "not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.AIGateways.Source(), snapshot.Denied, "AI Gateway Read", "")
		}},
	}
}
