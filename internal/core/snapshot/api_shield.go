package snapshot

// API protection sources of a zone.
const (
	ZoneAPIOperations    Key[[]APIOperation]        = "zone/api_operations"
	ZoneAPIDiscovery     Key[[]APIOperation]        = "zone/api_discovery"
	ZoneAPIConfiguration Key[APIConfiguration]      = "zone/api_configuration"
	ZoneAPILabels        Key[[]APILabel]            = "zone/api_labels"
	ZoneSchemaSettings   Key[SchemaSettings]        = "zone/schema_settings"
	ZoneSchemas          Key[[]APISchema]           = "zone/schemas"
	ZoneTokenRules       Key[[]TokenValidationRule] = "zone/token_validation_rules"
)

// APIOperation is an endpoint that was saved or discovered; State is that of a
// discovered one.
type APIOperation struct {
	ID       string `json:"id"`
	Method   string `json:"method"`
	Host     string `json:"host"`
	Endpoint string `json:"endpoint"`
	State    string `json:"state,omitempty"`
}

// SortKey orders operations by id.
func (o APIOperation) SortKey() string { return o.ID }

// APIConfiguration tells how sessions are recognised: "header:name", sorted.
type APIConfiguration struct {
	AuthIDs []string `json:"auth_id_characteristics"`
}

// APILabel is a mark on operations. Operations is how many carry it, nil when
// the provider did not say.
type APILabel struct {
	Name       string `json:"name"`
	Source     string `json:"source"`
	Operations *int   `json:"operations,omitempty"`
}

// SortKey orders labels by name; an own and a managed one may share it.
func (l APILabel) SortKey() string {
	if l.Name == "" {
		return ""
	}
	return l.Name + " " + l.Source
}

// SchemaSettings say what happens to requests that break a schema. Override
// replaces the action of every operation while it is set.
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

// TokenValidationRule checks session tokens at the edge.
type TokenValidationRule struct {
	ID      string `json:"id"`
	Action  string `json:"action"`
	Enabled bool   `json:"enabled"`
	// Hosts are those the rule is for; none means all.
	Hosts []string `json:"hosts,omitempty"`
}

// SortKey orders rules by id.
func (r TokenValidationRule) SortKey() string { return r.ID }
