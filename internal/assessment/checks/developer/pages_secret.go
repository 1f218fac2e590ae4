package developer

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// pagesSecret finds credentials among the plain build variables of a project. Encrypted variables
// are never judged, whatever their name.
func pagesSecret() check.Check {
	return check.Check{
		ID: "CFL-PAGE-001", Title: "No secret is stored as a plain build variable",
		Category: "pages", Severity: posture.High, Resource: posture.ResourcePagesProject, Scope: check.PerAccount,
		Why: "A plain text variable of a Pages project can be read by every member with access to it, and builds of " +
			"any branch can print it.",
		Fix: "Issue a new value where the secret is used, store it as a variable of type Secret, then revoke the old " +
			"value.",
		Words: posture.Words{
			Problem: "A plain variable of Pages project {name} holds a secret",
			Impact: "Anyone who may open the project, or push to a branch that is built, reads the secret and uses it " +
				"elsewhere.",
			Breaks: "What uses the old value, until it has the new one; the next deployment reads the secret.",
			Dashboard: "Workers & Pages › {name} › Settings › Variables and Secrets › the variable › Edit: choose the type " +
				"Secret and enter a new value.",
			Terraform: `resource "cloudflare_pages_project" "site" {
  account_id        = "{account_id}"
  name              = "{name}"
  production_branch = "main" # as it is
  deployment_configs = {
    production = { env_vars = { API_TOKEN = { type = "secret_text", value = var.new_value } } }
  }
}`},
		References: []string{"https://developers.cloudflare.com/pages/"},
		Controls: check.Controls{
			check.Supports("cis 3.11", "A secret among the variables of a build is stored encrypted."),
			check.Supports("soc2 CC6.1", "Whoever may look at a project does not read its secrets."),
			check.Supports("pci 8.6.2", "Passwords of applications are not written out in the project's configuration."),
			check.Supports("nist PR.DS-01", "Secrets are stored encrypted."),
		},
		Aliases:  []string{"flareinspect:CFL-PAGE-001"},
		Paths:    []string{"worker-plaintext-secret"},
		Needs:    []snapshot.Named{snapshot.PagesProjects},
		Evaluate: evaluatePagesSecret,
	}
}

func pagesSecretExamples() []goodtest.Example {
	variables := func(production, preview []snapshot.Binding) func(*snapshot.Builder) {
		return editProject(func(p *snapshot.PagesProject) { p.Production.Variables, p.Preview.Variables = production, preview })
	}
	shaped := []snapshot.Binding{{Name: "CONFIG", Type: "plain_text", Kind: "github-token", Length: 40}}
	return []goodtest.Example{
		{Name: "plain variables without secrets", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a known shape in production", Want: posture.Fail, Resource: goodProject, Edit: variables(shaped, nil)},
		{Name: "a known shape in previews", Want: posture.Fail, Resource: goodProject, Edit: variables(nil, shaped)},
		{Name: "a secret name with a random value", Want: posture.Fail,
			Edit: variables([]snapshot.Binding{{Name: "API_TOKEN", Type: "plain_text", Length: 40, SecretName: true, HighEntropy: true}}, nil)},
		{Name: "a secret name with a placeholder", Want: posture.Warning, Resource: goodProject,
			Edit: variables([]snapshot.Binding{{Name: "API_TOKEN", Type: "plain_text", Length: 8, SecretName: true}}, nil)},
		{Name: "an encrypted variable with the name of a secret", Want: posture.Pass,
			Edit: variables([]snapshot.Binding{{Name: "API_TOKEN", Type: "secret_text"}, {Name: "REGION", Type: "plain_text", Length: 9}}, nil)},
		{Name: "only encrypted variables", Want: posture.NotApplicable,
			Edit: variables([]snapshot.Binding{{Name: "API_TOKEN", Type: "secret_text"}}, nil)},
		{Name: "no project", Want: posture.NotApplicable, Edit: noProject},
	}
}

const goodProject = "docs"

// editProject is an example edit of the project.
func editProject(change func(*snapshot.PagesProject)) func(*snapshot.Builder) {
	return goodtest.Each(snapshot.PagesProjects, goodtest.Account, change)
}

// noProject is an example edit: the account has no project.
func noProject(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.PagesProjects, goodtest.Account, []snapshot.PagesProject{})
}

func project(p snapshot.PagesProject) posture.Resource {
	return posture.Resource{Type: posture.ResourcePagesProject, ID: p.Name, Name: p.Name}
}

func evaluatePagesSecret(v *check.View) check.Outcome {
	j := v.Judge()
	for _, p := range check.Read(v, snapshot.PagesProjects) {
		var found plainValues
		for _, c := range []struct {
			name   string
			config snapshot.PagesConfig
		}{{"production", p.Production}, {"preview", p.Preview}} {
			for _, b := range c.config.Variables {
				if b.Type == "plain_text" {
					found.add(b, b.Name+" of "+c.name, snapshot.PagesProjects, "/"+p.Name+"/"+c.name+"/variables/"+b.Name)
				}
			}
		}
		switch {
		case found.plain == 0:
		case len(found.secrets) > 0:
			j.Fail(project(p), "The project "+p.Name+" has "+check.Count(len(found.secrets), "secret", "")+" in plain variables: "+
				strings.Join(found.secrets, ", ")+".", found.secretRows...)
			j.As(secretWords(p, len(found.secrets)))
		case len(found.doubts) > 0:
			j.Warn(project(p), "The project "+p.Name+" has "+check.Count(len(found.doubts), "plain variable", "")+" with the name of a secret: "+
				strings.Join(found.doubts, ", ")+".", found.doubtsRows...)
			words := secretWords(p, len(found.doubts))
			words.Problem = "A plain variable of Pages project {name} may hold a secret"
			j.As(words)
		default:
			j.Pass()
		}
	}
	return j.Done("No plain build variable looks like a secret.", "no project has a plain build variable")
}

// secretWords returns the words for a project. If it has a single plain variable, one request makes
// that a secret.
func secretWords(p snapshot.PagesProject, found int) posture.Words {
	var plain [][2]string
	for name, config := range map[string]snapshot.PagesConfig{"production": p.Production, "preview": p.Preview} {
		for _, b := range config.Variables {
			if b.Type == "plain_text" {
				plain = append(plain, [2]string{name, b.Name})
			}
		}
	}
	// The name is part of a shell command.
	if found != 1 || len(plain) != 1 || strings.Trim(strings.ToUpper(plain[0][1]), "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != "" {
		return posture.Words{}
	}
	return posture.Words{Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/pages/projects/{id}",
		Body: `{"deployment_configs": {"` + plain[0][0] + `": {"env_vars": {"` + plain[0][1] +
			`": {"type": "secret_text", "value": "{$NEW_VALUE}"}}}}}`,
		Choose: "NEW_VALUE: the value that replaces the one that could be read (such as a-new-value)"}}
}
