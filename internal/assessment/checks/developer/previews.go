package developer

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// previews finds sites whose unreleased versions everyone can open. A project that is uploaded
// (Direct Upload) has a preview for each branch name given with an upload, and no setting shows
// this; the list of projects has only the newest deployment, and listing all of them costs one
// request per project. So a newest deployment that is a preview is found; otherwise the answer is
// undecided (developers.cloudflare.com/pages/get-started/direct-upload/).
func previews() check.Check {
	return check.Check{
		ID: "CFL-PAGE-003", Title: "Preview deployments are not public",
		Category: "pages", Severity: posture.Medium, Resource: posture.ResourcePagesProject, Scope: check.PerAccount,
		Why: "Pages gives every branch a preview at a hostname with the name of the branch. Anyone can open it unless " +
			"an Access application covers it.",
		Fix: "Turn on the Access policy for previews, or stop preview builds and delete the previews that exist.",
		Words: posture.Words{
			Problem:   "Previews of Pages project {name} are public",
			Impact:    "Anyone who guesses the name of a branch opens unreleased pages, test data and debug output.",
			Breaks:    "People who open previews have to sign in; without preview builds new branches get none.",
			Dashboard: "Workers & Pages › {name} › Settings › General › Access policy: Enable.",
			Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/pages/projects/{id}",
				Body: `{"source": {"config": {"preview_deployment_setting": "none"}}}`},
			Terraform: `resource "cloudflare_pages_project" "site" {
  account_id        = "{account_id}"
  name              = "{name}"
  production_branch = "main"
  source = {
    type   = "github"
    config = { preview_deployment_setting = "none" }
  }
}`},
		References: []string{"https://developers.cloudflare.com/pages/",
			"https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/self-hosted-public-app/"},
		Controls: check.Controls{
			check.Supports("cis 3.3", "Unpublished versions are closed to strangers."),
			check.Supports("soc2 CC6.1", "Sign-in stands before preview deployments."),
			check.Touches("pci 6.5.1", "Previews belong to the way changes are tested; the process itself is not seen."),
			check.Supports("nist PR.AA-05", "Only those who work on a site see what is not released."),
		},
		Needs:    []snapshot.Named{snapshot.PagesProjects, snapshot.AccessApps},
		Optional: []snapshot.Named{snapshot.AccessPolicies, snapshot.AccessGroups},
		Evaluate: evaluatePreviews,
	}
}

