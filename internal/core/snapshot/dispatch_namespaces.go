package snapshot

// DispatchNamespaces holds the namespaces of Workers for Platforms.
const DispatchNamespaces Key[[]DispatchNamespace] = "account/dispatch_namespaces"

// DispatchNamespace holds customers' scripts. Trusted says that they share a cache and see what the
// edge knows about a request; nil when not returned. Scripts is their number, nil when not
// returned.
type DispatchNamespace struct {
	Name    string `json:"namespace_name"`
	Trusted *bool  `json:"trusted_workers,omitempty"`
	Scripts *int   `json:"script_count,omitempty"`
}

// SortKey orders namespaces by name.
func (n DispatchNamespace) SortKey() string { return n.Name }

// dispatchNamespaces lists the namespaces of Workers for Platforms; a script that dispatches to
// them belongs to the account
// (developers.cloudflare.com/api/resources/workers_for_platforms/subresources/dispatch/subresources/namespaces/methods/list/).
func dispatchNamespaces() Source {
	return list(DispatchNamespaces, Source{
		Path: "/accounts/{account_id}/workers/dispatch/namespaces", Permission: permissionWorkers,
		After: []string{Workers.Source()}, Skip: noScripts(),
		Example: `[{"namespace_id":"drop","namespace_name":"customers","trusted_workers":false,"script_count":12,"created_by":"drop"}]`,
	}, asRead[DispatchNamespace])
}
