package waf

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestALoginLimitOutOfReachIsNamed: "No rate limit is for a login" was not true.
func TestALoginLimitOutOfReachIsNamed(t *testing.T) {
	b := goodtest.Snapshot()
	zoneRules(snapshot.ZonePhaseRate, limited(`http.request.uri.path eq "/login"`, 1_000_000, 10))(b)
	snap, err := b.Build()
	require.NoError(t, err)
	require.Equal(t, "The rate limit on logins to shop.example allows more than 100 requests a second, which nobody reaches.",
		check.Run(snap, []check.Check{loginLimit()}, policy.Default()).Findings[0].Message)
}
