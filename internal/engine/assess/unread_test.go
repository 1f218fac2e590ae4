package assess

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/report"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// planted is an account with everything wrong that can be.
func planted(t *testing.T) *snapshot.Snapshot {
	cloud := simcloud.New(simcloud.Options{Seed: 53, Now: simNow, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 2, RecordsPerZone: 15, Plant: 1}}})
	return resolved(t, cloud, read(t, cloud, posture.AssessRequest{}))
}

// TestSweepDriftOfAnUnreadSection: a comparison of two runs of an account in which nothing changed, one of which could not
// read one thing in one place, tells neither that something was closed nor that something is worse, and why a severity differs.
func TestSweepDriftOfAnUnreadSection(t *testing.T) {
	snap := planted(t)
	side := func(s *snapshot.Snapshot) drift.Side {
		made, err := report.Build(report.Run{AssessmentID: s.Digest(), StartedAt: simNow(), CompletedAt: simNow().Add(time.Minute)}, s,
			check.Run(s, checks.All(), policy.Default()), nil)
		require.NoError(t, err)
		return drift.Side{Assessment: made.Assessment.AssessmentSummary, Checks: made.Assessment.Checks, Paths: export.Listed(made.Paths),
			Findings: exporttest.Of(posture.Findings(made.Findings))()}
	}
	whole := side(snap)
	tried := 0
	for i, sec := range snap.Sections() {
		if sec.Status != snapshot.OK || sec.Source == snapshot.ZoneList.Source() || testing.Short() && i%4 > 0 {
			continue
		}
		tried++
		sec.Status, sec.Reason, sec.Value = snapshot.Denied, "Cloudflare refused it", nil
		part := side(snap.Edited(snap.Zones, sec))
		lost, err := drift.Compare(whole, part, nil)
		require.NoError(t, err)
		found, err := drift.Compare(part, whole, nil)
		require.NoError(t, err)
		untrue := slices.Concat(lost.New, lost.Resolved, lost.Regressed, lost.Improved, found.Resolved, found.Regressed, found.Improved,
			slices.DeleteFunc(found.New, func(d drift.Difference) bool { return d.Reason != "" }))
		require.Empty(t, untrue, "%s of %s", sec.Source, sec.Scope)
		for _, d := range slices.Concat(lost.Changed, found.Changed) {
			require.Contains(t, d.Reason, "could not be read", "%s of %s: %s", sec.Source, sec.Scope, d.ID)
		}
		require.Empty(t, slices.Concat(lost.Paths.Disappeared, found.Paths.Disappeared), "%s of %s", sec.Source, sec.Scope)
		require.Empty(t, lost.Paths.Appeared, "%s of %s", sec.Source, sec.Scope)
		for _, p := range found.Paths.Appeared {
			require.NotEmpty(t, p.Reason, "%s of %s: %s", sec.Source, sec.Scope, p.ID)
		}
	}
	require.Greater(t, tried, 80)
}

// TestNothingUnreadIsTakenForOpen: where applications of Access or rules of Gateway were not read, they may guard what a tunnel leads to.
func TestNothingUnreadIsTakenForOpen(t *testing.T) {
	snap := planted(t)
	found := func(s *snapshot.Snapshot) []string {
		findings := check.Run(snap, checks.All(), policy.Default()).Findings // verdicts are not what is asked for
		g, nodeOf := graph.Build(s, findings)
		return kinds(attackpath.Find(g, s, findings, nodeOf))
	}
	require.Subset(t, found(snap), []string{"open-enrolment", "tunnel-without-access"})
	for k, gone := range map[snapshot.Named]string{snapshot.AccessApps: "tunnel-without-access", snapshot.AccessPolicies: "open-enrolment",
		snapshot.GatewayRules: "open-enrolment"} {
		sec := snapshot.Section{Source: k.Source(), Scope: snap.Account.ID, Status: snapshot.Failed, Reason: "Cloudflare answered 500"}
		require.NotContains(t, found(snap.Edited(snap.Zones, sec)), gone, k.Source())
	}
}
