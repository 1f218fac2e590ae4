package command_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/client/clienttest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestCommandsOfTheEmbeddedSystem runs every command that reads or sends on the
// demo account, without any service.
func TestCommandsOfTheEmbeddedSystem(t *testing.T) {
	s := newShell(t)
	require.Contains(t, s.want(2, "export").err, "no completed assessment", "nothing was assessed of its own accord")
	text := s.want(0, "assess", "--zone", "acme-*.example", "--exclude-zone", "acme-api.example", "--profile", "full", "--sensitivity",
		"high", "--note", "first")
	require.Contains(t, text.out, "Acme Demo (built-in demo account): score ")
	require.NotContains(t, text.out+text.err, "\x1b", "no colour and no progress where no terminal is")
	answer := s.want(0, "assess", "--output", "json", "--category", "dns")
	id := object(t, answer.out)["id"].(string)
	require.Contains(t, answer.err, "assessment "+id, "words go to stderr")
	require.Empty(t, lines(s.want(0, "assess", "--output", "json", "--category", "dns", "-q").err)[0], "quiet is quiet")

	dir := t.TempDir()
	for _, format := range []string{"json", "html", "pdf", "sarif", "markdown", "csv", "asff", "ocsf"} {
		file := filepath.Join(dir, "export."+format)
		require.Empty(t, s.want(0, "export", "--format", format, "--assessment", id, "--output", file).out)
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, s.want(0, "export", "--format", format, "--assessment", id).out, string(raw), format)
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode().Perm())
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 8, "no half file is left")
	s.want(2, "export", "--format", "docx")
	s.want(2, "export", "--format", "csv", "--summary")
	brief := s.want(0, "export", "--format", "pdf", "--summary", "--assessment", id).out
	require.Less(t, len(brief), len(s.want(0, "export", "--format", "pdf", "--assessment", id).out))
	named := s.want(0, "export", "--format", "asff", "--aws-account", "210987654321", "--aws-region", "eu-west-1").out
	require.Contains(t, named, `"arn:aws:securityhub:eu-west-1:210987654321:product/210987654321/default"`)
	require.NotContains(t, named, "000000000000")
	s.want(2, "export", "--format", "asff", "--aws-account", "1")
	summary, whole := s.want(0, "export", "--format", "markdown").out, s.want(0, "export", "--format", "markdown", "--full").out
	require.Contains(t, summary, "## Left out")
	require.Less(t, 2*len(summary), len(whole))
	s.want(2, "export", "--assessment", clienttest.AssessmentID)
	s.want(2, "export", "--output", filepath.Join(dir, "missing", "x"))

	now := filepath.Join(dir, "now.json")
	s.want(0, "export", "--output", now)
	require.Contains(t, s.want(0, "diff", "previous", "latest").out, "drift score 0 of 100")
	byID := object(t, s.want(0, "diff", id, "latest", "--output", "json").out)
	offline := object(t, s.want(0, "diff", filepath.Join(dir, "export.json"), now, "--output", "json").out)
	require.Equal(t, byID["unchanged"], offline["unchanged"])
	require.Equal(t, byID["baseline"], offline["baseline"])
	s.want(2, "diff", now, "latest")
	s.want(2, "diff", now, filepath.Join(dir, "export.csv"))
	huge := filepath.Join(dir, "huge.json")
	require.NoError(t, os.WriteFile(huge, nil, 0o600))
	require.NoError(t, os.Truncate(huge, 256<<20+1))
	require.Contains(t, s.want(2, "diff", now, huge).err, "is larger than 256 MiB")
	s.want(2, "diff", "latest")

	require.Contains(t, s.want(0, "ship", "--target", "file", "--dry-run").out, "nothing was sent")
	require.NotEmpty(t, object(t, s.want(0, "ship", "--target", "file", "--output", "json").out)["files"])
	require.Contains(t, s.want(0, "ship", "--target", "file", "--only-changes", "--dry-run").out, "dry run: 1 document would",
		"only the summary: nothing has changed")
	s.want(2, "ship")
	s.want(2, "ship", "--target", "search")
	require.Contains(t, s.want(0, "notify", "--dry-run", "--channel", "webhook").out, "no message would go anywhere")
	s.want(2, "notify", "--threshold", "loud")
	require.Contains(t, s.want(0, "checks").out, "CFL-DNS-001")
	require.Equal(t, "CFL-DNS-001", object(t, s.want(0, "checks", "CFL-DNS-001", "--format", "json").out)["id"])
	s.want(2, "checks", "CFL-NO-999")
	require.Contains(t, s.want(0, "completion", "bash").out, "edgeposture")
	require.Contains(t, s.want(0, "--version").out, "edgeposture version")
	require.Contains(t, s.want(0, "help", "exit-codes").out, "130")
}

