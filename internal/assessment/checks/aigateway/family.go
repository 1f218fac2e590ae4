// Package aigateway holds the checks of AI gateways.
package aigateway

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// seen returns the evidence of a gateway.
func seen(g snapshot.AIGateway, field, observed, expected string) posture.Evidence {
	return check.Evidence(snapshot.AIGateways, "/"+g.ID+field, observed, expected)
}

// edit is an example edit of the gateway.
func edit(change func(*snapshot.AIGateway)) func(*snapshot.Builder) {
	return goodtest.Each(snapshot.AIGateways, goodtest.Account, change)
}

// none is an example edit: the account has no gateway.
func none(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.AIGateways, goodtest.Account, []snapshot.AIGateway{})
}
