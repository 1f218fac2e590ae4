package snapshot

import "strings"

// DNSLookup holds answers from the public DNS, queried outside the provider. The scope is that of
// LookupScope. A name that was not queried has no section, so that nothing can be concluded about
// it.
const DNSLookup Key[Lookup] = "net/dns_lookup"

// Lookup is the answer to one question (RFC 1035).
type Lookup struct {
	// Rcode is NOERROR, NXDOMAIN, SERVFAIL, … as in the IANA registry.
	Rcode string `json:"rcode"`
	// Chain holds the CNAME targets that were followed, in order.
	Chain []string `json:"chain,omitempty"`
	// Answers holds the records of the queried type at the end of the chain, sorted: an address; a
	// hostname without the trailing dot (MX without the preference, SRV target); or the joined
	// strings of a TXT record.
	Answers []string `json:"answers"`
}

// Missing reports whether the name does not exist.
func (l Lookup) Missing() bool { return l.Rcode == "NXDOMAIN" }

// LookupScope identifies a question: the record type, a space and the name in ASCII and lower case,
// without the trailing dot.
func LookupScope(recordType, name string) string {
	return strings.ToUpper(recordType) + " " + strings.ToLower(strings.TrimSuffix(ASCII(name), "."))
}

// Question is one look-up.
type Question struct {
	Type string // CNAME, NS, SOA, MX, SRV, TXT, A or AAAA
	Name string
}

// Scope is the scope id of the answer's section.
func (q Question) Scope() string { return LookupScope(q.Type, q.Name) }
