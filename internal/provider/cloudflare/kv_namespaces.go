package cloudflare

import (
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

type kvNamespaceWire struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// kvNamespaces lists the key-value stores
// (developers.cloudflare.com/api/resources/kv/subresources/namespaces/methods/list/).
func kvNamespaces() Source {
	return list(snapshot.KVNamespaces, Source{
		Path: "/accounts/{account_id}/storage/kv/namespaces", Paging: Paging{Kind: ByPage, Size: 100}, Permission: "Account: Workers KV Storage Read", Feeds: true,
		Example: `[{"id":"n1","title":"sessions","supports_url_encoding":true}]`,
	}, func(w kvNamespaceWire) snapshot.KVNamespace { return snapshot.KVNamespace(w) })
}
