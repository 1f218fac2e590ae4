package script

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// published finds zones where each edit of the tag manager reaches visitors at once
// (developers.cloudflare.com/zaraz/advanced/preview-and-publish/ describes the alternative).
func published() check.Check {
	return check.Check{
		ID: "CFL-ZARAZ-004", Title: "Changes of Zaraz are previewed before they are published",
		Category: "zaraz", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Why: "In the real-time workflow each change of a tool or trigger runs in the pages of all visitors at once. Preview & Publish " +
			"parts those who edit from those who publish.",
		Fix: "Choose the Preview & Publish workflow, and give the right to publish to few people.",
		Words: posture.Words{
			Problem:   "Changes of Zaraz on {zone} go live without a review",
			Impact:    "Someone with the right to edit Zaraz puts a script of their own into every page, at once and unseen.",
			Breaks:    "People who edit have to publish too, or wait for someone who does.",
			Dashboard: "Zaraz › Settings › Workflow: Preview & Publish Workflow.",
		},
		References: []string{"https://developers.cloudflare.com/zaraz/history/preview-mode/"},
		Controls: check.Controls{
			check.Supports("soc2 CC8.1", "Changes are looked at before they are released."),
			check.Supports("pci 6.4.3", "Scripts of pages are authorised before they run; who looks at them is not seen."),
			check.Supports("nist PR.PS-06", "Releases of scripts are a step of their own."),
		},
		Needs: []snapshot.Named{snapshot.ZoneZaraz, snapshot.ZoneZarazWorkflow},
		Evaluate: func(v *check.View) check.Outcome {
			tools := enabledTools(check.Read(v, snapshot.ZoneZaraz))
			switch word := check.Read(v, snapshot.ZoneZarazWorkflow); {
			case len(tools) == 0:
				return v.NotApplicable("the zone has no enabled tool")
			case word == "preview":
				return v.Pass("Changes of Zaraz are previewed before they are published.")
			case word == "realtime":
				return v.Fail("Each change of Zaraz on "+v.Zone().Name+" reaches visitors at once.",
					check.Evidence(snapshot.ZoneZarazWorkflow, "", "realtime", "preview"))
			}
			return v.Unknown("Cloudflare does not tell how changes of Zaraz are published")
		},
	}
}

func workflow(word string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneZarazWorkflow, goodtest.Zone, word) }
}

func publishedGood(b *snapshot.Builder) { workflow("preview")(b) }

func publishedExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "previewed", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "at once", Want: posture.Fail, Resource: goodtest.Zone, Edit: workflow("realtime")},
		{Name: "not told", Want: posture.Unknown, Edit: workflow("")},
		{Name: "a word nobody knows", Want: posture.Unknown, Edit: workflow("staged")},
		{Name: "no tool", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneZaraz, goodtest.Zone, func(z *snapshot.Zaraz) { z.Tools = nil })
			b.Mark(snapshot.ZoneZarazWorkflow.Source(), snapshot.Skipped, "", "the zone has no tool")
		}},
		{Name: "at once, with tools that are off", Want: posture.NotApplicable,
			Edit: goodtest.Edits(workflow("realtime"), func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.ZoneZaraz, goodtest.Zone, func(z *snapshot.Zaraz) {
					for i := range z.Tools {
						z.Tools[i].Enabled = false
					}
				})
			})},
		{Name: "not readable", Want: posture.Unknown, Edit: marked(snapshot.ZoneZarazWorkflow, snapshot.Denied)},
	}
}
