package snapshot

// PagesProjects are the static sites with functions.
const PagesProjects Key[[]PagesProject] = "account/pages_projects"

// PagesProject is one site; Name identifies it. Built tells that the provider
// builds it from a repository, otherwise it is uploaded. Previews is the
// provider's word for which branches are built besides, empty when not told.
type PagesProject struct {
	Name          string      `json:"name"`
	Subdomain     string      `json:"subdomain"`
	Domains       []string    `json:"domains"` // Subdomain included
	Branch        string      `json:"production_branch,omitempty"`
	UsesFunctions *bool       `json:"uses_functions,omitempty"`
	Built         bool        `json:"built"`
	Previews      string      `json:"preview_deployment_setting,omitempty"`
	Latest        string      `json:"latest_environment,omitempty"` // of the newest deployment: production or preview
	Production    PagesConfig `json:"production"`
	Preview       PagesConfig `json:"preview"`
}

// SortKey orders projects by name.
func (p PagesProject) SortKey() string { return p.Name }

// PagesConfig is what deployments of one kind are bound to. Variables are kept
// like those of scripts: never their value.
type PagesConfig struct {
	Variables         []Binding `json:"variables"`
	Bindings          []Binding `json:"bindings"`
	FailOpen          *bool     `json:"fail_open,omitempty"`
	CompatibilityDate string    `json:"compatibility_date,omitempty"`
}
