package snapshot

// ZonePhaseCache is the entry point of the cache rules.
const ZonePhaseCache Key[Ruleset] = "zone/ruleset/http_request_cache_settings"

// CacheParams are the parts of a cache rule that matter for posture. EdgeMode is
// edge_ttl.mode, empty when the rule leaves the life of a copy alone.
type CacheParams struct {
	Eligible bool   `json:"cache"`
	EdgeMode string `json:"edge_mode,omitempty"`
	Armor    bool   `json:"cache_deception_armor"`
}
