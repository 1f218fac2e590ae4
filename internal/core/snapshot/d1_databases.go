package snapshot

// D1Databases holds the D1 databases.
const D1Databases Key[[]D1Database] = "account/d1_databases"

// D1Database is a D1 database; its content is never read.
type D1Database struct {
	ID           string `json:"uuid"`
	Name         string `json:"name"`
	Jurisdiction string `json:"jurisdiction,omitempty"`
	CreatedAt    Time   `json:"created_at,omitzero"`
}

// SortKey orders databases by id.
func (d D1Database) SortKey() string { return d.ID }

// d1Databases lists the D1 databases
// (developers.cloudflare.com/api/resources/d1/subresources/database/methods/list/).
func d1Databases() Source {
	return list(D1Databases, Source{
		Path: "/accounts/{account_id}/d1/database", Paging: Paging{Kind: ByPage, Size: 10000}, Permission: "Account: D1 Read", Feeds: true,
		Example: `[{"uuid":"d1","name":"orders","version":"production","created_at":"2026-01-01T00:00:00Z","num_tables":4}]`,
	}, asRead[D1Database])
}
