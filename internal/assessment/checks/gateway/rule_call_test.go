package gateway

import (
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRuleCallKeepsTheRest makes the body of a PUT, which resets what it leaves out, of a rule that expires and of one that does not.
func TestRuleCallKeepsTheRest(t *testing.T) {
	t.Parallel()
	const kept = `"name":"r","action":"allow","enabled":true,"filters":["dns"],"traffic":"dns.fqdn == \"a\"","precedence":7,` +
		`"schedule":{"time_zone":"UTC","mon":"08:00-17:00"}`
	for expiration, sent := range map[string]string{
		`{"expires_at":"2027-01-01T00:00:00Z","expired":false}`: `,"expiration":{"expires_at":"2027-01-01T00:00:00Z"}`,
		`null`: ``,
	} {
		run := exec.CommandContext(t.Context(), "jq", ruleCall(`.rule_settings.block_page_enabled = true`).Body)
		run.Stdin = strings.NewReader(`{"result":{"id":"i","version":2,"deleted_at":null,"rule_settings":{},"expiration":` + expiration +
			`,` + kept + `}}`)
		out, err := run.Output()
		require.NoError(t, err)
		require.JSONEq(t, `{`+kept+sent+`,"rule_settings":{"block_page_enabled":true}}`, string(out))
	}
}

// TestCommandLeavesDeletedRoutesOut: the command of CFL-GW-005 asks for the routes as the check reads them.
func TestCommandLeavesDeletedRoutesOut(t *testing.T) {
	t.Parallel()
	asked, err := url.Parse(privateDeny().Words.Call.From)
	require.NoError(t, err)
	require.Equal(t, "false", asked.Query().Get("is_deleted"))
}
