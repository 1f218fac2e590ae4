package snapshot

// Sources of names besides the records: registrations, and transfers to other
// name servers. The scope is the account id, or the zone id of a zone source.
const (
	AccountRegistrations  Key[[]Registration] = "account/registrations"
	AccountTransferPeers  Key[[]TransferPeer] = "account/secondary_dns_peers"
	AccountTransferACLs   Key[[]TransferACL]  = "account/secondary_dns_acls"
	ZoneSecondaryOutgoing Key[ZoneTransfer]   = "zone/secondary_outgoing"
)

// Registration is a domain registered with the provider.
type Registration struct {
	Domain    string `json:"domain"`
	Status    string `json:"status"`
	Locked    *bool  `json:"locked"`
	AutoRenew *bool  `json:"auto_renew"`
	ExpiresAt Time   `json:"expires_at,omitzero"`
}

// SortKey orders registrations by domain.
func (r Registration) SortKey() string { return r.Domain }

// TransferPeer is a name server zones are transferred to.
type TransferPeer struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Signed bool   `json:"signed"` // it has a TSIG key; the key itself is never asked for
}

// SortKey orders peers by id.
func (p TransferPeer) SortKey() string { return p.ID }

// TransferACL is a range that may ask for transfers.
type TransferACL struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Range string `json:"ip_range"`
}

// SortKey orders ranges by id.
func (a TransferACL) SortKey() string { return a.ID }

// ZoneTransfer names the peers of a zone.
type ZoneTransfer struct {
	Peers []string `json:"peers"`
}
