package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// goodScripts adds scripts in pages and code that runs on requests.
func goodScripts(b *snapshot.Builder) {
	on := true
	snapshot.Put(b, snapshot.ZonePageShield, Zone, snapshot.PageShield{Enabled: &on})
	snapshot.Put(b, snapshot.ZonePageShieldScripts, Zone, []snapshot.PageScript{
		{ID: "s1", Host: Domain, URL: "https://www.shop.example/app.js", LastSeen: InDays(-1), Malware: 97, Magecart: 98, Cryptomining: 99}})
	snapshot.Put(b, snapshot.ZonePageShieldConnections, Zone, []snapshot.PageConnection{{ID: "c1", Host: Domain, LastSeen: InDays(-1)}})
	snapshot.Put(b, snapshot.ZonePageShieldPolicies, Zone,
		[]snapshot.PagePolicy{{ID: "pp1", Action: "allow", Enabled: true, Expression: "true"}})
	snapshot.Put(b, snapshot.AccountTurnstile, Account, []snapshot.TurnstileWidget{{Key: "k1", Name: "login", Domains: []string{Domain}}})
	snapshot.Put(b, snapshot.ZoneZaraz, Zone, snapshot.Zaraz{Consent: true, Purposes: []string{"pU1"},
		Tools: []snapshot.ZarazTool{{ID: "aB1", Name: "Analytics", Enabled: true, Type: "component", Component: "google-analytics_v4",
			Purpose: "pU1", Permissions: []string{}}},
		Variables: []snapshot.ZarazVariable{{ID: "vA1", Name: "Region", Type: "string"}}})
	snapshot.Put(b, snapshot.ZoneSnippets, Zone, []snapshot.Snippet{{Name: "add_header", ModifiedOn: InDays(-40)}})
	snapshot.Put(b, snapshot.SnippetContent, Zone+"/add_header", snapshot.SnippetScan{Hits: []snapshot.SnippetHit{}})
}