// TestDeliveryFails with its own code when nobody takes the message.
func TestDeliveryFails(t *testing.T) {
	s := newShell(t, "SERVICE_WEBHOOK_URL=http://127.0.0.1:1/canary-path", "SERVICE_WEBHOOK_SECRET=canary-secret-to-sign-with",
		"SERVICE_OUTBOUND_ALLOW=127.0.0.0/8")
	s.want(0, "assess", "--check", "CFL-DNS-001")
	s.want(7, "notify", "--channel", "webhook")
}

// TestExitCodesOfCI: what a pipeline sees.
func TestExitCodesOfCI(t *testing.T) {
	s := newShell(t)
	for _, tc := range []struct {
		code int
		args string
	}{
		{3, "--ci"}, {3, "--ci --fail-on medium"}, {0, "--ci --fail-on critical"}, {3, "--ci --threshold 100"}, {0, "--ci --threshold 1"},
		{3, "--ci --threshold 1 --fail-on high"},
		{0, "--ci --fail-on none"}, {3, "--ci --fail-on none --threshold 100"}, {2, "--fail-on none"},
		{0, "--fail-on-gaps"}, {0, "--config /dev/null"}, {2, "--ci --threshold 101"}, {2, "--ci --threshold 0"}, {2, "--ci --fail-on loud"},
		{2, "--fail-on high"},
		{2, "--threshold 50"},
		{2, "--check CFL-NO-999"}, {2, "--zone nothing.example"}, {2, "--account nobody"}, {2, "--odd"}, {2, "word"}, {2, "--profile odd"},
		{2, "--output xml"},
	} {
		s.want(tc.code, append([]string{"assess", "--demo", "--category", "dns", "--check", "CFL-DNS-001"}, strings.Fields(tc.args)...)...)
	}
	s.want(2, "asess")
	o := s.want(3, "assess", "--demo", "--ci", "--check", "CFL-DNS-001", "--output", "json")
	require.NotEmpty(t, object(t, o.out)["id"], "the answer is there although the demand is not met")
	s.want(0, "exceptions", "add", "--check", "CFL-DNS-001", "--reason", "moves in spring", "--owner", "web")
	accepted := s.want(0, "assess", "--demo", "--ci", "--fail-on", "informational", "--check", "CFL-DNS-001").out
	require.Contains(t, accepted, "open: 0 critical 0 high 0 medium")
	require.Regexp(t, `and [1-9]\d* accepted risks?\n`, accepted)
}

// TestNoGateOnTheDemo: a token that is missing must not be green.
func TestNoGateOnTheDemo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "flags.yaml")
	require.NoError(t, os.WriteFile(file, []byte("ci: true\nthreshold: 1\n"), 0o600))
	service, _ := running(t)
	check := []string{"assess", "--check", "CFL-DNS-001"}
	for name, environ := range map[string][]string{"no token": nil, "an empty one": {"CLOUDFLARE_API_TOKEN="},
		"a service on the demo": {"EDGEPOSTURE_SERVER=" + service, "EDGEPOSTURE_API_KEY=" + serviceKey, "CLOUDFLARE_API_TOKEN=of-this-machine"}} {
		for _, args := range []string{"--ci --threshold 1", "--ci --fail-on critical", "--ci", "--fail-on-gaps", "--ci --account demo",
			"--config " + file} {
			s := newShell(t, environ...)
			o := s.want(2, append(check, strings.Fields(args)...)...)
			require.Contains(t, o.err, "--demo", name+" "+args)
			require.Len(t, lines(strings.TrimSpace(o.err)), 1+strings.Count(o.err, "this is the built-in demo account"))
			if name != "a service on the demo" {
				s.want(2, "export") // nothing was assessed
			}
		}
		newShell(t, environ...).want(0, append(check, "--ci", "--threshold", "1", "--demo")...)
		newShell(t, environ...).want(0, check...)
	}
	require.Contains(t, newShell(t, "CLOUDFLARE_API_TOKEN= \n ").want(2, "assess").err, "CLOUDFLARE_API_TOKEN holds blanks")
	_, environ := fixable(t)
	require.Contains(t, newShell(t, environ...).want(2, "assess", "--demo").err, "is a real one")
}

