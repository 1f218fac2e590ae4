package snapshot

const (
	// ZoneSnippetRules holds the rules that run snippets.
	ZoneSnippetRules Key[[]SnippetRule] = "zone/snippet_rules"
	// ZoneZarazWorkflow holds how changes of the tag manager are published: preview or realtime.
	ZoneZarazWorkflow Key[string] = "zone/zaraz_workflow"
)

// SnippetRule runs a snippet on the requests that match its expression. Enabled is nil when not
// returned, which means yes.
type SnippetRule struct {
	ID         string `json:"id"`
	Snippet    string `json:"snippet_name"`
	Expression string `json:"expression"`
	Enabled    *bool  `json:"enabled,omitempty"`
}

// SortKey orders rules by id.
func (r SnippetRule) SortKey() string { return r.ID }

// zoneSnippetRules lists the rules that run snippets; without snippets there are none
// (developers.cloudflare.com/api/resources/snippets/subresources/rules/methods/list/).
func zoneSnippetRules() Source {
	return list(ZoneSnippetRules, Source{
		Path: "/zones/{zone_id}/snippets/snippet_rules", Permission: permissionSnippets, Plans: []string{"pro", "business", "enterprise"},
		After: []string{ZoneSnippets.Source()},
		Skip:  without(ZoneSnippets, "Snippets is not in use", "the zone has no snippet"),
		Example: `[{"id":"r1","snippet_name":"add_header","expression":"http.host eq \"acme.example\"","enabled":true,` +
			`"description":"drop","last_updated":"2026-01-01T00:00:00Z"}]`,
	}, asRead[SnippetRule])
}

// zoneZarazWorkflow reads whether changes of the tag manager are published manually; without a tool
// nothing is published
// (developers.cloudflare.com/api/resources/zaraz/subresources/workflow/methods/get/).
func zoneZarazWorkflow() Source {
	return object(ZoneZarazWorkflow, Source{
		Path: "/zones/{zone_id}/settings/zaraz/workflow", Permission: "Zone: Zaraz Read", After: []string{ZoneZaraz.Source()},
		Skip: func(k *Known, t SourceScope) string {
			if z, ok := Cached(k, ZoneZaraz, t.Zone.ID); ok && len(z.Tools) == 0 {
				return "the zone has no tool"
			}
			return ""
		},
		Example: `"preview"`,
	}, asRead[string])
}
