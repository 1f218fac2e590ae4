package snapshot

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/credential"
)

// ZoneDNSRecords holds every record of a zone.
const ZoneDNSRecords Key[[]DNSRecord] = "zone/dns_records"

const emailRoutingMailDomain = ".mx.cloudflare.net"

// RoutedMail reports whether a record delivers mail to Email Routing.
func (r DNSRecord) RoutedMail() bool {
	return r.Type == "MX" && strings.HasSuffix(strings.ToLower(strings.TrimSuffix(r.Content, ".")), emailRoutingMailDomain)
}

// ReceivesMail reports whether a record names a mail host; a null MX (RFC 7505)
// does not.
func (r DNSRecord) ReceivesMail() bool {
	return r.Type == "MX" && strings.TrimSpace(r.Content) != "."
}

// DNSRecord is one record. Content of a TXT record that looks like a credential
// is replaced by its kind before it is stored, and CredentialKind says so.
type DNSRecord struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Type           string `json:"type"`
	Content        string `json:"content"`
	Proxied        bool   `json:"proxied"`
	Proxiable      bool   `json:"proxiable"`
	PrivateRouting bool   `json:"private_routing,omitempty"`
	TTL            int    `json:"ttl"`
	Priority       int    `json:"priority,omitempty"`
	CredentialKind string `json:"credential_kind,omitempty"`
}

// SortKey orders records by id.
func (r DNSRecord) SortKey() string { return r.ID }

type dnsRecordWire struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Type           string `json:"type"`
	Content        string `json:"content"`
	Proxied        bool   `json:"proxied"`
	Proxiable      bool   `json:"proxiable"`
	PrivateRouting bool   `json:"private_routing"`
	TTL            int    `json:"ttl"`
	Priority       int    `json:"priority"`
}

// zoneDNSRecords reads every record of a zone. The provider allows up to 5,000,000 per page; 5,000
// keeps memory bounded and is one call for nearly every zone
// (developers.cloudflare.com/api/resources/dns/subresources/records/methods/list/).
func zoneDNSRecords() Source {
	secrets := credential.New()
	return list(ZoneDNSRecords, Source{
		Path: "/zones/{zone_id}/dns_records", Paging: Paging{Kind: ByPage, Size: 5000}, Permission: "Zone: DNS Read", Feeds: true,
		Example: `[{"id":"d1","name":"www.acme.example","type":"A","content":"45.60.1.2","proxied":true,"proxiable":true,"ttl":1,` +
			`"comment":"drop"}]`,
	}, func(w dnsRecordWire) DNSRecord {
		r := DNSRecord{ID: w.ID, Name: strings.TrimSuffix(ASCII(w.Name), "."), Type: w.Type, Content: w.Content, Proxied: w.Proxied,
			Proxiable: w.Proxiable, PrivateRouting: w.PrivateRouting, TTL: w.TTL, Priority: w.Priority}
		if w.Type == "TXT" {
			if kind := secrets.Kind(w.Content); kind != "" {
				r.Content, r.CredentialKind = "", kind
			}
		}
		return r
	})
}
