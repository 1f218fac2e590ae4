package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/delivery/evidence"
)

// TestVerdictsOfAnotherCatalogue: a bundle of an older catalogue, in which a rule of an empty host was found and one verdict differs,
// says of each change what it was, what it is and what the check judges differently since.
func TestVerdictsOfAnotherCatalogue(t *testing.T) {
	b := goodtest.Snapshot()
	snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone, []snapshot.PageRule{{ID: "p1", Status: "active",
		Targets: []string{"old.shop.example/*"}, Actions: map[string]string{"waf": "off"}}})
	snap, err := b.Build()
	require.NoError(t, err)
	bundle := func() *replayed {
		r := &replayed{policy: []byte("{}"), sections: snap.Sections(), assessment: posture.Assessment{
			AssessmentSummary: posture.AssessmentSummary{CatalogueVersion: "2026.11.3", StartedAt: snap.TakenAt}}}
		r.watch(&evidence.Options{})
		r.assessment.Account.ID, r.assessment.Account.Name = snap.Account.ID, snap.Account.Name
		for _, z := range snap.Zones {
			r.assessment.Zones = append(r.assessment.Zones, posture.ZoneRef{ID: z.ID, Name: z.Name})
		}
		for _, c := range checks.All() {
			r.assessment.Checks = append(r.assessment.Checks, posture.CheckTally{CheckID: c.ID})
		}
		for _, f := range check.Run(snap, checks.All(), policy.Default()).Findings {
			r.findings[f.ID] = verdict{f.CheckID, *f.Resource, f.Result}
		}
		return r
	}
	manifest := evidence.Manifest{Sections: evidence.Included, Policy: evidence.Included}
	same, err := bundle().judge(manifest)
	require.NoError(t, err)
	require.True(t, same.Same, "%+v", same.Changes)

	older := bundle()
	rule := posture.Resource{Type: posture.ResourceRule, ID: "p1", Name: "old.shop.example/*"}
	older.findings["gone"] = verdict{"CFL-RULES-002", rule, posture.Fail}
	for id, v := range older.findings {
		switch v.checkID {
		case "CFL-SSL-002":
			v.result = posture.Fail
			older.findings[id] = v
		case "CFL-SSL-006":
			delete(older.findings, id)
		}
	}
	got, err := older.judge(manifest)
	require.NoError(t, err)
	require.False(t, got.Same)
	require.Equal(t, []string{"gone"}, got.Missing)
	require.Len(t, got.Differ, 1)
	require.Len(t, got.New, 1)
	var out bytes.Buffer
	got.tell(&out)
	require.Equal(t, "judged again by the checks built in (catalogue "+checks.Version+
		"), verdicts that differ: 1, that are gone: 1, that are new: 1\n"+
		"CFL-RULES-002: "+strings.Join(checks.Changes("CFL-RULES-002", "2026.11.3"), " ")+`
- rule old.shop.example/*: was FAIL, and is not reported
CFL-SSL-002: `+strings.Join(checks.Changes("CFL-SSL-002", "2026.11.3"), " ")+`
- zone shop.example: was FAIL, is PASS. The edge accepts TLS 1.2 and newer.
CFL-SSL-006: `+strings.Join(checks.Changes("CFL-SSL-006", "2026.11.3"), " ")+`
- zone shop.example: new, PASS. The edge offers TLS 1.3.
`, out.String())
}
