package dns

import (
	"cmp"
	"net/netip"
	"net/url"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// transfers judges who may copy the whole zone.
func transfers() check.Check {
	return check.Check{
		ID: "CFL-DNS-012", Title: "Zone transfers are signed",
		Category: "dns", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Plans: []string{"enterprise"},
		Why: "A zone transfer hands over every record at once. Without a TSIG key only the address of the asker is " +
			"checked, which can be shared or forged.",
		Fix: "Create a TSIG key, attach it to each peer and at the secondary name server, then narrow the access lists to " +
			"its addresses.",
		Words: posture.Words{
			Problem: "Zone transfers of {zone} are not signed",
			Impact: "Anyone who sends from an address on the access list gets a copy of all host names, which shows what to " +
				"attack.",
			Breaks: "Transfers stop until the secondary name server uses the same key.",
			Dashboard: "Manage Account › Configurations › DNS Zone Transfers › TSIG: create a key; Peer DNS servers › the peer › " +
				"Edit: choose the key.",
			Terraform: `resource "cloudflare_dns_zone_transfers_tsig" "key" {
  account_id = "{account_id}"
  name       = "transfers.{zone}."
  algo       = "hmac-sha512."
  secret     = var.tsig_secret
}

resource "cloudflare_dns_zone_transfers_peer" "secondary" {
  account_id = "{account_id}"
  name       = "secondary"
  ip         = var.secondary_ip
  tsig_id    = cloudflare_dns_zone_transfers_tsig.key.id
}`},
		References: []string{"https://developers.cloudflare.com/dns/"},
		Controls: check.Controls{
			check.Supports("cis 12.3", "Zone data travels to secondary servers only with a key."),
			check.Supports("soc2 CC6.7", "Transfers cannot be forged, and strangers get none."),
			check.Supports("pci 1.4.5", "The whole list of hosts is not handed to strangers."),
			check.Supports("nist PR.DS-02", "Transfers are authenticated on the wire."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneSecondaryOutgoing, snapshot.AccountTransferPeers, snapshot.AccountTransferACLs},
		Evaluate: evaluateTransfers,
	}
}

func transfersExamples() []goodtest.Example {
	acls := func(ranges ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			all := []snapshot.TransferACL{}
			for i, r := range ranges {
				all = append(all, snapshot.TransferACL{ID: string(rune('a' + i)), Name: "office", Range: r})
			}
			snapshot.Put(b, snapshot.AccountTransferACLs, goodtest.Account, all)
		}
	}
	peer := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.AccountTransferPeers, goodtest.Account, []snapshot.TransferPeer{{ID: "peer1", Name: "second"}})
	}
	to := func(peers ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneSecondaryOutgoing, goodtest.Zone, snapshot.ZoneTransfer{Peers: peers})
		}
	}
	return []goodtest.Example{
		{Name: "signed and narrow", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "not signed", Want: posture.Fail, Resource: goodtest.Zone, Edit: peer},
		{Name: "everybody may ask", Want: posture.Fail, Edit: acls("0.0.0.0/0")},
		{Name: "everybody may ask, v6", Want: posture.Fail, Edit: acls("::/0")},
		{Name: "everybody may ask, in two halves", Want: posture.Fail, Resource: goodtest.Zone, Edit: acls("0.0.0.0/1", "128.0.0.0/1")},
		{Name: "single addresses", Want: posture.Pass, Edit: acls("45.60.10.7", "2a00::7")},
		{Name: "a narrow range and a wide one", Want: posture.Warning, Edit: acls("45.60.10.0/28", "45.60.0.0/16")},
		{Name: "a wide range", Want: posture.Warning, Resource: goodtest.Zone, Edit: acls("45.60.0.0/20")},
		{Name: "a wide v6 range", Want: posture.Warning, Edit: acls("2a00::/48")},
		{Name: "a range nobody can read", Want: posture.Unknown, Edit: acls("office")},
		{Name: "a range that is not told", Want: posture.Unknown, Resource: goodtest.Zone, Edit: acls("")},
		{Name: "an unsigned peer of another zone", Want: posture.NotApplicable, Edit: goodtest.Edits(peer, to())},
		{Name: "peers that are not told", Want: posture.Unknown, Resource: goodtest.Zone, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneSecondaryOutgoing, goodtest.Zone, snapshot.ZoneTransfer{Peers: []string{}, Untold: true})
		}},
		{Name: "a peer that is not listed", Want: posture.Unknown, Edit: to("elsewhere")},
		{Name: "below enterprise", Want: posture.NotApplicable,
			Edit: goodtest.Edits(peer, goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" }))},
	}
}

