package snapshot

import (
	"github.com/edgeposture/edgeposture/internal/core/credential"
)

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

// zoneDNSRecords reads every record of a zone. The provider gives up to
// 5,000,000 in a page; 5,000 keeps memory bounded and is one call for nearly
// every zone (developers.cloudflare.com/api/resources/dns/subresources/records/methods/list/).
func zoneDNSRecords() Source {
	secrets := credential.New()
	return list(ZoneDNSRecords, Source{
		Path: "/zones/{zone_id}/dns_records", Paging: Paging{Kind: ByPage, Size: 5000}, Permission: "Zone: DNS Read", Feeds: true,
		Example: `[{"id":"d1","name":"www.acme.example","type":"A","content":"45.60.1.2","proxied":true,"proxiable":true,"ttl":1,` +
			`"comment":"drop"}]`,
	}, func(w dnsRecordWire) DNSRecord {
		r := DNSRecord{ID: w.ID, Name: w.Name, Type: w.Type, Content: w.Content, Proxied: w.Proxied, Proxiable: w.Proxiable,
			PrivateRouting: w.PrivateRouting, TTL: w.TTL, Priority: w.Priority}
		if w.Type == "TXT" {
			if kind := secrets.Kind(w.Content); kind != "" {
				r.Content, r.CredentialKind = "", kind
			}
		}
		return r
	})
}
