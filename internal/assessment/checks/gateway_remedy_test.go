package checks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

func TestGatewayProposals(t *testing.T) {
	const rules, config, logging = "/accounts/acc/gateway/rules", "/accounts/acc/gateway/configuration", "/accounts/acc/gateway/logging"
	blocking := `"action":"block","filters":["dns"],"traffic":"any(dns.security_category[*] in {80 117 131})"`
	checktest.Proposals(t, All(), "CFL-GW-001", []checktest.Proposal{
		{Name: "beside one that ended", Live: map[string]string{rules: `[{"name":"b","precedence":30,"enabled":true,` +
			`"expiration":{"expires_at":"2020-01-01T00:00:00Z"},` + blocking + `}]`}, Edits: 1},
		{Name: "behind the last rule", Live: map[string]string{rules: `[{"name":"a","precedence":7000,"action":"allow"},{"name":"b",` +
			`"precedence":30,"enabled":false,` + blocking + `}]`}, Edits: 1, Sees: func(edits []change.Edit) {
			require.Contains(t, string(edits[0].Do.Body), `"precedence":8000`)
			require.Contains(t, string(edits[0].Do.Body), `in {80 117 131}`)
		}},
		{Name: "there is one", Live: map[string]string{rules: `[{"name":"b","enabled":true,` + blocking + `}]`}},
		{Name: "there was one", Live: map[string]string{rules: `[{"name":"b","enabled":true,"deleted_at":"2020-01-01T00:00:00Z",` + blocking +
			`}]`}, Edits: 1},
		{Name: "ours was changed", Live: map[string]string{rules: `[{"name":"edgeposture-cfl-gw-001","enabled":false}]`},
			Refuses: "exists already"},
		{Name: "behind one that allows everything", Live: map[string]string{rules: `[{"name":"a","precedence":10,"action":"allow",` +
			`"enabled":true,"filters":["dns"],"traffic":""},{"name":"b","precedence":30,"enabled":true,` + blocking +
			`}]`}, Refuses: "narrow that rule"},
		{Name: "behind one that allows a site", Live: map[string]string{rules: `[{"name":"a","precedence":10,"action":"allow","enabled":true,` +
			`"filters":["dns"],"traffic":"any(dns.domains[*] in {\"a.test\"})"}]`}, Edits: 1},
		{Name: "not in use", Live: map[string]string{rules: ""}, Refuses: "not in use"},
	})
	on := `{"settings":{"activity_log":{"enabled":true}}}`
	depth := func(dns string) string {
		return `{"redact_pii":false,"settings_by_rule_type":{"dns":` + dns +
			`,"http":{"log_all":true,"log_blocks":false},"l4":{"log_all":false,"log_blocks":true}}}`
	}
	checktest.Proposals(t, All(), "CFL-GW-004", []checktest.Proposal{
		{Name: "names are not logged", Live: map[string]string{config: on, logging: depth(`{"log_all":false,"log_blocks":false}`)}, Edits: 1,
			Sees: func(edits []change.Edit) {
				require.JSONEq(t, depth(`{"log_all":false,"log_blocks":true}`), string(edits[0].Do.Body), "nothing else is sent otherwise")
				require.JSONEq(t, depth(`{"log_all":false,"log_blocks":false}`), string(edits[0].Undo.Body))
			}},
		{Name: "only personal data", Live: map[string]string{config: on, logging: depth(`{"log_all":true}`)}, Refuses: "personal data"},
		{Name: "the log is off", Live: map[string]string{config: `{"settings":{"activity_log":{"enabled":false}}}`}, Refuses: "activity log"},
		{Name: "not told", Live: map[string]string{config: on, logging: `{}`}, Refuses: "whole"},
	})
}
