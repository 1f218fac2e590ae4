package api

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// schemaValidation judges whether malformed requests are blocked.
func schemaValidation() check.Check {
	return check.Check{
		ID: "CFL-API-003", Title: "Schema validation blocks",
		Category: "api", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Why: "Schema validation refuses requests that do not fit the API, which stops much probing for injection and " +
			"logic flaws.",
		Fix: "Upload or adopt a schema, read the log for a week, then set the action to block.",
		Words: posture.Words{
			Problem: "Schema validation does not block requests to {zone}",
			Impact:  "An attacker can send malformed and unexpected requests until one of them breaks the API.",
			Breaks:  "Clients whose requests differ from the schema are refused once the action is block.",
			Dashboard: "Security › Web assets › Schema validation: add a schema for each operation, then set the default action and the actions " +
				"of operations.",
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
			Caution: "Requests that break the schema are logged, not blocked. Read that log before you switch to block by hand.",
			Propose: proposeSchemaLog},
		Needs:    []snapshot.Named{snapshot.ZoneAPIOperations, snapshot.ZoneSchemas, snapshot.ZoneSchemaSettings},
		Unless:   check.Empty(snapshot.ZoneAPIOperations, nothingSaved),
		Evaluate: evaluateSchemaValidation,
	}
}

// validated sorts the saved operations by what happens to requests that violate the schema.
type validated struct {
	blocked, unreported           int
	logged, passed, bare, strange []string
	rows                          []posture.Evidence
}

// maxRows bounds the number of operations shown as evidence.
const maxRows = 10

func (d *validated) note(to *[]string, o snapshot.APIOperation, observed string) {
	*to = append(*to, o.Method+" "+o.Host+o.Endpoint)
	if len(d.rows) < maxRows {
		d.rows = append(d.rows, check.Evidence(snapshot.ZoneAPIOperations, "/"+o.ID+"/schema",
			o.Method+" "+o.Host+o.Endpoint+": "+observed, "block"))
	}
}

// validatedBy sorts operations by their own action, otherwise by that of the zone.
func validatedBy(all []snapshot.APIOperation, byDefault string) validated {
	var d validated
	for _, o := range all {
		if o.Schema == nil {
			d.unreported++
			continue
		}
		switch action := cmp.Or(o.Schema.Action, byDefault); {
		case !o.Schema.Active:
			d.note(&d.bare, o, "no schema")
		case action == "block":
			d.blocked++
		case action == "log":
			d.note(&d.logged, o, action)
		case action == "none":
			d.note(&d.passed, o, action)
		default:
			d.strange = append(d.strange, action)
		}
	}
	return d
}

// weak describes the ways in which operations are not blocked.
func (d *validated) weak() string {
	var out []string
	for _, part := range []struct {
		ops   []string
		state string
	}{{d.logged, "only logged"}, {d.passed, "without an action"}, {d.bare, "without a schema"}} {
		if len(part.ops) > 0 {
			out = append(out, check.Count(len(part.ops), "operation", "")+" "+part.state)
		}
	}
	return strings.Join(out, ", ")
}

