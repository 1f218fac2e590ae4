package snapshot

// GatewayCertificates holds the root certificates of Gateway.
const GatewayCertificates Key[[]GatewayCertificate] = "account/gateway_certificates"

// GatewayCertificate signs for sites that Gateway inspects. Status is available once it is
// deployed. InUse is nil when Cloudflare does not return it.
type GatewayCertificate struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Status    string `json:"binding_status"`
	InUse     *bool  `json:"in_use,omitempty"`
	ExpiresOn Time   `json:"expires_on,omitzero"`
}

// SortKey orders certificates by id.
func (c GatewayCertificate) SortKey() string { return c.ID }

// accountGatewayCertificates lists the root certificates of Gateway, which sign nothing while TLS decryption is off
// (developers.cloudflare.com/api/resources/zero_trust/subresources/gateway/subresources/certificates/methods/list/).
func accountGatewayCertificates() Source {
	return list(GatewayCertificates, Source{
		Path: "/accounts/{account_id}/gateway/certificates", Permission: permissionZeroTrust, Volatile: true,
		After: []string{GatewayRules.Source(), GatewayConfig.Source()},
		Skip: func(k *Known, t SourceScope) string {
			if s, ok := Cached(k, GatewayConfig, t.AccountID); ok && (s.TLSDecrypt == nil || !*s.TLSDecrypt) {
				return "TLS decryption is off"
			}
			return gatewayUnused()(k, t)
		},
		Example: `[{"id":"g1","type":"gateway_managed","binding_status":"available","in_use":true,"expires_on":"2030-01-01T00:00:00Z",` +
			`"certificate":"drop","fingerprint":"drop","issuer_org":"drop"}]`,
	}, asRead[GatewayCertificate])
}
