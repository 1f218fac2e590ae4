package simcloud

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

func (r *referee) path(rest string) string { return "/accounts/" + r.acct + rest }

func (r *referee) people() {
	r.allowed(r.path(""))
	for _, s := range fetch[[]obj](r.t, r.cl, r.path("/rulesets?per_page=50")) {
		if s["kind"] == "root" && s["phase"] == phaseCustom {
			got := fetch[struct{ Rules []obj }](r.t, r.cl, r.path("/rulesets/phases/"+phaseCustom+"/entrypoint"))
			r.skips(got.Rules)
		}
	}
	for _, tok := range fetch[[]obj](r.t, r.cl, r.path("/tokens?per_page=50")) {
		if _, ends := tok["expires_on"]; tok["status"] == "active" && !ends {
			r.add("CFL-TOK-002", "token", tok["id"].(string), "FAIL")
		}
	}
	var domains []string
	for _, c := range fetch[[]obj](r.t, r.cl, r.path("/sso_connectors")) {
		if c["enabled"] == true && c["verification"].(obj)["status"] == "verified" {
			domains = append(domains, c["email_domain"].(string))
		}
	}
	uncovered := false
	for _, m := range fetch[[]obj](r.t, r.cl, r.path("/members?per_page=50")) {
		_, domain, _ := strings.Cut(m["email"].(string), "@")
		covered := slices.Contains(domains, domain)
		uncovered = uncovered || !covered && m["status"] == "accepted"
		if m["user"].(obj)["two_factor_authentication_enabled"] == true || covered {
			continue
		}
		result := "WARNING"
		if m["status"] == "accepted" {
			result = "FAIL"
		}
		r.add("CFL-ACC-010", "member", m["id"].(string), result)
	}
	for _, a := range fetch[[]obj](r.t, r.cl, "/accounts?per_page=50") {
		if a["id"] == r.acct && a["settings"].(obj)["enforce_twofactor"] != true {
			if len(domains) == 0 {
				r.add("CFL-ACC-001", "account", r.acct, "FAIL")
			} else if uncovered {
				r.add("CFL-ACC-001", "account", r.acct, "WARNING")
			}
		}
	}
}

func (r *referee) inUse() bool {
	return ask(r.t, r.cl, r.cl.tokens[0].Secret, http.MethodGet, r.path("/access/organizations"), "").Status == http.StatusOK
}

// open tells whether include rules let everyone in, through groups too.
func (r *referee) open(include []any, groups []obj) bool {
	return slices.ContainsFunc(include, func(e any) bool {
		entry := e.(obj)
		if _, all := entry["everyone"]; all {
			return true
		}
		ref, isGroup := entry["group"].(obj)
		i := slices.IndexFunc(groups, func(g obj) bool { return isGroup && g["id"] == ref["id"] })
		return i >= 0 && r.open(groups[i]["include"].([]any), groups)
	})
}

func (r *referee) access() {
	if !r.inUse() {
		return
	}
	groups := fetch[[]obj](r.t, r.cl, r.path("/access/groups?per_page=100"))
	org, _ := time.ParseDuration(fetch[obj](r.t, r.cl, r.path("/access/organizations"))["session_duration"].(string))
	for _, app := range fetch[[]obj](r.t, r.cl, r.path("/access/apps?per_page=100")) {
		if app["type"] == "warp" {
			continue // who enrols devices is judged elsewhere
		}
		id := app["id"].(string)
		session := org
		if text, _ := app["session_duration"].(string); text != "" {
			session, _ = time.ParseDuration(text)
		}
		longest := session
		for _, entry := range app["policies"].([]any) {
			p := entry.(obj)
			include := p["include"].([]any)
			if text, _ := p["session_duration"].(string); text != "" {
				own, _ := time.ParseDuration(text)
				longest = max(longest, own)
			}
			open := r.open(include, groups)
			if open && (p["decision"] == "allow" || p["decision"] == "bypass") {
				if len(p["require"].([]any)) == 0 {
					r.add("CFL-ZT-007", "access_app", id, "FAIL")
				} else {
					r.add("CFL-ZT-007", "access_app", id, "WARNING")
				}
			}
			if p["decision"] == "bypass" && !open {
				r.bypass(p["id"].(string), include)
			}
		}
		switch {
		case longest > 24*time.Hour:
			r.add("CFL-ZT-008", "access_app", id, "FAIL")
		case longest > 12*time.Hour && app["type"] == "ssh":
			r.add("CFL-ZT-008", "access_app", id, "WARNING")
		}
	}
}

