package checks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewApplicationsPassTheCheckOfCookies: closing one finding does not open CFL-ZT-014.
func TestNewApplicationsPassTheCheckOfCookies(t *testing.T) {
	for _, c := range All() {
		if w := c.Words; strings.HasSuffix(w.Call.Path, "/access/apps") {
			require.Contains(t, w.Call.Body, "same_site_cookie_attribute", c.ID)
			require.Contains(t, w.Terraform, "same_site_cookie_attribute", c.ID)
		}
	}
}
