package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const declared = `accounts:
  - account: default
    labels: [production]
    policy: {uploadedCertDays: 45}
    afterRun: {ship: file}
exceptions:
  - account: default
    match: {zones: [b.example, a.example], checkIds: [CFL-SSL-001]}
    reason: The origin moves in spring.
    owner: web-team
    expiresAt: DAY
  - match: {pattern: "*.test"}
    reason: Test names.
    owner: web-team
ownership:
  rules:
    - {owner: dns-team, category: dns, account: default}
    - {owner: web-team, zone: "*.example"}
  sla: {critical: 3}
schedules:
  - account: default
    cron: "0 6 * * 1-5"
    timeZone: Europe/Berlin
    request: {profile: core}
`

// TestDeclare: what a file says is made once; what is made by hand besides stays, unless it is to be pruned.
func TestDeclare(t *testing.T) {
	_, environ := fixable(t)
	address, _ := running(t, environ...)
	s := newShell(t, "EDGEPOSTURE_SERVER="+address, "EDGEPOSTURE_API_KEY="+serviceKey)
	file := filepath.Join(t.TempDir(), "posture.yaml")
	write := func(text string) {
		require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(text, "DAY", time.Now().AddDate(0, 0, 30).Format(time.DateOnly))), 0o600))
	}
	write(declared)
	s.want(0, "exceptions", "add", "--check", "CFL-DNS-001", "--reason", "by hand", "--owner", "me")

	seen := s.want(0, "diff", "-f", file)
	require.Contains(t, seen.err, "5 changes would be made")
	require.Equal(t, 5, strings.Count(seen.out, "\n"), seen.out)
	require.Contains(t, seen.out, "~ account ")
	require.Contains(t, seen.out, ": afterRun, labels, policy")
	require.Equal(t, seen.out, s.want(0, "apply", "-f", file).out)
	for _, verb := range []string{"apply", "diff"} {
		again := s.want(0, verb, "-f", file)
		require.Empty(t, again.out, "the second time changes nothing")
		require.Contains(t, again.err, "everything is as ")
	}
	write(strings.NewReplacer("in spring", "in autumn", "critical: 3", "critical: 5", "    request: {profile: core}", "    paused: true",
		"[production]", "[]", "45", "null").Replace(declared))
	require.Equal(t, "~ account ", s.want(0, "apply", "-f", file).out[:10])
	require.Empty(t, s.want(0, "diff", "-f", file).out)
	write(strings.Split(declared, "ownership:")[0])
	require.Contains(t, s.want(0, "diff", "-f", file, "--prune").out, "\n- exception checkIds=CFL-DNS-001 in all accounts\n")
	require.NotContains(t, s.want(0, "diff", "-f", file).out, "CFL-DNS-001")
	s.want(0, "apply", "-f", file, "--prune")
	require.Empty(t, s.want(0, "diff", "-f", file, "--prune").out)
	require.NotContains(t, s.want(0, "exceptions", "list", "-o", "json").out, `"reason":"by hand","state":"active"`)

	write("accounts:\n  - account: nowhere\n")
	require.Contains(t, s.want(2, "apply", "-f", file).err, file+":2:5: ")
	write("accounts:\n  - account: default\n    lables: []\n")
	require.Contains(t, s.want(2, "apply", "-f", file).err, file+`:3:5: "lables" is not known here`)
	write("accounts:\n  - {account: default, labels: [a]}\n  - {account: default, labels: [b]}\n")
	require.Contains(t, s.want(2, "apply", "-f", file).err, file+":3:5: the account is the one at "+file+":2:5; keep one")
	write("schedules:\n  - {account: default, cron: never}\n")
	require.Contains(t, s.want(2, "apply", "-f", file).err, "schedule default never was not made: ")
	write("schedules:\n  - {account: default, cron: never}\n  - {account: default, cron: \"1 1 1 1 *\"}\n")
	require.Contains(t, s.want(2, "apply", "-f", file).err, "schedule default never was not made, nor the 1 change after it: ")
	s.want(2, "apply", "-f", filepath.Join(t.TempDir(), "none.yaml"))
	fromPipe := *s
	fromPipe.stdin = declared[:strings.Index(declared, "exceptions:")] + "  - lables\n"
	require.Contains(t, fromPipe.want(2, "apply", "-f", "-").err, "stdin:")
	fromPipe.stdin = "ownership: {rules: []}\n"
	require.Equal(t, "~ ownership of issues: rules\n", fromPipe.want(0, "diff", "-f", "-").out)
	require.Contains(t, s.want(0, "apply", "--schema").out, "edgeposture apply -f")
}
