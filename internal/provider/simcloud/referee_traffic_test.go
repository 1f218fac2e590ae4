package simcloud

import (
	"net/netip"
	"slices"
	"strings"
	"time"
)

func (r *referee) transport(j *judged) {
	r.originCerts(j)
	if !j.live {
		return
	}
	say := func(check, result string) { r.add(check, "zone", j.id, result) }
	modes := []any{j.settings["ssl"]}
	for _, rule := range j.config {
		if params, ok := rule["action_parameters"].(obj); ok && rule["enabled"] == true && params["ssl"] != nil {
			modes = append(modes, params["ssl"])
		}
	}
	for _, page := range j.pages {
		for _, action := range page["actions"].([]any) {
			if a := action.(obj); a["id"] == "ssl" && len(modes) == 1 { // a configuration rule comes after it
				modes = append(modes, a["value"])
			}
		}
	}
	switch {
	case slices.Contains(modes, any("off")), slices.Contains(modes, any("flexible")):
		say("CFL-SSL-001", "FAIL")
	case slices.Contains(modes, any("full")):
		say("CFL-SSL-001", "WARNING")
	}
	if v := j.settings["min_tls_version"]; v == "1.0" || v == "1.1" {
		say("CFL-SSL-002", "FAIL")
	}
	if j.settings["tls_1_3"] == "off" {
		say("CFL-SSL-006", "FAIL")
	}
	hsts := j.settings["security_header"].(obj)["strict_transport_security"].(obj)
	age := int(hsts["max_age"].(float64))
	if hsts["enabled"] != true || age == 0 {
		if len(j.headers) > 0 {
			say("CFL-SSL-004", "WARNING")
		} else {
			say("CFL-SSL-004", "FAIL")
		}
	}
	if hsts["enabled"] == true && age > 0 && age < 15552000 {
		say("CFL-SSL-004", "WARNING")
	}
	if hsts["enabled"] == true && age < 31536000 {
		if age < 15552000 {
			say("CFL-SSL-009", "FAIL")
		} else {
			say("CFL-SSL-009", "WARNING")
		}
	}
	if j.settings["always_use_https"] == "off" {
		rules := fetch[[]obj](r.t, r.cl, "/zones/"+j.id+"/pagerules?status=active")
		if len(rules)+len(j.redirect) > 0 {
			say("CFL-SSL-005", "WARNING")
		} else {
			say("CFL-SSL-005", "FAIL")
		}
	}
	switch j.settings["security_level"] {
	case "off", "essentially_off":
		say("CFL-WAF-001", "FAIL")
	case "low":
		say("CFL-WAF-001", "WARNING")
	}
}

func (r *referee) originCerts(j *judged) {
	limit := r.cl.now().Add(30 * 24 * time.Hour)
	list := fetch[[]obj](r.t, r.cl, "/certificates?zone_id="+j.id+"&per_page=50")
	strict := j.settings["ssl"] == "strict" || j.settings["ssl"] == "origin_pull"
	for _, c := range list {
		covered := slices.ContainsFunc(list, func(o obj) bool {
			return when(o["expires_on"]).After(limit)
		})
		switch {
		case when(c["expires_on"]).After(limit) || covered:
		case strict:
			r.add("CFL-ORIGCERT-001", "certificate", c["id"].(string), "FAIL")
		default:
			r.add("CFL-ORIGCERT-001", "certificate", c["id"].(string), "WARNING")
		}
	}
}

func (r *referee) firewall(j *judged) {
	if !j.live {
		return
	}
	on := func(rules []obj, accept func(obj) bool) bool {
		return slices.ContainsFunc(rules, func(rule obj) bool { return rule["enabled"] == true && accept(rule) })
	}
	stops := []any{"block", "managed_challenge", "js_challenge", "challenge"}
	if first := slices.IndexFunc(j.custom, func(rule obj) bool { return rule["enabled"] == true }); first >= 0 &&
		j.custom[first]["action"] == "skip" && j.custom[first]["expression"] == "true" {
		for _, check := range []string{"CFL-WAF-002", "CFL-WAF-003", "CFL-WAF-005"} {
			r.add(check, "zone", j.id, "FAIL")
		}
		return
	}
	switch {
	case on(j.custom, func(rule obj) bool { return slices.Contains(stops, rule["action"]) }):
	case len(j.custom) > 0:
		r.add("CFL-WAF-002", "zone", j.id, "FAIL")
	default:
		r.add("CFL-WAF-002", "zone", j.id, "WARNING")
	}
	if !on(j.limits, func(rule obj) bool { return rule["action"] != "log" }) {
		r.add("CFL-WAF-003", "zone", j.id, "FAIL")
	}
	if j.plan == "free" {
		return
	}
	execute := func(rule obj) bool { return rule["action"] == "execute" }
	switch {
	case !on(j.managed, execute):
		r.add("CFL-WAF-005", "zone", j.id, "FAIL")
	case !on(j.managed, func(rule obj) bool { return execute(rule) && rule["expression"] == "true" }):
		r.add("CFL-WAF-005", "zone", j.id, "WARNING")
	}
}

// skips reads exceptions; only the forms the generator writes are understood.
func (r *referee) skips(rules []obj) {
	for _, rule := range rules {
		if rule["action"] != "skip" || rule["enabled"] != true {
			continue
		}
		worst := 0
		for branch := range strings.SplitSeq(rule["expression"].(string), ") or (") {
			country := strings.Contains(branch, "ip.src.country")
			source := strings.Contains(branch, "ip.src ")
			path := strings.Contains(branch, "http.request.uri.path")
			switch {
			case !source && !country, strings.Contains(branch, "/8}"):
				worst = max(worst, 2)
			case country, !path:
				worst = max(worst, 1)
			}
		}
		if worst > 0 {
			r.add("CFL-WAF-010", "rule", rule["id"].(string), []string{"", "WARNING", "FAIL"}[worst])
		}
	}
}

func (r *referee) allowed(base string) {
	for _, rule := range fetch[[]obj](r.t, r.cl, base+"/firewall/access_rules/rules?mode=whitelist&per_page=1000") {
		conf := rule["configuration"].(obj)
		id, value := rule["id"].(string), conf["value"].(string)
		prefix, err := netip.ParsePrefix(value)
		wide, narrow := 16, 24
		if err == nil && prefix.Addr().Is6() {
			wide, narrow = 32, 64
		}
		old := rule["notes"] == "" && when(rule["modified_on"]).Before(r.cl.now().AddDate(-1, 0, 0))
		switch {
		case conf["target"] == "country", conf["target"] == "asn", err == nil && prefix.Bits() < wide:
			r.add("CFL-WAF-011", "rule", id, "FAIL")
		case err == nil && prefix.Bits() < narrow, old:
			r.add("CFL-WAF-011", "rule", id, "WARNING")
		}
	}
}
