package rule

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestCommandsKeepWhatARuleRaises runs the commands of findings with jq on rules as Cloudflare returns them.
func TestCommandsKeepWhatARuleRaises(t *testing.T) {
	off := false
	for _, c := range []struct{ name, zone, mode, config, page string }{
		{"the zone is weaker", "flexible", "full", `{"rules":[{"id":"c1","action_parameters":{"ssl":"full"}}]}`,
			`{"actions":[{"id":"ssl","value":"full"}]}`},
		{"the zone is off", "off", "flexible", `{"rules":[{"id":"c1","action_parameters":{"ssl":"flexible"}}]}`,
			`{"actions":[{"id":"ssl","value":"flexible"}]}`},
		{"the mode of the zone is not known", "", "full", `{"rules":[{"id":"c1","action_parameters":{"ssl":"full"}}]}`,
			`{"actions":[{"id":"ssl","value":"full"}]}`},
		{"the zone is stricter", "strict", "full", `{"rules":[]}`, `{"status":"disabled"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := goodtest.Snapshot()
			if goodtest.MissingSetting("ssl")(b); c.zone != "" {
				goodtest.Setting("ssl", c.zone)(b)
			}
			rules(snapshot.ZonePhaseConfig, goodtest.ConfigRule("c1", "true", snapshot.ConfigParams{SSL: c.mode, BrowserCheck: &off}))(b)
			snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone, []snapshot.PageRule{{ID: "p1", Status: "active",
				Targets: []string{"*shop.example/*"}, Actions: map[string]string{"ssl": c.mode, "waf": "off"}}})
			require.JSONEq(t, c.config, sent(t, b, configRules(),
				`{"result":{"rules":[{"id":"c1","action_parameters":{"ssl":"`+c.mode+`","bic":false}}]}}`))
			require.JSONEq(t, c.page, sent(t, b, pageRules(),
				`{"result":{"actions":[{"id":"ssl","value":"`+c.mode+`"},{"id":"waf","value":"off"}]}}`))
		})
	}
}

// sent returns the body that the command of the only finding makes of an answer.
func sent(t *testing.T, b *snapshot.Builder, c check.Check, answer string) string {
	jq, err := exec.LookPath("jq")
	if err != nil {
		t.Skip("jq is not installed")
	}
	s, err := b.Build()
	require.NoError(t, err)
	found := check.Run(s, []check.Check{c}, policy.Default()).Findings
	require.Len(t, found, 1)
	cmd := exec.CommandContext(t.Context(), jq, "-c", strings.ReplaceAll(found[0].Words.Call.Body, "{id}", "c1"))
	cmd.Stdin = strings.NewReader(answer)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}
