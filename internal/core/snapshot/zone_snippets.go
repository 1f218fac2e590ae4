package snapshot

const permissionSnippets = "Zone: Snippets Read"

// zoneSnippets lists the snippets of a zone, without their code
// (developers.cloudflare.com/api/resources/snippets/methods/list/).
func zoneSnippets() Source {
	return list(ZoneSnippets, Source{
		Path: "/zones/{zone_id}/snippets", Paging: Paging{Kind: ByPage, Size: 25}, Permission: permissionSnippets,
		Plans:   []string{"pro", "business", "enterprise"},
		Example: `[{"snippet_name":"add_header","created_on":"2026-01-01T00:00:00Z","modified_on":"2026-01-02T00:00:00Z"}]`,
	}, func(w Snippet) Snippet { return w })
}
