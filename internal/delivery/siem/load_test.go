package siem_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
)

// latency is how long the receivers of the benchmarks think about a request.
const latency = 20 * time.Millisecond

// TestBatchesAreInFlightTogether answers no batch before four of them are there.
func TestBatchesAreInFlightTogether(t *testing.T) {
	var mu sync.Mutex
	together, arrived := make(chan struct{}), 0
	b := &siemtest.Bulk{Reply: func(siemtest.Call) siemtest.Reply {
		mu.Lock()
		if arrived++; arrived == 4 {
			close(together)
		}
		mu.Unlock()
		<-together
		return siemtest.Reply{}
	}}
	s, _ := index(t, b)
	r, err := s.Send(t.Context(), numbered(6000))
	require.NoError(t, err)
	require.Equal(t, 6000, r.Sent)
	require.Equal(t, 4, b.MostAtOnce())
}

// BenchmarkSearch sends 10,000 findings to an index that takes 20 ms for a request.
func BenchmarkSearch(b *testing.B) {
	receiver := &siemtest.Bulk{Reply: func(siemtest.Call) siemtest.Reply {
		<-time.After(latency)
		return siemtest.Reply{}
	}}
	s, err := siem.NewSearchSender(siemtest.NewClient(b), siem.Search{URL: siemtest.Start(b, receiver)}, (&siemtest.Clock{}).Pace())
	require.NoError(b, err)
	d := exporttest.Large(11_112) // of which one in ten is not applicable
	b.ReportAllocs()
	for b.Loop() {
		r, err := s.Send(b.Context(), siem.Documents(d, siem.Options{}))
		require.NoError(b, err)
		require.Equal(b, len(r.Outcomes), r.Sent)
		require.GreaterOrEqual(b, r.Sent, 10_000)
	}
}

// BenchmarkCollector sends 10,000 findings to a collector that takes 20 ms for a
// request.
func BenchmarkCollector(b *testing.B) {
	receiver := &siemtest.Collector{Token: token, Word: func(siemtest.Batch) siemtest.Word {
		<-time.After(latency)
		return siemtest.Word{}
	}}
	s, err := siem.NewCollectorSender(siemtest.NewClient(b), siem.Collector{URL: siemtest.Start(b, receiver), Token: secret.New(token),
		Channel: channel}, (&siemtest.Clock{}).Pace())
	require.NoError(b, err)
	d := exporttest.Large(11_112)
	b.ReportAllocs()
	for b.Loop() {
		r, err := s.Send(b.Context(), siem.Events(d, siem.Options{}))
		require.NoError(b, err)
		require.Equal(b, len(r.Outcomes), r.Sent)
	}
}

// BenchmarkDocuments makes the documents alone.
func BenchmarkDocuments(b *testing.B) {
	d := exporttest.Large(11_112)
	b.ReportAllocs()
	for b.Loop() {
		n, bytes := 0, 0
		for doc, err := range siem.Documents(d, siem.Options{}) {
			require.NoError(b, err)
			n, bytes = n+1, bytes+len(doc.Body)
		}
		b.ReportMetric(float64(bytes)/float64(n), "B/doc")
	}
}
