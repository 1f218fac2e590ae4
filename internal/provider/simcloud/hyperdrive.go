package simcloud

const canaryDatabaseUser = "leakcanary-database-user"

// makeConnections attaches a producer and a consumer with a dead-letter queue to the first queue,
// and generates connections to databases, see
// https://developers.cloudflare.com/api/resources/hyperdrive/.
func (a *account) makeConnections() {
	if len(a.queues) > 0 {
		produce(a.queues[0], "mailer")
		consume(a.queues[0], "mail-dead")
	}
	if len(a.workers) == 0 {
		return
	}
	a.addConnection("orders", obj{"host": "db." + a.zoneName(0)}, "verify-full")
	a.addConnection("stock", obj{"host": "10.60.0.5"}, "")
	a.addConnection("people", obj{"host": "people.internal.test", "access_client_id": a.next("client").hex32() + ".access"}, "")
}

// addConnection appends a connection; an empty mode means none is set.
func (a *account) addConnection(name string, origin obj, mode string) {
	origin["port"], origin["scheme"], origin["user"], origin["database"] = 5432, "postgres", canaryDatabaseUser, canaryDatabaseUser
	c := obj{
		"id": a.next("hyperdrive").hex32(), "name": name, "origin": origin, "caching": obj{"disabled": false}, "origin_connection_limit": 60,
		"created_on": a.cloud.ago(30 * day), "modified_on": a.cloud.ago(30 * day),
	}
	if mode != "" {
		c["mtls"] = obj{"sslmode": mode, "ca_certificate_id": a.next("authority").uuid()}
	}
	a.connections = append(a.connections, c)
}

func listConnections(c *call) answer { return listOf(c, c.acct.connections) }

// addQueue appends a queue without producers or consumers.
func (a *account) addQueue(name string) obj {
	q := obj{
		"queue_id": a.next("queue").hex32(), "queue_name": name, "created_on": a.cloud.ago(60 * day), "modified_on": a.cloud.ago(60 * day),
		"producers_total_count": 0, "producers": []obj{}, "consumers_total_count": 0, "consumers": []obj{},
		"settings": obj{"delivery_delay": 0, "delivery_paused": false, "message_retention_period": 345600},
	}
	a.queues = append(a.queues, q)
	return q
}

func produce(queue obj, script string) {
	queue["producers"], queue["producers_total_count"] = []obj{{"type": "worker", "script": script}}, 1
}

// consume attaches a consumer; an empty deadLetters means no dead-letter queue.
func consume(queue obj, deadLetters string) {
	c := obj{"consumer_id": hexID(0, "consumer", asText(queue["queue_id"])), "type": "worker", "script_name": "mailer",
		"settings": obj{"batch_size": 10, "max_retries": 3}}
	if deadLetters != "" {
		c["dead_letter_queue"] = deadLetters
	}
	queue["consumers"], queue["consumers_total_count"] = []obj{c}, 1
}
