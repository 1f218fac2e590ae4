package app_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestSweepKillWhileShipping kills the service after the receiver has stored a batch
// and before the sender could note it. Every document arrives under its id, and
// the ledger ends with all of them sent.
func TestSweepKillWhileShipping(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	o := simcloud.Options{Seed: 61, Accounts: []simcloud.AccountSpec{{Zones: 60, RecordsPerZone: 60, Plant: 0.5,
		Plans: []string{"enterprise", "free"}}}, Limit: simcloud.Limit{Disabled: true}}
	cloud, url := simulate(t, o)
	s := &system{t: t, cloud: cloud}
	var at atomic.Int64
	moment := make(chan struct{}, 1)
	index := &siemtest.Bulk{Reply: func(siemtest.Call) siemtest.Reply {
		if at.Add(-1) == 0 {
			moment <- struct{}{}
			return siemtest.Reply{Bare: true} // stored; the sender never hears of it
		}
		return siemtest.Reply{}
	}}
	environ := []string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret,
		names(t, cloud), "CLOUDFLARE_REQUESTS_PER_5M=1000000", onLoopback, "SERVICE_SEARCH_URL=" + siemtest.Start(t, index),
		"SERVICE_SEARCH_APIKEY=canary-search-key"}
	var p *process
	boot := func() {
		p = spawn(t, "serve", environ...)
		s.url = p.says(t, "listening on ")
	}
	boot()
	a := s.assessAll(nil)
	random := rand.New(rand.NewPCG(6, 1))
	most := 0
	for range kills() {
		before := index.Times()
		batches := max(1, a.Summary.Total/1000)
		at.Store(int64(1 + random.IntN(batches)))
		got := s.call("POST", "/api/integrations/ship", map[string]any{"target": "search", "assessmentId": a.ID}, "Prefer", "respond-async")
		require.Equal(t, 202, got.status, string(got.body))
		var j posture.Job
		got.into(t, &j)
		<-moment
		p.kill()
		boot()
		var d posture.Delivery
		eventually(t, 60*time.Second, "the delivery ends", func() bool {
			list := s.deliveries("?jobId=" + j.ID)
			if len(list) == 1 {
				d = list[0]
			}
			return d.State == posture.DeliveryDelivered
		})
		require.Equal(t, d.Documents, d.Sent)
		after := index.Times()
		require.Len(t, after, d.Documents, "every id, and no other")
		for id, n := range after {
			times := n - before[id]
			require.GreaterOrEqual(t, times, 1, "%s was lost", id)
			most = max(most, times)
		}
	}
	require.LessOrEqual(t, most, 2, "a document is sent again at most once for a kill")
	t.Logf("%d kills between sending and noting, %d documents each: none lost, none sent more than %d times", kills(), len(index.Times()),
		most)
}
