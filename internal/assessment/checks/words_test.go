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

// provider is what Cloudflare's Terraform provider takes: attributes by resource, required ones with a star (tools/terraformfacts
// wrote it from the reference of version 5.24).
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
				require.True(t, free(resource+" "+a) || slices.Contains(published[resource], a) || slices.Contains(published[resource], a+"*"),
					"%s: %s has no attribute %s", c.ID, resource, a)
			}
			for _, p := range published[resource] {
				path, required := strings.CutSuffix(p, "*")
				within := path[:strings.LastIndexByte(path, '.')+1] // "" for the resource itself
				if required && !free(resource+" "+path) &&
					slices.ContainsFunc(attributes, func(a string) bool { return strings.HasPrefix(a, within) }) {
					require.Contains(t, attributes, path, "%s: %s needs %s", c.ID, resource, path)
				}
			}
			require.Equal(t, slices.Contains(attributes, "content_file"), slices.Contains(attributes, "content_sha256"),
				"%s: the provider takes one only with the other", c.ID)
		}
	}
	require.NotZero(t, seen)
}

// TestSnippetsNameNobody: what only a person knows is a variable. An alert to a made-up mailbox would close its finding, and a rule for a
// made-up domain keep everyone out.
func TestSnippetsNameNobody(t *testing.T) {
	for _, c := range All() {
		require.NotRegexp(t, `example|@shop|203\.0\.113\.|192\.0\.2\.|2001:db8|[0-9a-f]{8}-[0-9a-f]{4}-`, c.Words.Terraform, c.ID)
	}
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
