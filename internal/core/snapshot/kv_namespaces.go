package snapshot

// KVNamespaces holds the key-value stores.
const KVNamespaces Key[[]KVNamespace] = "account/kv_namespaces"

// KVNamespace is a key-value store; its keys are never read.
type KVNamespace struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// SortKey orders namespaces by id.
func (n KVNamespace) SortKey() string { return n.ID }

// kvNamespaces lists the key-value stores
// (developers.cloudflare.com/api/resources/kv/subresources/namespaces/methods/list/).
func kvNamespaces() Source {
	return list(KVNamespaces, Source{
		Path: "/accounts/{account_id}/storage/kv/namespaces", Paging: Paging{Kind: ByPage, Size: 100},
		Permission: "Account: Workers KV Storage Read", Feeds: true,
		Example: `[{"id":"n1","title":"sessions","supports_url_encoding":true}]`,
	}, asRead[KVNamespace])
}
