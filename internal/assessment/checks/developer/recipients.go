package developer

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// recipients finds scripts that may send mail to any recipient
// (developers.cloudflare.com/email-service/configuration/send-bindings/).
func recipients() check.Check {
	return check.Check{
		ID: "CFL-WORK-013", Title: "Workers that send mail name the recipients",
		Category: "workers", Severity: posture.Low, Resource: posture.ResourceWorker, Scope: check.PerWorker,
		Why: "A send_email binding without destination_address or allowed_destination_addresses sends to every destination address " +
			"that the account has verified.",
		Fix: "Name the recipients in the binding, as far as they are known, then deploy the Worker.",
		Words: posture.Words{
			Problem:   "Worker {name} may send mail to every verified address",
			Impact:    "Someone who can steer what the Worker sends writes to all these mailboxes under your domain.",
			Breaks:    "Mail to recipients that the binding does not name fails.",
			Dashboard: "Workers & Pages › {name} › Bindings › the Send Email binding: enter the destination addresses, then deploy.",
		},
		References: []string{"https://developers.cloudflare.com/email-service/configuration/send-bindings/"},
		Controls: check.Controls{
			check.Supports("soc2 CC6.3", "A Worker may write only to whom it should."),
			check.Touches("pci 7.2.5", "The reach of an application's mail is limited; its other rights are not seen."),
			check.Supports("nist PR.AA-05", "Sending follows least privilege."),
		},
		Needs:    []snapshot.Named{snapshot.Workers, snapshot.WorkerSettings},
		Evaluate: evaluateRecipients,
	}
}

func recipientsGood(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.WorkerSettings, goodtest.Worker, func(c *snapshot.WorkerConfig) {
		c.Bindings = append(c.Bindings, snapshot.Binding{Name: "MAIL", Type: "send_email", Recipients: true})
	})
}

func recipientsExamples() []goodtest.Example {
	bind := func(bs ...snapshot.Binding) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.WorkerSettings, goodtest.Worker, snapshot.WorkerConfig{Bindings: bs})
		}
	}
	open, named := snapshot.Binding{Name: "MAIL", Type: "send_email"}, snapshot.Binding{Name: "OPS", Type: "send_email", Recipients: true}
	return []goodtest.Example{
		{Name: "recipients are named", Want: posture.Pass, Resource: goodtest.Worker},
		{Name: "anyone", Want: posture.Fail, Resource: goodtest.Worker, Edit: bind(open)},
		{Name: "one of two bindings is open", Want: posture.Fail, Edit: bind(named, open)},
		{Name: "no binding for mail", Want: posture.NotApplicable,
			Edit: bind(snapshot.Binding{Name: "SESSIONS", Type: "kv_namespace", Target: "n1"})},
		{Name: "no binding", Want: posture.NotApplicable, Edit: bind()},
		{Name: "bindings are not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.WorkerSettings.Source(), snapshot.Denied, "Workers Scripts Read", "")
		}},
	}
}

func evaluateRecipients(v *check.View) check.Outcome {
	var open check.Found
	mail := 0
	for _, b := range check.Read(v, snapshot.WorkerSettings).Bindings {
		if b.Type != "send_email" {
			continue
		}
		mail++
		if !b.Recipients {
			open.Add(b.Name, check.Evidence(snapshot.WorkerSettings, "/bindings/"+b.Name, "no recipients", "destination_address or a list"))
		}
	}
	switch {
	case mail == 0:
		return v.NotApplicable("the Worker has no binding that sends mail")
	case len(open.Names) > 0:
		return v.Fail("The Worker "+v.Resource().Name+" may send mail to every verified address through "+open.String()+".", open.Rows...)
	}
	return v.Pass("Each binding that sends mail names its recipients.")
}
