package checks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

func TestNetworkProposals(t *testing.T) {
	const clusters = "/accounts/acc/dns_firewall"
	checktest.Proposals(t, All(), "CFL-DNS-005", []checktest.Proposal{
		{Name: "two clusters", Live: map[string]string{clusters: `[{"id":"c1","attack_mitigation":null,"deprecate_any_requests":true,
"ratelimit":600},
			{"id":"c2","attack_mitigation":{"enabled":false,"only_when_upstream_unhealthy":true},"deprecate_any_requests":false}]`}, Edits: 2,
			Sees: func(edits []change.Edit) {
				require.JSONEq(t, `{"attack_mitigation":{"enabled":true}}`, string(edits[0].Do.Body))
				require.JSONEq(t, `{"attack_mitigation":{"enabled":true,"only_when_upstream_unhealthy":true},"deprecate_any_requests":true}`,
					string(edits[1].Do.Body))
				require.JSONEq(t, `{"attack_mitigation":{"enabled":false,"only_when_upstream_unhealthy":true},"deprecate_any_requests":false}`,
					string(edits[1].Undo.Body))
			}},
		{Name: "only the limit is missing", Live: map[string]string{clusters: `[{"id":"c1","attack_mitigation":{"enabled":true},` +
			`"deprecate_any_requests":true,"ratelimit":null}]`}, Refuses: "limit"},
		{Name: "in order", Live: map[string]string{clusters: `[{"id":"c1","attack_mitigation":{"enabled":true},"deprecate_any_requests":true,` +
			`"ratelimit":600}]`}},
	})
}
