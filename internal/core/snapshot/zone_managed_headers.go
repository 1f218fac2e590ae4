package snapshot

// ZoneManagedHeaders holds the managed transforms of headers.
const ZoneManagedHeaders Key[ManagedHeaders] = "zone/managed_headers"

// ManagedHeaders maps the ids of managed transforms to whether they are on.
type ManagedHeaders struct {
	Request  map[string]bool `json:"request"`
	Response map[string]bool `json:"response"`
}

type managedHeadersWire struct {
	Request  []managedHeaderWire `json:"managed_request_headers"`
	Response []managedHeaderWire `json:"managed_response_headers"`
}

type managedHeaderWire struct {
	ID      string `json:"id"`
	Enabled bool   `json:"enabled"`
}

// zoneManagedHeaders reads the managed transforms of headers
// (developers.cloudflare.com/api/resources/managed_transforms/methods/list/).
func zoneManagedHeaders() Source {
	return object(ZoneManagedHeaders, Source{
		Path: "/zones/{zone_id}/managed_headers", Permission: "Zone: Managed Headers Read",
		Example: `{"managed_request_headers":[{"id":"add_visitor_location_headers","enabled":true,"has_conflict":false}],` +
			`"managed_response_headers":[{"id":"add_security_headers","enabled":false}]}`,
	}, func(w managedHeadersWire) ManagedHeaders {
		out := ManagedHeaders{Request: map[string]bool{}, Response: map[string]bool{}}
		for _, h := range w.Request {
			out.Request[h.ID] = h.Enabled
		}
		for _, h := range w.Response {
			out.Response[h.ID] = h.Enabled
		}
		return out
	})
}
