package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatIf tries a call, a plan and a plan of Terraform on the demo account, and writes what a pull request is told.
func TestWhatIf(t *testing.T) {
	s := newShell(t)
	run := object(t, s.want(0, "assess", "--output", "json").out)
	zone := run["zones"].([]any)[0].(map[string]any)["id"].(string)
	off := []string{"what-if", "PATCH", "/zones/" + zone + "/settings/ssl", "--body", `{"value":"off"}`}
	told := s.want(0, off...).out
	require.Contains(t, told, "1 change, score ")
	require.Contains(t, told, "appears")
	require.Contains(t, told, "CFL-SSL-001")
	require.Contains(t, s.want(1, append(off, "--threshold", "low")...).err, "the changes open")

	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	setting := func(value string) string {
		return fmt.Sprintf(`{"address":"module.edge.cloudflare_zone_setting.ssl","mode":"managed","type":"cloudflare_zone_setting","name":"ssl",
"provider_name":"registry.terraform.io/cloudflare/cloudflare","change":{"actions":["update"],"before":{"zone_id":%q,"setting_id":"ssl",
"value":"full"},"after":{"zone_id":%q,"setting_id":"ssl","value":%q},"after_unknown":{}}}`, zone, zone, value)
	}
	const other = `{"address":"aws_iam_user.one","mode":"managed","type":"aws_iam_user","name":"one","provider_name":` +
		`"registry.terraform.io/hashicorp/aws","change":{"actions":["create"],"before":null,"after":{"secret":"of-another-provider"},` +
		`"after_unknown":{}}}`
	plan := func(value string) string {
		return `{"format_version":"1.2","terraform_version":"1.9.0","resource_changes":[` + setting(value) + `,` + other + `]}`
	}
	require.NoError(t, os.WriteFile(file("plan.json"), []byte(plan("off")), 0o600))
	o := s.want(1, "what-if", "--terraform", file("plan.json"), "--threshold", "low", "--markdown", file("comment.md"), "--sarif",
		file("what-if.sarif"), "-o", "json")
	require.NotContains(t, o.out+o.err, "of-another-provider")
	comment, err := os.ReadFile(file("comment.md"))
	require.NoError(t, err)
	require.Contains(t, string(comment), "`module.edge.cloudflare_zone_setting.ssl`")
	require.Contains(t, string(comment), "**These changes open**")
	raw, err := os.ReadFile(file("what-if.sarif"))
	require.NoError(t, err)
	require.Contains(t, string(raw), `"fullyQualifiedName":"module.edge.cloudflare_zone_setting.ssl"`)
	var effect struct {
		NotJudged, Undecided []any
		Findings             struct{ Appear []any }
	}
	require.NoError(t, json.Unmarshal([]byte(o.out), &effect))
	require.NotEmpty(t, effect.Findings.Appear)

	s.stdin = plan("strict")
	s.want(0, "what-if", "--terraform", "-", "--threshold", "low")
	planned := s.want(0, "plan", "-o", "json", "--check", "CFL-SSL-001")
	require.Contains(t, planned.err, "all of it would resolve ")
	id := object(t, planned.out)["id"].(string)
	require.Contains(t, s.want(0, "what-if", "--plan", id).out, "resolves")

	minify := "/zones/" + zone + "/settings/minify"
	require.Equal(t, "edgeposture: PATCH "+minify+": the setting minify is not assessed",
		lines(s.want(2, "what-if", "PATCH", minify, "--body", `{"value":1}`, "-q").err)[0])
	require.NoError(t, os.WriteFile(file("bad.json"), []byte("PK\x03\x04"), 0o600))
	for _, args := range [][]string{{}, {"PATCH"}, {"GET", "/zones"}, {"PATCH", "/zones/" + zone + "/settings/ssl", "--body", "{"},
		{"--terraform", file("missing.json")}, {"--terraform", file("bad.json")}, {"PATCH", "/nowhere"}, {"--plan", id, "--threshold", "loud"}} {
		s.want(2, append([]string{"what-if"}, args...)...)
	}
	require.Contains(t, s.want(0, "cut").out, "critical attack path")
	require.Contains(t, s.want(0, "cut", "--severity", "high", "-o", "json").out, `"exact": true`)
	s.want(2, "cut", "--severity", "low")
}