func evaluateTransfers(v *check.View) check.Outcome {
	out := check.Read(v, snapshot.ZoneSecondaryOutgoing)
	ids := out.Peers
	switch {
	case out.Untold:
		return v.Unknown("Cloudflare does not tell the peers to which the zone is transferred")
	case len(ids) == 0:
		return v.NotApplicable("the zone is not transferred to other name servers")
	}
	peers := check.Read(v, snapshot.AccountTransferPeers)
	missing := ""
	for _, id := range ids {
		i := slices.IndexFunc(peers, func(p snapshot.TransferPeer) bool { return p.ID == id })
		if i < 0 {
			missing = id
			continue
		}
		if !peers[i].Signed {
			return v.Fail("Transfers of "+v.Zone().Name+" to the peer "+peers[i].Name+" use no TSIG key.", check.Evidence(
				snapshot.AccountTransferPeers, "/"+id+"/tsig_id", "absent", "a TSIG key")).
				As(posture.Words{Call: posture.Call{Method: "PUT", Path: "/accounts/{account_id}/secondary_dns/peers/" + url.PathEscape(id),
					From: "/accounts/{account_id}/secondary_dns/peers/" + url.PathEscape(id), Body: `.result | del(.id) | .tsig_id = "{$TSIG_ID}"`,
					Choose: "TSIG_ID: the id of a TSIG key that the secondary name server has, too (such as 69cd1e104af3e6ed3cb344f263fd0d5a)"}})
		}
	}
	wide, odd, ranges := "", "", []netip.Prefix{}
	for _, a := range check.Read(v, snapshot.AccountTransferACLs) {
		p, err := netip.ParsePrefix(a.Range)
		switch ranges = append(ranges, p); {
		case err != nil:
			ranges = ranges[:len(ranges)-1]
			if _, single := netip.ParseAddr(a.Range); single != nil {
				odd = cmp.Or(a.Range, a.Name, a.ID)
			}
		case exposure.WidthOf(p) != exposure.Narrow:
			wide = a.Range
		}
	}
	switch {
	case mailauth.Share(ranges) >= 0.5:
		return v.Fail("Half of all addresses or more may ask for a transfer of "+v.Zone().Name+", with the range "+wide+" among them.",
			check.Evidence(snapshot.AccountTransferACLs, "/ip_range", wide+", which with the other ranges is half of all addresses or more",
				"the addresses of the other name servers")).As(wideACLWords("Almost anyone may ask for a transfer of {zone}"))
	case wide != "":
		return v.Warn("The range "+wide+" may ask for a transfer of "+v.Zone().Name+".", check.Evidence(snapshot.AccountTransferACLs,
			"/ip_range", wide, "ranges of /24 (v4) or /64 (v6) and narrower")).As(wideACLWords("A wide range may ask for transfers of {zone}"))
	case missing != "":
		return v.Unknown("the zone is transferred to a peer the account does not list: " + missing)
	case odd != "":
		return v.Unknown("a range that may ask for transfers could not be read: " + odd)
	}
	return v.Pass("Transfers are signed and narrow.")
}

// wideACLWords returns the words for an access list that admits more than the secondary name
// servers.
func wideACLWords(problem string) posture.Words {
	return posture.Words{Problem: problem, ByHand: true,
		Breaks:    "Secondary name servers whose addresses are not on the list get no transfers.",
		Dashboard: "Manage Account › Configurations › DNS Zone Transfers › ACLs › Edit: enter the addresses of the secondary name servers.",
		Terraform: `resource "cloudflare_dns_zone_transfers_acl" "secondary" {
  account_id = "{account_id}"
  name       = "secondary"
  ip_range   = var.secondary_range
}`}
}
