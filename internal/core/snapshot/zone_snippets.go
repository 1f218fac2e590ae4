package snapshot

// ZoneSnippets holds the snippets of a zone.
const ZoneSnippets Key[[]Snippet] = "zone/snippets"

// Snippet is a piece of code that runs on requests to a zone.
type Snippet struct {
	Name       string `json:"snippet_name"`
	ModifiedOn Time   `json:"modified_on,omitzero"`
}

// SortKey orders snippets by name.
func (s Snippet) SortKey() string { return s.Name }

const permissionSnippets = "Zone: Snippets Read"

// zoneSnippets lists the snippets of a zone, without their code
// (developers.cloudflare.com/api/resources/snippets/methods/list/).
func zoneSnippets() Source {
	return list(ZoneSnippets, Source{
		Path: "/zones/{zone_id}/snippets", Paging: Paging{Kind: ByPage, Size: 25}, Permission: permissionSnippets,
		Plans:   []string{"pro", "business", "enterprise"},
		Example: `[{"snippet_name":"add_header","created_on":"2026-01-01T00:00:00Z","modified_on":"2026-01-02T00:00:00Z"}]`,
	}, asRead[Snippet])
}
