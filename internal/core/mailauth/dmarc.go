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
	for uri := range strings.SplitSeq(d.Reports+","+d.Failures, ",") {
		address, isMail := strings.CutPrefix(strings.ToLower(strings.TrimSpace(uri)), "mailto:")
		address, _, _ = strings.Cut(address, "!") // the maximum size of a report
		_, host, there := strings.Cut(address, "@")
		host = strings.TrimSuffix(host, ".")
		if isMail && there && host != "" && Organisation(host) != Organisation(of) {
			out = append(out, host)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
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

// Percent returns the share of mail the policy applies to. ok is false when the text is not a
// number from 0 to 100.
func (d DMARC) Percent() (share int, ok bool) {
	if d.Share == "" {
		return 100, true
	}
	share, err := strconv.Atoi(d.Share)
	return share, err == nil && share >= 0 && share <= 100
}
