package simcloud

// plantsPlatformData misconfigure gateways, connections, queues and widgets, which are assessed
// once per account.
func plantsPlatformData() []Plant {
	connection := func(variant, user string) Plant {
		return accountWide("CFL-STORE-005", variant, failed, "connection-"+variant, func(a *account) {
			origin := obj{"host": "db.partner.test"}
			a.addConnection(variant, origin, "verify-full")
			origin["user"] = user
		}).when(func(a *account) bool { return len(a.workers) > 0 })
	}
	widget := func(variant, result, mode, level string) Plant {
		return accountWide("CFL-TURN-003", variant, result, "turnstile", func(a *account) {
			a.addWidget(variant, a.zoneName(0))
			w := a.widgets[len(a.widgets)-1]
			w["mode"], w["clearance_level"] = mode, level
		})
	}
	traces := func(url string) func(obj) {
		return func(g obj) { g["otel"] = []obj{{"url": url, "headers": obj{}, "authorization": canaryTraceHeader}} }
	}
	return []Plant{
		aiGateway("CFL-AIGW-004", "plain-traces", failed, traces("http://traces.partner.test/v1/traces")),
		aiGateway("CFL-AIGW-004", "plain-traces-upper", failed, traces("HTTP://203.0.113.4:4318/v1/traces")),
		aiGateway("CFL-AIGW-005", "stops", failed, func(g obj) { g["log_management_strategy"] = "STOP_INSERTING" }),
		connection("superuser", "postgres"),
		connection("superuser-at-host", "Admin@orders-db"),
		accountWide("CFL-STORE-006", "paused", failed, "queue-paused", func(a *account) {
			q := a.addQueue("paused")
			produce(q, "jobs")
			consume(q, "mail-dead")
			q["settings"] = obj{"delivery_delay": 0, "delivery_paused": true, "message_retention_period": 345600}
		}),
		widget("unseen", failed, "invisible", "interactive"),
		widget("without-touch", failed, "non-interactive", "managed"),
		widget("one-above", warning, "managed", "interactive"),
	}
}
