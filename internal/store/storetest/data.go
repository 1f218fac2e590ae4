package storetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

const (
	ourAccount      = "01890000-0000-7000-8000-00000000acc0"
	providerAccount = "9a7806061c88ada191ed06f989cc3dac"
	lease           = 10 * time.Second
)

// noon is the start time of all cases. It has nanoseconds and is not in UTC, so that the store must
// truncate and convert it as the contract says.
func noon() time.Time {
	return time.Date(2026, 3, 4, 12, 0, 0, 123456789, time.FixedZone("somewhere", 3600))
}

// kept returns a time as the store gives it back.
func kept(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func keptPtr(t time.Time) *time.Time {
	k := kept(t)
	return &k
}

func newID(t testing.TB) string {
	t.Helper()
	id, err := uuid.NewV7()
	require.NoError(t, err)
	return id.String()
}

// newJob returns an assess job that conflicts with no other.
func newJob(t testing.TB) store.NewJob {
	t.Helper()
	return store.NewJob{ID: newID(t), Kind: posture.JobAssess, Queue: "interactive", Account: ourAccount,
		Arguments: json.RawMessage(`{"account": "main","n":1.50}`), BodyHash: "hash", CreatedAt: noon()}
}

func with(n store.NewJob, change func(*store.NewJob)) store.NewJob {
	change(&n)
	return n
}

func enqueue(t testing.TB, s store.Store, n store.NewJob) store.JobRow {
	t.Helper()
	got, err := s.Enqueue(t.Context(), n)
	require.NoError(t, err)
	require.False(t, got.Joined)
	require.Equal(t, n.ID, got.Job.ID)
	return got.Job
}

func claim(t testing.TB, s store.Store, id string, now time.Time) store.JobRow {
	t.Helper()
	row, err := s.Claim(t.Context(), id, "worker", now, lease)
	require.NoError(t, err)
	return row
}

// running enqueues a job and claims it at noon.
func running(t testing.TB, s store.Store, change ...func(*store.NewJob)) store.JobRow {
	t.Helper()
	n := newJob(t)
	n.SealedToken = []byte("sealed")
	for _, c := range change {
		c(&n)
	}
	return claim(t, s, enqueue(t, s, n).ID, noon())
}

// job reads a job that must exist.
func job(t testing.TB, s store.Store, id string) store.JobRow {
	t.Helper()
	row, err := s.Job(t.Context(), id)
	require.NoError(t, err)
	return row
}

func section(source, scope string, status snapshot.Status, value string) snapshot.Section {
	sec := snapshot.Section{Source: source, Scope: scope, Status: status}
	if value != "" {
		sec.Value = json.RawMessage(value)
	}
	return sec
}

// checkTexts returns the long texts of a check, which all its findings share.
func checkTexts(no int) (id, title, why, fix string) {
	id = fmt.Sprintf("check-%03d", no)
	return id, "Title of " + id, fmt.Sprintf("%-400s", "Why "+id), fmt.Sprintf("%-300s", "Fix "+id)
}

// finding makes the i-th finding of a report. 150 checks of five severities and four categories judge
// resources in 20 zones; every tenth finding has no zone.
func finding(i int) posture.Finding {
	checkNo := i % 150
	id, title, why, fix := checkTexts(checkNo)
	resource := posture.Resource{Type: posture.ResourceDNSRecord, ID: fmt.Sprintf("resource-%06d", i),
		Name: fmt.Sprintf("host-%d.example.com", i)}
	if i%10 != 9 {
		zone := i % 20
		resource.ZoneID, resource.Zone = fmt.Sprintf("zone-%02d", zone), fmt.Sprintf("zone%02d.example", zone)
	}
	f := posture.Finding{ID: posture.FindingID(providerAccount, id, resource.Type, resource.ID), CheckID: id, CheckTitle: title,
		Words:    checkWords(checkNo),
		Category: []posture.Category{"dns", "ssl", "waf", "access"}[checkNo%4], Severity: posture.Severities()[checkNo%5],
		Result: posture.Results()[i%5], Resource: resource, Message: fmt.Sprintf("Record %d answers with its origin address.", i),
		Evidence: []posture.Evidence{{Source: "dns.records", Pointer: fmt.Sprintf("/%d/proxied", i), Observed: "false", Expected: "true"}},
		Why:      why, Fix: fix, Remediable: checkNo%2 == 0, Controls: posture.Controls{CIS: []string{"4.1"}, SOC2: []string{"CC6.1", "CC6.6"}},
		NodeID: "dns_record:" + resource.ID, AttackPathIDs: []string{}, FirstSeen: kept(noon()), LastSeen: kept(noon().Add(time.Hour)),
		Status: posture.StatusOpen}
	switch {
	case i%7 == 0:
		why := "accepted until spring"
		f.Exception, f.AttackPathIDs, f.Judged, f.Risk = &why, []string{"path-1"}, 3, 9.5
	case f.Result == posture.Unknown:
		f.Reason, f.Permission, f.Evidence = "not read", "Zone:Read", nil
	}
	return f.Worded()
}

// checkWords returns wording templates for two of every three checks.
func checkWords(no int) *posture.Words {
	if no%3 == 0 {
		return nil
	}
	return &posture.Words{Problem: "{name} is exposed", Impact: fmt.Sprintf("Anyone reaches {name} around rule %d.", no), Breaks: "Nothing.",
		Dashboard: "DNS › Records › {name}.", Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/dns_records/{id}",
			Body: `{"proxied": true}`}, Terraform: `name = "{name}"`, ByHand: no%2 == 0}
}

