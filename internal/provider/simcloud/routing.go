package simcloud

// makeScripts adds hostnames and bindings to the scripts, see
// https://developers.cloudflare.com/api/resources/workers/subresources/beta/.
func (a *account) makeScripts() {
	for i, w := range a.workers {
		if i == 0 {
			a.bindAll(w)
		}
		if i == 0 && a.org != nil {
			// A workers.dev hostname behind Access is not a finding.
			w.enabled = true
			a.addApp("Script "+w.name, "self_hosted", a.platformHost(w.name))
		}
		if i == 1 {
			w.unlisted = true
			a.addWorkerDomain(w.name, "feed."+a.zoneName(0))
		}
	}
}

// bindAll binds a script to one resource of each kind the account has.
func (a *account) bindAll(w *worker) {
	bind := func(name, kind, key string, value any) {
		w.bindings = append(w.bindings, obj{"name": name, "type": kind, key: value})
	}
	if len(a.namespaces) > 0 {
		bind("SESSIONS", "kv_namespace", "namespace_id", a.namespaces[0]["id"])
	}
	if len(a.databases) > 0 {
		bind("ORDERS", "d1", "id", a.databases[0]["uuid"])
	}
	if len(a.buckets) > 0 {
		bind("FILES", "r2_bucket", "bucket_name", a.buckets[0].name)
	}
	if len(a.queues) > 0 {
		bind("MAIL", "queue", "queue_name", a.queues[0]["queue_name"])
	}
	w.bindings = append(w.bindings, obj{"name": "SELF", "type": "service", "service": w.name, "environment": "production"})
}

// platformHost returns the workers.dev hostname of a script.
func (a *account) platformHost(script string) string {
	return script + ".team" + num(a.index) + ".workers.dev"
}

func (a *account) addWorkerDomain(script, host string) {
	a.workerDomains = append(a.workerDomains, obj{
		"id": a.next("worker-domain").hex32(), "hostname": host, "service": script, "zone_id": a.zoneID(0), "zone_name": a.zoneName(0),
		"environment": "production", "cert_id": a.next("worker-cert").uuid(),
	})
}

func (a *account) addWorkerRoute(script, path string) {
	a.workerRoutes[0] = append(a.workerRoutes[0], obj{"id": a.next("route").hex32(), "pattern": a.zoneName(0) + "/" + path + "/*",
		"script": script})
}

// listWorkersBeta returns the newer list, which may lack scripts.
func listWorkersBeta(c *call) answer {
	out := []obj{}
	for _, w := range c.acct.workers {
		if w.unlisted {
			continue
		}
		domains := []obj{}
		for _, d := range c.acct.workerDomains {
			if d["service"] == w.name {
				domains = append(domains, obj{"id": d["id"], "hostname": d["hostname"], "zone_id": d["zone_id"], "zone_name": d["zone_name"]})
			}
		}
		out = append(out, obj{
			"id": w.id, "name": w.name, "created_on": w.modified, "updated_on": w.modified, "logpush": false, "tags": []string{},
			"tail_consumers": []obj{},
			"subdomain":      obj{"enabled": w.enabled, "previews_enabled": w.previews, "url": "https://" + c.acct.platformHost(w.name)},
			"observability":  obj{"enabled": !w.quiet, "head_sampling_rate": 1},
			"references": obj{"domains": domains, "queues": []obj{}, "dispatch_namespace_outbounds": []obj{}, "durable_objects": []obj{},
				"workers": []obj{}},
		})
	}
	return listOf(c, out)
}

func listWorkerDomains(c *call) answer { return listOf(c, c.acct.workerDomains) }