func evaluateSchemaValidation(v *check.View) check.Outcome {
	all := check.Read(v, snapshot.ZoneAPIOperations)
	set, name := check.Read(v, snapshot.ZoneSchemaSettings), v.Zone().Name
	d := validatedBy(all, set.Default)
	active := slices.ContainsFunc(check.Read(v, snapshot.ZoneSchemas), func(s snapshot.APISchema) bool { return s.Validation }) ||
		len(d.bare) < len(all) // a learned schema is in no list
	const override = "validation_override_mitigation_action"
	seen := check.Evidence(snapshot.ZoneSchemaSettings, "/"+override, set.Override, "not set")
	switch {
	case !active:
		return v.Fail("No schema of "+name+" validates requests.", check.Evidence(snapshot.ZoneSchemas, "",
			"no schema with validation_enabled true", "at least one"))
	case set.Override == "none":
		return v.Fail("Schema validation of "+name+" is overridden to do nothing.", seen)
	case set.Override != "":
		return v.Warn("Schema validation of "+name+" is overridden for all operations.", seen)
	case len(d.passed)+len(d.bare) == len(all):
		return v.Fail("Requests to "+name+" that break a schema pass: "+d.weak()+".", d.rows...)
	case len(d.rows) > 0:
		return v.Warn("Requests to "+name+" that break a schema are not blocked everywhere: "+d.weak()+".", d.rows...)
	case len(d.strange) > 0:
		return v.Unknown("the action of schema validation is one this check does not know: " + d.strange[0])
	case d.unreported > 0:
		return v.Unknown("Cloudflare did not say which schema and action " + check.Count(d.unreported, "operation", "") + " has")
	}
	return v.Pass("Requests that break a schema are blocked for every saved operation.")
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
	// own is an example edit: one operation unchanged, and one with its own schema or action.
	own := func(s *snapshot.OperationSchema) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneAPIOperations, goodtest.Zone, func(all *[]snapshot.APIOperation) {
				*all = append(*all, snapshot.APIOperation{ID: "o2", Method: "POST", Host: "www." + goodtest.Domain, Endpoint: "/v1/orders", Schema: s})
			})
		}
	}
	single := func(s *snapshot.OperationSchema) func(*snapshot.Builder) {
		return saved(snapshot.APIOperation{ID: "o1", Method: "GET", Host: "www." + goodtest.Domain, Endpoint: "/v1/orders", Schema: s})
	}
	with := func(action string) *snapshot.OperationSchema {
		return &snapshot.OperationSchema{Active: true, Action: action}
	}
	return []goodtest.Example{
		{Name: "blocked", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "an operation that only logs", Want: posture.Warning, Resource: goodtest.Zone, Edit: own(with("log"))},
		{Name: "an operation that does nothing", Want: posture.Warning, Resource: goodtest.Zone, Edit: own(with("none"))},
		{Name: "an operation without a schema", Want: posture.Warning, Resource: goodtest.Zone, Edit: own(&snapshot.OperationSchema{})},
		{Name: "an operation that blocks by itself", Want: posture.Pass, Edit: own(with("block"))},
		{Name: "logged, and the only operation blocks", Want: posture.Pass, Edit: goodtest.Edits(action("log", ""), single(with("block")))},
		{Name: "no action, and the only operation logs", Want: posture.Warning, Edit: goodtest.Edits(action("none", ""), single(with("log")))},
		{Name: "blocked, and the only operation does nothing", Want: posture.Fail, Resource: goodtest.Zone, Edit: single(with("none"))},
		{Name: "blocked, and no operation has a schema", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: single(&snapshot.OperationSchema{})},
		{Name: "a learned schema", Want: posture.Pass, Edit: schemas()},
		{Name: "overridden, whatever an operation says", Want: posture.Fail, Edit: goodtest.Edits(action("block", "none"), own(with("block")))},
		{Name: "an operation of which nothing is told", Want: posture.Unknown, Edit: own(nil)},
		{Name: "an operation that only logs, and one of which nothing is told", Want: posture.Warning,
			Edit: goodtest.Edits(own(with("log")), own(nil))},
		{Name: "an operation with an action nobody knows", Want: posture.Unknown, Edit: own(with("smile"))},
		{Name: "no schema", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(schemas(), single(&snapshot.OperationSchema{}))},
		{Name: "a schema that is off", Want: posture.Fail, Edit: goodtest.Edits(schemas(snapshot.APISchema{ID: "s1"}),
			single(&snapshot.OperationSchema{}))},
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

// proposeSchemaLog raises none to log. The other weaknesses are left to people: which schema
// applies, when to block, and why all operations are overridden.
func proposeSchemaLog(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/zones/{zone_id}/schema_validation/settings")
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
	return nil, ownActions(c)
}

// ownActions refuses while operations have a weaker action than the zone, or no schema: each of
// these is a decision of its own.
func ownActions(c *propose.Case) error {
	all, err := c.List(c.Path("/zones/{zone_id}/api_gateway/operations?feature=schema_info"))
	if err != nil {
		return err
	}
	weak := 0
	for _, o := range all {
		action, _ := propose.Member(o, "features.schema_info.mitigation_action").(string)
		_, has := propose.Member(o, "features.schema_info.active_schema.id").(string)
		if !has || action != "" && action != "block" {
			weak++
		}
	}
	if weak > 0 {
		return propose.Refuse("Of the saved operations %d have no schema or a weaker action of their own; decide about each of them by hand.",
			weak)
	}
	return nil
}
