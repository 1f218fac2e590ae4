package snapshot

// ZoneURLNormalization holds how URLs are normalized before rules run.
const ZoneURLNormalization Key[URLNormalization] = "zone/url_normalization"

// URLNormalization says how URLs are normalized (cloudflare or rfc3986) and where: incoming, both
// or none.
type URLNormalization struct {
	Type  string `json:"type"`
	Scope string `json:"scope"`
}

// zoneURLNormalization reads how URLs are normalized before rules run
// (developers.cloudflare.com/api/resources/url_normalization/methods/get/).
func zoneURLNormalization() Source {
	return object(ZoneURLNormalization, Source{
		Path: "/zones/{zone_id}/url_normalization", Permission: "Zone: Transform Rules Read",
		Example: `{"type":"cloudflare","scope":"incoming"}`,
	}, asRead[URLNormalization])
}
