package storage

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// queues judges what happens to messages that cannot be processed. Queues without a
// producer are left alone: those for dead letters have none, and their consumer
// needs no further queue.
func queues() check.Check {
	return check.Check{
		ID: "CFL-STORE-003", Title: "Queues do not lose messages",
		Category: "storage", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why:        "Lost messages are lost evidence, and a growing backlog expires silently.",
		Fix:        "Attach a consumer and a dead letter queue.",
		References: []string{"https://developers.cloudflare.com/queues/"},
		Controls: check.Controls{
			check.Touches("cis 3.12", "A second queue for failures says nothing of who may process the data."),
			check.Supports("soc2 PI1.3", "Messages that fail are kept, so processing is complete."),
			check.Supports("soc2 A1.2", "Failed messages can be processed again."),
			check.Supports("nist PR.IR-03", "Processing withstands failures of a consumer."),
		},
		Aliases:  []string{"flareinspect:CFL-STORE-003"},
		Needs:    []snapshot.Named{snapshot.Queues},
		Evaluate: evaluateQueues,
	}
}

func queuesExamples() []goodtest.Example {
	put := func(producers int, consumers ...snapshot.QueueConsumer) func(*snapshot.Builder) {
		return put(snapshot.Queues, goodtest.Account, []snapshot.Queue{{ID: "q1", Name: "mail", Producers: producers, Consumers: consumers}})
	}
	safe, unsafe := snapshot.QueueConsumer{Type: "worker", DeadLetters: "mail-dead"}, snapshot.QueueConsumer{Type: "http_pull"}
	return []goodtest.Example{
		{Name: "a consumer with a dead letter queue", Want: posture.Pass, Resource: goodtest.Account, Edit: put(1, safe)},
		{Name: "no consumer", Want: posture.Fail, Resource: goodtest.Account, Edit: put(1)},
		{Name: "no dead letter queue", Want: posture.Warning, Resource: goodtest.Account, Edit: put(1, unsafe)},
		{Name: "one of two consumers has none", Want: posture.Warning, Edit: put(2, safe, unsafe)},
		{Name: "no producer", Want: posture.Pass, Edit: put(0)},
		{Name: "a queue of dead letters", Want: posture.Pass, Edit: put(0, unsafe)},
		{Name: "no queue", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.Queues, goodtest.Account,
				[]snapshot.Queue{})
		}},
	}
}

func evaluateQueues(v *check.View) check.Outcome {
	all := check.Read(v, snapshot.Queues)
	if len(all) == 0 {
		return v.NotApplicable("the account has no queue")
	}
	var unread, losing []string
	var unreadRows, losingRows []posture.Evidence
	for _, q := range all {
		if q.Producers == 0 {
			continue
		}
		if len(q.Consumers) == 0 {
			unread, unreadRows = append(unread, q.Name), append(unreadRows, check.Evidence(snapshot.Queues, "/"+q.ID+"/consumers", "none",
				"a consumer with a dead letter queue"))
		}
		for _, c := range q.Consumers {
			if c.DeadLetters == "" {
				losing, losingRows = append(losing, q.Name), append(losingRows, check.Evidence(snapshot.Queues, "/"+q.ID+"/consumers",
					c.Type+" without dead letter queue", "a dead letter queue"))
				break
			}
		}
	}
	switch {
	case len(unread) > 0:
		return v.Fail("Nobody reads the messages of these queues: "+strings.Join(unread, ", ")+".", unreadRows...)
	case len(losing) > 0:
		return v.Warn("These queues drop messages that cannot be handled: "+strings.Join(losing, ", ")+".", losingRows...)
	}
	return v.Pass("No queue loses messages.")
}
