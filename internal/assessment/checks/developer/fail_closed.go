package developer

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// failClosed finds sites whose functions are bypassed at the request limit.
func failClosed() check.Check {
	return check.Check{
		ID: "CFL-PAGE-004", Title: "Functions fail closed",
		Category: "pages", Severity: posture.Low, Resource: posture.ResourcePagesProject, Scope: check.PerAccount,
		Why: "When Pages Functions reach their daily limit, Fail open serves the static files without running the " +
			"function. A login or check in the function is skipped.",
		Fix: "Set Fail closed for the production environment, then deploy the project again.",
		Words: posture.Words{
			Problem: "Functions of Pages project {name} fail open",
			Impact: "Anyone who sends enough requests to use up the limit then reads pages that a function should have " +
				"protected.",
			Breaks:    "Visitors see an error page in place of static files once the limit is reached.",
			Dashboard: "Workers & Pages › {name} › Settings › Runtime › Fail open / closed: Fail closed.",
			Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/pages/projects/{id}",
				Body: `{"deployment_configs": {"production": {"fail_open": false}}}`},
			Terraform: `resource "cloudflare_pages_project" "site" {
  account_id        = "{account_id}"
  name              = "{name}"
  production_branch = "main" # as it is
  deployment_configs = {
    production = { fail_open = false }
  }
}`},
		References: []string{"https://developers.cloudflare.com/pages/"},
		Controls: check.Controls{
			check.Supports("cis 16.11", "When functions cannot run, their security checks are not skipped."),
			check.Supports("soc2 CC6.1", "Access decisions made in functions hold also under load."),
			check.Supports("pci 6.2.4", "Failing closed is an engineering method against bypass."),
			check.Supports("nist PR.PS-01", "The setting is that of the baseline."),
		},
		Remedy: &propose.Remedy{Operation: "PATCH /accounts/{account_id}/pages/projects/{project_name}", Risk: "low", Reversible: true,
			Body:    `{"deployment_configs": {"production": {"fail_open": false}}}`,
			Inverse: "PATCH the captured value",
			Caution: "Takes effect with the next deployment; visitors see an error instead of static content at the limit.",
			Propose: proposeClosed},
		Needs:    []snapshot.Named{snapshot.PagesProjects},
		Evaluate: evaluateFailClosed,
	}
}

func failClosedExamples() []goodtest.Example {
	set := func(functions, open *bool) func(*snapshot.Builder) {
		return editProject(func(p *snapshot.PagesProject) { p.UsesFunctions, p.Production.FailOpen = functions, open })
	}
	yes, no := true, false
	return []goodtest.Example{
		{Name: "closed", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "open", Want: posture.Fail, Resource: goodProject, Edit: set(&yes, &yes)},
		{Name: "open without functions", Want: posture.NotApplicable, Edit: set(&no, &yes)},
		{Name: "the switch is not told", Want: posture.Unknown, Resource: goodProject, Edit: set(&yes, nil)},
		{Name: "open, and whether there are functions is not told", Want: posture.Unknown, Resource: goodProject, Edit: set(nil, &yes)},
		{Name: "closed, and whether there are functions is not told", Want: posture.Pass, Edit: set(nil, &no)},
		{Name: "no project", Want: posture.NotApplicable, Edit: noProject},
	}
}

func evaluateFailClosed(v *check.View) check.Outcome {
	j := v.Judge()
	for _, p := range check.Read(v, snapshot.PagesProjects) {
		open := p.Production.FailOpen
		switch {
		case p.UsesFunctions != nil && !*p.UsesFunctions:
		case open != nil && !*open:
			j.Pass()
		case open == nil:
			j.Unclear(project(p), "Cloudflare does not tell whether the functions fail open")
		case p.UsesFunctions == nil:
			j.Unclear(project(p), "Cloudflare does not tell whether the project has functions")
		default:
			j.Fail(project(p), "Functions of the project "+p.Name+" are skipped when the daily request limit is reached (Fail open).",
				check.Evidence(snapshot.PagesProjects, "/"+p.Name+"/production/fail_open", "true", "false"))
		}
	}
	return j.Done("Functions fail closed.", "no project has functions")
}

// proposeClosed makes the functions of a site fail closed.
func proposeClosed(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/accounts/{account_id}/pages/projects/{id}")
	if err != nil {
		return nil, err
	}
	if live["uses_functions"] == false || propose.Member(live, "deployment_configs.production.fail_open") != true {
		return nil, nil
	}
	want := map[string]any{"deployment_configs": map[string]any{"production": map[string]any{"fail_open": false}}}
	return []change.Edit{propose.Patch("PATCH", place, place.Path, live, want)}, nil
}
