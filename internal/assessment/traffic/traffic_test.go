package traffic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func TestOriginTLSOfLanes(t *testing.T) {
	b := goodtest.Snapshot()
	goodtest.Edits(goodtest.AddRecord(snapshot.DNSRecord{ID: "w", Name: "*.shop.example", Type: "A", Content: "8.8.8.8", Proxied: true}))(b)
	snapshot.Put(b, snapshot.ZonePhaseConfig, goodtest.Zone, snapshot.Ruleset{ID: "c", Rules: []snapshot.Rule{
		{ID: "r1", Enabled: true, Action: "set_config", Expression: `starts_with(http.request.uri.path, "/api") and http.host eq "a.shop.example"`,
			Params: snapshot.RuleParams{Config: &snapshot.ConfigParams{SSL: "off"}}},
	}})
	snap, err := b.Build()
	require.NoError(t, err)
	for _, l := range traffic.OriginTLS().Lanes(snap, snap.Zones[0]) {
		t.Logf("%v %s %q %v %v", l.Hosts, l.Example.Describe(), l.Value.Is, l.Value.By, l.Value.Doubt)
	}
	for _, l := range traffic.Firewall().Lanes(snap, snap.Zones[0]) {
		t.Logf("%d hosts %s %v", len(l.Hosts), l.Example.Describe(), l.Value.Doubts)
		for _, a := range l.Value.Acts {
			t.Log("   ", a.Phase, a.Rule.Action, a.By.Name, a.Sure, a.Rule.Expression)
		}
	}
	require.NotNil(t, snap)
}

var goodNow = goodtest.Now()
