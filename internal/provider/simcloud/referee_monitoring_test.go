package simcloud

import (
	"slices"
	"strings"
	"time"
)

func (r *referee) logs() {
	jobs := fetch[[]obj](r.t, r.cl, r.path("/logpush/jobs"))
	failing := func(job obj) bool { return when(job["last_error"]).After(when(job["last_complete"])) }
	audit, working := false, false
	for _, job := range jobs {
		if strings.HasPrefix(job["dataset"].(string), "audit_logs") && job["enabled"] == true {
			audit = true
			working = working || !failing(job)
		}
	}
	if !working && r.best == 3 {
		r.add("CFL-ACC-009", "account", r.acct, "FAIL")
	} else if !audit && r.best < 3 {
		r.add("CFL-ACC-009", "account", r.acct, "WARNING")
	}
	for _, j := range r.zones {
		if j.plan != "enterprise" {
			continue
		}
		own := fetch[[]obj](r.t, r.cl, "/zones/"+j.id+"/logpush/jobs")
		jobs = append(jobs, own...)
		seen := map[any]bool{}
		for _, job := range own {
			seen[job["dataset"]] = seen[job["dataset"]] || job["enabled"] == true
		}
		both := []bool{seen["http_requests"], seen["firewall_events"]}
		if !both[0] && !both[1] {
			r.add("CFL-LOG-001", "zone", j.id, "FAIL")
		} else if !both[0] || !both[1] {
			r.add("CFL-LOG-001", "zone", j.id, "WARNING")
		}
	}
	for _, job := range jobs {
		message, _ := job["error_message"].(string)
		enabled := job["enabled"] == true
		switch {
		case enabled && failing(job), !enabled && message != "":
			r.add("CFL-LOG-002", "account", r.acct, "FAIL")
		case !enabled, when(job["last_complete"]).Before(r.cl.now().Add(-24 * time.Hour)):
			r.add("CFL-LOG-002", "account", r.acct, "WARNING")
		}
	}
}

func (r *referee) alerts() {
	policies := fetch[[]obj](r.t, r.cl, r.path("/alerting/v3/policies"))
	var offered []string
	for _, product := range fetch[map[string][]obj](r.t, r.cl, r.path("/alerting/v3/available_alerts")) {
		for _, e := range product {
			offered = append(offered, e["type"].(string))
		}
	}
	want := map[string][]string{
		"CFL-ALERT-003": {"universal_ssl_event_type", "dedicated_ssl_certificate_event_type", "custom_ssl_certificate_event_type"},
		"CFL-ALERT-004": {"dos_attack_l7", "advanced_ddos_attack_l7_alert"},
	}
	if r.best >= 2 {
		want["CFL-ALERT-001"] = []string{"clickhouse_alert_fw_anomaly", "clickhouse_alert_fw_ent_anomaly"}
	}
	for check, kinds := range want {
		r.policyOf(check, kinds, policies, offered)
	}
	r.destinations(policies)
}

func (r *referee) policyOf(check string, kinds []string, policies []obj, offered []string) {
	exists, limited := false, false
	for _, p := range policies {
		if p["enabled"] == true && slices.Contains(kinds, p["alert_type"].(string)) {
			exists = true
			limited = limited || len(p["filters"].(obj)) > 0 || len(p["mechanisms"].(obj)) == 0
		}
	}
	if !slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(offered, k) }) {
		return
	}
	switch {
	case !exists:
		r.add(check, "account", r.acct, "FAIL")
	case limited:
		r.add(check, "account", r.acct, "WARNING")
	}
}

func (r *referee) destinations(policies []obj) {
	used, ways, hooked := map[any]bool{}, map[any]bool{}, false
	for _, p := range policies {
		mechanisms := p["mechanisms"].(obj)
		if p["enabled"] == true && len(mechanisms) == 0 {
			r.add("CFL-ALERT-005", "account", r.acct, "FAIL")
		}
		for kind, list := range mechanisms {
			for _, e := range list.([]any) {
				id := e.(obj)["id"]
				ways[kind+id.(string)] = true
				if kind == "webhooks" {
					used[id], hooked = true, true
				}
			}
		}
	}
	if len(ways) == 1 && !hooked {
		r.add("CFL-ALERT-005", "account", r.acct, "WARNING")
	}
	if !hooked {
		return
	}
	for _, h := range fetch[[]obj](r.t, r.cl, r.path("/alerting/v3/destinations/webhooks")) {
		plain := strings.HasPrefix(h["url"].(string), "http:")
		success, failure := when(h["last_success"]), when(h["last_failure"])
		switch {
		case !used[h["id"]]:
		case failure.After(success):
			r.add("CFL-ALERT-005", "account", r.acct, "FAIL")
		case success.IsZero():
			r.add("CFL-ALERT-005", "account", r.acct, "WARNING")
		}
		if plain && used[h["id"]] {
			r.add("CFL-ALERT-012", "account", r.acct, "FAIL")
		} else if plain {
			r.add("CFL-ALERT-012", "account", r.acct, "WARNING")
		}
	}
}
