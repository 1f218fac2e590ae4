package simcloud

import "time"

// worker is one script with the bindings of its settings.
type worker struct {
	name     string
	id       string
	modified string
	bindings []obj
	// enabled and previews are the switches of the workers.dev hostname, unlisted keeps the script
	// out of the newer list, quiet means no logs.
	enabled, previews, unlisted, quiet bool
	// compatibility is the compatibility date of its runtime.
	compatibility string
}

// makeWorkers generates scripts, see
// https://developers.cloudflare.com/api/resources/workers/subresources/scripts/.
func (a *account) makeWorkers() {
	names := []string{"edge-router", "image-resizer", "checkout-hook", "feed-builder", "ab-tests"}
	for i := range count(a.spec.Workers, 2) {
		name := names[i%len(names)]
		if i >= len(names) {
			name += "-" + num(i/len(names)+1)
		}
		w := a.addWorker(name)
		w.bindings = []obj{
			{"name": "SIGNING", "type": "secret_text"},
			{"name": "REGION_LABEL", "type": "plain_text", "text": canaryWorkerText},
			{"name": "LIMITS", "type": "json", "json": obj{"note": canaryWorkerJSON, "burst": 20}},
		}
		if i%2 == 1 {
			// A script without readable variables: nothing to assess.
			w.bindings = w.bindings[:1]
		}
		zone := i % max(a.zoneCount, 1)
		a.workerRoutes[zone] = append(a.workerRoutes[zone], obj{"id": a.next("route").hex32(), "pattern": a.zoneName(zone) + "/" + name + "/*",
			"script": name})
	}
	if a.cloud.opts.Hostile {
		for _, text := range hostileTexts() {
			a.addWorker(text)
		}
	}
}

func (a *account) addWorker(name string) *worker {
	s := a.next("worker")
	w := &worker{name: name, id: s.hex32(), modified: a.cloud.ago(20 * day), compatibility: a.cloud.ago(170 * day)[:len(time.DateOnly)]}
	a.workers = append(a.workers, w)
	return w
}

func (w *worker) object() obj {
	return obj{
		"id": w.name, "tag": w.id, "etag": w.id + w.id, "handlers": []string{"fetch"}, "created_on": w.modified, "modified_on": w.modified,
		"usage_model": "standard", "compatibility_date": w.compatibility,
		"logpush": false, "has_assets": false, "has_modules": true,
		"tail_consumers": []obj{}, "observability": obj{"enabled": !w.quiet, "head_sampling_rate": 1}, "last_deployed_from": "wrangler",
	}
}

func listWorkers(c *call) answer {
	out := []obj{}
	for _, w := range c.acct.workers {
		out = append(out, w.object())
	}
	return ok(out)
}

func (c *call) worker() *worker {
	for _, w := range c.acct.workers {
		if w.name == c.id("script_name") {
			return w
		}
	}
	return nil
}

func noScript() answer { return refuse(404, 10007, "workers.api.error.script_not_found") }

func readWorkerSettings(c *call) answer {
	w := c.worker()
	if w == nil {
		return noScript()
	}
	bindings := w.bindings
	if bindings == nil {
		bindings = []obj{}
	}
	return ok(obj{
		"bindings": bindings, "compatibility_date": w.compatibility, "compatibility_flags": []string{}, "usage_model": "standard",
		"logpush": false, "tail_consumers": []obj{}, "observability": obj{"enabled": !w.quiet, "head_sampling_rate": 1}, "tags": []string{},
		"placement": obj{},
	})
}

func readWorkerSubdomain(c *call) answer {
	w := c.worker()
	if w == nil {
		return noScript()
	}
	return ok(obj{"enabled": w.enabled, "previews_enabled": w.previews})
}

func listWorkerRoutes(c *call) answer { return listOf(c, c.acct.workerRoutes[c.zone.index]) }

// writeWorkerSubdomain sets the switches of the workers.dev hostname; previews keep their state if
// their switch is missing.
func writeWorkerSubdomain(c *call) answer {
	w := c.worker()
	if w == nil {
		return noScript()
	}
	sent, valid := c.sent()
	enabled, isSwitch := sent["enabled"].(bool)
	previews, given := sent["previews_enabled"].(bool)
	if !valid || !isSwitch || (sent["previews_enabled"] != nil && !given) {
		return refuse(400, 10026, "workers.api.error.invalid_body")
	}
	if w.enabled = enabled; given {
		w.previews = previews
	}
	return readWorkerSubdomain(c)
}
