package toolserver_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/toolserver"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

const editSecret = "canary-kV7q-Zr2xW9tM4bH8nS3jC6pD1lF5gQ-edit"

// TestGateOfTheTools calls apply and rollback with all eight combinations of key,
// switch and scope over both transports: only the full set writes.
func TestGateOfTheTools(t *testing.T) {
	for _, on := range []bool{false, true} {
		cloud := simcloud.New(simcloud.Options{Seed: 9, Limit: simcloud.Limit{Disabled: true}, Tokens: []simcloud.Token{{CanWrite: true}},
			Accounts: []simcloud.AccountSpec{{Plants: []simcloud.PlantRule{{CheckID: "CFL-WAF-009"}}}}})
		server, err := cloud.Start("127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, server.Close()) })
		environ := []string{"CLOUDFLARE_BASE_URL=" + server.URL, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret, "SERVICE_DNS_RESOLVER=off",
			"SERVICE_EDIT_SCOPE=" + editSecret}
		if on {
			environ = append(environ, "SERVICE_ALLOW_REMEDIATION=true")
		}
		url := service(t, environ...)
		clean := string(cloud.State(cloud.Accounts()[0]))
		_, err = overHTTP(t, url, "canary-wrong-key")
		require.Error(t, err, "without the key nobody gets as far as the tools")
		http := func(edit string) *mcp.ClientSession {
			s, err := overHTTP(t, url, apiKey, edit)
			require.NoError(t, err)
			return s
		}
		stdio := func(edit string) *mcp.ClientSession {
			return overStdioWith(t, url, toolserver.Tokens{Edit: secret.New(edit)})
		}
		keyless := func(edit string) *mcp.ClientSession {
			return overStdioWith(t, url, toolserver.Tokens{Edit: secret.New(edit)}, "canary-wrong-key")
		}
		for name, with := range map[string]func(string) *mcp.ClientSession{"http": http, "stdio": stdio} {
			s := with(editSecret)
			id := ok(t, s, "assess", map[string]any{"waitSeconds": 300}).value["assessment"].(map[string]any)["id"]
			plan := ok(t, s, "plan_remediation", map[string]any{"checkIds": []string{"CFL-WAF-009"}}).value["plan"].(map[string]any)
			require.Len(t, plan["changes"], 1)
			apply := map[string]any{"assessmentId": id, "checkIds": []string{"CFL-WAF-009"}, "planId": plan["id"]}
			rollback := map[string]any{"bundleId": id}
			if on {
				done := ok(t, s, "apply_remediation", apply)
				rollback["bundleId"] = done.value["result"].(map[string]any)["bundleId"]
				require.Len(t, cloud.Writes(), 1, name)
				require.NotEmpty(t, ok(t, s, "list_backups", nil).value["backups"])
				cloud.ResetWrites()
			}
			for keyed, who := range map[bool]func(string) *mcp.ClientSession{false: keyless, true: with} {
				for _, token := range []string{"", "canary-wrong-secret", editSecret} {
					if keyed && on && token == editSecret {
						continue
					}
					caller := who(token)
					for tool, args := range map[string]map[string]any{"apply_remediation": apply, "rollback_remediation": rollback} {
						r := use(t, caller, tool, args)
						require.True(t, r.failed)
						want := "edit_scope_denied"
						if !keyed {
							want = "unauthorized"
						} else if !on {
							want = "remediation_disabled"
						}
						require.Equal(t, want, r.code, "%s %s", name, tool)
					}
				}
			}
			require.Empty(t, cloud.Writes())
			if on {
				ok(t, s, "rollback_remediation", rollback)
				require.Equal(t, clean, string(cloud.State(cloud.Accounts()[0])))
				require.Equal(t, "already_rolled_back", use(t, s, "rollback_remediation", rollback).code)
				cloud.ResetWrites()
			}
		}
	}
}
