package checks

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

func TestNotificationProposals(t *testing.T) {
	const a = "/accounts/acc/alerting/v3/"
	live := func(policies string, more ...string) map[string]string {
		out := map[string]string{a + "policies": policies, a + "available_alerts": `{"DDoS":[{"type":"advanced_ddos_attack_l7_alert"}]}`,
			a + "destinations/webhooks": `[{"id":"w1"}]`, "/zones?account.id=acc": `[{"id":"z1","name":"shop.example"},{"id":"z2",` +
				`"name":"b.example"}]`}
		for i := 0; i+1 < len(more); i += 2 {
			out[more[i]] = more[i+1]
		}
		return out
	}
	to := func(list string) map[string]string { return map[string]string{"destinations": list} }
	kind := `"enabled":true,"alert_type":"dos_attack_l7","mechanisms":{"webhooks":[{"id":"w1"}]}`
	checktest.Proposals(t, All(), "CFL-ALERT-004", []checktest.Proposal{
		{Name: "the first type that is offered", Live: live("[]"), Inputs: to(`["w1","ops@mail.shop.example"]`), Edits: 1,
			Sees: func(edits []change.Edit) {
				require.JSONEq(t, `{"name":"edgeposture-cfl-alert-004 advanced_ddos_attack_l7_alert","enabled":true,
"alert_type":"advanced_ddos_attack_l7_alert","filters":{},
				"mechanisms":{"webhooks":[{"id":"w1"}],"email":[{"id":"ops@mail.shop.example"}]}}`, string(edits[0].Do.Body))
			}},
		{Name: "no destination chosen", Live: live("[]"), Asks: "destinations"},
		{Name: "no destination named", Live: live("[]"), Inputs: to("[]"), Refuses: "no destination"},
		{Name: "a webhook that is not there", Live: live("[]"), Inputs: to(`["w9"]`), Refuses: "neither"},
		{Name: "no mail address", Live: live("[]"), Inputs: to(`["ops@ shop.example"]`), Refuses: "does not look like"},
		{Name: "a mail address elsewhere", Live: live("[]"), Inputs: to(`["ops@else.example"]`), Refuses: "else.example"},
		{Name: "a declared mail domain", Live: live("[]"), Inputs: to(`["ops@else.example"]`),
			Adjust: func(p *policy.Policy) { p.OwnMailDomains = []string{"else.example"} }, Edits: 1},
		{Name: "of another type", Live: live("[]"), Inputs: to(`17`), Refuses: "type"},
		{Name: "not offered", Live: live("[]", a+"available_alerts", `{"SSL":[{"type":"x"}]}`), Refuses: "subscribe"},
		{Name: "there is one", Live: live("[{" + kind + "}]")},
		{Name: "one for some zones", Live: live(`[{` + kind + `,"filters":{"zones":["z1"]}}]`), Inputs: to(`["w1"]`), Edits: 1},
		{Name: "one for a part of the events", Live: live(`[{` + kind + `,"filters":{"actions":["x"]}}]`), Inputs: to(`["w1"]`), Edits: 1},
		{Name: "some for all zones", Live: live(`[{` + kind + `,"filters":{"zones":["z1"]}},{` + kind + `,"filters":{"zones":["z2"]}}]`)},
		{Name: "ours was changed", Live: live(`[{"name":"edgeposture-cfl-alert-004 advanced_ddos_attack_l7_alert","enabled":false,` +
			`"alert_type":"advanced_ddos_attack_l7_alert"}]`), Inputs: to(`["w1"]`), Refuses: "exists already"},
	})
	in := func(hours int) string {
		return checktest.Now().Add(time.Duration(hours) * time.Hour).Format(time.RFC3339)
	}
	silence := func(end string) string {
		return `{"id":"s` + end[1:5] + `","policy_id":"p1","start_time":"2020-01-01T00:00:00Z","end_time":` + end + `}`
	}
	checktest.Proposals(t, All(), "CFL-ALERT-011", []checktest.Proposal{
		{Name: "two of three", Live: map[string]string{a + "silences": "[" + silence("null ") + "," + silence(`"2099-01-01T00:00:00Z"`) + "," +
			silence(`"2020-02-01T00:00:00Z"`) + "]", a + "policies": "[]"}, Edits: 2, Sees: func(edits []change.Edit) {
			require.JSONEq(t, `[{"policy_id":"p1","start_time":"2020-01-01T00:00:00Z","end_time":null}]`, string(edits[0].Undo.Body))
		}},
		{Name: "the part that follows one in force, and no other", Live: map[string]string{a + "policies": "[]", a + "silences": `[` +
			`{"id":"s1","policy_id":"p1","start_time":"2020-01-01T00:00:00Z","end_time":"` + in(24) + `"},` +
			`{"id":"s2","policy_id":"p1","start_time":"` + in(24) + `","end_time":"` + in(2400) + `"},` +
			`{"id":"s3","policy_id":"p1","start_time":"` + in(200) + `","end_time":"` + in(3000) + `"},` +
			`{"id":"s4","policy_id":"p2","start_time":"` + in(24) + `","end_time":"` + in(2400) + `"}]`}, Edits: 1,
			Sees: func(edits []change.Edit) { require.Contains(t, edits[0].Do.Path, "s2") }},
		{Name: "none", Live: map[string]string{a + "silences": "[]", a + "policies": "[]"}},
	})
	const tunnels, tokens = "/accounts/acc/cfd_tunnel?is_deleted=false", "/accounts/acc/access/service_tokens"
	offered := `{"Access":[{"type":"expiring_service_token_alert"}]}`
	checktest.Proposals(t, All(), "CFL-ALERT-009", []checktest.Proposal{
		{Name: "a token that ends", Live: live("[]", a+"available_alerts", offered, tunnels, "[]", tokens,
			`[{"id":"s1","expires_at":"`+in(24)+`"}]`), Inputs: to(`["w1"]`), Edits: 1},
		{Name: "tokens that have ended", Live: live("[]", a+"available_alerts", offered, tunnels, "[]", tokens,
			`[{"id":"s1","expires_at":"`+in(-24)+`"},{"id":"s2","enabled":false}]`)},
	})
}
