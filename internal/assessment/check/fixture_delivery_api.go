package check

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// goodAPI adds an API whose endpoints are known and protected.
func goodAPI(b *snapshot.Builder) {
	none := 0
	snapshot.Put(b, snapshot.ZoneAPIOperations, GoodZone, []snapshot.APIOperation{{ID: "o1", Method: "GET", Host: "www." + GoodDomain, Endpoint: "/v1/orders"}})
	snapshot.Put(b, snapshot.ZoneAPIDiscovery, GoodZone, []snapshot.APIOperation{})
	snapshot.Put(b, snapshot.ZoneAPIConfiguration, GoodZone, snapshot.APIConfiguration{AuthIDs: []string{"header:authorization"}})
	snapshot.Put(b, snapshot.ZoneAPILabels, GoodZone, []snapshot.APILabel{
		{Name: "cf-risk-missing-auth", Source: "managed", Operations: &none}, {Name: "cf-risk-mixed-auth", Source: "managed", Operations: &none}})
	snapshot.Put(b, snapshot.ZoneSchemaSettings, GoodZone, snapshot.SchemaSettings{Default: "block"})
	snapshot.Put(b, snapshot.ZoneSchemas, GoodZone, []snapshot.APISchema{{ID: "s1", Name: "orders", Kind: "openapi_v3", Validation: true}})
	snapshot.Put(b, snapshot.ZoneTokenRules, GoodZone, []snapshot.TokenValidationRule{{ID: "t1", Action: "block", Enabled: true}})
}
