package developer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// previewData finds preview deployments that use production data.
func previewData() check.Check {
	return check.Check{
		ID: "CFL-PAGE-005", Title: "Preview deployments do not use the data of production",
		Category: "pages", Severity: posture.Medium, Resource: posture.ResourcePagesProject, Scope: check.PerAccount,
		Why: "Functions of a preview run with the bindings of the preview environment. When these name the namespace, database or " +
			"bucket of production, code of any branch reads and writes live data.",
		Fix: "Create a namespace, database and bucket for previews, bind the preview environment to them, then deploy again.",
		Words: posture.Words{
			Problem: "Previews of Pages project {name} work on production data",
			Impact: "Anyone who may push a branch, or who finds a fault in an unreviewed one, reads and changes the data of your " +
				"customers.",
			Breaks:    "Previews start with empty stores; they need test data of their own.",
			Dashboard: "Workers & Pages › {name} › Settings › Preview › Bindings: bind stores that only previews use.",
		},
		References: []string{"https://developers.cloudflare.com/pages/functions/bindings/"},
		Controls: check.Controls{
			check.Supports("soc2 CC8.1", "Changes are tried without touching production."),
			check.Supports("nist PR.IR-01", "Environments are separated."),
		},
		Needs:    []snapshot.Named{snapshot.PagesProjects},
		Optional: []snapshot.Named{snapshot.PagesPreviews},
		Evaluate: evaluatePreviewData,
	}
}

func previewDataGood(b *snapshot.Builder) {
	editProject(func(p *snapshot.PagesProject) {
		p.Previews = "all"
		p.Production.Bindings = []snapshot.Binding{{Name: "STORE", Type: "kv_namespace", Target: "n1"}}
		p.Preview.Bindings = []snapshot.Binding{{Name: "STORE", Type: "kv_namespace", Target: "n2"}}
	})(b)
}

func previewDataExamples() []goodtest.Example {
	bind := func(previews string, built bool, bs ...snapshot.Binding) func(*snapshot.Builder) {
		return editProject(func(p *snapshot.PagesProject) { p.Previews, p.Built, p.Preview.Bindings = previews, built, bs })
	}
	buckets := func(preview, production string) func(*snapshot.Builder) {
		at := func(jurisdiction string) []snapshot.Binding {
			return []snapshot.Binding{{Name: "FILES", Type: "r2_bucket", Target: "data", Jurisdiction: jurisdiction}}
		}
		return goodtest.Edits(bind("all", true, at(preview)...), editProject(func(p *snapshot.PagesProject) {
			p.Production.Bindings = at(production)
		}))
	}
	same := snapshot.Binding{Name: "STORE", Type: "kv_namespace", Target: "n1"}
	one := snapshot.PagesPreview{ID: "v1", Served: true}
	return []goodtest.Example{
		{Name: "a namespace of its own", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "the same namespace", Want: posture.Fail, Resource: goodProject, Edit: bind("all", true, same)},
		{Name: "the same namespace under another name", Want: posture.Fail,
			Edit: bind("custom", true, snapshot.Binding{Name: "CACHE", Type: "kv_namespace", Target: "n1"})},
		{Name: "the same id of another kind", Want: posture.Pass,
			Edit: bind("all", true, snapshot.Binding{Name: "STORE", Type: "d1", Target: "n1"})},
		{Name: "the same namespace, and no previews are built", Want: posture.Pass, Edit: bind("none", true, same)},
		{Name: "the same namespace, no previews are built, and earlier ones are left", Want: posture.Unknown, Resource: goodProject,
			Edit: goodtest.Edits(bind("none", true, same), left(one))},
		{Name: "the same namespace, uploaded, without previews", Want: posture.Pass, Edit: bind("", false, same)},
		{Name: "the same namespace, uploaded, and previews are not readable", Want: posture.Unknown, Resource: goodProject,
			Edit: goodtest.Edits(bind("", false, same), func(b *snapshot.Builder) {
				b.Mark(snapshot.PagesPreviews.Source(), snapshot.Denied, "Cloudflare Pages Read", "")
			})},
		{Name: "the same namespace, and whether previews are built is not told", Want: posture.Fail, Edit: bind("", true, same)},
		{Name: "the same namespace, uploaded", Want: posture.Warning, Resource: goodProject,
			Edit: goodtest.Edits(bind("", false, same), left(one))},
		{Name: "a bucket of its name in another jurisdiction", Want: posture.Pass, Edit: buckets("eu", "")},
		{Name: "the same bucket, whose jurisdiction one of them leaves out", Want: posture.Fail, Resource: goodProject,
			Edit: buckets("default", "")},
		{Name: "a binding without a target", Want: posture.Pass, Edit: bind("all", true, snapshot.Binding{Name: "STORE", Type: "kv_namespace"})},
		{Name: "no project", Want: posture.NotApplicable, Edit: noProject},
		{Name: "not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.PagesProjects.Source(), snapshot.Denied, "Cloudflare Pages Read", "")
		}},
	}
}

func evaluatePreviewData(v *check.View) check.Outcome {
	j := v.Judge()
	for _, p := range check.Read(v, snapshot.PagesProjects) {
		var shared []string
		for _, b := range p.Preview.Bindings {
			if b.Target != "" && slices.ContainsFunc(p.Production.Bindings, func(o snapshot.Binding) bool {
				return o.Type == b.Type && o.Target == b.Target && cmp.Or(o.Jurisdiction, "default") == cmp.Or(b.Jurisdiction, "default")
			}) {
				shared = append(shared, b.Name)
			}
		}
		row := check.Evidence(snapshot.PagesProjects, "/"+p.Name+"/preview/bindings", strings.Join(shared, ", ")+": as in production",
			"stores of their own")
		switch {
		case len(shared) == 0 || previewing(v, p) == truth.No:
			j.Pass()
		case previewing(v, p) == truth.Undecided:
			j.Unread(project(p), snapshot.PagesPreviews, p.Name)
		case p.Built && !p.BuildsPreviews():
			j.Unclear(project(p), "previews of earlier builds are left, and Cloudflare does not tell which data these are bound to")
		case !p.Built:
			j.Warn(project(p), "Uploads of the project "+p.Name+" for another branch than production use its data through "+
				strings.Join(shared, ", ")+".", row)
		default:
			j.Fail(project(p), "Previews of the project "+p.Name+" use the data of production through "+strings.Join(shared, ", ")+".", row)
		}
	}
	return j.Done("No preview uses the data of production.", "the account has no Pages project")
}
