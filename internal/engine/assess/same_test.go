package assess

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/report"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// digests makes everything that follows from a snapshot and gives the digest of
// each document.
func digests(t *testing.T, snap *snapshot.Snapshot) map[string]string {
	t.Helper()
	ev := check.Run(snap, checks.All(), policy.Default())
	made, err := report.Build(report.Run{AssessmentID: "a", JobID: "j", StartedAt: simNow(), CompletedAt: simNow().Add(time.Minute),
		Profile: posture.ProfileFull, CatalogueVersion: "test"}, snap, ev, nil)
	require.NoError(t, err)
	made.Assessment.Findings = posture.Findings(made.Findings)
	out := map[string]string{}
	put := func(name string, write func(hash.Hash) error) {
		h := sha256.New()
		require.NoError(t, write(h))
		out[name] = fmt.Sprintf("%x", h.Sum(nil))
	}
	drawn, err := graph.Collect(made.Graph)
	require.NoError(t, err)
	var written bytes.Buffer
	require.NoError(t, graph.WriteColumns(&written, made.Graph))
	var columns graph.Columns
	require.NoError(t, json.Unmarshal(written.Bytes(), &columns))
	for name, v := range map[string]any{"graph": drawn, "columns": columns, "paths": made.Paths, "assessment": made.Assessment,
		"modifications": made.Modifications} {
		put(name, func(h hash.Hash) error { return json.NewEncoder(h).Encode(v) })
	}
	findings := func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
		return func(yield func(posture.Finding, error) bool) {
			for _, f := range made.Assessment.Findings {
				if (len(results) == 0 || slices.Contains(results, f.Result)) && !yield(f, nil) {
					return
				}
			}
		}
	}
	frameworks, err := compliance.BuildAll(compliance.Input{AssessmentID: "a", Tallies: made.Assessment.Checks, Findings: findings()})
	require.NoError(t, err)
	d := export.Document{Assessment: made.Assessment.AssessmentSummary, Checks: made.Assessment.Checks, Paths: export.Listed(made.Paths),
		Graph: made.Graph, Compliance: frameworks, Findings: findings, Version: "test"}
	for _, f := range export.Formats() {
		put(f.Name, func(h hash.Hash) error { return f.Write(h, d) })
	}
	return out
}

// TestSweepSameSnapshotSameBytes gives the engine one snapshot in 100 orders, on one
// processor and on several: graph, paths and every export have the same bytes.
func TestSweepSameSnapshotSameBytes(t *testing.T) {
	cloud := simcloud.New(simcloud.Options{Seed: 21, Now: simNow, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 1, RecordsPerZone: 5, Plant: 1, Plans: []string{"enterprise"}}}})
	snap := resolved(t, cloud, read(t, cloud, posture.AssessRequest{}))
	want := digests(t, snap)
	require.Len(t, want, 15)
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	random := rand.New(rand.NewPCG(1, 2))
	for _, processors := range []int{1, 2, 16} {
		runtime.GOMAXPROCS(processors)
		for n := range 100 {
			if left(n) {
				continue
			}
			zones, sections := slices.Clone(snap.Zones), snap.Sections()
			random.Shuffle(len(zones), func(i, j int) { zones[i], zones[j] = zones[j], zones[i] })
			random.Shuffle(len(sections), func(i, j int) { sections[i], sections[j] = sections[j], sections[i] })
			shuffled, err := snapshot.New(snap.Account, snap.TakenAt, zones, sections)
			require.NoError(t, err)
			require.Equal(t, want, digests(t, shuffled))
		}
	}
}
