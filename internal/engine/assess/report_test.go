package assess

import (
	"bytes"
	"io"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/report"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/paper/papertest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestSweepReportStaysShort writes the report of simulated accounts in which nearly every check finds something: its pages and its memory
// follow the checks and not the zones.
func TestSweepReportStaysShort(t *testing.T) {
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	for _, zones := range []int{5, 40, 200} {
		d := reported(t, zones)
		file, took, heap := timed(t, export.PDF(), d)
		d.Summary = true
		brief, _, _ := timed(t, export.PDF(), d)
		pages, first := len(papertest.Pages(t, file)), len(papertest.Pages(t, brief))
		t.Logf("%d zones, %d findings, %d of them open: %d pages, %d kB, %d ms, %.1f MB of memory; the summary has %d pages", zones,
			d.Assessment.Summary.Total, d.Assessment.Summary.Fail+d.Assessment.Summary.Warning, pages, len(file)/1000, took.Milliseconds(),
			float64(heap)/1e6, first)
		require.LessOrEqual(t, pages, 65)
		require.LessOrEqual(t, first, 5)
		require.Less(t, heap, 64<<20)
		if zones == 40 {
			require.LessOrEqual(t, pages, 60)
		}
	}
}

// reported is the document of a simulated account.
func reported(t *testing.T, zones int) export.Document {
	t.Helper()
	cloud := simcloud.New(simcloud.Options{Seed: 21, Now: simNow, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: zones, RecordsPerZone: 20, Plant: 0.3}}})
	snap := resolved(t, cloud, read(t, cloud, posture.AssessRequest{}))
	made, err := report.Build(report.Run{AssessmentID: "a", JobID: "j", StartedAt: simNow(), CompletedAt: simNow().Add(time.Minute),
		Profile: posture.ProfileFull, CatalogueVersion: "test"}, snap, check.Run(snap, checks.All(), policy.Default()), nil)
	require.NoError(t, err)
	d := export.Document{Assessment: made.Assessment.AssessmentSummary, Checks: made.Assessment.Checks, Paths: export.Listed(made.Paths),
		Graph: made.Graph, Findings: exporttest.Of(posture.Findings(made.Findings)), Version: "test"}
	controls := make([]compliance.CheckControls, 0, len(checks.All()))
	for _, c := range checks.All() {
		controls = append(controls, compliance.CheckControls{CheckID: c.ID, Controls: c.Controls})
	}
	d.Compliance, err = compliance.BuildAll(compliance.Input{AssessmentID: "a", Catalogue: controls, Tallies: d.Checks,
		Findings: d.Findings()})
	require.NoError(t, err)
	return d
}

// timed writes a format and tells how long it took, and, written again, by how much the heap grows while garbage is collected early.
func timed(t *testing.T, f export.Format, d export.Document) (file []byte, took time.Duration, heap int) {
	t.Helper()
	var out bytes.Buffer
	start := time.Now()
	require.NoError(t, f.Write(&out, d))
	took = time.Since(start)
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	require.NoError(t, f.Write(io.Discard, d))
	runtime.ReadMemStats(&after)
	return out.Bytes(), took, int(after.HeapInuse) - int(before.HeapInuse)
}
