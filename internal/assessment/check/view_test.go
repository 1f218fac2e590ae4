package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestAReasonSaysThatAValueIsMissing: it ended in a colon.
func TestAReasonSaysThatAValueIsMissing(t *testing.T) {
	require.Equal(t, "a status this check does not know: not told", (&View{}).Unknown("a status this check does not know: ").unknown)
	j := (&View{}).Judge()
	j.Unclear(posture.Resource{}, "a status this check does not know: odd")
	require.Equal(t, "a status this check does not know: odd", j.out.verdicts[0].reason)
}
