package posture_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestFindingIDOfWhatIsKept: a zero byte that somebody wrote into a name cannot be kept, and evidence
// recomputes ids from what was. It is no separator of the fields either.
func TestFindingIDOfWhatIsKept(t *testing.T) {
	id := posture.FindingID("account", "CFL-WORK-003", posture.ResourceWorker, "a\x00b")
	require.Equal(t, posture.FindingID("account", "CFL-WORK-003", posture.ResourceWorker, "a\uFFFDb"), id)
	require.NotEqual(t, posture.FindingID("account", "CFL-WORK-003", "worker\x00a", "b"), id)
	require.Equal(t, "a9a7bb50", posture.FindingID("account", "CFL-WORK-003", posture.ResourceWorker, "a")[:8])
}
