package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// goodAPI adds an API whose endpoints are known and protected.
func goodAPI(b *snapshot.Builder) {
	none := 0
	snapshot.Put(b, snapshot.ZoneAPIOperations, Zone, []snapshot.APIOperation{{ID: "o1", Method: "GET", Host: "www." + Domain,
		Endpoint: "/v1/orders", Schema: &snapshot.OperationSchema{Active: true}}})
	snapshot.Put(b, snapshot.ZoneAPIDiscovery, Zone, []snapshot.APIOperation{})
	snapshot.Put(b, snapshot.ZoneAPIConfiguration, Zone, snapshot.APIConfiguration{AuthIDs: []string{"header:authorization"}})
	snapshot.Put(b, snapshot.ZoneAPILabels, Zone, []snapshot.APILabel{
		{Name: "cf-risk-missing-auth", Source: "managed", Operations: &none}, {Name: "cf-risk-mixed-auth", Source: "managed", Operations: &none}})
	snapshot.Put(b, snapshot.ZoneSchemaSettings, Zone, snapshot.SchemaSettings{Default: "block"})
	snapshot.Put(b, snapshot.ZoneSchemas, Zone, []snapshot.APISchema{{ID: "s1", Name: "orders", Kind: "openapi_v3", Validation: true}})
	snapshot.Put(b, snapshot.ZoneTokenRules, Zone, []snapshot.TokenValidationRule{{ID: "t1", Action: "block", Enabled: true,
		Configs: []string{"c1"}}})
	snapshot.Put(b, snapshot.ZoneTokenConfigs, Zone, []snapshot.TokenConfig{{ID: "c1", Title: "Sign-in", Algorithms: []string{"ES256"},
		CreatedAt: InDays(-900), Updated: InDays(-100)}})
}
