// Package cache holds the checks of caching and delivery.
package cache

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const docsRules = "https://developers.cloudflare.com/cache/how-to/cache-rules/"

// rules is an example edit that sets the cache rules of the zone.
func rules(all ...snapshot.Rule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZonePhaseCache, goodtest.Zone, snapshot.Ruleset{ID: "cr", Kind: "zone", Rules: all})
	}
}

// store returns an enabled rule that caches with the armor; mode is edge_ttl.mode.
func store(id, expression, mode string) snapshot.Rule {
	return snapshot.Rule{ID: id, Enabled: true, Action: "set_cache_settings", Expression: expression,
		Params: snapshot.RuleParams{Cache: &snapshot.CacheParams{Eligible: true, EdgeMode: mode, Armor: true}}}
}

// lasting returns an enabled rule that sets for how long all that others store stays so.
func lasting(id, mode string) snapshot.Rule {
	return snapshot.Rule{ID: id, Enabled: true, Action: "set_cache_settings", Expression: "true", Params: snapshot.RuleParams{Lasts: mode}}
}

// bypass returns an enabled rule that bypasses the cache.
func bypass(id, expression string) snapshot.Rule {
	r := store(id, expression, "")
	r.Params.Cache = &snapshot.CacheParams{}
	return r
}
