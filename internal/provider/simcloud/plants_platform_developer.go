package simcloud

// scriptPlants returns a function that makes plants in Workers scripts of their own, which are named by the prefix.
func scriptPlants(prefix string) func(check, variant, result string, change func(*account, *worker)) Plant {
	return func(check, variant, result string, change func(*account, *worker)) Plant {
		return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: "worker",
			Apply: func(s *Scene) []Planted {
				w := s.account.addWorker(prefix + variant)
				change(s.account, w)
				return one(check, "worker", w.name, result)
			}}
	}
}

// sitePlants is scriptPlants for Pages projects.
func sitePlants(prefix string) func(check, variant, result string, change func(*account, obj)) Plant {
	return func(check, variant, result string, change func(*account, obj)) Plant {
		return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: "pages_project",
			Apply: func(s *Scene) []Planted {
				p := s.account.addProject(prefix + variant)
				change(s.account, p)
				return one(check, "pages_project", asText(p["name"]), result)
			}}
	}
}

func plantsDeveloper() []Plant {
	script := scriptPlants("job-")
	bound := func(variant, kind, key, value string) Plant {
		return script("CFL-WORK-011", variant, failed, func(_ *account, w *worker) {
			w.bindings = []obj{{"name": "STORE", "type": kind, key: value}}
		})
	}
	return []Plant{
		script("CFL-WORK-005", "beside-route", failed, func(a *account, w *worker) {
			w.enabled = true
			a.addWorkerRoute(w.name, "beside")
		}),
		script("CFL-WORK-005", "beside-domain", failed, func(a *account, w *worker) {
			w.enabled, w.previews = true, true
			a.addWorkerDomain(w.name, "beside."+a.zoneName(0))
		}),
		script("CFL-WORK-005", "unlisted", failed, func(a *account, w *worker) {
			w.enabled, w.unlisted = true, true
			a.addWorkerRoute(w.name, "unlisted")
		}),
		script("CFL-WORK-005", "beside-store", failed, func(a *account, w *worker) {
			w.enabled = true
			a.addWorkerRoute(w.name, "beside-store")
			w.bindings = []obj{{"name": "REPORTS", "type": "service", "service": a.workers[0].name, "environment": "production"}}
		}),
		script("CFL-WORK-005", "beside-access", failed, func(a *account, w *worker) {
			w.enabled = true
			host := "desk." + a.zoneName(0)
			a.addWorkerDomain(w.name, host)
			a.addApp("Desk", "self_hosted", host)
		}).when(usesAccess),
		script("CFL-WORK-005", "no-other-address", warning, func(_ *account, w *worker) { w.enabled = true }),
		script("CFL-WORK-005", "previews", warning, func(_ *account, w *worker) { w.previews = true }),
		script("CFL-WORK-007", "quiet", failed, func(_ *account, w *worker) { w.quiet = true }),
		bound("namespace", "kv_namespace", "namespace_id", hexID(0, "no namespace")),
		bound("database", "d1", "id", newStream(0, "no database").uuid()),
		bound("bucket", "r2_bucket", "bucket_name", "no-such-bucket"),
		bound("queue", "queue", "queue_name", "no-such-queue"),
		bound("service", "service", "service", "no-such-script"),
		script("CFL-WORK-011", "environment", warning, func(_ *account, w *worker) {
			w.bindings = []obj{{"name": "SELF", "type": "service", "service": w.name, "environment": "staging"}}
		}),
	}
}

func plantsPages() []Plant {
	site := sitePlants("site-")
	variable := func(variant, result, config, name, value string) Plant {
		return site("CFL-PAGE-001", variant, result, func(a *account, p obj) { a.setVariable(p, config, name, "plain_text", value) })
	}
	built := func(variant, setting string) Plant {
		return site("CFL-PAGE-003", variant, failed, func(_ *account, p obj) { setPreviews(p, setting) })
	}
	shaped, dense := plantedSecrets(), entropySecret()
	return []Plant{
		variable("shape", failed, "production", shaped[1].name, shaped[1].value),
		variable("shape-in-previews", failed, "preview", shaped[4].name, shaped[4].value),
		variable("entropy", failed, "production", dense.name, dense.value),
		variable("placeholder", warning, "production", "API_TOKEN", "changeme"),
		built("all-branches", "all"),
		built("some-branches", "custom"),
		built("setting-absent", ""),
		site("CFL-PAGE-003", "uploaded-branch", failed, func(_ *account, p obj) {
			newest, _ := p["latest_deployment"].(obj)
			p["source"], newest["environment"] = nil, "preview"
		}),
		site("CFL-PAGE-003", "left-behind", failed, func(_ *account, p obj) {
			newest, _ := p["latest_deployment"].(obj)
			newest["environment"] = "preview"
		}),
		site("CFL-PAGE-003", "production-open", warning, func(a *account, p obj) {
			setPreviews(p, "all")
			p["domains"] = []string{asText(p["subdomain"]), "site." + a.zoneName(0)}
			a.addApp("Previews of a site", "self_hosted", "*."+asText(p["subdomain"]))
		}).when(usesAccess),
		site("CFL-PAGE-010", "custom-domain-only", failed, func(a *account, p obj) {
			own := "intranet." + a.zoneName(0)
			p["domains"] = []string{asText(p["subdomain"]), own}
			a.addApp("A site", "self_hosted", own)
		}).when(usesAccess),
		site("CFL-PAGE-004", "fail-open", failed, func(_ *account, p obj) { projectConfig(p, "production")["fail_open"] = true }),
	}
}
