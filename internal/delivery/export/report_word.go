package export

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/paper"
)

// clock formats an instant in UTC, to the minute.
func clock(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format("2006-01-02 15:04") + " UTC"
}

// day formats the date of an instant in UTC.
func day(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format(time.DateOnly)
}

// lasted formats a duration with at most two units.
func lasted(ms int64) string {
	s := (ms + 500) / 1000
	switch {
	case ms < 0:
		return "unknown"
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
	}
}

// count formats a number with commas between the thousands.
func count(n int) string { return humanize.Comma(int64(n)) }

// plural is "1 check" or "2 checks".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// percent formats a share with at most one decimal. It truncates instead of rounding, because 99.96 %
// is not everything.
func percent(p float64) string {
	tenths := int(p*10 + 1e-9)
	if tenths%10 == 0 {
		return fmt.Sprintf("%d %%", tenths/10)
	}
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

// called is the name of a resource, or its id.
func called(r posture.Resource) string { return cmp.Or(r.Name, r.ID) }

// kindWord is a type of resource or node in words.
func kindWord(t string) string {
	special := map[string]string{"internet": "anyone", "dns_record": "DNS record", "r2_bucket": "R2 bucket",
		"kv_namespace": "KV namespace", "d1_database": "D1 database", "access_app": "Access application", "access_policy": "Access policy"}
	return cmp.Or(special[t], strings.ReplaceAll(t, "_", " "))
}

// signOf is the sign of a severity.
func signOf(s posture.Severity) paper.Sign {
	return []paper.Sign{paper.Informational, paper.Low, paper.Medium, paper.High, paper.Critical}[s.Rank()]
}

func signOfControl(s compliance.Status) paper.Sign {
	signs := map[compliance.Status]paper.Sign{compliance.Pass: paper.Pass, compliance.Fail: paper.Fail, compliance.Partial: paper.Partial,
		compliance.NotApplicable: paper.None}
	return cmp.Or(signs[s], paper.Unknown)
}

// effortWord is the effort of closing an issue, in the dashboard's words.
func effortWord(e issue.Effort) string {
	switch e {
	case issue.OneClick:
		return "plan to review"
	case issue.Settings:
		return "settings to copy"
	default:
		return "work by hand"
	}
}

// frameworkName is the dashboard's name of a framework.
func frameworkName(f compliance.Framework) string {
	known := map[string]string{"cis": "CIS Controls", "soc2": "SOC 2", "pci": "PCI DSS", "nist": "NIST CSF"}
	return cmp.Or(known[f.ID], f.Title)
}

// categoryNames maps each category to a name for people.
func categoryNames() map[posture.Category]string {
	return map[posture.Category]string{
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
