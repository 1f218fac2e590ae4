package httpapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func TestServedFor(t *testing.T) {
	b := goodtest.Snapshot()
	snapshot.Put(b, snapshot.ZoneCustomHostnames, goodtest.Zone, []snapshot.CustomHostname{
		{ID: "1", Hostname: "shop.customer.test", Status: "active"},
		{ID: "2", Hostname: "all.customer.test", Wildcard: true}, {ID: "3", Hostname: "old.customer.test", Status: "deleted"}})
	snap, err := b.Build()
	require.NoError(t, err)
	for host, want := range map[string]string{"shop.customer.test": goodtest.Zone, "SHOP.customer.test": goodtest.Zone,
		"x.shop.customer.test": "", "a.all.customer.test": goodtest.Zone, "old.customer.test": "", "customer.test": ""} {
		require.Equal(t, want, servedFor(snap, host), host)
	}
}
