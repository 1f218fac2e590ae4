package snapshot

const (
	// ZoneAPIOperations holds the saved endpoints.
	ZoneAPIOperations Key[[]APIOperation] = "zone/api_operations"
	// ZoneAPIDiscovery holds discovered endpoints that await review.
	ZoneAPIDiscovery Key[[]APIOperation] = "zone/api_discovery"
)

// APIOperation is a saved or discovered endpoint; State is that of a discovered one.
type APIOperation struct {
	ID       string `json:"id"`
	Method   string `json:"method"`
	Host     string `json:"host"`
	Endpoint string `json:"endpoint"`
	State    string `json:"state,omitempty"`
	// Schema is what validates requests to a saved endpoint; nil when Cloudflare does not return
	// it.
	Schema *OperationSchema `json:"schema,omitempty"`
}

// OperationSchema says whether a schema is active for an operation, and the operation's own action.
type OperationSchema struct {
	Active bool   `json:"active"`
	Action string `json:"mitigation_action,omitempty"`
}

// SortKey orders operations by id.
func (o APIOperation) SortKey() string { return o.ID }

const permissionAPI = "Zone: API Gateway Read"

type savedOperationWire struct {
	ID       string `json:"operation_id"`
	Method   string `json:"method"`
	Host     string `json:"host"`
	Endpoint string `json:"endpoint"`
	Features struct {
		Schema *struct {
			Active *struct {
				ID string `json:"id"`
			} `json:"active_schema"`
			Action string `json:"mitigation_action"`
		} `json:"schema_info"`
	} `json:"features"`
}

type discoveredOperationWire struct {
	ID       string `json:"id"`
	Method   string `json:"method"`
	Host     string `json:"host"`
	Endpoint string `json:"endpoint"`
	State    string `json:"state"`
}

// zoneAPIOperations lists the saved endpoints, with the schema of each
// (developers.cloudflare.com/api/resources/api_gateway/subresources/operations/methods/list/).
func zoneAPIOperations() Source {
	return list(ZoneAPIOperations, Source{
		Path: "/zones/{zone_id}/api_gateway/operations?feature=schema_info", Paging: Paging{Kind: ByPage, Size: 50},
		Permission: permissionAPI,
		Example: `[{"operation_id":"o1","method":"GET","host":"api.acme.example","endpoint":"/v1/orders/{var1}",` +
			`"last_updated":"2026-01-01T00:00:00Z","features":{"schema_info":{"active_schema":{"id":"s1",` +
			`"name":"drop"},"mitigation_action":null}}}]`,
	}, func(w savedOperationWire) APIOperation {
		out := APIOperation{ID: w.ID, Method: w.Method, Host: ASCII(w.Host), Endpoint: w.Endpoint}
		if s := w.Features.Schema; s != nil {
			out.Schema = &OperationSchema{Active: s.Active != nil && s.Active.ID != "", Action: s.Action}
		}
		return out
	})
}

// noOperations skips sources that matter only if there are saved endpoints.
func noOperations() skipRule {
	return without(ZoneAPIOperations, "API protection is not in use", "the zone has no saved operation")
}

// zoneAPIDiscovery reads the first page of discovered endpoints that await review: checks need to
// know whether there are any, not how many
// (developers.cloudflare.com/api/resources/api_gateway/subresources/discovery/subresources/operations/methods/list/).
func zoneAPIDiscovery() Source {
	return list(ZoneAPIDiscovery, Source{
		Path: "/zones/{zone_id}/api_gateway/discovery/operations?state=review", Paging: Paging{Kind: ByPage, Size: 50}, MaxPages: 1,
		Volatile: true, Permission: permissionAPI,
		Plans: []string{"enterprise"},
		Example: `[{"id":"d1","method":"GET","host":"api.acme.example","endpoint":"/v2/users","state":"review","origin":["ML"],` +
			`"last_updated":"2026-01-01T00:00:00Z","features":{"traffic_stats":{"note":"drop"}}}]`,
	}, func(w discoveredOperationWire) APIOperation {
		return APIOperation{ID: w.ID, Method: w.Method, Host: ASCII(w.Host), Endpoint: w.Endpoint, State: w.State}
	})
}
