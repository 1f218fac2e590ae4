package snapshot

import (
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/credential"
)

// PagesProjects holds the Pages projects.
const PagesProjects Key[[]PagesProject] = "account/pages_projects"

// PagesProject is one site; Name identifies it. Built says that the provider builds it from a
// repository, otherwise it is uploaded. Previews is the provider's value for which other branches
// are built, empty when not returned.
type PagesProject struct {
	Name          string   `json:"name"`
	Subdomain     string   `json:"subdomain"`
	Domains       []string `json:"domains"` // including Subdomain
	Branch        string   `json:"production_branch,omitempty"`
	UsesFunctions *bool    `json:"uses_functions,omitempty"`
	Built         bool     `json:"built"`
	Previews      string   `json:"preview_deployment_setting,omitempty"`
	// Deployed says that there is a production deployment, Dirty that it contains uncommitted
	// changes.
	Deployed   bool        `json:"deployed,omitempty"`
	Dirty      *bool       `json:"commit_dirty,omitempty"`
	Production PagesConfig `json:"production"`
	Preview    PagesConfig `json:"preview"`
}

// SortKey orders projects by name.
func (p PagesProject) SortKey() string { return p.Name }

// BuildsPreviews reports whether other branches than production are built, as far as the settings
// say.
func (p PagesProject) BuildsPreviews() bool { return p.Built && p.Previews != "none" }

const permissionPages = "Account: Cloudflare Pages Read"

// PagesConfig is the configuration of one kind of deployment. Variables are kept like those of
// scripts: never their value.
type PagesConfig struct {
	Variables         []Binding `json:"variables"`
	Bindings          []Binding `json:"bindings"`
	FailOpen          *bool     `json:"fail_open,omitempty"`
	CompatibilityDate string    `json:"compatibility_date,omitempty"`
}

type pagesProjectWire struct {
	Name          string   `json:"name"`
	Subdomain     string   `json:"subdomain"`
	Domains       []string `json:"domains"`
	Branch        string   `json:"production_branch"`
	UsesFunctions *bool    `json:"uses_functions"`
	Source        *struct {
		Config struct {
			Previews string `json:"preview_deployment_setting"`
		} `json:"config"`
	} `json:"source"`
	Canonical *struct {
		Trigger struct {
			Metadata struct {
				Dirty *bool `json:"commit_dirty"`
			} `json:"metadata"`
		} `json:"deployment_trigger"`
	} `json:"canonical_deployment"`
	Configs struct {
		Production pagesConfigWire `json:"production"`
		Preview    pagesConfigWire `json:"preview"`
	} `json:"deployment_configs"`
}

type pagesConfigWire struct {
	Variables map[string]struct {
		Type  string `json:"type"`
		Value string `json:"value"`
	} `json:"env_vars"`
	FailOpen          *bool  `json:"fail_open"`
	CompatibilityDate string `json:"compatibility_date"`
	KV                map[string]struct {
		ID string `json:"namespace_id"`
	} `json:"kv_namespaces"`
	D1 map[string]struct {
		ID string `json:"id"`
	} `json:"d1_databases"`
	R2 map[string]struct {
		Name         string `json:"name"`
		Jurisdiction string `json:"jurisdiction"`
	} `json:"r2_buckets"`
	Objects map[string]struct {
		ID string `json:"namespace_id"`
	} `json:"durable_object_namespaces"`
	Hyperdrive map[string]struct {
		ID string `json:"id"`
	} `json:"hyperdrive_bindings"`
	Queues map[string]struct {
		Name string `json:"name"`
	} `json:"queue_producers"`
	Vectorize map[string]struct {
		Name string `json:"index_name"`
	} `json:"vectorize_bindings"`
}

func reducePagesConfig(secrets *credential.Matcher, w pagesConfigWire) PagesConfig {
	out := PagesConfig{Variables: []Binding{}, Bindings: []Binding{}, FailOpen: w.FailOpen, CompatibilityDate: w.CompatibilityDate}
	for _, name := range slices.Sorted(maps.Keys(w.Variables)) {
		b := Binding{Name: name, Type: w.Variables[name].Type}
		if b.Type == "" && w.Variables[name].Value != "" {
			b.Type = "plain_text" // a value that is returned is not a secret
		}
		if b.Type == "plain_text" {
			judgeValue(secrets, &b, w.Variables[name].Value)
		}
		out.Variables = append(out.Variables, b)
	}
	bind := func(kind, name, target string) {
		out.Bindings = append(out.Bindings, Binding{Name: name, Type: kind, Target: target})
	}
	for name, b := range w.KV {
		bind("kv_namespace", name, b.ID)
	}
	for name, b := range w.D1 {
		bind("d1", name, b.ID)
	}
	for name, b := range w.R2 {
		out.Bindings = append(out.Bindings, Binding{Name: name, Type: "r2_bucket", Target: b.Name, Jurisdiction: b.Jurisdiction})
	}
	for name, b := range w.Objects {
		bind("durable_object_namespace", name, b.ID)
	}
	for name, b := range w.Hyperdrive {
		bind("hyperdrive", name, b.ID)
	}
	for name, b := range w.Queues {
		bind("queue", name, b.Name)
	}
	for name, b := range w.Vectorize {
		bind("vectorize", name, b.Name)
	}
	slices.SortFunc(out.Bindings, func(a, b Binding) int { return strings.Compare(a.Name+" "+a.Type, b.Name+" "+b.Type) })
	return out
}

// pagesProjects lists the Pages projects. The values of plain variables are judged in memory and
// discarded; those of deployments are never read
// (developers.cloudflare.com/api/resources/pages/subresources/projects/methods/list/).
func pagesProjects() Source {
	secrets := credential.New()
	return list(PagesProjects, Source{
		Path: "/accounts/{account_id}/pages/projects", Paging: Paging{Kind: ByPage, Size: 10}, Volatile: true,
		Permission: permissionPages, Feeds: true,
		Example: `[{"id":"p1","name":"docs","subdomain":"docs.pages.dev","domains":["docs.pages.dev"],"production_branch":"main",` +
			`"uses_functions":true,` +
			`"source":{"type":"github","config":{"owner":"drop","preview_deployment_setting":"none"}},` +
			`"build_config":{"web_analytics_token":"drop"},` +
			`"deployment_configs":{"production":{"env_vars":{"REGION":{"type":"plain_text","value":"drop"}},"fail_open":false,` +
			`"compatibility_date":"2026-01-01","kv_namespaces":{"KV":{"namespace_id":"n1"}}},` +
			`"preview":{"env_vars":{"TOKEN":{"type":"secret_text","value":""}}}},` +
			`"canonical_deployment":{"deployment_trigger":{"type":"github:push",` +
			`"metadata":{"branch":"main","commit_dirty":false,"commit_message":"drop"}}},"latest_deployment":{` +
			`"environment":"production","env_vars":{"REGION":{"value":"drop"}}}}]`,
	}, func(w pagesProjectWire) PagesProject {
		p := PagesProject{Name: w.Name, Subdomain: w.Subdomain, Domains: ASCIIAll(append([]string{}, w.Domains...)), Branch: w.Branch,
			UsesFunctions: w.UsesFunctions, Built: w.Source != nil, Production: reducePagesConfig(secrets, w.Configs.Production),
			Preview: reducePagesConfig(secrets, w.Configs.Preview)}
		if w.Source != nil {
			p.Previews = w.Source.Config.Previews
		}
		if w.Canonical != nil {
			p.Deployed = true
			p.Dirty = w.Canonical.Trigger.Metadata.Dirty
		}
		slices.Sort(p.Domains)
		return p
	})
}
