package simcloud

import "slices"

func usesR2(a *account) bool { return a.r2Enabled }

// bucketOf returns a plant that adds a bucket with one fault.
func bucketOf(check, name, result string, change func(*account, *bucket)) Plant {
	return Plant{CheckID: check, Variant: name, Result: result, ResourceType: "r2_bucket", fits: usesR2,
		Apply: func(s *Scene) []Planted {
			b := s.account.addBucket(name, defaultJurisdiction)
			change(s.account, b)
			return one(check, "r2_bucket", b.name, result)
		}}
}

func plantsBuckets() []Plant {
	open := func(name, result string) Plant {
		return bucketOf("CFL-R2-001", name, result, func(a *account, b *bucket) {
			b.locks = []obj{lockRule("", 60)}
			a.publish(b, name, "1.2", false)
		})
	}
	cors := func(name, result string, methods ...string) Plant {
		return bucketOf("CFL-R2-005", name, result, func(_ *account, b *bucket) { b.cors = []obj{corsRule("*", methods...)} })
	}
	locks := func(name, result string, rules ...obj) Plant {
		return bucketOf("CFL-R2-006", name, result, func(_ *account, b *bucket) { b.locks = rules })
	}
	tls := func(name, version string) Plant {
		return bucketOf("CFL-R2-007", name, failed, func(a *account, b *bucket) { a.publish(b, name, version, true) }).when(guardsBuckets)
	}
	off := lockRule("", 90)
	off["enabled"] = false
	passed := lockRule("", 90)
	passed["condition"] = obj{"type": "Date", "date": "2020-01-01T00:00:00Z"}
	return []Plant{
		open("private-open", failed), open("backup-open", failed), open("weblog-log-open", failed), open("export-open", failed),
		open("media-open", warning),
		cors("cors-put", failed, "GET", "PUT"), cors("cors-delete", failed, "DELETE"), cors("cors-get", warning, "GET", "HEAD"),
		locks("backup-unlocked", failed), locks("backup-lock-off", failed, off), locks("backup-lock-part", failed, lockRule("2024/", 90)),
		bucketOf("CFL-R2-006", "stream-unlocked", failed, func(a *account, b *bucket) {
			job := newJob(a.next("job"), a.cloud, "stream", "workers_trace_events")
			job["destination_conf"] = a.r2Destination(b.name)
			a.jobs = append(a.jobs, job)
		}),
		locks("backup-lock-week", warning, lockRule("", 7)), locks("backup-lock-passed", failed, passed),
		tls("tls-10", "1.0"), tls("tls-11", "1.1"),
		zoneFloor("tls-of-weak-zone", true), zoneFloor("tls-of-zone", false),
		bucketOf("CFL-R2-008", "kept", failed, func(_ *account, b *bucket) { b.lifecycle = b.lifecycle[:1] }),
		bucketOf("CFL-R2-008", "kept-rule-off", failed, func(_ *account, b *bucket) { b.lifecycle[1]["enabled"] = false }),
		bucketOf("CFL-R2-008", "kept-in-part", warning, func(_ *account, b *bucket) {
			b.lifecycle = []obj{b.lifecycle[0],
				expireRule("tmp/", 30)}
		}),
	}
}

func guardsBuckets(a *account) bool { return a.r2Enabled && a.org != nil }

// zoneFloor returns a plant that adds a bucket whose custom domain has no minimum TLS version of
// its own, in the first zone; weakZone lowers that zone's minimum too.
func zoneFloor(name string, weakZone bool) Plant {
	p := bucketOf("CFL-R2-007", name, failed, func(a *account, b *bucket) {
		a.publish(b, name, "", true)
		if weakZone {
			weak := plantsTLS()
			a.assigned[0] = append(a.assigned[0], weak[slices.IndexFunc(weak, func(p Plant) bool { return p.CheckID == "CFL-SSL-002" })])
		}
	}).when(func(a *account) bool { return guardsBuckets(a) && !a.pending(0) })
	p.slots = []string{"0#min-tls"}
	return p
}

func (a *account) r2Destination(bucket string) string {
	return "r2://" + bucket + "/{DATE}?account-id=" + a.id + "&access-key-id=" + canaryDestination + "&secret-access-key=" + canaryDestination
}

func plantsStorage() []Plant {
	queue := func(variant, result string, change func(obj)) Plant {
		return accountWide("CFL-STORE-003", variant, result, "queue-"+variant, func(a *account) {
			q := a.addQueue("jobs-" + variant)
			produce(q, "jobs")
			change(q)
		})
	}
	connection := func(variant, result, host, mode string) Plant {
		return accountWide("CFL-STORE-004", variant, result, "connection-"+variant, func(a *account) {
			a.addConnection(variant, obj{"host": host}, mode)
		}).when(func(a *account) bool { return len(a.workers) > 0 })
	}
	return []Plant{
		queue("unread", failed, func(obj) {}),
		queue("no-dead-letters", warning, func(q obj) { consume(q, "") }),
		connection("plain", failed, "db.partner.test", "prefer"),
		connection("unverified", warning, "db.partner.test", "require"),
		aiGateway("CFL-AIGW-001", "open", failed, func(g obj) { g["authentication"] = false }),
		aiGateway("CFL-AIGW-002", "neither", failed, func(g obj) { g["rate_limiting_limit"], g["guardrails"] = 0, nil }),
		aiGateway("CFL-AIGW-002", "not-guarded", warning, func(g obj) { g["guardrails"] = nil }),
		aiGateway("CFL-AIGW-002", "nothing-to-look-for", failed, func(g obj) {
			g["rate_limiting_limit"], g["guardrails"] = 0, nil
			g["spend_limits"], g["dlp"] = obj{"enabled": true, "rules": []obj{}}, obj{"enabled": true, "action": "BLOCK", "profiles": []string{}}
		}),
		aiGateway("CFL-AIGW-002", "not-limited", warning, func(g obj) { g["rate_limiting_limit"] = nil }),
		aiGateway("CFL-AIGW-003", "no-log", failed, func(g obj) { g["collect_logs"] = false }),
	}
}

// aiGateway is a plant in an AI gateway of its own.
func aiGateway(check, variant, result string, change func(obj)) Plant {
	return accountWide(check, variant, result, check+"/"+variant, func(a *account) { change(a.addGateway("gateway-" + variant)) })
}
