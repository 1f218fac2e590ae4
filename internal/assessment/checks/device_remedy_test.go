package checks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

func TestDeviceProposals(t *testing.T) {
	const profile, override, members = "/accounts/acc/devices/policy", "/accounts/acc/devices/resilience/disconnect", "/accounts/acc/members"
	checktest.Proposals(t, All(), "CFL-DEVICE-002", []checktest.Proposal{
		{Name: "open", Live: map[string]string{profile: `{"switch_locked":false,"allowed_to_leave":true,"auto_connect":0}`}, Edits: 1},
		{Name: "what is not told is not touched", Live: map[string]string{profile: `{"switch_locked":false}`}, Edits: 1,
			Sees: func(edits []change.Edit) {
				require.JSONEq(t, `{"switch_locked":true}`, string(edits[0].Do.Body))
			}},
		{Name: "only the time is wrong", Live: map[string]string{profile: `{"switch_locked":true,"allowed_to_leave":false,"auto_connect":0}`},
			Refuses: "people to choose"},
		{Name: "no profile", Live: map[string]string{profile: ""}, Refuses: "no default"},
	})
	people := `[{"status":"accepted","email":"ann@shop.example"},{"status":"pending","email":"eve@shop.example"}]`
	by := func(address string) map[string]string { return map[string]string{"confirmedBy": address} }
	on := map[string]string{override: `{"disconnect":true}`, members: people}
	checktest.Proposals(t, All(), "CFL-DEVICE-006", []checktest.Proposal{
		{Name: "confirmed", Live: on, Inputs: by(`"Ann@shop.example"`), Edits: 1},
		{Name: "nobody confirmed", Live: on, Asks: "confirmedBy"},
		{Name: "confirmed by nobody", Live: on, Inputs: by(`""`), Refuses: "accepted member"},
		{Name: "confirmed by a guest", Live: on, Inputs: by(`"eve@shop.example"`), Refuses: "accepted member"},
		{Name: "cleared already", Live: map[string]string{override: `{"disconnect":false}`}, Refuses: "a day after"},
		{Name: "not told", Live: map[string]string{override: `{}`}, Refuses: "does not say"},
	})
}
