package mailauth

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// Pattern kinds of a mail filter.
const (
	PatternAddress    = "address"
	PatternDomain     = "domain"
	PatternHost       = "ip"      // one IP address
	PatternNetwork    = "network" // a range of them
	PatternExpression = "expression"
	PatternUnclear    = "unclear"
)

// How many senders an expression matches.
const (
	BreadthAnyone     = "anyone"     // unrelated senders
	BreadthPublic     = "public"     // any sender of a public mail domain
	BreadthNarrow     = "narrow"     // neither
	BreadthUnreadable = "unreadable" // it cannot be evaluated
)

// PatternKind returns the kind of a pattern that is not an expression.
func PatternKind(pattern string) string {
	if _, err := netip.ParseAddr(pattern); err == nil {
		return PatternHost
	}
	if p, err := netip.ParsePrefix(pattern); err == nil {
		if p.IsSingleIP() {
			return PatternHost
		}
		return PatternNetwork
	}
	if local, domain, found := strings.Cut(pattern, "@"); found {
		switch {
		case !isDomain(domain):
			return PatternUnclear
		case local == "":
			return PatternDomain // "@acme.example"
		}
		return PatternAddress
	}
	if isDomain(pattern) {
		return PatternDomain
	}
	return PatternUnclear
}

func isDomain(name string) bool {
	labels := strings.Split(strings.TrimSuffix(name, "."), ".")
	return len(labels) > 1 && !slices.ContainsFunc(labels, func(l string) bool {
		return l == "" || strings.ContainsFunc(l, func(r rune) bool {
			return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 0x80
		})
	})
}

// longestExpression is in bytes; the time to compile grows with the length.
const longestExpression = 1000

// ExpressionBreadth tests an expression on unrelated senders: whole addresses, or domains only. It
// matches anywhere in the text, as filters do.
func ExpressionBreadth(expression string, domainsOnly bool) string {
	if len(expression) > longestExpression {
		return BreadthUnreadable
	}
	re, err := regexp.Compile("(?i)" + expression)
	if err != nil {
		return BreadthUnreadable
	}
	matched := func(domain string) bool {
		if domainsOnly {
			return re.MatchString(domain)
		}
		return re.MatchString("zq7.harrow@"+domain) && re.MatchString("ketil_vane31@"+domain)
	}
	strangers := 0
	for _, domain := range []string{"quiet-harbour.com", "17stonemill.com", "vexlumen.org", "bramley-und-sohn.de", "oxbow.info"} {
		if matched(domain) {
			strangers++
		}
	}
	switch {
	case strangers > 1:
		return BreadthAnyone
	case slices.ContainsFunc(publicDomains(), matched):
		return BreadthPublic
	}
	return BreadthNarrow
}

// PublicDomain reports whether anyone can get an address in a mail domain.
func PublicDomain(domain string) bool {
	return slices.Contains(publicDomains(), strings.ToLower(strings.TrimSuffix(domain, ".")))
}

// publicDomains are mail domains where anyone may open a mailbox.
func publicDomains() []string {
	return []string{
		"gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "hotmail.co.uk", "hotmail.fr", "live.com", "msn.com", "yahoo.com",
		"ymail.com",
		"yahoo.co.uk", "yahoo.co.jp", "yahoo.de", "yahoo.fr", "icloud.com", "me.com", "mac.com", "aol.com", "proton.me", "protonmail.com",
		"pm.me",
		"gmx.com", "gmx.de", "gmx.net", "web.de", "t-online.de", "freenet.de", "mail.com", "zoho.com", "fastmail.com", "tutanota.com", "tuta.com",
		"yandex.ru", "yandex.com", "mail.ru", "bk.ru", "list.ru", "inbox.ru", "rambler.ru", "qq.com", "163.com", "126.com", "sina.com",
		"naver.com",
		"daum.net", "hanmail.net", "orange.fr", "wanadoo.fr", "free.fr", "laposte.net", "libero.it", "virgilio.it", "seznam.cz", "wp.pl", "o2.pl",
		"onet.pl", "rediffmail.com", "uol.com.br", "bol.com.br", "terra.com.br", "btinternet.com", "comcast.net", "verizon.net", "att.net",
		"mailinator.com",
	}
}
