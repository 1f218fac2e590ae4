package snapshot

import "slices"

// WorkerSubdomain holds the workers.dev switches of a script that the list of addresses does not
// include.
const WorkerSubdomain Key[WorkerSwitches] = "worker/subdomain" // scope: script name

// WorkerSwitches say whether a script, and each of its versions, answers at the provider's own
// hostname.
type WorkerSwitches struct {
	Enabled  bool `json:"enabled"`
	Previews bool `json:"previews_enabled"`
}

// workerSubdomain reads the workers.dev switches of a script that the list of addresses does not
// include
// (developers.cloudflare.com/api/resources/workers/subresources/scripts/subresources/subdomain/methods/get/).
func workerSubdomain() Source {
	return object(WorkerSubdomain, Source{
		Path: "/accounts/{account_id}/workers/scripts/{item}/subdomain", Permission: permissionWorkers,
		Parent: Workers.Source(), Items: idsOf(Workers, nil), After: []string{WorkersBeta.Source()},
		Skip: func(k *Known, t SourceScope) string {
			all, _ := Cached(k, WorkersBeta, t.AccountID)
			if slices.ContainsFunc(all, func(a WorkerAddress) bool { return a.Name == t.Item && a.Switches != nil }) {
				return "the list of addresses holds the script"
			}
			return ""
		},
		Example: `{"enabled":true,"previews_enabled":false}`,
	}, asRead[WorkerSwitches])
}
