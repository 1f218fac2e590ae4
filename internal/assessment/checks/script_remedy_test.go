package checks

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
)

func TestScriptRemedies(t *testing.T) {
	const shield = "/zones/{zone}/page_shield"
	checktest.Propose(t, All(), []checktest.Attempt{
		{Name: "off", CheckID: "CFL-PAGESHIELD-001", Live: map[string]string{shield: `{"enabled": false, "use_cloudflare_reporting_endpoint": ` +
			`true}`}, Sends: []string{"PUT " + shield + ` {"enabled":true}`}},
		{Name: "on by now", CheckID: "CFL-PAGESHIELD-001", Live: map[string]string{shield: `{"enabled": true}`}},
		{Name: "no answer", CheckID: "CFL-PAGESHIELD-001", Live: map[string]string{shield: "null"}, Refused: "no longer there"},
	})
}
