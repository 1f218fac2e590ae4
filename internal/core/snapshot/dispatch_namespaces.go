package snapshot

// DispatchNamespaces holds the namespaces of Workers for Platforms.
const DispatchNamespaces Key[[]DispatchNamespace] = "account/dispatch_namespaces"

// DispatchNamespace holds scripts of customers. Trusted says that they share a cache and see what the edge knows of a request;
// nil when the provider did not say. Scripts is their number, nil when it is not told.
type DispatchNamespace struct {
	Name    string `json:"namespace_name"`
	Trusted *bool  `json:"trusted_workers,omitempty"`
	Scripts *int   `json:"script_count,omitempty"`
}

// SortKey orders namespaces by name.
func (n DispatchNamespace) SortKey() string { return n.Name }

// dispatchNamespaces lists the namespaces of Workers for Platforms; a script that dispatches to them is one of the account
// (developers.cloudflare.com/api/resources/workers_for_platforms/subresources/dispatch/subresources/namespaces/methods/list/).
func dispatchNamespaces() Source {
	return list(DispatchNamespaces, Source{
		Path: "/accounts/{account_id}/workers/dispatch/namespaces", Permission: permissionWorkers,
		After: []string{Workers.Source()}, Skip: noScripts,
		Example: `[{"namespace_id":"drop","namespace_name":"customers","trusted_workers":false,"script_count":12,"created_by":"drop"}]`,
	}, asRead[DispatchNamespace])
}
