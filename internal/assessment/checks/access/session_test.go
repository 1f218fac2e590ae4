package access

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestALoginJustAboveTheLimitSaysSo: it read "lasts 1 day; the limit is 1 day".
func TestALoginJustAboveTheLimitSaysSo(t *testing.T) {
	b := goodtest.Snapshot()
	editApp(func(a *snapshot.AccessApp) { a.SessionDuration = "1441m" })(b)
	snap, err := b.Build()
	require.NoError(t, err)
	found := check.Run(snap, []check.Check{session()}, policy.Default()).Findings
	require.Equal(t, "A login to the application Admin lasts more than 1 day; the limit is 1 day.", found[0].Message)
}
