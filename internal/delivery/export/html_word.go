package export

import (
	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// htmlWord is a word with the sign that goes with it: the name of a CSS class
// and of a symbol in the page, which are the same.
type htmlWord struct {
	Class string
	Text  string
}

func htmlSeverity(s posture.Severity) htmlWord {
	switch s {
	case posture.Critical:
		return htmlWord{"critical", "Critical"}
	case posture.High:
		return htmlWord{"high", "High"}
	case posture.Medium:
		return htmlWord{"medium", "Medium"}
	case posture.Low:
		return htmlWord{"low", "Low"}
	case posture.Informational:
		return htmlWord{"informational", "Info"}
	default:
		return htmlWord{"informational", htmlText(string(s))}
	}
}

func htmlResult(r posture.Result) htmlWord {
	switch r {
	case posture.Fail:
		return htmlWord{"fail", "Fail"}
	case posture.Warning:
		return htmlWord{"warning", "Warning"}
	case posture.Pass:
		return htmlWord{"pass", "Pass"}
	case posture.NotApplicable:
		return htmlWord{"none", "Not applicable"}
	default:
		return htmlWord{"unknown", "Not assessed"}
	}
}

func htmlControl(s compliance.Status) htmlWord {
	switch s {
	case compliance.Pass:
		return htmlWord{"pass", "Pass"}
	case compliance.Fail:
		return htmlWord{"fail", "Fail"}
	case compliance.Partial:
		return htmlWord{"warning", "Partial"}
	case compliance.NotApplicable:
		return htmlWord{"none", "Not applicable"}
	default:
		return htmlWord{"unknown", "Not assessed"}
	}
}

// htmlCategoryNames gives each category a name for people.
func htmlCategoryNames() map[posture.Category]string {
	return map[posture.Category]string{ //nolint:gosec // names of categories, one of which is about credentials
		"access": "Access", "account": "Account", "account-waf": "Account firewall", "ai-gateway": "AI Gateway",
		"api": "API security", "attack-surface": "Attack surface", "bot": "Bots", "cache": "Cache", "casb": "CASB",
		"credentials": "Leaked credentials", "custom-hostnames": "Custom hostnames", "ddos": "DDoS",
		"dlp": "Data loss prevention", "dns": "DNS", "dns-firewall": "DNS firewall", "email": "E-mail authentication",
		"email-security": "E-mail security", "gateway": "Gateway", "loadbalancing": "Load balancing", "logpush": "Log delivery",
		"magic": "Magic networking", "mtls": "Mutual TLS", "notifications": "Notifications", "page-shield": "Page Shield",
		"pages": "Pages", "performance": "Performance", "posture": "Device posture", "r2": "R2 storage",
		"rbi": "Browser isolation", "rules": "Rules", "securitytxt": "security.txt", "security-insights": "Security insights",
		"snippets": "Snippets", "spectrum": "Spectrum", "ssl": "TLS", "storage": "Storage", "token": "API token",
		"tunnels": "Tunnels", "turnstile": "Turnstile", "waf": "Firewall", "workers": "Workers", "zaraz": "Zaraz",
		"zerotrust": "Zero Trust",
	}
}
