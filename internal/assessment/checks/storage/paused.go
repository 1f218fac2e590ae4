package storage

import (
	"net/url"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// paused finds queues that accept messages but deliver none. Messages expire after the retention
// period of the queue (developers.cloudflare.com/queues/configuration/pause-purge/).
func paused() check.Check {
	return check.Check{
		ID: "CFL-STORE-006", Title: "No queue that takes messages is paused",
		Category: "storage", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A paused queue goes on taking messages and delivers none. Each message is deleted when the retention period of " +
			"the queue is over.",
		Fix: "Resume the delivery of the queue, or stop its producers while the consumer is repaired.",
		Words: posture.Words{
			Problem:   "Queues of this account take messages and deliver none",
			Impact:    "Orders, mails or security events wait unseen, and are gone when the retention period ends.",
			Breaks:    "The consumer gets the waiting messages at once; make sure that it and what it calls can take them.",
			Dashboard: "Storage & databases › Queues › the queue › Settings › Resume delivery.",
		},
		References: []string{"https://developers.cloudflare.com/queues/configuration/pause-purge/"},
		Controls: check.Controls{
			check.Supports("soc2 PI1.3", "What is sent is processed and does not lapse."),
			check.Supports("soc2 A1.2", "A pause that was forgotten is seen."),
			check.Supports("nist PR.IR-03", "Processing does not rest by oversight."),
		},
		Needs:    []snapshot.Named{snapshot.Queues},
		Evaluate: evaluatePaused,
	}
}

func pausedExamples() []goodtest.Example {
	queue := func(producers int, paused bool) func(*snapshot.Builder) {
		return put(snapshot.Queues, goodtest.Account, []snapshot.Queue{{ID: "q1", Name: "mail", Producers: producers, Paused: paused}})
	}
	return []goodtest.Example{
		{Name: "delivered", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "paused", Want: posture.Fail, Resource: goodtest.Account, Edit: queue(1, true)},
		{Name: "paused, and nothing is sent", Want: posture.Pass, Edit: queue(0, true)},
		{Name: "nothing is sent", Want: posture.Pass, Edit: queue(0, false)},
		{Name: "two are paused", Want: posture.Fail, Edit: put(snapshot.Queues, goodtest.Account, []snapshot.Queue{
			{ID: "q1", Name: "mail", Producers: 1, Paused: true}, {ID: "q2", Name: "jobs", Producers: 2, Paused: true}})},
		{Name: "paused, and who writes is not told", Want: posture.Unknown, Edit: put(snapshot.Queues, goodtest.Account,
			[]snapshot.Queue{{ID: "q1", Name: "mail", Paused: true, Untold: true}})},
		{Name: "no queue", Want: posture.NotApplicable, Edit: put(snapshot.Queues, goodtest.Account, []snapshot.Queue{})},
	}
}

func evaluatePaused(v *check.View) check.Outcome {
	var t check.Tally
	for _, q := range check.Read(v, snapshot.Queues) {
		switch {
		case q.Paused && q.Producers > 0:
			t.Fail(q.Name, q.ID, check.Evidence(snapshot.Queues, "/"+q.ID+"/delivery_paused", "true", "false"))
		case q.Paused && q.Untold:
			t.Unknown("Cloudflare does not tell whether messages are sent to the paused queue " + q.Name)
		default:
			t.Pass()
		}
	}
	o := t.Done(v, check.Said{None: "the account has no queue", Fail: "Delivery is paused while messages are sent to these queues",
		Pass: "No queue that takes messages is paused."})
	if id := t.Only(); id != "" {
		return o.As(posture.Words{Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/queues/" + url.PathEscape(id),
			Body: `{"settings": {"delivery_paused": false}}`}})
	}
	return o
}
