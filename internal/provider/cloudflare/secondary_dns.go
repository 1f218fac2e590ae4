package cloudflare

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

const permissionTransfers = "Account: Account DNS Settings Read"

type transferPeerWire struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	TSIG string `json:"tsig_id"`
}

// accountTransferPeers lists the name servers zones may be transferred to
// (developers.cloudflare.com/api/resources/dns/subresources/zone_transfers/subresources/peers/methods/list/).
func accountTransferPeers() Source {
	return list(snapshot.AccountTransferPeers, Source{
		Path: "/accounts/{account_id}/secondary_dns/peers", Permission: permissionTransfers,
		After: []string{snapshot.ZoneList.Source()}, Skip: noEnterpriseZone,
		Example: `[{"id":"p1","name":"second","ip":"192.0.2.53","port":53,"tsig_id":"t1"}]`,
	}, func(w transferPeerWire) snapshot.TransferPeer {
		return snapshot.TransferPeer{ID: w.ID, Name: w.Name, Signed: w.TSIG != ""}
	})
}

// accountTransferACLs lists the ranges that may ask for transfers
// (developers.cloudflare.com/api/resources/dns/subresources/zone_transfers/subresources/acls/methods/list/).
func accountTransferACLs() Source {
	return list(snapshot.AccountTransferACLs, Source{
		Path: "/accounts/{account_id}/secondary_dns/acls", Permission: permissionTransfers,
		After: []string{snapshot.ZoneList.Source()}, Skip: noEnterpriseZone,
		Example: `[{"id":"a1","name":"second","ip_range":"192.0.2.0/28"}]`,
	}, func(w snapshot.TransferACL) snapshot.TransferACL { return w })
}

// zoneSecondaryOutgoing reads to whom a zone is transferred; a zone that is
// transferred to nobody answers not found
// (developers.cloudflare.com/api/resources/dns/subresources/zone_transfers/subresources/outgoing/methods/get/).
func zoneSecondaryOutgoing() Source {
	return object(snapshot.ZoneSecondaryOutgoing, Source{
		Path: "/zones/{zone_id}/secondary_dns/outgoing", Live: true, Permission: "Zone: DNS Read", Plans: []string{"enterprise"},
		After: []string{snapshot.AccountTransferPeers.Source(), snapshot.AccountTransferACLs.Source()},
		Skip: func(k *Known, t Target) string {
			peers, ok := Peek(k, snapshot.AccountTransferPeers, t.AccountID)
			acls, read := Peek(k, snapshot.AccountTransferACLs, t.AccountID)
			if ok && read && len(peers)+len(acls) == 0 {
				return "the account has no transfer peers"
			}
			return ""
		},
		Example: `{"id":"z1","name":"acme.example","peers":["p1"],"last_transferred_time":"2026-01-01T00:00:00Z"}`,
	}, func(w snapshot.ZoneTransfer) snapshot.ZoneTransfer {
		if w.Peers == nil {
			w.Peers = []string{}
		}
		return w
	})
}
