package snapshot

import (
	"cmp"
	"strings"
)

// ZoneHealthChecks holds the standalone health checks.
const ZoneHealthChecks Key[[]HealthCheck] = "zone/healthchecks"

type zoneHealthCheckWire struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	Suspended bool   `json:"suspended"`
	HTTP      *struct {
		AllowInsecure bool `json:"allow_insecure"`
	} `json:"http_config"`
}

// zoneHealthChecks lists the standalone health checks
// (developers.cloudflare.com/api/resources/healthchecks/methods/list/).
func zoneHealthChecks() Source {
	return list(ZoneHealthChecks, Source{
		Path: "/zones/{zone_id}/healthchecks", Paging: Paging{Kind: ByPage, Size: 1000}, Volatile: true, Permission: "Zone: Health Checks Read",
		Plans: []string{"pro", "business", "enterprise"},
		Example: `[{"id":"h1","name":"shop","type":"HTTPS","address":"drop.acme.example","suspended":false,` +
			`"http_config":{"allow_insecure":false,"path":"/health","expected_body":"drop","header":{"Host":["drop"]}}}]`,
	}, func(w zoneHealthCheckWire) HealthCheck {
		return HealthCheck{ID: w.ID, Name: cmp.Or(w.Name, w.ID), Type: strings.ToUpper(w.Type), Suspended: w.Suspended,
			AllowInsecure: w.HTTP != nil && w.HTTP.AllowInsecure}
	})
}
