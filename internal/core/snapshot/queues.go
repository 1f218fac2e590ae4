package snapshot

import (
	"cmp"
	"slices"
)

// Queues holds the queues with their producers and consumers.
const Queues Key[[]Queue] = "account/queues"

// Queue passes messages between scripts. Producers is their number; scripts among them are also
// named.
type Queue struct {
	ID        string          `json:"queue_id"`
	Name      string          `json:"queue_name"`
	Producers int             `json:"producers"`
	Scripts   []string        `json:"producer_scripts"`
	Consumers []QueueConsumer `json:"consumers"`
	// Unlisted is the number of consumers that Cloudflare counts and does not list.
	Unlisted int `json:"consumers_unlisted,omitempty"`
	// Untold says that Cloudflare returned neither the producers nor their number, or that of consumers of a queue with producers.
	Untold bool `json:"untold,omitempty"`
	Paused bool `json:"delivery_paused,omitempty"`
}

// SortKey orders queues by id.
func (q Queue) SortKey() string { return q.ID }

// QueueConsumer receives messages; DeadLetters names the queue for those it cannot process.
type QueueConsumer struct {
	Type        string `json:"type"`
	Script      string `json:"script_name,omitempty"`
	DeadLetters string `json:"dead_letter_queue,omitempty"`
}

type queueWire struct {
	ID             string `json:"queue_id"`
	Name           string `json:"queue_name"`
	ProducersTotal *int   `json:"producers_total_count"`
	Producers      []struct {
		Script string `json:"script"`
	} `json:"producers"`
	ConsumersTotal *int `json:"consumers_total_count"`
	Consumers      []struct {
		Type        string `json:"type"`
		Script      string `json:"script_name"`
		DeadLetters string `json:"dead_letter_queue"`
	} `json:"consumers"`
	Settings struct {
		Paused bool `json:"delivery_paused"`
	} `json:"settings"`
}

// queues lists the queues with their producers and consumers
// (developers.cloudflare.com/api/resources/queues/methods/list/).
func queues() Source {
	return list(Queues, Source{
		Path: "/accounts/{account_id}/queues", Permission: "Account: Queues Read", Feeds: true,
		Example: `[{"queue_id":"q1","queue_name":"mail","producers_total_count":1,"producers":[{"type":"worker","script":"storefront"}],` +
			`"consumers_total_count":1,` +
			`"consumers":[{"consumer_id":"drop","type":"worker","script_name":"mailer","dead_letter_queue":"mail-dead",` +
			`"settings":{"batch_size":10}}]}]`,
	}, func(w queueWire) Queue {
		q := Queue{ID: w.ID, Name: cmp.Or(w.Name, w.ID), Producers: max(given(w.ProducersTotal), len(w.Producers)), Scripts: []string{},
			Consumers: []QueueConsumer{}, Unlisted: max(given(w.ConsumersTotal)-len(w.Consumers), 0), Paused: w.Settings.Paused}
		q.Untold = w.Producers == nil && w.ProducersTotal == nil || q.Producers > 0 && w.Consumers == nil && w.ConsumersTotal == nil
		for _, p := range w.Producers {
			if p.Script != "" {
				q.Scripts = append(q.Scripts, p.Script)
			}
		}
		slices.Sort(q.Scripts)
		for _, c := range w.Consumers {
			q.Consumers = append(q.Consumers, QueueConsumer{Type: c.Type, Script: c.Script, DeadLetters: c.DeadLetters})
		}
		return q
	})
}
