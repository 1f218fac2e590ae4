package assess_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestSweepEveryRecordIsInTheSnapshot reads 120 zones of 250 records and holds what
// was stored against what the provider says it has.
func TestSweepEveryRecordIsInTheSnapshot(t *testing.T) {
	size := 120
	if testing.Short() {
		size = 25
	}
	b := newBench(t, simcloud.Options{Seed: 6, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: size, RecordsPerZone: 250, Plant: 0.2}}}, 1_000_000)
	account, token := b.cloud.Accounts()[0], b.cloud.Tokens()[0].Secret
	a, err := b.assess(account, token)
	require.NoError(t, err)
	require.Len(t, a.Zones, size)
	sections, err := b.store.Sections(t.Context(), a.JobID)
	require.NoError(t, err)
	zones, records := 0, 0
	for _, s := range sections {
		switch s.Source {
		case snapshot.ZoneList.Source():
			var list []snapshot.Zone
			require.NoError(t, json.Unmarshal(s.Value, &list))
			zones = len(list)
		case snapshot.ZoneDNSRecords.Source():
			var list []snapshot.DNSRecord
			require.NoError(t, json.Unmarshal(s.Value, &list))
			require.Len(t, list, b.recordsOf(s.Scope, token), "zone %s", s.Scope)
			records += len(list)
		}
	}
	require.Equal(t, size, zones)
	require.Greater(t, records, size*240, "a few plants take records away")
	t.Logf("%d zones, %d records", zones, records)
}

// recordsOf asks the provider how many records a zone has.
func (b *bench) recordsOf(zone, token string) int {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.url+"/zones/"+zone+"/dns_records?per_page=5", nil)
	require.NoError(b.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := b.clock.RoundTrip(req)
	require.NoError(b.t, err)
	defer func() { require.NoError(b.t, resp.Body.Close()) }()
	var envelope struct {
		Info struct {
			Total int `json:"total_count"`
		} `json:"result_info"`
	}
	require.NoError(b.t, json.NewDecoder(resp.Body).Decode(&envelope))
	return envelope.Info.Total
}
