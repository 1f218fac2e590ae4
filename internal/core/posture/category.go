package posture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Category groups checks by the product area they judge.
type Category string

// Categories lists all 43 category ids in alphabetical order.
func Categories() []Category {
	return []Category{
		"access", "account", "account-waf", "ai-gateway", "api", "attack-surface", "bot", "cache", "casb",
		"credentials", "custom-hostnames", "ddos", "dlp", "dns", "dns-firewall", "email", "email-security",
		"gateway", "loadbalancing", "logpush", "magic", "mtls", "notifications", "page-shield", "pages",
		"performance", "posture", "r2", "rbi", "rules", "securitytxt", "security-insights", "snippets",
		"spectrum", "ssl", "storage", "token", "tunnels", "turnstile", "waf", "workers", "zaraz", "zerotrust",
	}
}

// categoryAlias maps older names that callers still use to current ids.
func categoryAlias(name string) string {
	current := map[string]string{"leaked-credentials": "credentials", "magic-firewall": "magic", "device-posture": "posture",
		"browser-isolation": "rbi", "cloud-email-security": "email-security"}
	return cmp.Or(current[name], name)
}

// ParseCategory parses a category id or alias; the error lists the known ids.
func ParseCategory(s string) (Category, error) {
	c := Category(categoryAlias(strings.ToLower(strings.TrimSpace(s))))
	if slices.Contains(Categories(), c) {
		return c, nil
	}
	names := make([]string, 0, len(Categories()))
	for _, k := range Categories() {
		names = append(names, string(k))
	}
	return "", fmt.Errorf("category %q is unknown; choose from %s", s, strings.Join(names, ", "))
}
