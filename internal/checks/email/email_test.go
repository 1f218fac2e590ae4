package email

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/check/checktest"
)

func TestChecks(t *testing.T) { checktest.Conform(t, Checks()) }

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"v=spf1 -all": "v=spf1 -all", `"v=spf1 -all"`: "v=spf1 -all", `"a" "b"`: "ab", `"a\"b"`: `a"b`, `"open`: "open", "": "", ` "x" `: "x",
	} {
		require.Equal(t, want, text(in), in)
	}
}
