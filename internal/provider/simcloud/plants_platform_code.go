package simcloud

import "time"

// plantsPlatformCode misconfigure Workers scripts and Pages projects.
func plantsPlatformCode() []Plant {
	script, site := scriptPlants("code-"), sitePlants("code-")
	mail := func(variant string, bindings ...obj) Plant {
		return script("CFL-WORK-013", variant, failed, func(_ *account, w *worker) { w.bindings = bindings })
	}
	dated := func(variant, result string, days int) Plant {
		return script("CFL-WORK-012", variant, result, func(a *account, w *worker) {
			w.compatibility = a.cloud.ago(time.Duration(days) * day)[:len(time.DateOnly)]
		})
	}
	return []Plant{
		dated("old", warning, 3*365), dated("very-old", failed, 5*365),
		mail("any-recipient", obj{"name": "MAIL", "type": "send_email"}),
		mail("one-open", obj{"name": "OPS", "type": "send_email", "destination_address": "ops@acme.test"},
			obj{"name": "MAIL", "type": "send_email", "allowed_sender_addresses": []string{"shop@acme.test"}}),
		site("CFL-PAGE-005", "shares", failed, nil).applying(func(s *Scene) []Planted {
			p := s.account.addProject("code-shares")
			shareStore(s.account, p)
			setPreviews(p, "all")
			name := asText(p["name"])
			return append(one("CFL-PAGE-005", "pages_project", name, failed), one("CFL-PAGE-003", "pages_project", name, failed)...)
		}),
		site("CFL-PAGE-005", "uploaded-shares", warning, nil).applying(func(s *Scene) []Planted {
			p := s.account.addProject("code-uploaded")
			shareStore(s.account, p)
			newest, _ := p["latest_deployment"].(obj)
			p["source"], newest["environment"] = nil, "preview"
			name := asText(p["name"])
			return append(one("CFL-PAGE-005", "pages_project", name, warning), one("CFL-PAGE-003", "pages_project", name, failed)...)
		}),
		site("CFL-PAGE-006", "uncommitted", failed, func(_ *account, p obj) {
			p["canonical_deployment"] = obj{"environment": "production", "deployment_trigger": obj{"type": "ad_hoc",
				"metadata": obj{"branch": "main", "commit_dirty": true, "commit_message": canaryPagesDeploy}}}
		}),
	}
}

// shareStore binds previews to the production namespace.
func shareStore(a *account, p obj) {
	id := hexID(a.seed, "shared", asText(p["name"]))
	a.namespaces = append(a.namespaces, obj{"id": id, "title": asText(p["name"]), "supports_url_encoding": true})
	for _, config := range []string{"production", "preview"} {
		projectConfig(p, config)["kv_namespaces"] = obj{"STORE": obj{"namespace_id": id}}
	}
}
