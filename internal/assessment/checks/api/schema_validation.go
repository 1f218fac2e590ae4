package api

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// schemaValidation judges whether malformed requests are stopped.
func schemaValidation() check.Check {
	return check.Check{
		ID: "CFL-API-003", Title: "Schema validation blocks",
		Category: "api", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Why: "Schema validation refuses requests that do not fit the API, which stops much probing for injection and " +
			"logic flaws.",
		Fix: "Upload or adopt a schema, read the log for a week, then set the action to block.",
		Words: posture.Words{
			Problem:   "Schema validation does not block requests to {zone}",
			Impact:    "An attacker can send malformed and unexpected requests until one of them breaks the API.",
			Breaks:    "Clients whose requests differ from the schema are refused once the action is block.",
			Dashboard: "Security › Web assets › Schema validation: add a schema and set the default action.",
		},
		References: []string{"https://developers.cloudflare.com/api-shield/security/schema-validation/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Requests that do not fit the schema are blocked at the application layer."),
			check.Supports("soc2 CC6.6", "Malformed requests from outside stop at the boundary."),
			check.Supports("pci 6.2.4", "Injection through unexpected parameters is stopped before the application."),
			check.Supports("nist PR.IR-01", "Only traffic of the published form reaches the interface."),
		},
		Aliases: []string{"cfsi:api-schema-validation-missing", "flareinspect:CFL-API-002"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/schema_validation/settings", Risk: "low", Reversible: true,
			Body:    `{"validation_default_mitigation_action": "log"}`,
			Inverse: "PATCH the captured action",
			Caution: "Only raises none to log; switching to block is a manual decision after reading the log.",
			Propose: proposeSchemaLog},
		Needs:    []snapshot.Named{snapshot.ZoneAPIOperations, snapshot.ZoneSchemas, snapshot.ZoneSchemaSettings},
		Evaluate: evaluateSchemaValidation,
	}
}

func evaluateSchemaValidation(v *check.View) check.Outcome {
	if len(check.Read(v, snapshot.ZoneAPIOperations)) == 0 {
		return v.NotApplicable(nothingSaved)
	}
	active := slices.ContainsFunc(check.Read(v, snapshot.ZoneSchemas), func(s snapshot.APISchema) bool { return s.Validation })
	set, name := check.Read(v, snapshot.ZoneSchemaSettings), v.Zone().Name
	seen := func(member, observed, expected string) posture.Evidence {
		return check.Evidence(snapshot.ZoneSchemaSettings, "/"+member, observed, expected)
	}
	const byDefault, override = "validation_default_mitigation_action", "validation_override_mitigation_action"
	switch {
	case !active:
		return v.Fail("No schema of "+name+" validates requests.", check.Evidence(snapshot.ZoneSchemas, "",
			"no schema with validation_enabled true", "at least one"))
	case set.Default == "none":
		return v.Fail("Requests to "+name+" that break a schema pass.", seen(byDefault, "none", "block"))
	case set.Override == "none":
		return v.Fail("Schema validation of "+name+" is overridden to do nothing.", seen(override, "none", "not set"))
	case set.Override != "":
		return v.Warn("Schema validation of "+name+" is overridden for all operations.", seen(override, set.Override, "not set"))
	case set.Default == "log":
		return v.Warn("Requests to "+name+" that break a schema are only logged.", seen(byDefault, "log", "block"))
	case set.Default == "block":
		return v.Pass("Requests that break a schema are blocked, unless an operation has an action of its own.")
	}
	return v.Unknown("the default action of schema validation is one this check does not know: " + set.Default)
}

func schemaValidationExamples() []goodtest.Example {
	action := func(byDefault, override string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneSchemaSettings, goodtest.Zone, snapshot.SchemaSettings{Default: byDefault, Override: override})
		}
	}
	schemas := func(all ...snapshot.APISchema) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneSchemas, goodtest.Zone, all) }
	}
	return []goodtest.Example{
		{Name: "blocked", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "no schema", Want: posture.Fail, Resource: goodtest.Zone, Edit: schemas()},
		{Name: "a schema that is off", Want: posture.Fail, Edit: schemas(snapshot.APISchema{ID: "s1"})},
		{Name: "one of two is on", Want: posture.Pass, Edit: schemas(snapshot.APISchema{ID: "s1"},
			snapshot.APISchema{ID: "s2", Validation: true})},
		{Name: "no action", Want: posture.Fail, Edit: action("none", "")},
		{Name: "overridden to nothing", Want: posture.Fail, Edit: action("block", "none")},
		{Name: "logged", Want: posture.Warning, Resource: goodtest.Zone, Edit: action("log", "")},
		{Name: "overridden", Want: posture.Warning, Edit: action("block", "log")},
		{Name: "an action nobody knows", Want: posture.Unknown, Edit: action("smile", "")},
		{Name: "not returned", Want: posture.Unknown, Edit: action("", "")},
		{Name: "no operation", Want: posture.NotApplicable, Edit: goodtest.Edits(saved(), action("none", ""))},
		{Name: "no API protection", Want: posture.NotApplicable, Edit: notEntitled()},
		{Name: "the plan does not matter", Want: posture.Fail, Edit: goodtest.Edits(action("none", ""), business())},
	}
}

// proposeSchemaLog raises none to log. What else is weak is a decision: which
// schema applies, when to block, and why somebody overrode all operations.
func proposeSchemaLog(c *propose.Case) ([]change.Edit, error) {
	place := change.Place{Path: c.Path("/zones/{zone_id}/schema_validation/settings")}
	live, err := c.Locate(place)
	if err != nil {
		return nil, err
	}
	schemas, err := c.List(c.Path("/zones/{zone_id}/schema_validation/schemas?omit_source=true"))
	if err != nil {
		return nil, err
	}
	const byDefault = "validation_default_mitigation_action"
	override := propose.Text(live, "validation_override_mitigation_action")
	switch {
	case !slices.ContainsFunc(schemas, func(s map[string]any) bool { return propose.Flag(s, "validation_enabled") }):
		return nil, propose.Refuse("No schema validates requests, so an action would act on nothing; upload or adopt a schema first.")
	case override != "":
		return nil, propose.Refuse("Somebody set the action %s for all operations; remove that override by hand once its reason is gone.",
			override)
	case propose.Text(live, byDefault) == "none":
		return []change.Edit{propose.Patch("PATCH", place, place.Path, live, map[string]any{byDefault: "log"})}, nil
	case propose.Text(live, byDefault) == "log":
		return nil, propose.Refuse("Requests that break a schema are logged; read that log, then switch to block by hand.")
	}
	return nil, nil
}
