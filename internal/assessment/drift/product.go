package drift

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// productWords maps each category to the words that name its products in the provider's audit log
// (resource.product,
// developers.cloudflare.com/api/resources/accounts/subresources/logs/subresources/audit/methods/list/).
// The log has no fixed list of names, so a product belongs to the categories that have the longest
// of these words in it.
func productWords() map[posture.Category][]string {
	rulesets := []string{"rulesets", "account rulesets", "zone rulesets", "firewall", "waf", "lists", "ip access rules"}
	return map[posture.Category][]string{
		"access":            {"access", "identity providers", "service tokens", "mcp"},
		"account":           {"account", "accounts", "account settings", "members", "sso", "audit logs"},
		"account-waf":       rulesets,
		"ai-gateway":        {"ai gateway"},
		"api":               {"api gateway", "api shield", "schema validation", "token validation"},
		"attack-surface":    {"dns", "dns records", "zones", "zone settings", "security center"},
		"bot":               {"bot management", "bots"},
		"cache":             {"cache", "zone settings", "rulesets", "zone rulesets"},
		"casb":              {"casb"},
		"credentials":       {"leaked credential checks", "leaked credentials"},
		"custom-hostnames":  {"custom hostnames", "ssl for saas"},
		"ddos":              {"ddos", "rulesets", "account rulesets", "zone rulesets"},
		"dlp":               {"dlp"},
		"dns":               {"dns", "dns records", "dnssec", "dns settings", "secondary dns", "zones"},
		"dns-firewall":      {"dns firewall"},
		"email":             {"email routing", "dns", "dns records"},
		"email-security":    {"email security"},
		"gateway":           {"gateway"},
		"loadbalancing":     {"load balancers", "load balancing", "load balancing pools", "load balancing monitors"},
		"logpush":           {"logpush"},
		"magic":             {"magic", "magic transit", "magic wan", "magic firewall"},
		"mtls":              {"mtls", "mtls certificates", "client certificates", "origin tls client auth"},
		"notifications":     {"alerting", "notifications"},
		"page-shield":       {"page shield"},
		"pages":             {"pages"},
		"performance":       {"zone settings", "speed"},
		"posture":           {"device posture", "devices"},
		"r2":                {"r2"},
		"rbi":               {"browser isolation", "gateway"},
		"rules":             {"rulesets", "account rulesets", "zone rulesets", "page rules", "snippets", "managed headers", "url normalization"},
		"securitytxt":       {"security txt"},
		"security-insights": {"security center", "security insights"},
		"snippets":          {"snippets"},
		"spectrum":          {"spectrum"},
		"ssl": {"ssl", "ssl tls", "zone settings", "certificates", "certificate packs", "custom certificates", "origin ca",
			"universal ssl"},
		"storage":   {"kv", "workers kv", "d1", "queues", "hyperdrive"},
		"token":     {"tokens", "api tokens", "account tokens", "user tokens"},
		"tunnels":   {"tunnels", "cloudflare tunnel", "cfd tunnel", "teamnet"},
		"turnstile": {"turnstile"},
		"waf":       append([]string{"zone settings"}, rulesets...),
		"workers":   {"workers", "workers scripts", "workers routes", "workers secrets"},
		"zaraz":     {"zaraz"},
		"zerotrust": {"zero trust", "gateway", "access", "devices", "teamnet"},
	}
}

// categoriesOf returns the categories a product belongs to.
func categoriesOf(product string) []posture.Category {
	name := " " + snapshot.ProductWords(product) + " "
	longest := 0
	var out []posture.Category
	table := productWords()
	for _, c := range posture.Categories() {
		best := 0
		for _, w := range table[c] {
			if strings.Contains(name, " "+w+" ") {
				best = max(best, len(w))
			}
		}
		switch {
		case best == 0 || best < longest:
		case best > longest:
			longest, out = best, []posture.Category{c}
		default:
			out = append(out, c)
		}
	}
	return out
}
