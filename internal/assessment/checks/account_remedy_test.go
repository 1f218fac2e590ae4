package checks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

func TestAccountProposals(t *testing.T) {
	const account, members, connectors = "/accounts/acc", "/accounts/acc/members", "/accounts/acc/sso_connectors"
	off := `{"id":"acc","name":"Acme","type":"standard","created_on":"x","settings":{"enforce_twofactor":false,"abuse_contact_email":null}}`
	ann := `{"status":"accepted","email":"ann@shop.example","user":{"two_factor_authentication_enabled":true}}`
	bob := `{"status":"accepted","email":"bob@Shop.example","user":{"two_factor_authentication_enabled":false}}`
	robot := `{"status":"accepted","email":"robot","user":null}`
	guest := `{"status":"pending","email":"eve@else.example","user":{"two_factor_authentication_enabled":false}}`
	connector := func(status string) string {
		return `[{"enabled":true,"email_domain":"shop.example","verification":{"status":"` + status + `"}}]`
	}
	checktest.Proposals(t, All(), "CFL-ACC-001", []checktest.Proposal{
		{Name: "everybody has a factor", Live: map[string]string{account: off, members: "[" + ann + "," + robot + "," + guest + "]"}, Edits: 1,
			Sees: func(edits []change.Edit) {
				require.JSONEq(t, `{"id":"acc","name":"Acme","type":"standard","settings":{"enforce_twofactor":true,"abuse_contact_email":null}}`,
					string(edits[0].Do.Body))
				require.JSONEq(t, `{"id":"acc","name":"Acme","type":"standard","settings":{"enforce_twofactor":false,"abuse_contact_email":null}}`,
					string(edits[0].Undo.Body))
			}},
		{Name: "somebody would be locked out", Live: map[string]string{account: off, members: "[" + ann + "," + bob + "]", connectors: "[]"},
			Refuses: "1 accepted member has"},
		{Name: "sign-on covers them", Live: map[string]string{account: off, members: "[" + ann + "," + bob + "]",
			connectors: connector("verified")}, Edits: 1},
		{Name: "sign-on that is not verified", Live: map[string]string{account: off, members: "[" + bob + "]", connectors: connector("pending")},
			Refuses: "locked out"},
		{Name: "nobody is known", Live: map[string]string{account: off, members: "[" + robot + "]"}, Refuses: "no accepted member"},
		{Name: "no settings", Live: map[string]string{account: `{"id":"acc"}`}, Refuses: "settings"},
		{Name: "on already", Live: map[string]string{account: `{"settings":{"enforce_twofactor":true}}`}},
	})
	one := "/accounts/acc/members/r1"
	checktest.Proposals(t, All(), "CFL-ACC-011", []checktest.Proposal{
		{Name: "pending", Live: map[string]string{one: `{"id":"r1","status":"pending","email":"eve@else.example"}`}, Edits: 1,
			Sees: func(edits []change.Edit) {
				require.Nil(t, edits[0].Undo)
				require.NotContains(t, string(edits[0].Before), "eve")
			}},
		{Name: "accepted meanwhile", Live: map[string]string{one: `{"id":"r1","status":"accepted"}`}},
		{Name: "gone", Live: map[string]string{one: ""}},
		{Name: "another status", Live: map[string]string{one: `{"id":"r1","status":"rejected"}`}, Refuses: "rejected"},
	})
}
