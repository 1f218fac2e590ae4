package snapshot

// ZoneContentScan says whether uploads are scanned.
const ZoneContentScan Key[ContentScan] = "zone/content_scan"

// ContentScan says whether uploads are scanned: enabled or disabled.
type ContentScan struct {
	Value string `json:"value"`
}

// zoneContentScan reads whether uploads are scanned
// (developers.cloudflare.com/api/resources/content_scanning/subresources/settings/methods/get/).
func zoneContentScan() Source {
	return object(ZoneContentScan, Source{
		Path: "/zones/{zone_id}/content-upload-scan/settings", Permission: "Zone: Zone WAF Read", Plans: []string{"enterprise"},
		Example: `{"value":"enabled","modified":"2026-01-01T00:00:00Z"}`,
	}, asRead[ContentScan])
}
