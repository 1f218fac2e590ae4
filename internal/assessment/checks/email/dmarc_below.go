package email

import (
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// weakerBelow lists the names below the domain whose own record, which goes before that of the domain,
// makes receivers do less. With several records there, receivers apply no policy (RFC 7489, section 6.6.3).
// unread is the target of an alias at such a name that no look-up told.
func (d dmarcRecords) weakerBelow(v *check.View, acts int) (out []string, unread string) {
	policies := map[string][]mailauth.DMARC{}
	take := func(name, text string) {
		if mailauth.IsDMARC(text) {
			policies[name] = append(policies[name], mailauth.ParseDMARC(text))
		}
	}
	for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
		if name := strings.ToLower(strings.TrimSuffix(r.Name, ".")); r.Type == "TXT" && below(v, name) {
			take(name, mailauth.Text(r.Content))
		}
	}
	for _, r := range aliasesBelow(v) {
		texts, known := lookedUp(v, r.Content)
		if !known {
			unread = r.Content
		}
		for _, text := range texts {
			take(strings.ToLower(r.Name), text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(policies)) {
		if all := policies[name]; len(all) > 1 || all[0].Acts() < acts {
			out = append(out, name)
		}
	}
	return out, unread
}

// below reports whether a name is where receivers look for the policy of a name below the domain.
func below(v *check.View, name string) bool {
	return strings.HasPrefix(strings.ToLower(name), "_dmarc.") && !exposure.Same(name, "_dmarc."+v.Zone().Name)
}

// aliasesBelow lists the aliases at such names.
func aliasesBelow(v *check.View) (out []snapshot.DNSRecord) {
	for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
		if r.Type == "CNAME" && below(v, r.Name) {
			out = append(out, r)
		}
	}
	return out
}
