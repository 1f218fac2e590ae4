package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestABindingLeadsToTheBucketOfItsJurisdiction: of two buckets of one name it led to the first.
func TestABindingLeadsToTheBucketOfItsJurisdiction(t *testing.T) {
	two := []snapshot.Bucket{{Name: "data", Jurisdiction: "default"}, {ID: "eu_data", Name: "data", Jurisdiction: "eu"}}
	for _, c := range []struct {
		buckets      []snapshot.Bucket
		jurisdiction string
		want         string
	}{
		{two, "", "data"}, {two, "default", "data"}, {two, "eu", "eu_data"}, {two, "us", "us_data"},
		{two[:1], "eu", "eu_data"}, {[]snapshot.Bucket{{Name: "data", Jurisdiction: "eu"}}, "", "data"}, {nil, "eu", "data"},
	} {
		b := goodtest.Snapshot()
		snapshot.Put(b, snapshot.R2Buckets, goodtest.Account, c.buckets)
		snapshot.Put(b, snapshot.WorkerSettings, goodtest.Worker, snapshot.WorkerConfig{Bindings: []snapshot.Binding{
			{Name: "FILES", Type: "r2_bucket", Target: "data", Jurisdiction: c.jurisdiction}}})
		snap, err := b.Build()
		require.NoError(t, err)
		var got []string
		g, _ := graph.Build(snap, nil)
		for _, l := range g.Links {
			from, to := g.Nodes[l.From], g.Nodes[l.To]
			if l.Type == graph.Reads && from.Label == goodtest.Worker && to.Type == graph.Bucket {
				got = append(got, to.ID)
			}
		}
		require.Equal(t, []string{"r2:" + goodtest.Account + ":" + c.want}, got)
	}
}
