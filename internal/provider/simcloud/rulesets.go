package simcloud

import (
	"net/http"
	"slices"
	"strings"
)

// Provider-owned rulesets have the same ids in every account, see
// https://developers.cloudflare.com/waf/managed-rules/reference/.
const (
	managedRuleset = "efb7b8c949ac4650a09736fc376e9aee"
	owaspRuleset   = "4814384a9e5d4991b9815dcfc25d2f1f"
	leakedRuleset  = "c2e184081120413c86c3ab7e14069605"
	freeRuleset    = "77454fe2d30c4220b5701f6fdfb893ba"
	ddosRuleset    = "4d21379b4f9f4bb088e0729962c8b3cf"

	phaseCustom    = "http_request_firewall_custom"
	phaseManaged   = "http_request_firewall_managed"
	phaseRateLimit = "http_ratelimit"
	phaseRedirect  = "http_request_dynamic_redirect"
	phaseHeaders   = "http_response_headers_transform"
)

// ruleset is one ruleset of a zone or an account, see
// https://developers.cloudflare.com/ruleset-engine/rulesets-api/.
type ruleset struct {
	ID, Kind, Phase, Name, Version, Updated string
	Rules                                   []obj
}

// summary returns the list entry, which has no rules.
func (s *ruleset) summary() obj {
	return obj{"id": s.ID, "name": s.Name, "description": "", "kind": s.Kind, "version": s.Version, "phase": s.Phase,
		"last_updated": s.Updated}
}

func (s *ruleset) object() obj {
	o := s.summary()
	o["rules"] = s.Rules
	if s.Rules == nil {
		o["rules"] = []obj{}
	}
	return o
}

// newRule returns one rule in the shape of responses.
func newRule(s *stream, updated, action, expression, description string) obj {
	id := s.hex32()
	return obj{
		"id": id, "version": "1", "action": action, "expression": expression, "description": description,
		"last_updated": updated, "ref": id, "enabled": true,
	}
}

func executeRule(s *stream, updated, expression, target string) obj {
	r := newRule(s, updated, "execute", expression, "Execute managed rules")
	r["action_parameters"] = obj{"id": target, "version": "latest"}
	return r
}

func skipRule(s *stream, updated, expression, description string) obj {
	r := newRule(s, updated, "skip", expression, description)
	r["action_parameters"] = obj{"ruleset": "current", "phases": []string{phaseManaged, phaseRateLimit}}
	r["logging"] = obj{"enabled": true}
	return r
}

// providerRulesets returns the rulesets listed in every zone without being deployed by it.
func (z *zone) providerRulesets() []*ruleset {
	provided := func(id, name, phase string) *ruleset {
		return &ruleset{ID: id, Kind: "managed", Phase: phase, Name: name, Version: "58", Updated: z.acct.cloud.ago(7 * day)}
	}
	out := []*ruleset{provided(ddosRuleset, "DDoS L7 ruleset", "ddos_l7"),
		provided(freeRuleset, "Cloudflare Managed Free Ruleset", phaseManaged)}
	if z.plan != "free" {
		out = append(out, provided(managedRuleset, "Cloudflare Managed Ruleset", phaseManaged),
			provided(owaspRuleset, "Cloudflare OWASP Core Ruleset", phaseManaged),
			provided(leakedRuleset, "Cloudflare Exposed Credentials Check Ruleset", phaseManaged))
	}
	if z.searchesAnswers() {
		out = append(out, provided(sensitiveDataRuleset, "Cloudflare Sensitive Data Detection", phaseAnswers))
	}
	return out
}

