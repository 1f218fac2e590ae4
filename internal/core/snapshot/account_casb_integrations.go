package snapshot

// CASBIntegrations holds the connected third-party applications.
const CASBIntegrations Key[[]CASBIntegration] = "account/casb_integrations"

// CASBIntegration is a connected third-party application.
type CASBIntegration struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Paused  bool   `json:"is_paused"`
	Created Time   `json:"created,omitzero"`
}

// SortKey orders integrations by id.
func (i CASBIntegration) SortKey() string { return i.ID }

// accountCASBIntegrations lists the connected third-party applications
// (developers.cloudflare.com/api/resources/zero_trust/).
func accountCASBIntegrations() Source {
	return list(CASBIntegrations, Source{
		Path: "/accounts/{account_id}/one/integrations", Volatile: true, Permission: permissionZeroTrust,
		Paging: Paging{Kind: ByPage, Size: 10, SizeParam: "page_size"}, // the default size of the list; its maximum is not documented
		Example: `[{"id":"i1","name":"Office suite","status":"Healthy","is_paused":false,"application":{"name":"drop"},` +
			`"created":"2026-01-01T00:00:00Z","updated":"2026-01-02T00:00:00Z"}]`,
	}, asRead[CASBIntegration])
}
