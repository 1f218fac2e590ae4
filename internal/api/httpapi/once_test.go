package httpapi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatAKeyIsBoundTo: the routes are stored with the keys, so they stay the same over versions.
func TestWhatAKeyIsBoundTo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, object, want string }{
		{"/api/assess", "", "/api/assess"},
		{"/api/jobs/{id}/retry", "0198C5B2-1F6E-7C3A-9D2E-5A1B2C3D4E5F", "/api/jobs/0198c5b2-1f6e-7c3a-9d2e-5a1b2c3d4e5f/retry"},
	} {
		require.Equal(t, c.want, (&called{row: &Route{Path: c.path}, object: c.object}).route())
	}
}
