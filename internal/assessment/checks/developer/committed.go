package developer

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// committed finds sites whose production deployment differs from the repository
// (developers.cloudflare.com/api/resources/pages/subresources/projects/,
// deployment_trigger.metadata.commit_dirty).
func committed() check.Check {
	return check.Check{
		ID: "CFL-PAGE-006", Title: "Production of Pages projects runs committed code",
		Category: "pages", Severity: posture.Low, Resource: posture.ResourcePagesProject, Scope: check.PerAccount,
		Why: "Wrangler notes with an upload whether the folder had changes that were not committed. Such a deployment was reviewed " +
			"by nobody and cannot be built again.",
		Fix: "Commit the changes, deploy from the build system, then deny uploads from computers of developers.",
		Words: posture.Words{
			Problem:   "Production of Pages project {name} runs uncommitted code",
			Impact:    "Code that nobody reviewed serves your visitors, and after an incident nobody can tell what it was.",
			Breaks:    "Nothing, when the committed code does the same; compare the site before and after.",
			Dashboard: "Workers & Pages › {name} › Deployments: deploy a commit of the production branch.",
		},
		References: []string{"https://developers.cloudflare.com/pages/configuration/git-integration/"},
		Controls: check.Controls{
			check.Supports("soc2 CC8.1", "Changes are recorded before they are released."),
			check.Supports("pci 6.5.1", "The site in production can be traced to a recorded change."),
			check.Supports("nist PR.PS-06", "Releases come from reviewed code."),
		},
		Needs: []snapshot.Named{snapshot.PagesProjects},
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			for _, p := range check.Read(v, snapshot.PagesProjects) {
				switch {
				case !p.Deployed: // nothing is deployed yet
				case p.Dirty == nil:
					j.Unclear(project(p), "Cloudflare does not tell whether the deployment had changes that were not committed")
				case *p.Dirty:
					j.Fail(project(p), "Production of the project "+p.Name+" was uploaded with changes that were not committed.",
						check.Evidence(snapshot.PagesProjects, "/"+p.Name+"/commit_dirty", "true", "false"))
				default:
					j.Pass()
				}
			}
			return j.Done("Production of every project runs committed code.", "no project is deployed to production")
		},
	}
}

func committedGood(b *snapshot.Builder) {
	clean := false
	editProject(func(p *snapshot.PagesProject) { p.Deployed, p.Dirty = true, &clean })(b)
}

func committedExamples() []goodtest.Example {
	set := func(deployed bool, dirty *bool) func(*snapshot.Builder) {
		return editProject(func(p *snapshot.PagesProject) { p.Deployed, p.Dirty = deployed, dirty })
	}
	yes, no := true, false
	return []goodtest.Example{
		{Name: "committed", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "changes on top", Want: posture.Fail, Resource: goodProject, Edit: set(true, &yes)},
		{Name: "not told", Want: posture.Unknown, Resource: goodProject, Edit: set(true, nil)},
		{Name: "never deployed", Want: posture.NotApplicable, Edit: set(false, nil)},
		{Name: "committed, uploaded", Want: posture.Pass, Edit: goodtest.Edits(set(true, &no), editProject(func(p *snapshot.PagesProject) {
			p.Built = false
		}))},
		{Name: "no project", Want: posture.NotApplicable, Edit: noProject},
	}
}
