package snapshot

import "cmp"

const (
	// AccountTransferPeers holds the name servers to which zones may be transferred.
	AccountTransferPeers Key[[]TransferPeer] = "account/secondary_dns_peers"
	// AccountTransferACLs holds the ranges that may request transfers.
	AccountTransferACLs Key[[]TransferACL] = "account/secondary_dns_acls"
	// ZoneSecondaryOutgoing holds the peers to which a zone is transferred.
	ZoneSecondaryOutgoing Key[ZoneTransfer] = "zone/secondary_outgoing"
)

// TransferPeer is a name server to which zones are transferred.
type TransferPeer struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Signed bool   `json:"signed"` // it has a TSIG key; the key itself is never read
}

// SortKey orders peers by id.
func (p TransferPeer) SortKey() string { return p.ID }

// TransferACL is a range that may request transfers.
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
	// Untold says that the zone has a transfer whose peers were not returned.
	Untold bool `json:"untold,omitempty"`
}

type zoneTransferWire struct {
	ID    string   `json:"id"`
	Peers []string `json:"peers"`
}

const permissionTransfers = "Account: Account Settings Read"

type transferPeerWire struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	TSIG string `json:"tsig_id"`
}

// accountTransferPeers lists the name servers to which zones may be transferred
// (developers.cloudflare.com/api/resources/dns/subresources/zone_transfers/subresources/peers/methods/list/).
func accountTransferPeers() Source {
	return list(AccountTransferPeers, Source{
		Path: "/accounts/{account_id}/secondary_dns/peers", Permission: permissionTransfers,
		After: []string{ZoneList.Source()}, Skip: noEnterpriseZone(),
		Example: `[{"id":"p1","name":"second","ip":"192.0.2.53","port":53,"tsig_id":"t1"}]`,
	}, func(w transferPeerWire) TransferPeer {
		return TransferPeer{ID: w.ID, Name: cmp.Or(w.Name, w.ID), Signed: w.TSIG != ""}
	})
}

// accountTransferACLs lists the ranges that may request transfers
// (developers.cloudflare.com/api/resources/dns/subresources/zone_transfers/subresources/acls/methods/list/).
func accountTransferACLs() Source {
	return list(AccountTransferACLs, Source{
		Path: "/accounts/{account_id}/secondary_dns/acls", Permission: permissionTransfers,
		After: []string{ZoneList.Source()}, Skip: noEnterpriseZone(),
		Example: `[{"id":"a1","name":"second","ip_range":"192.0.2.0/28"}]`,
	}, asRead[TransferACL])
}

// zoneSecondaryOutgoing reads the peers to which a zone is transferred; a zone without transfers
// answers not found
// (developers.cloudflare.com/api/resources/dns/subresources/zone_transfers/subresources/outgoing/methods/get/).
func zoneSecondaryOutgoing() Source {
	return object(ZoneSecondaryOutgoing, Source{
		Path: "/zones/{zone_id}/secondary_dns/outgoing", Volatile: true, Permission: "Zone: DNS Read", Plans: []string{"enterprise"},
		After: []string{AccountTransferPeers.Source(), AccountTransferACLs.Source()},
		Skip: func(k *Known, t SourceScope) string {
			peers, ok := Cached(k, AccountTransferPeers, t.AccountID)
			acls, read := Cached(k, AccountTransferACLs, t.AccountID)
			if ok && read && len(peers)+len(acls) == 0 {
				return "the account has no transfer peers"
			}
			return ""
		},
		Example: `{"id":"z1","name":"acme.example","peers":["p1"],"last_transferred_time":"2026-01-01T00:00:00Z"}`,
	}, func(w zoneTransferWire) ZoneTransfer {
		return ZoneTransfer{Peers: append([]string{}, w.Peers...), Untold: w.ID != "" && w.Peers == nil}
	})
}
