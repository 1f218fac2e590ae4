package mailauth

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShareOfAllAddresses(t *testing.T) {
	for text, want := range map[string]float64{
		"v=spf1 -all": 0, "v=spf1 ip4:0.0.0.0/0 -all": 1, "v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all": 1,
		"v=spf1 ip4:0.0.0.0/1 ip4:0.0.0.0/2 -all": 0.5, "v=spf1 ip4:64.0.0.0/2 ip4:128.0.0.0/2 -all": 0.5,
		"v=spf1 -ip4:0.0.0.0/0 ~all": 0, "v=spf1 ip6:2000::/3 -all": 1, "v=spf1 ip6:2000::/4 -all": 0.5, "v=spf1 ip6:::/0 -all": 1,
		"v=spf1 ip6:8000::/1 -all": 0, "v=spf1 ip6:fc00::/7 -all": 0, "v=spf1 ip4:200.0.0.0/1 ip4:128.0.0.0/1 -all": 0.5,
	} {
		require.InDelta(t, want, Share(ParseSPF(text).Ranges()), 1e-9, text)
	}
	require.Less(t, Share(ParseSPF("v=spf1 ip4:45.60.0.0/16 ip6:2a00::/32 -all").Ranges()), 0.001)
}
