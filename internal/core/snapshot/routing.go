package snapshot

// Where scripts answer.
const (
	WorkersBeta      Key[[]WorkerAddress] = "account/workers_beta"
	WorkerSubdomain  Key[WorkerSwitches]  = "worker/subdomain" // scope: script name
	WorkerDomains    Key[[]WorkerDomain]  = "account/worker_domains"
	ZoneWorkerRoutes Key[[]WorkerRoute]   = "zone/worker_routes"
)

// WorkerSwitches say whether a script, and each of its versions, answers at the
// provider's own host name.
type WorkerSwitches struct {
	Enabled  bool `json:"enabled"`
	Previews bool `json:"previews_enabled"`
}

// WorkerAddress is a script as the newer list tells it. Switches is nil when the
// list does not carry them.
type WorkerAddress struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Switches *WorkerSwitches `json:"subdomain,omitempty"`
	Host     string          `json:"host,omitempty"` // at the provider's own domain
	Observed bool            `json:"observability"`
	Domains  []string        `json:"domains"`
	Queues   []string        `json:"queues"`
}

// SortKey orders scripts by id.
func (a WorkerAddress) SortKey() string { return a.ID }

// WorkerDomain is a host name that belongs to a script as a whole.
type WorkerDomain struct {
	ID          string `json:"id"`
	Hostname    string `json:"hostname"`
	Script      string `json:"service"`
	ZoneID      string `json:"zone_id"`
	Environment string `json:"environment,omitempty"`
}

// SortKey orders domains by id.
func (d WorkerDomain) SortKey() string { return d.ID }

// WorkerRoute sends requests that match a pattern to a script; without a script
// it keeps them from any.
type WorkerRoute struct {
	ID      string `json:"id"`
	Pattern string `json:"pattern"`
	Script  string `json:"script,omitempty"`
}

// SortKey orders routes by id.
func (r WorkerRoute) SortKey() string { return r.ID }
