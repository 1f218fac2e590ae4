package snapshot

import "strings"

const (
	// AISearchNamespaces holds the namespaces of AI Search instances.
	AISearchNamespaces Key[[]AISearch] = "account/ai_search_namespaces"
	// AISearchInstances holds the instances of a namespace.
	AISearchInstances Key[[]AISearch] = "aisearch/instances" // scope: namespace
)

// AISearch answers questions about indexed content. Public says that it has a public endpoint,
// which requires no credential; DefaultHost whether it answers at the provider's own hostname, nil
// when not returned. Type is the source of the content.
type AISearch struct {
	ID          string   `json:"id"`
	Type        string   `json:"type,omitempty"`
	Public      bool     `json:"public_endpoint"`
	Ways        int      `json:"ways"` // how many of the three endpoints are enabled
	DefaultHost *bool    `json:"default_domain_enabled,omitempty"`
	Domains     []string `json:"custom_domains"`
	// Untold says that hostnames of a public endpoint were returned, and not whether it is enabled.
	Untold bool `json:"untold,omitempty"`
}

// SortKey orders instances by name.
func (s AISearch) SortKey() string { return s.ID }

type aiNamespaceWire struct {
	Name   string           `json:"name"`
	Public publicSearchWire `json:"public_endpoint_params"`
}

type aiSearchWire struct {
	ID     string           `json:"id"`
	Type   string           `json:"type"`
	Public publicSearchWire `json:"public_endpoint_params"`
}

type publicSearchWire struct {
	Enabled     *bool     `json:"enabled"`
	DefaultHost *bool     `json:"default_domain_enabled"`
	Domains     []string  `json:"custom_domains"`
	Chat        aiWayWire `json:"chat_completions_endpoint"`
	Search      aiWayWire `json:"search_endpoint"`
	MCP         aiWayWire `json:"mcp"`
}

type aiWayWire struct {
	Disabled bool `json:"disabled"`
}

func reduceAISearch(w aiSearchWire) AISearch {
	s := AISearch{ID: w.ID, Type: w.Type, Public: given(w.Public.Enabled), DefaultHost: w.Public.DefaultHost,
		Domains: []string{}, Untold: w.Public.Enabled == nil && (w.Public.DefaultHost != nil || len(w.Public.Domains) > 0)}
	for _, way := range []aiWayWire{w.Public.Chat, w.Public.Search, w.Public.MCP} {
		if !way.Disabled {
			s.Ways++
		}
	}
	for _, d := range w.Public.Domains {
		s.Domains = append(s.Domains, strings.ToLower(strings.TrimSuffix(d, ".")))
	}
	return s
}

const permissionAISearch = "Account: AI Search Read"

// aiSearchNamespaces lists the namespaces of AI Search
// (developers.cloudflare.com/api/resources/ai_search/subresources/namespaces/methods/list/).
func aiSearchNamespaces() Source {
	return list(AISearchNamespaces, Source{
		Path: "/accounts/{account_id}/ai-search/namespaces", Paging: Paging{Kind: ByPage, Size: 50}, Permission: permissionAISearch,
		Example: `[{"name":"default","description":"drop","public_endpoint_id":"drop","public_endpoint_params":{"enabled":false,` +
			`"default_domain_enabled":true,"custom_domains":["search.acme.example"],"mcp":{"disabled":true,"description":"drop"}}}]`,
	}, func(w aiNamespaceWire) AISearch { return reduceAISearch(aiSearchWire{ID: w.Name, Public: w.Public}) })
}

// aiSearchInstances lists the instances of a namespace
// (developers.cloudflare.com/api/resources/ai_search/subresources/namespaces/subresources/instances/methods/list/).
func aiSearchInstances() Source {
	return list(AISearchInstances, Source{
		Path: "/accounts/{account_id}/ai-search/namespaces/{item}/instances", Paging: Paging{Kind: ByPage, Size: 50},
		Permission: permissionAISearch, Parent: AISearchNamespaces.Source(),
		Items: idsOf(AISearchNamespaces, nil),
		Example: `[{"id":"handbook","type":"r2","source":"drop","namespace":"drop","public_endpoint_params":{"enabled":true,` +
			`"default_domain_enabled":false,"custom_domains":["Search.acme.example"]},"system_prompt_ai_search":"drop"}]`,
	}, reduceAISearch)
}
