package command_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

const editSecret = "canary-kV7q-Zr2xW9tM4bH8nS3jC6pD1lF5gQ-edit"

// fixable starts a simulated provider with one finding the service can close, whose
// token may write, and gives the environment that points at it.
func fixable(t *testing.T) (*simcloud.Cloud, []string) {
	t.Helper()
	cloud := simcloud.New(simcloud.Options{Seed: 9, Limit: simcloud.Limit{Disabled: true}, Tokens: []simcloud.Token{{CanWrite: true}},
		Accounts: []simcloud.AccountSpec{{Plants: []simcloud.PlantRule{{CheckID: "CFL-WAF-009"}}}}})
	server, err := cloud.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return cloud, []string{"CLOUDFLARE_BASE_URL=" + server.URL, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret,
		"SERVICE_DNS_RESOLVER=off", "SERVICE_EDIT_SCOPE=" + editSecret}
}

// TestGateOfTheCommandLine runs apply and rollback with all eight combinations of
// key, switch and scope, over a running service and on its own: only the full set
// writes.
func TestGateOfTheCommandLine(t *testing.T) {
	token := func(value string) string {
		path := filepath.Join(t.TempDir(), "token")
		require.NoError(t, os.WriteFile(path, []byte(value), 0o600))
		return path
	}
	right, wrong := token(editSecret), token("canary-wrong-secret")
	for _, on := range []string{"SERVICE_ALLOW_REMEDIATION=false", "SERVICE_ALLOW_REMEDIATION=true"} {
		t.Run(on, func(t *testing.T) {
			cloud, environ := fixable(t)
			clean := string(cloud.State(cloud.Accounts()[0]))
			url, _ := running(t, append(environ, on)...)
			full := newShell(t, "EDGEPOSTURE_SERVER="+url, "EDGEPOSTURE_API_KEY="+serviceKey)
			id := object(t, full.want(0, "assess", "--output", "json").out)["id"].(string)
			plan := filepath.Join(t.TempDir(), "plan.json")
			full.want(0, "plan", "--check", "CFL-WAF-009", "--output", plan)
			require.Empty(t, cloud.Writes())
			bundle := id // nothing of that name
			if on == "SERVICE_ALLOW_REMEDIATION=true" {
				full.want(0, "apply", "--plan", plan, "--yes", "--token-file", right)
				require.Len(t, cloud.Writes(), 1)
				require.Contains(t, full.want(0, "verify", "latest").out, "applied 1, verified 1")
				list := object(t, full.want(0, "backups", "--output", "json").out)
				bundle = list["backups"].([]any)[0].(map[string]any)["id"].(string)
				cloud.ResetWrites()
			}
			for _, key := range []string{"", "canary-wrong-key", serviceKey} {
				s := newShell(t, "EDGEPOSTURE_SERVER="+url, "EDGEPOSTURE_API_KEY="+key)
				for _, file := range []string{"", wrong, right} {
					if key == serviceKey && file == right && on == "SERVICE_ALLOW_REMEDIATION=true" {
						continue
					}
					args := []string{"--yes"}
					if file != "" {
						args = append(args, "--token-file", file)
					}
					s.want(5, append([]string{"apply", "--plan", plan}, args...)...)
					s.want(5, append([]string{"rollback", bundle}, args...)...)
				}
			}
			require.Empty(t, cloud.Writes())
			if on == "SERVICE_ALLOW_REMEDIATION=true" {
				full.want(6, "apply", "--plan", plan, "--yes", "--token-file", right)
				full.want(0, "rollback", bundle, "--yes", "--token-file", right)
				full.want(6, "rollback", bundle, "--yes", "--token-file", right)
				require.Equal(t, clean, string(cloud.State(cloud.Accounts()[0])))
			}
		})
	}
}

// TestApproveOfTheCommandLine: who asked for a plan approves it neither over a service nor on its own, where each command has another key;
// somebody with another key does.
func TestApproveOfTheCommandLine(t *testing.T) {
	const second = "another key of the command line"
	cloud, environ := fixable(t)
	environ = append(environ, "SERVICE_ALLOW_REMEDIATION=true", "SERVICE_REMEDIATION_APPROVALS=1", "EDGEPOSTURE_EDIT_TOKEN="+editSecret)
	own := newShell(t, environ...)
	own.want(0, "assess")
	plan := object(t, own.want(0, "plan", "--output", "json").out)["id"].(string)
	require.Contains(t, own.want(5, "approve", plan, "--yes").err, "yourself")
	require.Contains(t, own.want(5, "apply", "--plan", plan, "--yes").err, "approve")

	url, _ := running(t, append(environ, "SERVICE_API_KEY="+serviceKey+","+second)...)
	s := newShell(t, "EDGEPOSTURE_SERVER="+url, "EDGEPOSTURE_API_KEY="+serviceKey, "EDGEPOSTURE_EDIT_TOKEN="+editSecret)
	s.want(0, "assess")
	plan = object(t, s.want(0, "plan", "--output", "json").out)["id"].(string)
	s.want(5, "approve", plan, "--yes")
	other := newShell(t, "EDGEPOSTURE_SERVER="+url, "EDGEPOSTURE_API_KEY="+second)
	require.Contains(t, other.want(2, "approve", plan).err, "nobody can be asked")
	s.want(5, "apply", "--plan", plan, "--yes")
	require.Empty(t, cloud.Writes())
	require.Contains(t, other.want(0, "approve", plan, "--yes", "--note", "seen").out, "is approved")
	s.want(0, "apply", "--plan", plan, "--yes")
	require.Len(t, cloud.Writes(), 1)
	s.want(5, "apply", "--plan", plan, "--yes")
}

// TestRemediationOnItsOwn plans, applies and rolls back without a running service.
func TestRemediationOnItsOwn(t *testing.T) {
	cloud, environ := fixable(t)
	clean := string(cloud.State(cloud.Accounts()[0]))
	s := newShell(t, append(environ, "EDGEPOSTURE_EDIT_TOKEN="+editSecret)...)
	id := object(t, s.want(0, "assess", "--output", "json").out)["id"].(string)
	s.want(5, "apply", "--assessment", id, "--check", "CFL-WAF-009", "--yes")
	require.Empty(t, cloud.Writes())
	s.environ = append(s.environ, "SERVICE_ALLOW_REMEDIATION=true")
	plan := object(t, s.want(0, "plan", "--output", "json").out)["id"].(string)
	s.want(2, "apply", "--plan", plan) // nobody can be asked
	require.Empty(t, cloud.Writes())
	done := object(t, s.want(0, "apply", "--plan", plan, "--yes", "--output", "json").out)
	require.Len(t, cloud.Writes(), 1)
	s.want(0, "rollback", done["bundleId"].(string), "--yes")
	require.Equal(t, clean, string(cloud.State(cloud.Accounts()[0])))
}