// TestLayers: the command line before the environment before the file.
func TestLayers(t *testing.T) {
	s := newShell(t)
	file := filepath.Join(t.TempDir(), "flags.yaml")
	put := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	note := func(args ...string) any {
		return object(t, s.want(0, append([]string{"assess", "--config", file, "--output", "json"}, args...)...).out)["note"]
	}
	put("note: of the file\ncheck: [CFL-DNS-001]\ntarget: file\nthreshold: 1\ndemo: true\n")
	require.Equal(t, "of the file", note())
	s.environ = append(s.environ, "EDGEPOSTURE_NOTE=of the environment")
	require.Equal(t, "of the environment", note())
	require.Equal(t, "of the command line", note("--note", "of the command line"))
	s.environ = append(s.environ, "EDGEPOSTURE_CONFIG="+file)
	require.Contains(t, s.want(0, "ship", "--dry-run").out, "file")
	for text, says := range map[string]string{"odd: 1": `"odd"`, "yes: true": "command line", "force: true": "command line",
		"api-key: canary-0": `"api-key"`, "- a": "not YAML", "note: {a: canary-1}": "note", "profile: [a, b]": "profile", "ci: canary-2": "ci"} {
		put(text)
		o := s.want(2, "assess")
		require.Contains(t, o.err, says, text)
		require.Len(t, lines(o.err), 1)
	}
	s.environ = append(s.environ, "EDGEPOSTURE_CONFIG="+filepath.Join(t.TempDir(), "missing"))
	s.want(2, "assess")
	s.environ = append(s.environ, "EDGEPOSTURE_CONFIG=", "EDGEPOSTURE_THRESHOLD=canary-3")
	require.Contains(t, newShell(t, "EDGEPOSTURE_THRESHOLD=canary-3").want(2, "assess").err, "EDGEPOSTURE_THRESHOLD")
}

// TestFilesThatAreNone: a file that is written whole is renamed into its place, and what is no plain file must not be replaced by
// one: as root, that would take /dev/null and /dev/stdout from the machine.
func TestFilesThatAreNone(t *testing.T) {
	s := newShell(t, "EDGEPOSTURE_SERVER="+clienttest.New(t).URL)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	kept, device, file, gone := at("kept"), at("device"), at("link"), at("gone")
	require.NoError(t, os.WriteFile(kept, []byte(strings.Repeat("older ", 10_000)), 0o600))
	for link, to := range map[string]string{device: os.DevNull, file: kept, gone: at("missing")} {
		require.NoError(t, os.Symlink(to, link))
	}
	for _, link := range []string{device, file, gone} {
		s.want(0, "plan", "--file", link)
	}
	for link, to := range map[string]string{device: os.DevNull, file: kept} {
		still, err := os.Readlink(link)
		require.NoError(t, err)
		require.Equal(t, to, still)
	}
	info, err := os.Stat(device)
	require.NoError(t, err)
	require.False(t, info.Mode().IsRegular())
	for _, file := range []string{kept, gone} {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, clienttest.PlanID, object(t, string(raw))["id"])
	}
	require.Contains(t, s.want(2, "plan", "--file", dir).err, "is a directory; name a file in it")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 4)
}

