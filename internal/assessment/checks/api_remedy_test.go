package checks

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
)

func TestAPIRemedies(t *testing.T) {
	const settings, schemas = "/zones/{zone}/schema_validation/settings", "/zones/{zone}/schema_validation/schemas?omit_source=true"
	live := func(byDefault, override, list string) map[string]string {
		return map[string]string{settings: `{"validation_default_mitigation_action": "` + byDefault +
			`", "validation_override_mitigation_action": ` + override + `}`, schemas: list}
	}
	with := func(live map[string]string, info string) map[string]string {
		live["/zones/{zone}/api_gateway/operations?feature=schema_info"] = `[{"operation_id": "o", "features": {"schema_info": ` + info + `}}]`
		return live
	}
	const on = `[{"schema_id": "s", "validation_enabled": true}]`
	checktest.Propose(t, All(), []checktest.Attempt{
		{Name: "none is raised to log", CheckID: "CFL-API-003", Live: live("none", "null", on),
			Sends: []string{"PATCH " + settings + ` {"validation_default_mitigation_action":"log"}`}},
		{Name: "blocks by now", CheckID: "CFL-API-003", Live: with(live("block", "null", on), `{"active_schema": {"id": "s"},
			"mitigation_action": null}`)},
		{Name: "an operation has its own action", CheckID: "CFL-API-003", Live: with(live("block", "null", on),
			`{"active_schema": {"id": "s"}, "mitigation_action": "log"}`), Refused: "by hand"},
		{Name: "an operation has no schema", CheckID: "CFL-API-003", Live: with(live("block", "null", on), `{"active_schema": null}`),
			Refused: "by hand"},
		{Name: "logs", CheckID: "CFL-API-003", Live: live("log", "null", on), Refused: "switch to block by hand"},
		{Name: "overridden", CheckID: "CFL-API-003", Live: live("none", `"none"`, on), Refused: "override"},
		{Name: "no schema", CheckID: "CFL-API-003", Live: live("none", "null", `[{"schema_id": "s", "validation_enabled": false}]`),
			Refused: "No schema"},
	})
}
