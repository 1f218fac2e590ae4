package exposure

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatchHost(t *testing.T) {
	for pattern, want := range map[string]Guard{
		"a.shop.example": GuardedWhole, "*.shop.example": GuardedWhole, "*.example": UnsureGuard, "b.shop.example": Unguarded,
		"a*.shop.example":  GuardedWhole,
		"ab*.shop.example": Unguarded, "a.*.example": GuardedWhole, "shop.example": Unguarded, "*": Unguarded,
	} {
		require.Equal(t, want, matchHost(pattern, "a.shop.example"), pattern)
	}
}
