package developer

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// previews finds sites whose unreleased versions everyone can open. The settings do not show whether
// there are any where no other branch is built: previews of earlier builds keep answering until they
// are deleted, and a project that is uploaded (Direct Upload) has one for each branch name given with
// an upload (developers.cloudflare.com/pages/configuration/preview-deployments/,
// /pages/get-started/direct-upload/).
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
			Breaks:    "People who open previews have to sign in; without preview builds new branches get none, and deleted ones are gone.",
			Dashboard: "Workers & Pages › {name} › Settings › General › Access policy: Enable.",
			Terraform: `resource "cloudflare_zero_trust_access_application" "previews" {
  account_id                 = "{account_id}"
  name                       = "Previews of {name}"
  type                       = "self_hosted"
  same_site_cookie_attribute = "lax"
  destinations               = [{ type = "public", uri = "*.{id}.pages.dev" }]
}`},
		References: []string{"https://developers.cloudflare.com/pages/",
			"https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/self-hosted-public-app/"},
		Controls: check.Controls{
			check.Supports("cis 3.3", "Unpublished versions are closed to strangers."),
			check.Supports("soc2 CC6.1", "Sign-in stands before preview deployments."),
			check.Touches("pci 6.5.1", "Previews belong to the way changes are tested; the process itself is not seen."),
			check.Supports("nist PR.AA-05", "Only those who work on a site see what is not released."),
		},
		Needs: []snapshot.Named{snapshot.PagesProjects, snapshot.AccessApps},
		Optional: []snapshot.Named{snapshot.PagesPreviews, snapshot.AccessPolicies, snapshot.AccessGroups, snapshot.GatewayListItems,
			snapshot.DevicePosture},
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
	uploaded := func(all ...snapshot.PagesPreview) func(*snapshot.Builder) {
		return goodtest.Edits(editProject(func(p *snapshot.PagesProject) { p.Built, p.Previews = false, "" }), left(all...))
	}
	one := snapshot.PagesPreview{ID: "v1", Served: true}
	unread := func(b *snapshot.Builder) {
		b.Mark(snapshot.PagesPreviews.Source(), snapshot.Denied, "Cloudflare Pages Read", "")
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
		{Name: "an application leaves the previews of one branch open", Want: posture.Fail, Resource: goodProject, Edit: goodtest.Edits(
			built("all"), app("main."+host), policies(lets("bypass", "everyone", "")), app("*."+host, host))},
		{Name: "Access is not in use", Want: posture.Fail, Edit: goodtest.Edits(built("all"), func(b *snapshot.Builder) {
			b.Mark(snapshot.AccessApps.Source(), snapshot.Skipped, "", "Access is not in use")
		})},
		{Name: "none are built, and earlier ones are left", Want: posture.Fail, Resource: goodProject, Edit: left(one)},
		{Name: "none are built, and one is left that was skipped", Want: posture.Pass, Edit: left(snapshot.PagesPreview{ID: "v1"})},
		{Name: "none are built, and those left are not readable", Want: posture.Unknown, Resource: goodProject, Edit: unread},
		{Name: "none are built, earlier ones are left, and an application covers all of it", Want: posture.Pass,
			Edit: goodtest.Edits(left(one), app("*."+host, host))},
		{Name: "uploaded, without previews", Want: posture.NotApplicable, Edit: uploaded()},
		{Name: "uploaded for another branch", Want: posture.Fail, Resource: goodProject, Edit: uploaded(one)},
		{Name: "uploaded, and previews are not readable", Want: posture.Unknown, Resource: goodProject, Edit: goodtest.Edits(uploaded(), unread)},
		{Name: "uploaded, an application covers all of it", Want: posture.Pass, Edit: goodtest.Edits(uploaded(one), app("*."+host, host))},
		{Name: "no project", Want: posture.NotApplicable, Edit: noProject},
	}
}

// previewing reports whether previews of a project answer. The check must declare PagesPreviews.
func previewing(v *check.View, p snapshot.PagesProject) truth.Value {
	if p.BuildsPreviews() {
		return truth.Yes
	}
	all, known := check.ReadOptionalAt(v, snapshot.PagesPreviews, p.Name)
	return truth.If(known, slices.ContainsFunc(all, func(d snapshot.PagesPreview) bool { return d.Served }))
}

// left is an example edit of the previews that the project has.
func left(all ...snapshot.PagesPreview) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.PagesPreviews, goodProject, all) }
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
		answers := previewing(v, p)
		switch guard := exposure.Guarded(doors, "*."+p.Subdomain, ""); {
		case answers == truth.No && !p.Built: // no setting speaks of previews
		case answers == truth.No:
			j.Pass()
		case answers == truth.Undecided && guard != exposure.GuardedWhole:
			j.Unread(project(p), snapshot.PagesPreviews, p.Name)
		case guard == exposure.UnsureGuard:
			j.Unclear(project(p), "whether an application guards the previews depends on a policy or a type of application that "+
				"is not known")
		case guard == exposure.GuardedInPart:
			j.Fail(project(p), "Anyone can open a part of the previews of the project "+p.Name+" at *."+p.Subdomain+".",
				check.Evidence(snapshot.PagesProjects, "/"+p.Name+"/subdomain", "an application for a part of *."+p.Subdomain,
					"an application for all of it"))
			j.As(posture.Words{ByHand: true, Problem: "Previews of Pages project {name} are public in part",
				Breaks: "People who open these previews have to sign in.",
				Dashboard: "Zero Trust › Access controls › Applications: let one application cover all of the pages.dev previews, and remove what " +
					"leaves some of them, or a path, to everyone."})
		case guard != exposure.GuardedWhole && p.BuildsPreviews():
			j.Fail(project(p), "Anyone can open the previews of the project "+p.Name+" at *."+p.Subdomain+".",
				check.Evidence(snapshot.PagesProjects, "/"+p.Name+"/preview_deployment_setting", setting+", no application for *."+p.Subdomain,
					"none, or an application"))
		case guard != exposure.GuardedWhole:
			j.Fail(project(p), "No other branch of the project "+p.Name+" is built now, and anyone can open its earlier previews at *."+p.Subdomain+
				".", check.Evidence(snapshot.PagesPreviews, "", "a preview in service, no application for *."+p.Subdomain,
				"none, or an application"))
			j.As(posture.Words{ByHand: true, Problem: "Old previews of Pages project {name} are public",
				Breaks: "People who open previews have to sign in; deleted ones are gone.",
				Dashboard: "Workers & Pages › {name} › Deployments › Preview: delete each one; or Settings › General › Access policy: " +
					"Enable."})
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