func previewsExamples() []goodtest.Example {
	const host = "docs.pages.dev"
	app := func(domains ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				*as = append(*as, snapshot.AccessApp{ID: "a9", Name: "Docs", Type: "self_hosted", Domain: domains[0], Domains: domains})
			})
		}
	}
	built := func(setting string) func(*snapshot.Builder) {
		return editProject(func(p *snapshot.PagesProject) { p.Previews = setting })
	}
	uploaded := func(newest string) func(*snapshot.Builder) {
		return editProject(func(p *snapshot.PagesProject) { p.Built, p.Previews, p.Latest = false, "", newest })
	}
	return []goodtest.Example{
		{Name: "no previews", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "previews of all branches", Want: posture.Fail, Resource: goodProject, Edit: built("all")},
		{Name: "previews of some branches", Want: posture.Fail, Edit: built("custom")},
		{Name: "the setting is not told", Want: posture.Fail, Edit: built("")},
		{Name: "an application covers all of it", Want: posture.Pass, Edit: goodtest.Edits(built("all"), app("*."+host, host))},
		{Name: "an application that lets everyone in", Want: posture.Fail, Resource: goodProject,
			Edit: goodtest.Edits(built("all"), app("*."+host, host), policies(lets("bypass", "everyone", "")))},
		{Name: "an application that asks everyone to sign in", Want: posture.Pass,
			Edit: goodtest.Edits(built("all"), app("*."+host, host), policies(lets("allow", "everyone", "")))},
		{Name: "an application that lets a group in that is missing", Want: posture.Unknown, Resource: goodProject,
			Edit: goodtest.Edits(built("all"), app("*."+host, host), policies(lets("bypass", "group", "g9")))},
		{Name: "production is open beside a custom domain", Want: posture.Warning, Resource: goodProject,
			Edit: goodtest.Edits(built("all"), app("*."+host))},
		{Name: "production is open and has no other address", Want: posture.Pass,
			Edit: goodtest.Edits(built("all"), app("*."+host), editProject(func(p *snapshot.PagesProject) { p.Domains = []string{host} }))},
		{Name: "an application covers production only", Want: posture.Fail, Edit: goodtest.Edits(built("all"), app(host))},
		{Name: "an application covers a path of the previews", Want: posture.Fail, Edit: goodtest.Edits(built("all"), app("*."+host+"/admin"))},
		{Name: "Access is not in use", Want: posture.Fail, Edit: goodtest.Edits(built("all"), func(b *snapshot.Builder) {
			b.Mark(snapshot.AccessApps.Source(), snapshot.Skipped, "", "Access is not in use")
		})},
		{Name: "uploaded", Want: posture.Unknown, Resource: goodProject, Edit: uploaded("production")},
		{Name: "uploaded, the newest for another branch", Want: posture.Fail, Resource: goodProject, Edit: uploaded("preview")},
		{Name: "uploaded, never deployed", Want: posture.Unknown, Resource: goodProject, Edit: uploaded("")},
		{Name: "uploaded, an application covers all of it", Want: posture.Pass, Edit: goodtest.Edits(uploaded("preview"), app("*."+host, host))},
		{Name: "no project", Want: posture.NotApplicable, Edit: noProject},
	}
}

func evaluatePreviews(v *check.View) check.Outcome {
	doors := check.DoorsOf(v)
	j := v.Judge()
	for _, p := range check.Read(v, snapshot.PagesProjects) {
		setting := p.Previews
		if setting == "" {
			setting = "not told"
		}
		custom := slices.ContainsFunc(p.Domains, func(d string) bool { return !exposure.Same(d, p.Subdomain) })
		switch guard := exposure.Guarded(doors, "*."+p.Subdomain, ""); {
		case p.Previews == "none":
			j.Pass()
		case guard == exposure.UnsureGuard:
			j.Unclear(project(p), "whether an application guards the previews depends on a policy or a type of application that "+
				"is not known")
		case guard != exposure.GuardedWhole && !p.Built && p.Latest != "preview":
			j.Unclear(project(p), "the project is uploaded, and whether uploads for other branches left previews is told by the list of its "+
				"deployments, which is not read")
		case guard != exposure.GuardedWhole:
			j.Fail(project(p), "Anyone can open the previews of the project "+p.Name+" at *."+p.Subdomain+".",
				check.Evidence(snapshot.PagesProjects, "/"+p.Name+"/preview_deployment_setting", setting+", no application for *."+p.Subdomain,
					"none, or an application"))
			j.As(posture.Words{ByHand: !p.Built}) // an uploaded project has no such setting
		case custom && exposure.Guarded(doors, p.Subdomain, "") != exposure.GuardedWhole:
			j.Warn(project(p), "The project "+p.Name+" answers anyone at "+p.Subdomain+" besides its custom domain.",
				check.Evidence(snapshot.PagesProjects, "/"+p.Name+"/subdomain", p.Subdomain+", no application", "an application"))
			j.As(posture.Words{Problem: "Pages project {name} answers at its pages.dev hostname too", ByHand: true,
				Impact: "Anyone who knows the hostname opens the site past the WAF, the rate limits and the login of the zone.",
				Breaks: "Links to the pages.dev hostname ask for a login.",
				Dashboard: "Zero Trust › Access controls › Applications › Create new application › Self-hosted and private: enter the pages.dev " +
					"hostname."})
		default:
			j.Pass()
		}
	}
	return j.Done("No preview is public.", "no project builds previews")
}