func (r *referee) bypass(id string, include []any) {
	for _, e := range include {
		entry := e.(obj)
		if ip, isIP := entry["ip"].(obj); isIP {
			switch ip["ip"] {
			case "11.0.0.0/8":
				r.add("CFL-ZT-026", "access_policy", id, "FAIL")
			case "185.220.0.0/20":
				r.add("CFL-ZT-026", "access_policy", id, "WARNING")
			}
			continue
		}
		r.add("CFL-ZT-026", "access_policy", id, "FAIL") // country or any service token
	}
}

func (r *referee) tunnels() {
	var domains []string
	if r.inUse() {
		for _, app := range fetch[[]obj](r.t, r.cl, r.path("/access/apps?per_page=100")) {
			domain, _ := app["domain"].(string)
			destinations, _ := app["destinations"].([]any)
			for _, d := range destinations {
				if d.(obj)["overrides"] != nil {
					domain += "/" // a part of it is public
				}
			}
			domains = append(domains, domain)
		}
	}
	named := func(host string) bool {
		return slices.ContainsFunc(r.zones, func(j judged) bool {
			return slices.ContainsFunc(j.records, func(rec obj) bool { return rec["name"] == host })
		})
	}
	for _, tun := range fetch[[]obj](r.t, r.cl, r.path("/cfd_tunnel?is_deleted=false&per_page=1000")) {
		id := tun["id"].(string)
		config := fetch[obj](r.t, r.cl, r.path("/cfd_tunnel/"+id+"/configurations"))["config"].(obj)
		for _, entry := range config["ingress"].([]any) {
			rule := entry.(obj)
			host, _ := rule["hostname"].(string)
			service := rule["service"].(string)
			own, _ := rule["originRequest"].(obj)
			guard, _ := own["access"].(obj)
			if host == "" || !named(host) || guard["required"] == true || slices.Contains(domains, host) {
				continue
			}
			part := slices.ContainsFunc(domains, func(d string) bool { return strings.HasPrefix(d, host+"/") })
			private := strings.HasPrefix(service, "ssh:") || strings.HasPrefix(service, "http://10.")
			if private && !part {
				r.add("CFL-ZT-015", "tunnel", id, "FAIL")
			} else {
				r.add("CFL-ZT-015", "tunnel", id, "WARNING")
			}
		}
	}
}

func (r *referee) workloads() {
	for _, w := range fetch[[]obj](r.t, r.cl, r.path("/workers/scripts")) {
		name := w["id"].(string)
		settings := fetch[struct {
			Bindings []struct {
				Name, Type, Text string
				JSON             json.RawMessage
			}
		}](r.t, r.cl, r.path("/workers/scripts/"+name+"/settings"))
		for _, b := range settings.Bindings {
			value := b.Text + string(b.JSON)
			shaped := false
			for _, mark := range []string{"AKIA", "ghp_", "sk" + "_live_", "eyJ", "postgres://"} {
				shaped = shaped || strings.Contains(value, mark)
			}
			telling := strings.Contains(b.Name, "TOKEN") || strings.Contains(b.Name, "SECRET")
			switch {
			case b.Type == "secret_text":
			case shaped, telling && len(value) >= 20:
				r.add("CFL-WORK-003", "worker", name, "FAIL")
			case telling:
				r.add("CFL-WORK-003", "worker", name, "WARNING")
			}
		}
	}
	open := map[string][]string{} // jurisdictions of the public buckets, by name
	buckets := map[string]int{}
	for _, place := range []string{"default", "eu", "us", "fedramp", "fedramp-high"} {
		got := fetch[struct{ Buckets []obj }](r.t, r.cl, r.path("/r2/buckets?per_page=1000"), "cf-r2-jurisdiction", place)
		for _, b := range got.Buckets {
			name := b["name"].(string)
			buckets[name]++
			if fetch[obj](r.t, r.cl, r.path("/r2/buckets/"+name+"/domains/managed"), "cf-r2-jurisdiction", place)["enabled"] == true {
				open[name] = append(open[name], place)
			}
		}
	}
	for name, places := range open {
		for _, place := range places {
			id := place + "_" + name
			if place == "default" || buckets[name] == 1 {
				id = name
			}
			r.add("CFL-R2-004", "r2_bucket", id, "FAIL")
		}
	}
}
