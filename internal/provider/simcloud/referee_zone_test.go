package simcloud

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

func (r *referee) zone(j *judged) {
	r.dns(j)
	r.email(j)
	r.transport(j)
	r.firewall(j)
	r.skips(j.custom)
	r.skips(j.managed)
	r.allowed("/zones/" + j.id)
	bots := fetch[obj](r.t, r.cl, "/zones/"+j.id+"/bot_management")
	if j.live && j.plan != "free" && bots["enable_js"] == false {
		r.add("CFL-BOT-002", "zone", j.id, "FAIL")
	}
	if j.live {
		r.bots(j, bots)
	}
}

func (r *referee) bots(j *judged, bots obj) {
	mode, _ := bots["sbfm_definitely_automated"].(string)
	acting, logging := false, false
	for _, rule := range j.custom {
		if rule["enabled"] == true && strings.Contains(rule["expression"].(string), "cf.bot_management.score") {
			acting = acting || rule["action"] != "log"
			logging = logging || rule["action"] == "log"
		}
	}
	switch {
	case j.plan == "free" && bots["fight_mode"] != true,
		(j.plan == "pro" || j.plan == "business") && (mode == "allow" || mode == ""),
		j.plan == "enterprise" && mode == "allow" && !acting && !logging:
		r.add("CFL-BOT-001", "zone", j.id, "FAIL")
	case j.plan == "enterprise" && mode == "allow" && !acting && logging:
		r.add("CFL-BOT-001", "zone", j.id, "WARNING")
	}
}

func txt(rec obj) string { return strings.Trim(rec["content"].(string), `"`) }

func (r *referee) dns(j *judged) {
	if j.zone["status"] == "active" {
		if j.zone["paused"] == true {
			r.add("CFL-ZONE-001", "zone", j.id, "FAIL")
		}
		switch fetch[obj](r.t, r.cl, "/zones/"+j.id+"/dnssec")["status"] {
		case "disabled", "pending-disabled":
			r.add("CFL-DNS-001", "zone", j.id, "FAIL")
		case "pending", "error":
			r.add("CFL-DNS-001", "zone", j.id, "WARNING")
		}
	}
	targets := map[string]bool{}
	tags := map[string]bool{}
	for _, rec := range j.records {
		switch rec["type"] {
		case "MX", "NS":
			targets[rec["content"].(string)] = true
		case "SRV":
			targets[rec["data"].(obj)["target"].(string)] = true
		case "CAA":
			if rec["name"] == j.name {
				tags[rec["data"].(obj)["tag"].(string)] = true
			}
		}
	}
	switch {
	case !tags["issue"]:
		r.add("CFL-DNS-004", "zone", j.id, "FAIL")
	case !tags["iodef"]:
		r.add("CFL-DNS-004", "zone", j.id, "WARNING")
	}
	for _, rec := range j.records {
		r.record(j, rec, targets)
	}
}

func (r *referee) record(j *judged, rec obj, targets map[string]bool) {
	id, name, content := rec["id"].(string), rec["name"].(string), rec["content"].(string)
	kind := rec["type"].(string)
	web := kind == "A" || kind == "AAAA" || kind == "CNAME"
	owned := slices.ContainsFunc([]string{".cfargotunnel.com", ".pages.dev", ".workers.dev", ".r2.dev"},
		func(s string) bool { return strings.HasSuffix(content, s) })
	if web && rec["proxiable"] == true && rec["proxied"] != true && !owned && !targets[name] && j.zone["paused"] != true {
		foreign := kind == "CNAME" && !strings.HasSuffix(content, ".azurewebsites.net") &&
			!slices.ContainsFunc(r.names, func(z string) bool { return content == z || strings.HasSuffix(content, "."+z) })
		r.add("CFL-DNS-002", "dns_record", id, map[bool]string{false: "FAIL", true: "WARNING"}[foreign])
	}
	if strings.HasPrefix(name, "*.") {
		outside := kind == "CNAME" && !slices.ContainsFunc(r.names, func(z string) bool {
			return content == z ||
				strings.HasSuffix(content, "."+z)
		})
		if web && rec["proxied"] != true || outside {
			r.add("CFL-DNS-003", "dns_record", id, "FAIL")
		} else {
			r.add("CFL-DNS-003", "dns_record", id, "WARNING")
		}
	}
	if addr, err := netip.ParseAddr(content); err == nil {
		inside := addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast()
		for _, special := range []string{"100.64.0.0/10", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"} {
			inside = inside || netip.MustParsePrefix(special).Contains(addr)
		}
		if inside {
			r.add("CFL-DNS-008", "dns_record", id, "FAIL")
		}
	}
}

// origins compares direct addresses with proxied ones over the whole account.
func (r *referee) origins() {
	exact, near := map[string]bool{}, map[netip.Prefix]bool{}
	network := func(a netip.Addr) netip.Prefix {
		bits := 24
		if a.Is6() {
			bits = 64
		}
		p, _ := a.Prefix(bits)
		return p
	}
	for _, j := range r.zones {
		for _, rec := range j.records {
			if a, err := netip.ParseAddr(rec["content"].(string)); err == nil && rec["proxied"] == true {
				exact[a.String()], near[network(a)] = true, true
			}
		}
	}
	for _, j := range r.zones {
		for _, rec := range j.records {
			id := rec["id"].(string)
			if a, err := netip.ParseAddr(rec["content"].(string)); err == nil && rec["proxied"] != true {
				switch {
				case exact[a.String()]:
					r.add("CFL-DNS-009", "dns_record", id, "FAIL")
				case near[network(a)]:
					r.add("CFL-DNS-009", "dns_record", id, "WARNING")
				}
			}
			if rec["type"] == "TXT" && strings.HasPrefix(txt(rec), "v=spf1") {
				for term := range strings.FieldsSeq(txt(rec)) {
					if ip, is := strings.CutPrefix(term, "ip4:"); is && exact[ip] {
						r.add("CFL-DNS-009", "dns_record", id, "FAIL")
					}
				}
			}
		}
	}
}

func (r *referee) email(j *judged) {
	spf := 0
	var policies []string
	other := 0
	for _, rec := range j.records {
		if rec["type"] != "TXT" {
			continue
		}
		text := txt(rec)
		switch {
		case rec["name"] == j.name && strings.HasPrefix(text, "v=spf1"):
			spf++
		case rec["name"] == "_dmarc."+j.name && strings.HasPrefix(text, "v=DMARC1"):
			policies = append(policies, text)
		case rec["name"] == "_dmarc."+j.name:
			other++
		}
	}
	if spf != 1 {
		r.add("CFL-EMAIL-001", "zone", j.id, "FAIL")
	}
	switch {
	case len(policies) != 1:
		r.add("CFL-EMAIL-003", "zone", j.id, "FAIL")
	case other > 0:
		r.add("CFL-EMAIL-003", "zone", j.id, "WARNING")
	}
	if len(policies) == 0 {
		return
	}
	tags := map[string]string{}
	for part := range strings.SplitSeq(policies[0], ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		tags[key] = value
	}
	strength := []string{"none", "quarantine", "reject"}
	p := slices.Index(strength, tags["p"])
	weak := tags["sp"] != "" && slices.Index(strength, tags["sp"]) < p
	pct, err := strconv.Atoi(tags["pct"])
	switch {
	case p < 1:
		r.add("CFL-EMAIL-005", "zone", j.id, "FAIL")
	case weak, err == nil && pct < 100, tags["rua"] == "":
		r.add("CFL-EMAIL-005", "zone", j.id, "WARNING")
	}
}
