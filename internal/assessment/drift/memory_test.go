package drift_test

import (
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

const many = 50_000

// stream makes findings as a store does, each with texts of its own, and tells
// the heap in use when the last one was taken.
func stream(observed string, offset int, heap *uint64) iter.Seq2[posture.Finding, error] {
	return func(yield func(posture.Finding, error) bool) {
		for i := range many {
			n := i + offset
			r := posture.Resource{Type: posture.ResourceDNSRecord, ID: fmt.Sprintf("%032x", n), Name: fmt.Sprintf("host-%d.zone-%d.example.com", n,
				n%100), ZoneID: fmt.Sprintf("%032x", n%100), Zone: fmt.Sprintf("zone-%d.example.com", n%100)}
			check := fmt.Sprintf("CFL-DNS-%03d", i%20)
			f := posture.Finding{ID: posture.FindingID(account, check, r.Type, r.ID), CheckID: check,
				Title: strings.Clone("A title of the usual length for a check"), Category: "dns", Severity: posture.High,
				Result: posture.Fail, Resource: r, Message: fmt.Sprintf("The record %s points to an address that is not protected by the proxy.",
					r.Name), Why: strings.Repeat("why ", 50), Fix: strings.Repeat("fix ", 50),
				Evidence: []posture.Evidence{{Source: "zone/dns_records", Pointer: fmt.Sprintf("/%d/proxied", i), Observed: observed,
					Expected: "true"}}}
			if !yield(f, nil) {
				return
			}
		}
		*heap = inUse()
	}
}

func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestSweepMemory holds what is kept of 50,000 findings a side to 20 MB where nothing changed.
func TestSweepMemory(t *testing.T) {
	for _, tc := range []struct {
		name, observed string
		offset         int
		limit          float64 // MB
	}{{"nothing changed", "false", 0, 20}, {"nothing in common", "false", many, 60}} {
		t.Run(tc.name, func(t *testing.T) {
			var zones []posture.ZoneRef
			for z := range 100 {
				zones = append(zones, posture.ZoneRef{ID: fmt.Sprintf("%032x", z)})
			}
			var checks []posture.CheckTally
			for c := range 20 {
				checks = append(checks, posture.CheckTally{CheckID: fmt.Sprintf("CFL-DNS-%03d", c), Fail: many / 20})
			}
			summary := posture.AssessmentSummary{Zones: zones}
			var afterBaseline, afterCurrent uint64
			before := inUse()
			d, err := drift.Compare(drift.Side{Assessment: summary, Checks: checks, Findings: stream("false", 0, &afterBaseline)},
				drift.Side{Assessment: summary, Checks: checks, Findings: stream(tc.observed, tc.offset, &afterCurrent)}, nil)
			require.NoError(t, err)
			mb := func(n uint64) float64 { return float64(int64(n)-int64(before)) / (1 << 20) }
			t.Logf("%.0f MB with the baseline read, %.0f MB with both; %d changed, %d new, %d resolved", mb(afterBaseline), mb(afterCurrent),
				len(d.Changed), len(d.New), len(d.Resolved))
			require.Less(t, mb(afterCurrent), tc.limit)
		})
	}
}

// BenchmarkCompare compares two runs of 50,000 findings that all changed.
func BenchmarkCompare(b *testing.B) {
	var checks []posture.CheckTally
	for c := range 20 {
		checks = append(checks, posture.CheckTally{CheckID: fmt.Sprintf("CFL-DNS-%03d", c), Fail: many / 20})
	}
	all := func(observed string) (out []posture.Finding) {
		var heap uint64
		for f, err := range stream(observed, 0, &heap) {
			require.NoError(b, err)
			out = append(out, f)
		}
		return out
	}
	before, after := all("false"), all("0")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := drift.Compare(drift.Side{Checks: checks, Findings: each(before)}, drift.Side{Checks: checks, Findings: each(after)},
			nil); err != nil {
			b.Fatal(err)
		}
	}
}
