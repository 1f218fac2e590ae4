package httpapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestNamesAreFoundInUnicode: runs keep names in ASCII and lower case, and people write them as
// Cloudflare's pages show them.
func TestNamesAreFoundInUnicode(t *testing.T) {
	f, err := FindingFields{Zone: "Bücher.example, SHOP.example., 0b1"}.filter()
	require.NoError(t, err)
	require.Subset(t, f.Zones, []string{"xn--bcher-kva.example", "shop.example", "0b1"})
	for text, want := range map[string]string{"bücher.exa": "xn--bcher-kva.exa", "shop.example": "shop.example", "Bücher": "Bücher",
		"Regel für www.shop.example": "Regel für www.shop.example"} {
		f, err = FindingFields{Text: text}.filter()
		require.NoError(t, err)
		require.Equal(t, want, f.Text)
	}
	require.True(t, (&pathsInput{Text: "BÜCHER.example"}).fits(posture.AttackPath{Title: "Exposed origin: xn--bcher-kva.example"}))
}