// assessment makes a report of n findings.
func assessment(t testing.TB, jobID string, n int) posture.Assessment {
	t.Helper()
	grade, days := "B", 12
	a := posture.Assessment{AssessmentSummary: posture.AssessmentSummary{
		ID: newID(t), JobID: jobID, Account: posture.AccountRef{ID: providerAccount, Name: "Main"}, Status: posture.Completed,
		StartedAt: noon(), CompletedAt: noon().Add(time.Minute), DurationMS: 60000, Profile: posture.ProfileFull, Note: "O'Brien; -- ?",
		TokenInfo: posture.TokenInfo{Kind: "user", Status: "active", ExpiresOn: keptPtr(noon()), DaysLeft: &days}, CatalogueVersion: "1",
		SnapshotDigest: "digest", Zones: []posture.ZoneRef{{ID: "zone-00", Name: "zone00.example", Plan: "pro", Status: "active"}},
		Requests: 40, Score: posture.Score{Mark: posture.Mark{Value: 81, Grade: &grade},
			ByCategory: map[posture.Category]posture.CategoryScore{"dns": {Value: 81, Pass: 8, Fail: 2}}},
		Coverage: posture.Coverage{Percent: 97.5, Evaluated: 39, Unknown: 1,
			MissingPermissions: []posture.MissingPermission{{Permission: "Zone:Read", CheckIDs: []string{"check-002"}}}},
		Summary:     posture.Summary{Total: n, BySeverity: map[posture.Severity]int{posture.High: 2}},
		AttackPaths: 1},
		Checks:   []posture.CheckTally{{CheckID: "check-000", Category: "dns", Severity: posture.Critical, Fail: 2}},
		Findings: make([]posture.Finding, 0, n)}
	for i := range n {
		a.Findings = append(a.Findings, finding(i))
	}
	return a
}

// states returns the state of each finding of a report.
func states(a posture.Assessment) []posture.FindingState {
	out := make([]posture.FindingState, 0, len(a.Findings))
	for _, f := range a.Findings {
		out = append(out, posture.FindingState{FindingID: f.ID, Result: f.Result, Status: f.Status, FirstSeen: f.FirstSeen, LastSeen: f.LastSeen,
			Opened: f.Result == posture.Fail || f.Result == posture.Warning})
	}
	return out
}

// saveOf returns the save of a as the result of the running job row.
func saveOf(row store.JobRow, a posture.Assessment) store.SaveAssessment {
	return store.SaveAssessment{JobID: row.ID, Attempt: row.Attempt, AccountID: ourAccount, Assessment: a,
		States: states(a), Now: noon().Add(time.Minute)}
}

// saved runs a job that saves a report of n findings, modified by change.
func saved(t testing.TB, s store.Store, n int, change func(*store.SaveAssessment)) posture.Assessment {
	t.Helper()
	row := running(t, s)
	in := saveOf(row, assessment(t, row.ID, n))
	if change != nil {
		change(&in)
	}
	require.NoError(t, s.Save(t.Context(), in))
	return in.Assessment
}
