package storage

import (
	"net/url"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// queues judges what happens to messages that cannot be processed. Queues without a producer are
// skipped: dead letter queues have none, and their consumer needs no further queue.
func queues() check.Check {
	return check.Check{
		ID: "CFL-STORE-003", Title: "Queues do not lose messages",
		Category: "storage", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A queue keeps messages for a limited time and drops those that fail too often. A dead letter queue " +
			"keeps the failed ones for a person to look at.",
		Fix: "Attach a consumer to each queue that has a producer, with a dead letter queue.",
		Words: posture.Words{
			Problem:   "Queues of this account lose messages",
			Impact:    "Orders, mails or security events in a message are gone, and nobody learns that they were sent.",
			Breaks:    "Nothing; messages that fail are kept in a second queue, whose storage costs money.",
			Dashboard: "Storage & databases › Queues › the queue › Settings › Consumers: add a Worker and a dead letter queue.",
			Terraform: `resource "cloudflare_queue_consumer" "consumer" {
  account_id        = "{account_id}"
  queue_id          = var.queue_id
  type              = "worker"
  script_name       = var.worker
  dead_letter_queue = var.dead_letters
}`},
		References: []string{"https://developers.cloudflare.com/queues/"},
		Controls: check.Controls{
			check.Touches("cis 3.12", "A second queue for failures says nothing of who may process the data."),
			check.Supports("soc2 PI1.3", "Messages that fail are kept, so processing is complete."),
			check.Supports("soc2 A1.2", "Failed messages can be processed again."),
			check.Supports("nist PR.IR-03", "Processing withstands failures of a consumer."),
		},
		Aliases:  []string{"flareinspect:CFL-STORE-003"},
		Needs:    []snapshot.Named{snapshot.Queues},
		Unless:   check.Empty(snapshot.Queues, "the account has no queue"),
		Evaluate: evaluateQueues,
	}
}

func queuesExamples() []goodtest.Example {
	put := func(producers int, consumers ...snapshot.QueueConsumer) func(*snapshot.Builder) {
		return put(snapshot.Queues, goodtest.Account, []snapshot.Queue{{ID: "q1", Name: "mail", Producers: producers, Consumers: consumers}})
	}
	counted := func(b *snapshot.Builder) {
		put(1)(b)
		snapshot.Edit(b, snapshot.Queues, goodtest.Account, func(qs *[]snapshot.Queue) { (*qs)[0].Unlisted = 1 })
	}
	untold := func(producers int, consumers ...snapshot.QueueConsumer) func(*snapshot.Builder) {
		return goodtest.Edits(put(producers, consumers...), goodtest.Each(snapshot.Queues, goodtest.Account, func(q *snapshot.Queue) {
			q.Untold = true
		}))
	}
	safe, unsafe := snapshot.QueueConsumer{Type: "worker", DeadLetters: "mail-dead"}, snapshot.QueueConsumer{Type: "http_pull"}
	return []goodtest.Example{
		{Name: "a consumer with a dead letter queue", Want: posture.Pass, Resource: goodtest.Account, Edit: put(1, safe)},
		{Name: "no consumer", Want: posture.Fail, Resource: goodtest.Account, Edit: put(1)},
		{Name: "a consumer that is counted and not listed", Want: posture.Unknown, Resource: goodtest.Account, Edit: counted},
		{Name: "no dead letter queue", Want: posture.Warning, Resource: goodtest.Account, Edit: put(1, unsafe)},
		{Name: "one of two consumers has none", Want: posture.Warning, Edit: put(2, safe, unsafe)},
		{Name: "no producer", Want: posture.Pass, Edit: put(0)},
		{Name: "a queue of dead letters", Want: posture.Pass, Edit: put(0, unsafe)},
		{Name: "who writes is not told", Want: posture.Unknown, Resource: goodtest.Account, Edit: untold(0)},
		{Name: "who reads is not told", Want: posture.Unknown, Edit: untold(1)},
		{Name: "who writes is not told, so that it may be a dead letter queue", Want: posture.Unknown, Edit: untold(0, unsafe)},
		{Name: "no queue", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.Queues, goodtest.Account,
				[]snapshot.Queue{})
		}},
	}
}

func evaluateQueues(v *check.View) check.Outcome {
	var unread, losing check.Found
	id, odd := "", ""
	for _, q := range check.Read(v, snapshot.Queues) {
		switch {
		case q.Untold:
			odd = "Cloudflare does not tell who writes to and reads the queue " + q.Name
			continue
		case q.Producers == 0:
			continue
		case q.Unlisted > 0:
			odd = "Cloudflare counts consumers of the queue " + q.Name + " that it does not list"
		case len(q.Consumers) == 0:
			id = q.ID
			unread.Add(q.Name, check.Evidence(snapshot.Queues, "/"+q.ID+"/consumers", "none", "a consumer with a dead letter queue"))
		}
		for _, c := range q.Consumers {
			if c.DeadLetters == "" {
				losing.Add(q.Name, check.Evidence(snapshot.Queues, "/"+q.ID+"/consumers", c.Type+" without dead letter queue",
					"a dead letter queue"))
				break
			}
		}
	}
	switch {
	case len(unread.Names) > 0:
		return v.Fail("Messages are sent and nothing reads them in "+check.Count(len(unread.Names), "queue", "")+": "+unread.String()+".",
			unread.Rows...).As(unreadWords(id, len(unread.Names)+len(losing.Names)))
	case len(losing.Names) > 0:
		return v.Warn("Messages that fail are dropped, as there is no dead letter queue, in "+check.Count(len(losing.Names), "queue", "")+": "+
			losing.String()+".", losing.Rows...).As(posture.Words{Problem: "Queues of this account drop messages that fail"})
	}
	if odd != "" {
		return v.Unknown(odd)
	}
	return v.Pass("No queue loses messages.")
}

// unreadWords returns the words for queues without a consumer. A single one gets one with one
// request.
func unreadWords(id string, queues int) posture.Words {
	w := posture.Words{Problem: "Nothing reads the messages of queues in this account"}
	if queues == 1 {
		w.Call = posture.Call{Method: "POST", Path: "/accounts/{account_id}/queues/" + url.PathEscape(id) + "/consumers",
			Body: `{"type": "worker", "script_name": "{$WORKER}", "dead_letter_queue": "{$DEAD_LETTERS}"}`,
			Choose: "WORKER: the Worker that reads the messages (such as mailer)\n" +
				"DEAD_LETTERS: the queue that keeps the messages that fail (such as dead-letters)"}
	}
	return w
}
