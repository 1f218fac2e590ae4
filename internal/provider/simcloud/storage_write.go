package simcloud

// writeRules replaces one kind of rules of a bucket.
func writeRules(set func(b *bucket, rules []obj)) func(*call) answer {
	return func(c *call) answer {
		b := c.bucket()
		if b == nil {
			return noBucket()
		}
		sent, valid := c.sent()
		list, isList := sent["rules"].([]any)
		rules := objects(list)
		if !valid || !isList || len(rules) != len(list) {
			return badBody()
		}
		set(b, rules)
		return ok(obj{})
	}
}

func readConnection(c *call) answer {
	return c.one(c.acct.connections, "hyperdrive_id", notFound("Hyperdrive configuration"))
}

// patchConnection changes how a connection verifies its database. A CA certificate is required.
func patchConnection(c *call) answer {
	i := byKey(c.acct.connections, "id", c.id("hyperdrive_id"))
	if i < 0 {
		return notFound("Hyperdrive configuration")
	}
	sent, valid := c.sent()
	mtls, isObject := sent["mtls"].(obj)
	if !valid || !isObject || asText(mtls["ca_certificate_id"]) == "" {
		return badBody()
	}
	c.acct.connections[i]["mtls"] = mtls
	return ok(c.acct.connections[i])
}

// patchScriptSettings changes the logging of a script, see
// https://developers.cloudflare.com/api/resources/workers/subresources/scripts/subresources/settings/.
func patchScriptSettings(c *call) answer {
	w := c.worker()
	if w == nil {
		return noScript()
	}
	sent, valid := c.sent()
	observability, isObject := sent["observability"].(obj)
	on, isSwitch := observability["enabled"].(bool)
	if !valid || !isObject || !isSwitch {
		return badBody()
	}
	w.quiet = !on
	return ok(obj{"observability": observability})
}

// patchQueue replaces the settings of a queue.
func patchQueue(c *call) answer {
	i := byKey(c.acct.queues, "queue_id", c.id("queue_id"))
	if i < 0 {
		return notFound("queue")
	}
	sent, valid := c.sent()
	settings, isObject := sent["settings"].(obj)
	if !valid || !isObject {
		return badBody()
	}
	c.acct.queues[i]["settings"] = settings
	return ok(c.acct.queues[i])
}

// createConsumer attaches a Worker to a queue.
func createConsumer(c *call) answer {
	i := byKey(c.acct.queues, "queue_id", c.id("queue_id"))
	if i < 0 {
		return notFound("queue")
	}
	sent, valid := c.sent()
	if !valid || asText(sent["type"]) != "worker" || asText(sent["script_name"]) == "" {
		return badBody()
	}
	consume(c.acct.queues[i], asText(sent["dead_letter_queue"]))
	return ok(sent)
}
