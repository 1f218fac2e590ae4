package snapshot

// WARPConnectors holds the WARP connectors that are not deleted.
const WARPConnectors Key[[]WARPConnector] = "account/warp_connectors"

// WARPConnector connects a network to the account through a host in it. Status is inactive,
// healthy, degraded or down.
type WARPConnector struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Status        string `json:"status"`
	CreatedAt     Time   `json:"created_at,omitzero"`
	InactiveSince Time   `json:"conns_inactive_at,omitzero"`
}

// SortKey orders connectors by id.
func (c WARPConnector) SortKey() string { return c.ID }

// accountWARPConnectors lists the WARP connectors, which require a Zero Trust organisation
// (developers.cloudflare.com/api/resources/zero_trust/subresources/tunnels/subresources/warp_connector/methods/list/).
func accountWARPConnectors() Source {
	return list(WARPConnectors, Source{
		Path: "/accounts/{account_id}/warp_connector?is_deleted=false", Paging: Paging{Kind: ByPage, Size: 1000}, Volatile: true,
		Permission: permissionTunnel, After: []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `[{"id":"w1","name":"branch","status":"healthy","created_at":"2026-01-01T00:00:00Z","conns_inactive_at":null,` +
			`"tun_type":"warp_connector","metadata":{"drop":1}}]`,
	}, asRead[WARPConnector])
}
