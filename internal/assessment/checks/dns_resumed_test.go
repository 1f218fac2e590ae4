package checks

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
)

func TestDNSResumes(t *testing.T) {
	const zone, packs = "/zones/{zone}", "/zones/{zone}/ssl/certificate_packs?status=all"
	live := func(paused, status string) map[string]string {
		return map[string]string{zone: `{"id": "{zone}", "paused": ` + paused + `}`, packs: `[{"id": "p", "status": "` + status +
			`", "hosts": ["shop.example"]}]`}
	}
	checktest.Propose(t, All(), []checktest.Attempt{
		{Name: "resumed", CheckID: "CFL-ZONE-001", Live: live("true", "active"), Sends: []string{"PATCH " + zone + ` {"paused":false}`}},
		{Name: "no certificate", CheckID: "CFL-ZONE-001", Live: live("true", "expired"), Refused: "certificate"},
		{Name: "parked", CheckID: "CFL-ZONE-001", Live: live("true", "active"), Refused: "parked",
			Policy: func(p *policy.Policy) { p.ParkedZones = []string{"shop.example"} }},
		{Name: "running by now", CheckID: "CFL-ZONE-001", Live: live("false", "active")},
	})
}
