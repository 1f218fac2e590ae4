package assess

import (
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/explain"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestSweepRemediesKeepVisitors applies every remedy and asks Explain, which shares nothing with remedies, what becomes of ordinary
// requests to every proxied host: what is served stays served in the same way, except where changing that is the remedy.
func TestSweepRemediesKeepVisitors(t *testing.T) {
	t.Parallel()
	meant := []string{
		"CFL-SSL-005",                // redirects to HTTPS
		"CFL-ZT-015",                 // asks for a login
		"CFL-ZONE-001",               // sends requests through the edge again
		"CFL-DNS-006", "CFL-DNS-007", // remove names that lead to nothing of the account
	}
	eachRemedied(t, func(t *testing.T, c check.Check, w *workshop, snap *snapshot.Snapshot, kept change.Kept, _ change.Bundle) {
		before := visits(snap)
		require.NotEmpty(t, before)
		snap, _ = w.assess()
		after := visits(snap)
		maps.DeleteFunc(after, func(request, _ string) bool { return before[request] == "" }) // to a record that is proxied now
		if slices.Contains(meant, c.ID) {
			require.NotEmpty(t, kept.Steps[0].Change.Caution)
			require.NotEqual(t, before, after)
			return
		}
		require.Equal(t, before, after)
	})
}

// visits says of a few requests to each proxied host what becomes of them.
func visits(snap *snapshot.Snapshot) map[string]string {
	out := map[string]string{}
	for _, zone := range snap.Zones {
		records, _ := snapshot.Read(snap, snapshot.ZoneDNSRecords, zone.ID)
		for _, r := range records {
			for _, address := range []string{"http://" + r.Name + "/", "https://" + r.Name + "/", "https://" + r.Name + "/login"} {
				u, err := url.Parse(address)
				if !r.Proxied || err != nil {
					continue
				}
				for _, method := range []string{"GET", "POST"} {
					e := explain.Of(snap, zone, explain.Query{URL: u, Method: method, Source: netip.MustParsePrefix("203.0.113.9/32"), Country: "DE"})
					out[method+" "+address], _, _ = strings.Cut(e.Outcome, " Not decided")
				}
			}
		}
	}
	return out
}
