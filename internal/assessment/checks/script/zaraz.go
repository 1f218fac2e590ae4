package script

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// consent judges whether third-party tools wait for the visitor's consent. A purpose missing from
// the consent settings is never asked for, so it does not count.
func consent() check.Check {
	return check.Check{
		ID: "CFL-ZARAZ-001", Title: "Third-party tools wait for consent",
		Category: "zaraz", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Why: "Trackers that run before a visitor agrees breach privacy law and send page data to third parties.",
		Fix: "Turn consent management on and give every tool a purpose.",
		Words: posture.Words{
			Problem:   "Third-party tools on {zone} do not wait for consent",
			Impact:    "Data of visitors goes to third parties without consent, which a regulator can fine.",
			Breaks:    "Figures of analytics and advertising fall, because visitors who do not agree are not counted.",
			Dashboard: "Zaraz › Consent: turn it on and assign a purpose to each tool.",
		},
		References: []string{docsZaraz},
		Controls: check.Controls{
			check.Supports("cis 16.11", "Consent is asked by the tool manager's own means."),
			check.Supports("soc2 CC6.8", "Foreign code does not run before somebody agreed."),
			check.Touches("pci 6.4.3", "Consent of the visitor is no authorisation by the organisation."),
			check.Supports("nist PR.PS-05", "Foreign tools do not run unasked."),
		},
		Aliases: []string{"flareinspect:CFL-ZARAZ-001"},
		Needs:   []snapshot.Named{snapshot.ZoneZaraz},
		Evaluate: func(v *check.View) check.Outcome {
			z := check.Read(v, snapshot.ZoneZaraz)
			tools := enabledTools(z)
			if len(tools) == 0 {
				return v.NotApplicable("the zone has no enabled tool")
			}
			if !z.Consent {
				return v.Fail("Third-party tools on "+v.Zone().Name+" do not wait for consent.", check.Evidence(snapshot.ZoneZaraz, "/consent", "false",
					"true"))
			}
			var loose []string
			var seen []posture.Evidence
			for _, t := range tools {
				if !slices.Contains(z.Purposes, t.Purpose) {
					loose = append(loose, toolName(t))
					seen = append(seen, check.Evidence(snapshot.ZoneZaraz, "/tools/"+t.ID+"/purpose", "none", "a purpose visitors can consent to"))
				}
			}
			if len(loose) > 0 {
				return v.Warn("Tools on "+v.Zone().Name+" have no purpose to consent to: "+check.Few(loose)+".", seen...)
			}
			return v.Pass("Every enabled tool waits for consent.")
		},
	}
}

func consentExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "consent and purposes", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "no consent", Want: posture.Fail, Resource: goodtest.Zone, Edit: tags(func(z *snapshot.Zaraz) { z.Consent = false })},
		{Name: "no purpose", Want: posture.Warning, Resource: goodtest.Zone, Edit: tags(func(z *snapshot.Zaraz) { z.Tools[0].Purpose = "" })},
		{Name: "a purpose that is gone", Want: posture.Warning, Edit: tags(func(z *snapshot.Zaraz) { z.Purposes = nil })},
		{Name: "a disabled tool", Want: posture.NotApplicable, Edit: tags(func(z *snapshot.Zaraz) {
			z.Consent, z.Tools[0].Enabled = false,
				false
		})},
		{Name: "no tool", Want: posture.NotApplicable, Edit: tags(func(z *snapshot.Zaraz) { *z = snapshot.Zaraz{} })},
	}
}

// variableSecret finds credentials among the plain variables of the tag manager.
func variableSecret() check.Check {
	return check.Check{
		ID: "CFL-ZARAZ-002", Title: "Tool variables hold no plain secret",
		Category: "zaraz", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "The Zaraz configuration can be read by everyone who manages tools, and stands in exports.",
		Fix: "Issue a new value, store it as a masked variable, then revoke the old one.",
		Words: posture.Words{
			Problem:   "Zaraz variables of {zone} hold a credential in plain text",
			Impact:    "Anyone who may open the configuration can use the credential.",
			Breaks:    "Tools that use the old value, until they have the new one.",
			Dashboard: "Zaraz › Tools Configuration › Variables: replace it by a Masked variable.",
		},
		References: []string{docsZaraz},
		Controls: check.Controls{
			check.Supports("cis 3.11", "Secrets of tools are stored encrypted."),
			check.Supports("soc2 CC6.1", "Whoever may look at the tool manager reads no credential."),
			check.Supports("pci 8.6.2", "Keys of tools are not written out in variables."),
			check.Supports("nist PR.DS-01", "Secrets are stored encrypted."),
		},
		Aliases: []string{},
		Needs:   []snapshot.Named{snapshot.ZoneZaraz},
		Evaluate: func(v *check.View) check.Outcome {
			all := check.Read(v, snapshot.ZoneZaraz).Variables
			if len(all) == 0 {
				return v.NotApplicable("the zone has no tool variable")
			}
			var names []string
			var seen []posture.Evidence
			for _, x := range all {
				if x.Type != "secret" && x.Kind != "" {
					names = append(names, x.Name)
					seen = append(seen, check.Evidence(snapshot.ZoneZaraz, "/variables/"+x.ID, "a value shaped like "+x.Kind, "a variable of type secret"))
				}
			}
			if len(names) > 0 {
				return v.Fail("Plain tool variables of "+v.Zone().Name+" hold a credential: "+check.Few(names)+".", seen...)
			}
			return v.Pass("No plain tool variable holds a credential.")
		},
	}
}

