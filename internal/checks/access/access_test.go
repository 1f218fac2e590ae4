package access

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/check/checktest"
)

func TestChecks(t *testing.T) { checktest.Conform(t, Checks()) }

func TestMatchHost(t *testing.T) {
	for pattern, want := range map[string]covering{
		"a.shop.example": whole, "*.shop.example": whole, "*.example": unsure, "b.shop.example": none, "a*.shop.example": whole, "ab*.shop.example": none,
		"a.*.example": whole, "shop.example": none, "*": none,
	} {
		require.Equal(t, want, matchHost(pattern, "a.shop.example"), pattern)
	}
}

func TestServiceNameKeepsNoSecret(t *testing.T) {
	require.Equal(t, "http://10.0.0.5:80", serviceName("http://user:hidden@10.0.0.5:80/hidden?hidden"))
	require.Equal(t, "unix", serviceName("unix:/hidden"))
}
