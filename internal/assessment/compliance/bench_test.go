package compliance_test

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// BenchmarkBuildAll measures one pass over 50,000 findings.
func BenchmarkBuildAll(b *testing.B) {
	var findings []posture.Finding
	entries := catalogue()
	byID := map[string]*posture.CheckTally{}
	for i := range 50_000 {
		e := entries[i%len(entries)]
		findings = append(findings, posture.Finding{ID: posture.FindingID("a", e.CheckID, "zone", string(rune(i))), CheckID: e.CheckID,
			Controls: check.Controls(e.Controls).Named(), Result: posture.Fail})
		if byID[e.CheckID] == nil {
			byID[e.CheckID] = &posture.CheckTally{CheckID: e.CheckID}
		}
		byID[e.CheckID].Fail++
	}
	var tallies []posture.CheckTally
	for _, t := range byID {
		tallies = append(tallies, *t)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compliance.BuildAll(compliance.Input{Catalogue: entries, Tallies: tallies, Findings: each(findings)}); err != nil {
			b.Fatal(err)
		}
	}
}
