package cloudflare

import (
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

type dnssecWire struct {
	Status      string        `json:"status"`
	Presigned   bool          `json:"dnssec_presigned"`
	MultiSigner bool          `json:"dnssec_multi_signer"`
	ModifiedOn  snapshot.Time `json:"modified_on"`
}

// zoneDNSSEC reads whether a zone is signed
// (developers.cloudflare.com/api/resources/dns/subresources/dnssec/methods/get/).
func zoneDNSSEC() Source {
	return object(snapshot.ZoneDNSSEC, Source{
		Path: "/zones/{zone_id}/dnssec", Live: true, Permission: "Zone: DNS Read",
		Example: `{"status":"active","algorithm":"13","ds":"acme.example. 3600 IN DS"}`,
	}, func(w dnssecWire) snapshot.DNSSEC {
		return snapshot.DNSSEC{Status: w.Status, Presigned: w.Presigned, MultiSigner: w.MultiSigner, ModifiedOn: w.ModifiedOn}
	})
}