// TestRemediationByCommands drives plan, apply, rollback and the bundles against the
// contract. Tokens come from the environment, a file or stdin and appear nowhere.
func TestRemediationByCommands(t *testing.T) {
	fake := clienttest.New(t)
	s := newShell(t, "EDGEPOSTURE_SERVER="+fake.URL)
	file := filepath.Join(t.TempDir(), "plan.json")
	planned := s.want(0, "plan", "--output", file, "--check", "CFL-SSL-001", "--input", "CFL-SSL-001.mode=a=b.c", "--path", "ap:x", "--zone",
		"one.example", "--ai")
	require.Empty(t, planned.out)
	require.Contains(t, planned.err, "1 change,")
	require.Equal(t, clienttest.PlanID, object(t, s.want(0, "plan", "--output", "json").out)["id"])
	require.Equal(t, clienttest.PlanID, object(t, s.want(0, "plan", "--output", "-", "-q").out)["id"])
	body := fake.Calls()[0].Body
	require.Equal(t, map[string]any{"CFL-SSL-001": map[string]any{"mode": "a=b.c"}}, body["inputs"])
	require.Equal(t, true, body["ai"])

	s.want(5, "apply", "--plan", file, "--yes")
	s.environ = append(s.environ, "EDGEPOSTURE_EDIT_TOKEN="+clienttest.EditToken)
	o := s.want(2, "apply", "--plan", file)
	require.Contains(t, o.err, "nobody can be asked")
	require.Contains(t, o.err, "flexible", "the changes are shown before")
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	forged := filepath.Join(t.TempDir(), "forged.json")
	require.NoError(t, os.WriteFile(forged, bytes.ReplaceAll(written, []byte("flexible"), []byte("harmless")), 0o600))
	o = s.want(2, "apply", "--plan", forged)
	require.Contains(t, o.err, "flexible", "what the service keeps is shown, not what somebody wrote into the file")
	require.NotContains(t, o.err, "harmless")
	require.NoError(t, os.WriteFile(forged, fmt.Appendf(nil, `{"id":%q,"digest":"00"}`, clienttest.PlanID), 0o600))
	require.Contains(t, s.want(2, "apply", "--plan", forged, "--yes").err, "is not as the service keeps")
	o = s.want(0, "apply", "--plan", file, "--yes", "--force", "--output", "json")
	require.Equal(t, clienttest.BundleID, object(t, o.out)["bundleId"])
	last := fake.Calls()[len(fake.Calls())-3] // then two looks at the job
	require.Equal(t, clienttest.EditToken, last.Body["token"])
	require.Equal(t, clienttest.PlanID, last.Body["planId"])
	require.Equal(t, true, last.Body["force"])
	require.Equal(t, []any{"CFL-SSL-001"}, last.Body["checkIds"])
	s.want(0, "apply", "--assessment", clienttest.AssessmentID, "--check", "CFL-SSL-001", "--yes")
	for _, args := range [][]string{{"apply", "--yes"}, {"apply", "--yes", "--plan", file, "--check", "x"},
		{"apply", "--yes", "--plan", binary}, {"apply", "--yes", "--assessment", "x"},
		{"plan", "--input", "odd"}, {"plan", "--input", "A.b=1", "--input", "A.b=2"}, {"rollback"}, {"verify"}, {"apply", "--token", "x"}} {
		s.want(2, args...)
	}

	s.environ = append(s.environ, "EDGEPOSTURE_EDIT_TOKEN=")
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte(clienttest.EditToken), 0o600))
	s.want(0, "rollback", clienttest.BundleID, "--yes", "--token-file", token, "--api-token-file", token)
	s.stdin = clienttest.EditToken + "\n"
	s.want(0, "rollback", clienttest.BundleID, "--yes", "--token-file", "-")
	s.want(2, "rollback", clienttest.BundleID, "--token-file", "-")
	s.stdin = "canary-wrong-token"
	s.want(5, "rollback", clienttest.BundleID, "--yes", "--token-file", "-")
	for code, want := range map[posture.Code]int{posture.CodeRemediationDisabled: 5, posture.CodePlanStale: 6,
		posture.CodeLiveValueChanged: 6, posture.CodeAlreadyRolledBack: 6, posture.CodeProvider: 1, posture.CodeInternal: 1} {
		fake.Refuse = code
		s.want(want, "rollback", clienttest.BundleID, "--yes", "--token-file", token)
	}
	fake.Refuse, fake.Unverified = "", true
	require.Contains(t, s.want(1, "rollback", clienttest.BundleID, "--yes", "--token-file", token).err, "not all of it is done")

	require.Contains(t, s.want(0, "backups").out, clienttest.BundleID)
	require.Contains(t, s.want(0, "verify", "latest").out, "applied")
	require.Contains(t, s.want(0, "verify", clienttest.BundleID, "--output", "json").out, "2026")
	fake.Damaged = true
	s.want(1, "verify", clienttest.BundleID)
}

// TestToolsOfTheProcess starts `edgeposture mcp` as a host of tools does.
func TestToolsOfTheProcess(t *testing.T) {
	s := newShell(t)
	cmd, _, errs := s.command("mcp")
	cmd.Stdin, cmd.Stdout = nil, nil
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "assess", Arguments: map[string]any{"checks": []string{"CFL-DNS-001"}}})
	require.NoError(t, err)
	require.False(t, r.IsError)
	require.NoError(t, session.Close())
	require.Zero(t, cmd.ProcessState.ExitCode(), errs.String())
	s.want(0, "export", "--format", "csv")
}
