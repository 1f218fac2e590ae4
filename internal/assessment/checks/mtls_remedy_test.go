package checks

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestMTLSRemedies(t *testing.T) {
	const settings, certificates, ssl = "/zones/{zone}/origin_tls_client_auth/settings", "/zones/{zone}/origin_tls_client_auth",
		"/zones/{zone}/settings/ssl"
	live := func(enabled, list, mode string) map[string]string {
		return map[string]string{settings: `{"enabled": ` + enabled + `}`, certificates: list, ssl: `{"id": "ssl", "value": "` + mode + `"}`}
	}
	const own, waiting = `[{"id": "c", "status": "active"}]`, `[{"id": "c", "status": "pending_deployment"}]`
	sent := []string{"PUT " + settings + ` {"enabled":true}`}
	checktest.Propose(t, All(), []checktest.Attempt{
		{Name: "an own certificate waits", CheckID: "CFL-MTLS-004", Live: live("false", own, "strict"), Sends: sent},
		{Name: "the shared one is better than none", CheckID: "CFL-MTLS-004", Live: live("false", "[]", "full"), Sends: sent},
		{Name: "mode off", CheckID: "CFL-MTLS-004", Live: live("false", own, "off"), Refused: "raise the mode"},
		{Name: "mode flexible", CheckID: "CFL-MTLS-004", Live: live("false", own, "flexible"), Refused: "raise the mode"},
		{Name: "the shared one is shown", CheckID: "CFL-MTLS-004", Result: posture.Warning, Live: live("true", waiting, "strict"),
			Refused: "own certificate"},
		{Name: "single hosts", CheckID: "CFL-MTLS-004", Result: posture.Warning, Live: live("false", "[]", "strict"), Refused: "own certificate"},
		{Name: "an own one, and mode off", CheckID: "CFL-MTLS-004", Live: live("true", own, "off"), Refused: "raise the mode"},
		{Name: "an own one, and a rule takes TLS away", CheckID: "CFL-MTLS-004", Result: posture.Warning, Live: live("true", own, "strict"),
			Evidence: []posture.Evidence{{Source: "zone/ruleset/http_config_settings", Pointer: "/rules/c1"}}, Refused: "(id c1) takes TLS away"},
		{Name: "right by now", CheckID: "CFL-MTLS-004", Live: live("true", own, "strict")},
	})
}
