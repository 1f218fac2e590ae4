package snapshot

const (
	// ZoneSchemaSettings holds what happens to requests that violate a schema.
	ZoneSchemaSettings Key[SchemaSettings] = "zone/schema_settings"
	// ZoneSchemas holds the schemas.
	ZoneSchemas Key[[]APISchema] = "zone/schemas"
)

// SchemaSettings say what happens to requests that violate a schema. Override replaces the action
// of every operation while it is set.
type SchemaSettings struct {
	Default  string `json:"validation_default_mitigation_action"`
	Override string `json:"validation_override_mitigation_action,omitempty"`
}

// APISchema is an uploaded or learned schema, without its source.
type APISchema struct {
	ID         string `json:"schema_id"`
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	Validation bool   `json:"validation_enabled"`
}

// SortKey orders schemas by id.
func (s APISchema) SortKey() string { return s.ID }

// zoneSchemaSettings reads what happens to requests that violate a schema
// (developers.cloudflare.com/api/resources/schema_validation/subresources/settings/methods/get/).
func zoneSchemaSettings() Source {
	return object(ZoneSchemaSettings, Source{
		Path: "/zones/{zone_id}/schema_validation/settings", Permission: permissionAPI,
		After: []string{ZoneAPIOperations.Source()}, Skip: noOperations(),
		Example: `{"validation_default_mitigation_action":"block","validation_override_mitigation_action":null}`,
	}, asRead[SchemaSettings])
}

// zoneSchemas lists the schemas, without their sources
// (developers.cloudflare.com/api/resources/schema_validation/subresources/schemas/methods/list/).
func zoneSchemas() Source {
	return list(ZoneSchemas, Source{
		Path: "/zones/{zone_id}/schema_validation/schemas?omit_source=true", Paging: Paging{Kind: ByPage, Size: 50}, Permission: permissionAPI,
		After: []string{ZoneAPIOperations.Source()}, Skip: noOperations(),
		Example: `[{"schema_id":"s1","name":"orders","kind":"openapi_v3","validation_enabled":true,"source":"drop",` +
			`"created_at":"2026-01-01T00:00:00Z"}]`,
	}, asRead[APISchema])
}