func variableSecretExamples() []goodtest.Example {
	variable := func(name, kind string) func(*snapshot.Builder) {
		return tags(func(z *snapshot.Zaraz) {
			z.Variables = []snapshot.ZarazVariable{{ID: "vB2", Name: "Endpoint", Type: name, Kind: kind}}
		})
	}
	return []goodtest.Example{
		{Name: "a plain value", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a key", Want: posture.Fail, Resource: goodtest.Zone, Edit: variable("string", "stripe-key")},
		{Name: "a key in a variable of a type nobody knows", Want: posture.Fail, Edit: variable("text", "stripe-key")},
		{Name: "a key in a variable without a type", Want: posture.Fail, Edit: variable("", "stripe-key")},
		{Name: "a secret variable", Want: posture.Pass, Edit: variable("secret", "")},
		{Name: "no variable", Want: posture.NotApplicable, Edit: tags(func(z *snapshot.Zaraz) { z.Variables = nil })},
	}
}

// freeHTML finds tools that inject arbitrary content into pages. An unknown component is judged by
// its type and permissions.
func freeHTML() check.Check {
	return check.Check{
		ID: "CFL-ZARAZ-003", Title: "No tool injects free HTML or scripts",
		Category: "zaraz", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Why: "Free HTML of a third party runs in the page with everything the visitor may do there, without review.",
		Fix: "Replace the custom HTML by a managed tool, or take the permission away.",
		Words: posture.Words{
			Problem:   "Zaraz tools put free HTML into pages of {zone}",
			Impact:    "Whoever controls the third party's code can read what visitors type and act in their name.",
			Breaks:    "What the custom HTML shows or measures.",
			Dashboard: "Zaraz › Tools Configuration › Third-party tools: open each tool, then Settings › Permissions.",
		},
		References: []string{docsZaraz},
		Controls: check.Controls{
			check.Supports("cis 16.11", "Tools run through the manager's own code and not as free text."),
			check.Supports("soc2 CC6.8", "No arbitrary code comes in by the tool manager."),
			check.Supports("pci 6.4.3", "No script escapes the inventory by being injected."),
			check.Supports("pci 11.6.1", "Pages do not change by what a tool injects."),
			check.Supports("nist PR.PS-05", "Software comes in by vetted tools only."),
		},
		Aliases:  []string{},
		Needs:    []snapshot.Named{snapshot.ZoneZaraz},
		Evaluate: evaluateFreeHTML,
	}
}

func freeHTMLExamples() []goodtest.Example {
	tool := func(change func(*snapshot.ZarazTool)) func(*snapshot.Builder) {
		return tags(func(z *snapshot.Zaraz) { change(&z.Tools[0]) })
	}
	return []goodtest.Example{
		{Name: "a managed tool", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "custom HTML", Want: posture.Fail, Resource: goodtest.Zone, Edit: tool(func(t *snapshot.ZarazTool) { t.Component = "html" })},
		{Name: "a tool of one's own making", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: tool(func(t *snapshot.ZarazTool) { t.Type = "custom-mc" })},
		{Name: "an unsafe permission", Want: posture.Warning,
			Edit: tool(func(t *snapshot.ZarazTool) { t.Permissions = []string{"execute_unsafe_scripts"} })},
		{Name: "a type nobody knows", Want: posture.Unknown, Resource: goodtest.Zone,
			Edit: tool(func(t *snapshot.ZarazTool) { t.Type = "custom-html" })},
		{Name: "an unknown component without it", Want: posture.Pass, Edit: tool(func(t *snapshot.ZarazTool) { t.Component = "new-vendor" })},
		{Name: "disabled", Want: posture.NotApplicable, Edit: tool(func(t *snapshot.ZarazTool) { t.Component, t.Enabled = "html", false })},
	}
}

func evaluateFreeHTML(v *check.View) check.Outcome {
	var judged check.Tally
	html := false
	for _, t := range enabledTools(check.Read(v, snapshot.ZoneZaraz)) {
		at := "/tools/" + t.ID
		switch {
		case t.Component == "html":
			html = true
			judged.Fail(toolName(t), t.ID, check.Evidence(snapshot.ZoneZaraz, at+"/component", "html", "a managed tool"))
		case t.Type == "custom-mc":
			judged.Warn(toolName(t), t.ID, check.Evidence(snapshot.ZoneZaraz, at+"/type", t.Type, "a managed tool"))
		case slices.Contains(t.Permissions, "execute_unsafe_scripts"):
			judged.Warn(toolName(t), t.ID, check.Evidence(snapshot.ZoneZaraz, at+"/permissions", "execute_unsafe_scripts", "no such permission"))
		case t.Type != "component":
			judged.Unknown("the tool " + toolName(t) + " has a type this check does not know: " + t.Type)
		default:
			judged.Pass()
		}
	}
	o := judged.Done(v, check.Said{None: "the zone has no enabled tool",
		Fail: "Tools put free HTML into pages of " + v.Zone().Name, Warn: "Tools may run scripts of their own in pages of " + v.Zone().Name,
		Pass: "Every enabled tool is a managed one without that permission."})
	if html {
		return o
	}
	return o.As(posture.Words{Problem: "Zaraz tools may run scripts of their own in pages of {zone}"})
}
