package snapshot

// zoneURLNormalization reads how paths are made comparable before rules run
// (developers.cloudflare.com/api/resources/url_normalization/methods/get/).
func zoneURLNormalization() Source {
	return object(ZoneURLNormalization, Source{
		Path: "/zones/{zone_id}/url_normalization", Permission: "Zone: Transform Rules Read",
		Example: `{"type":"cloudflare","scope":"incoming"}`,
	}, func(w URLNormalization) URLNormalization { return w })
}
