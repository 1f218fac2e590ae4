package simcloud

import (
	"encoding/json"
	"net/http"
	"slices"
)

// firewallRoutes returns the operations of the firewall settings outside rulesets.
func firewallRoutes() []Route {
	const z = "/zones/{zone_id}"
	const transform, headers = permTransform, "Zone: Managed Headers Read"
	return []Route{
		read(z+"/leaked-credential-checks", permZoneWAF, "zone/leaked_credentials",
			func(c *call) answer { return ok(obj{"enabled": c.zone.leaked}) }),
		change(http.MethodPost, z+"/leaked-credential-checks", permZoneWAF, writeLeaked),
		read(z+"/content-upload-scan/settings", permZoneWAF, "zone/content_scan", readScan),
		change(http.MethodPost, z+"/content-upload-scan/enable", permZoneWAF, func(c *call) answer { return c.setScan("enabled") }),
		change(http.MethodPost, z+"/content-upload-scan/disable", permZoneWAF, func(c *call) answer { return c.setScan("disabled") }),
		read(z+"/url_normalization", transform, "zone/url_normalization", func(c *call) answer { return ok(c.zone.normalization) }),
		change(http.MethodPut, z+"/url_normalization", transform, writeNormalization),
		read(z+"/managed_headers", headers, "zone/managed_headers", func(c *call) answer { return ok(c.zone.managedHeaders()) }),
		change(http.MethodPatch, z+"/managed_headers", headers, writeManagedHeaders),
		read(z+"/hold", permZone, "zone/hold", readHold),
		change(http.MethodPost, z+"/hold", permZone, createHold),
		change(http.MethodPatch, z+"/hold", permZone, writeHold),
		change(http.MethodDelete, z+"/hold", permZone, deleteHold),
	}
}

func notEntitled() answer {
	return refuse(http.StatusForbidden, 1002, "The zone is not entitled to this feature")
}

func writeLeaked(c *call) answer {
	var body struct {
		Enabled *bool `json:"enabled"`
	}
	if json.Unmarshal(c.body, &body) != nil || body.Enabled == nil {
		return badBody()
	}
	c.zone.leaked = *body.Enabled
	return ok(obj{"enabled": c.zone.leaked})
}

func readScan(c *call) answer {
	if c.zone.scan == "" {
		return notEntitled()
	}
	return ok(obj{"value": c.zone.scan, "modified": c.zone.created})
}

func (c *call) setScan(value string) answer {
	if c.zone.scan == "" {
		return notEntitled()
	}
	c.zone.scan = value
	return ok(obj{})
}

func writeNormalization(c *call) answer {
	var body struct{ Type, Scope string }
	if json.Unmarshal(c.body, &body) != nil || !slices.Contains([]string{"cloudflare", "rfc3986"}, body.Type) ||
		!slices.Contains([]string{"incoming", "both", "none"}, body.Scope) {
		return badBody()
	}
	c.zone.normalization = obj{"type": body.Type, "scope": body.Scope}
	return ok(c.zone.normalization)
}

func (z *zone) managedHeaders() obj {
	list := func(ids []string, on map[string]bool) []obj {
		out := []obj{}
		for _, id := range ids {
			out = append(out, obj{"id": id, "enabled": on[id], "has_conflict": false})
		}
		return out
	}
	request, response := managedHeaderIDs()
	return obj{"managed_request_headers": list(request, z.requestHeaders), "managed_response_headers": list(response, z.responseHeaders)}
}

// writeManagedHeaders changes only the transforms in the request.
func writeManagedHeaders(c *call) answer {
	type header struct {
		ID      string `json:"id"`
		Enabled bool   `json:"enabled"`
	}
	var body struct {
		Request  []header `json:"managed_request_headers"`
		Response []header `json:"managed_response_headers"`
	}
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	request, response := managedHeaderIDs()
	unknown := func(known []string) func(header) bool {
		return func(h header) bool { return !slices.Contains(known, h.ID) }
	}
	if slices.ContainsFunc(body.Request, unknown(request)) || slices.ContainsFunc(body.Response, unknown(response)) {
		return invalid("A managed transform was sent that does not exist")
	}
	for _, h := range body.Request {
		c.zone.requestHeaders[h.ID] = h.Enabled
	}
	for _, h := range body.Response {
		c.zone.responseHeaders[h.ID] = h.Enabled
	}
	return ok(c.zone.managedHeaders())
}

func readHold(c *call) answer {
	if c.zone.plan != "enterprise" {
		return notEntitled()
	}
	return ok(c.zone.hold)
}

func createHold(c *call) answer {
	if c.zone.plan != "enterprise" {
		return notEntitled()
	}
	c.zone.hold = obj{"hold": true, "hold_after": "", "include_subdomains": asHoldText(c.query.Get("include_subdomains") == "true")}
	return ok(c.zone.hold)
}

func asHoldText(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func writeHold(c *call) answer {
	if c.zone.plan != "enterprise" {
		return notEntitled()
	}
	var body struct {
		After      *string `json:"hold_after"`
		Subdomains any     `json:"include_subdomains"` // a boolean, or its text, as in responses
	}
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	if body.After != nil {
		c.zone.hold["hold_after"] = *body.After
	}
	if body.Subdomains != nil {
		c.zone.hold["include_subdomains"] = asHoldText(body.Subdomains == true || body.Subdomains == "true")
	}
	return ok(c.zone.hold)
}

func deleteHold(c *call) answer {
	if c.zone.plan != "enterprise" {
		return notEntitled()
	}
	c.zone.hold = obj{"hold": false, "hold_after": "", "include_subdomains": "false"}
	return ok(c.zone.hold)
}
