package snapshot

// ZoneDNSSEC holds whether a zone is signed.
const ZoneDNSSEC Key[DNSSEC] = "zone/dnssec"

// DNSSEC is the signing state of a zone.
type DNSSEC struct {
	Status      string `json:"status"`
	Presigned   bool   `json:"dnssec_presigned"`
	MultiSigner bool   `json:"dnssec_multi_signer"`
	ModifiedOn  Time   `json:"modified_on,omitzero"`
}

// zoneDNSSEC reads whether a zone is signed
// (developers.cloudflare.com/api/resources/dns/subresources/dnssec/methods/get/).
func zoneDNSSEC() Source {
	return object(ZoneDNSSEC, Source{
		Path: "/zones/{zone_id}/dnssec", Volatile: true, Permission: "Zone: DNS Read",
		Example: `{"status":"active","algorithm":"13","ds":"acme.example. 3600 IN DS"}`,
	}, asRead[DNSSEC])
}
