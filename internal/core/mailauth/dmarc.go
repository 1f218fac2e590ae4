package mailauth

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// DMARC is a published policy. Policy and Subdomains are in lower case; "" stands for an absent
// tag.
type DMARC struct {
	Policy     string // p
	Subdomains string // sp
	Share      string // pct
	Reports    string // rua
	Failures   string // ruf
	Missing    string // np: names below the domain that do not exist (RFC 9091)
	Testing    bool   // t=y: receivers should not act (DMARCbis)
}

// IsDMARC reports whether a text is a DMARC record: receivers ignore anything else at that name.
func IsDMARC(text string) bool { return startsWith(text, "v=DMARC1") }

// ParseDMARC parses a text for which IsDMARC holds.
func ParseDMARC(text string) DMARC {
	t := tags(text)
	return DMARC{Policy: strings.ToLower(t["p"]), Subdomains: strings.ToLower(t["sp"]), Share: t["pct"], Reports: t["rua"], Failures: t["ruf"],
		Missing: strings.ToLower(t["np"]), Testing: strings.EqualFold(t["t"], "y")}
}

// ReportDomains lists the domains outside the organisation to which reports about mail of a domain
// are sent, sorted. They must have agreed at ReportConsent (RFC 7489, section 7.1).
func (d DMARC) ReportDomains(of string) []string {
	var out []string
	for _, host := range slices.Concat(mailboxes(d.Reports), mailboxes(d.Failures)) {
		if Organisation(host) != Organisation(of) {
			out = append(out, host)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Reported reports whether the record names a mailbox for reports. Receivers send them by mail alone.
func (d DMARC) Reported() bool { return len(mailboxes(d.Reports)) > 0 }

// mailboxes lists the domains of the mailto addresses in a rua or ruf tag.
func mailboxes(uris string) []string {
	var out []string
	for uri := range strings.SplitSeq(uris, ",") {
		uri, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(uri)), "!") // the maximum size of a report
		if host := mailbox(uri); host != "" {
			out = append(out, host)
		}
	}
	return out
}

// ReportConsent returns the name whose DMARC record says that a domain accepts reports about
// another.
func ReportConsent(of, receiver string) string { return of + "._report._dmarc." + receiver }

// Below returns the policy for names below the domain: sp, otherwise p.
func (d DMARC) Below() string { return cmp.Or(d.Subdomains, d.Policy) }

// Inherited returns the record that applies to a name below the domain that has none.
func (d DMARC) Inherited() string {
	text := "v=DMARC1; p=" + d.Below() + "; rua=" + d.Reports + "; ruf=" + d.Failures
	if d.Share != "" {
		text += "; pct=" + d.Share
	}
	if d.Testing {
		text += "; t=y"
	}
	return text
}

// Organisation returns the domain where receivers look for a policy when a name has none: the
// registrable domain (RFC 7489, section 3.2), or the name itself when there is none above it.
func Organisation(name string) string {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if d, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil {
		return d
	}
	return name
}

// Strictness orders policies: 0 is none, 1 quarantine, 2 reject, -1 missing or unknown.
func Strictness(policy string) int {
	return slices.Index([]string{"none", "quarantine", "reject"}, policy)
}

// Acts returns the strictness that receivers apply to mail of the domain. With an sp or np that they
// do not know it is none (RFC 7489, section 6.6.3); of a test and of no mail, the next weaker one.
func (d DMARC) Acts() int {
	acts := max(0, Strictness(d.Policy))
	if d.Odd() != "" {
		return 0
	}
	if share, ok := d.Percent(); d.Testing || ok && share == 0 {
		acts--
	}
	return max(0, acts)
}

// Odd returns the sp or np that is none of the three policies, with its value.
func (d DMARC) Odd() string {
	switch {
	case d.Subdomains != "" && Strictness(d.Subdomains) < 0:
		return "sp=" + d.Subdomains
	case d.Missing != "" && Strictness(d.Missing) < 0:
		return "np=" + d.Missing
	}
	return ""
}

// Refuses reports whether receivers reject all mail that fails, of names below the domain too.
func (d DMARC) Refuses() bool {
	share, ok := d.Percent()
	return d.Acts() == Strictness("reject") && (share == 100 || !ok) && d.Below() == "reject" && cmp.Or(d.Missing, "reject") == "reject"
}

// Percent returns the share of mail the policy applies to. ok is false when the text is not a
// number from 0 to 100.
func (d DMARC) Percent() (share int, ok bool) {
	if d.Share == "" {
		return 100, true
	}
	share, err := strconv.Atoi(d.Share)
	return share, err == nil && share >= 0 && share <= 100
}
