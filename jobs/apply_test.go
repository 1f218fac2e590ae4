package jobs

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestAStoppedApplySaysWhatIsInForce: a problem in the middle names the bundle; one before anything was changed, and an
// error after which the job goes on, stay as they are.
func TestAStoppedApplySaysWhatIsInForce(t *testing.T) {
	t.Parallel()
	ended := posture.Problemf(posture.CodeEditScopeDenied, "The permission ended.")
	for _, tc := range []struct {
		of   []change.Status
		err  error
		says string
	}{
		{[]change.Status{change.Applied, change.Pending}, ended, "1 of 2 changes are in force (bundle b, which can be rolled back), and then " +
			"the apply stopped: The permission ended."},
		{[]change.Status{change.Applied, change.Writing}, ended, "1 of 2 changes are in force, of 1 it is not known (bundle b"},
		{[]change.Status{change.Unknown, change.Skip}, ended, "0 of 2 changes are in force, of 1 it is not known (bundle b"},
		{[]change.Status{change.Pending, change.Failed}, ended, ""}, {nil, ended, ""},
		{[]change.Status{change.Applied}, context.Canceled, ""}, {[]change.Status{change.Applied}, nil, ""},
	} {
		b := change.Bundle{ID: "b"}
		for _, s := range tc.of {
			b.Entries = append(b.Entries, change.BundleStep{Status: s})
		}
		err := stopped(b, tc.err)
		if tc.says == "" {
			require.Equal(t, tc.err, err)
			continue
		}
		require.ErrorContains(t, err, tc.says)
		require.Equal(t, "b", posture.AsProblem(err).BundleID)
		require.Equal(t, posture.CodeEditScopeDenied, posture.AsProblem(err).Code)
		require.Empty(t, ended.BundleID)
	}
}
