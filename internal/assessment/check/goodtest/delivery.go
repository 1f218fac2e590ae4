package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// goodDelivery adds what serves and modifies traffic.
func goodDelivery(b *snapshot.Builder) {
	goodCache(b)
	goodScripts(b)
	goodAPI(b)
	goodOrigins(b)
	goodMutualTLS(b)
	snapshot.Put(b, snapshot.ZoneSecurityTxt, Zone, snapshot.SecurityTxt{Enabled: true, Contacts: []string{"mailto"}, Expires: InDays(300)})
}

func goodCache(b *snapshot.Builder) {
	const phase = "http_request_cache_settings"
	snapshot.Edit(b, snapshot.ZoneRulesets, Zone, func(infos *[]snapshot.RulesetInfo) {
		*infos = append(*infos, snapshot.RulesetInfo{ID: "r-cache", Kind: "zone", Phase: phase, Name: "default"})
	})
	snapshot.Put(b, snapshot.ZonePhaseCache, Zone, snapshot.Ruleset{ID: "r-cache", Kind: "zone", Phase: phase, Rules: []snapshot.Rule{
		{ID: "rc1", Enabled: true, Action: "set_cache_settings", Expression: `http.request.uri.path.extension in {"css" "js"}`,
			Params: snapshot.RuleParams{Cache: &snapshot.CacheParams{Eligible: true, EdgeMode: "override_origin", Armor: true}}}}})
}
