package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// goodName adds registrations and DNS transfer settings, and the answers to DNS look-ups.
func goodName(b *snapshot.Builder) {
	on := true
	snapshot.Put(b, snapshot.AccountRegistrations, Account, []snapshot.Registration{{Domain: Domain, Status: "active", Privacy: "redaction",
		Locked:    &on,
		AutoRenew: &on, ExpiresAt: InDays(200)}})
	snapshot.Put(b, snapshot.AccountTransferPeers, Account, []snapshot.TransferPeer{{ID: "peer1", Name: "second", Signed: true}})
	snapshot.Put(b, snapshot.AccountTransferACLs, Account, []snapshot.TransferACL{{ID: "acl1", Name: "second", Range: "45.60.20.0/28"}})
	snapshot.Put(b, snapshot.ZoneSecondaryOutgoing, Zone, snapshot.ZoneTransfer{Peers: []string{"peer1"}})
	Answer("NS", Domain, "NOERROR", "a.ns.cloudflare.com", "b.ns.cloudflare.com")(b)
	Answer("A", "mail.mailhost.example", "NOERROR", "45.60.30.1")(b)
}

// Answer is an example edit that sets the answer to a DNS look-up.
func Answer(recordType, name, rcode string, answers ...string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		if answers == nil {
			answers = []string{}
		}
		snapshot.Put(b, snapshot.DNSLookup, snapshot.LookupScope(recordType, name), snapshot.Lookup{Rcode: rcode, Answers: answers})
	}
}
