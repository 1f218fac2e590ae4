package checks

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// provider is what Cloudflare's Terraform provider takes: attributes by resource (tools/terraformfacts wrote it from the reference of
// version 5.22).
func provider(t *testing.T) map[string][]string {
	raw, err := os.ReadFile("testdata/terraform.txt")
	require.NoError(t, err)
	out := map[string][]string{}
	for line := range strings.Lines(string(raw)) {
		words := strings.Fields(line)
		out[words[0]] = words[1:]
	}
	return out
}

// free are attributes whose value may be any object, and the variables of a Pages project, which have the names people give them.
func free(path string) bool {
	return path == "cloudflare_zone_setting value" || strings.HasPrefix(path, "cloudflare_zone_setting value.") ||
		strings.HasPrefix(path, "cloudflare_pages_project ") && strings.Contains(path, ".env_vars.")
}

// TestSnippetsNameWhatTheProviderHas holds the Terraform of every check against the reference of the provider.
func TestSnippetsNameWhatTheProviderHas(t *testing.T) {
	published, seen := provider(t), 0
	for _, c := range All() {
		if c.Words.Terraform == "" {
			continue
		}
		seen++
		steps := c.Words.Steps(posture.Resource{ID: "id", Name: "name", ZoneID: "zone", Zone: "zone.example"})
		for resource, attributes := range checktest.TerraformParses(t, steps[len(steps)-1].Code) {
			require.Contains(t, published, resource, c.ID)
			for _, a := range attributes {
				require.True(t, free(resource+" "+a) || slices.Contains(published[resource], a), "%s: %s has no attribute %s", c.ID, resource, a)
			}
		}
	}
	require.NotZero(t, seen)
}

// TestNewApplicationsPassTheCheckOfCookies: closing one finding does not open CFL-ZT-014.
func TestNewApplicationsPassTheCheckOfCookies(t *testing.T) {
	for _, c := range All() {
		if w := c.Words; strings.HasSuffix(w.Call.Path, "/access/apps") {
			require.Contains(t, w.Call.Body, "same_site_cookie_attribute", c.ID)
			require.Contains(t, w.Terraform, "same_site_cookie_attribute", c.ID)
		}
	}
}