// makeRulesets adds the rules of a well-kept zone by plan.
func (z *zone) makeRulesets() {
	updated := z.acct.cloud.ago(45 * day)
	z.rulesets = z.providerRulesets()
	s := z.next("rules")
	block := newRule(s, updated, "block", `(http.request.uri.path contains "/wp-login.php") or (http.request.uri.path contains "/.env")`,
		"Block probes")
	block["action_parameters"] = obj{"response": obj{"status_code": 403, "content": canaryRuleContent, "content_type": "text/plain"}}
	custom := []obj{block, newRule(s, updated, "managed_challenge", `(http.request.uri.path eq "/login" and ip.src.country in {"T1"})`,
		"Challenge logins")}
	if z.plan == "enterprise" {
		custom = append(custom, newRule(s, updated, "managed_challenge",
			`(cf.bot_management.score lt 30 and not cf.bot_management.verified_bot)`, "Stop bots"))
	}
	if z.index%3 == 0 {
		// A narrow exception, one address and one path, is not a finding.
		custom = append(custom, skipRule(s, updated, `(ip.src eq 185.220.20.7 and starts_with(http.request.uri.path, "/hooks/"))`,
			"Payment callback"))
	}
	z.entrypoint(phaseCustom).Rules = custom
	limit := newRule(s, updated, "block", `(http.request.uri.path eq "/login")`, "Slow down password guessing")
	limit["ratelimit"] = obj{"characteristics": []string{"cf.colo.id", "ip.src"}, "period": 10, "requests_per_period": 20,
		"mitigation_timeout": 10}
	z.entrypoint(phaseRateLimit).Rules = []obj{limit}
	if z.plan != "free" {
		z.entrypoint(phaseManaged).Rules = []obj{executeRule(s, updated, "true", managedRuleset)}
	}
	if rank(z.plan) >= 2 {
		z.entrypoint(phaseManaged).Rules = append(z.entrypoint(phaseManaged).Rules, executeRule(s, updated, "true", owaspRuleset))
		z.entrypoint(phaseCache).Rules = []obj{cacheRule(s, updated, `(http.request.uri.path.extension in {"css" "js"})`, "Cache assets",
			"override_origin", true)}
	}
	if z.plan == "enterprise" {
		z.entrypoint("ddos_l7").Rules = []obj{executeRule(s, updated, "true", ddosRuleset)}
	}
	if z.searchesAnswers() {
		z.entrypoint(phaseAnswers).Rules = []obj{executeRule(z.next("answers"), updated, "true", sensitiveDataRuleset)}
	}
}

// entrypoint returns the zone's entrypoint of a phase, creating it if there is none.
func (z *zone) entrypoint(phase string) *ruleset {
	if found := entrypointOf(z.rulesets, "zone", phase); found != nil {
		return found
	}
	made := &ruleset{ID: z.next("ruleset").hex32(), Kind: "zone", Phase: phase, Name: "default", Version: "3",
		Updated: z.acct.cloud.ago(45 * day)}
	z.rulesets = append(z.rulesets, made)
	return made
}

func (z *zone) dropEntrypoint(phase string) {
	z.rulesets = slices.DeleteFunc(z.rulesets, func(s *ruleset) bool { return s.Kind == "zone" && s.Phase == phase })
}

func entrypointOf(all []*ruleset, kind, phase string) *ruleset {
	for _, s := range all {
		if s.Kind == kind && s.Phase == phase {
			return s
		}
	}
	return nil
}

// scope returns the rulesets a request concerns and the kind of its entrypoints.
func (c *call) scope() (*[]*ruleset, string) {
	if c.zone != nil {
		return &c.zone.rulesets, "zone"
	}
	return &c.acct.rulesets, "root"
}

// phase reads the phase from the path, because most phases have a pattern of their own.
func (c *call) phase() string {
	_, rest, _ := strings.Cut(c.r.URL.Path, "/rulesets/phases/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

func listRulesets(c *call) answer {
	all, _ := c.scope()
	var out []obj
	for _, s := range *all {
		if c.cloud.permits(c.token, phasePermission(s.Phase, c.zone != nil)) {
			out = append(out, s.summary())
		}
	}
	return listOf(c, out)
}

func readRuleset(c *call) answer {
	all, _ := c.scope()
	for _, s := range *all {
		if s.ID == c.id("ruleset_id") {
			return ok(s.object())
		}
	}
	return noRuleset(c.id("ruleset_id"))
}

func noRuleset(id string) answer {
	return refuse(http.StatusNotFound, 10003, `could not find ruleset "`+id+`"`)
}

func readEntrypoint(c *call) answer {
	all, kind := c.scope()
	if s := entrypointOf(*all, kind, c.phase()); s != nil {
		return ok(s.object())
	}
	return refuse(http.StatusNotFound, 10003, "could not find entrypoint ruleset in the "+c.phase()+" phase")
}

// phasePermission returns the permission a token needs to see the rulesets of a phase: lists omit
// the others.
func phasePermission(name string, ofZone bool) string {
	phases := accountPhases()
	if ofZone {
		phases = zonePhases()
	}
	for _, p := range phases {
		if p.name == name {
			return p.permission
		}
	}
	return ""
}
