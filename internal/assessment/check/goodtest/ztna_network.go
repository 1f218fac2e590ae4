package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// Ids of the site network of the minimal good snapshot.
const (
	SiteTunnel = "0d800000000000000000000000000001"
	Cluster    = "0d900000000000000000000000000001"
)

// goodSiteNetwork adds tunnels to sites, the filter in front of them and a cluster of name servers.
func goodSiteNetwork(b *snapshot.Builder) {
	on, off, limit := true, false, 600.0
	snapshot.Put(b, snapshot.AccountPhaseMagic, Account, snapshot.Ruleset{ID: "rm", Kind: "root", Phase: "magic_transit",
		Rules: []snapshot.Rule{
			{ID: "rm1", Enabled: true, Action: "skip", Expression: "tcp.dstport in {443}"}, {ID: "rm2", Enabled: true, Action: "block",
				Expression: "true"}}})
	snapshot.Put(b, snapshot.MagicIPsec, Account, []snapshot.IPsecTunnel{{ID: SiteTunnel, Name: "site-a", NullCipher: &off,
		ReplayProtection: &on, HealthCheck: true, KeyGenerated: InDays(-60)}})
	snapshot.Put(b, snapshot.MagicGRE, Account, []snapshot.GRETunnel{{ID: "g1", Name: "site-b", HealthCheck: true}})
	snapshot.Put(b, snapshot.DNSFirewall, Account, []snapshot.DNSCluster{{ID: Cluster, Name: "Own zones", RefusesAny: &on, RateLimit: &limit,
		Mitigation: &on}})
}
