package app_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/delivery/evidence"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestSweepEvidence takes the bundle of a planted account, checks it offline, and looks for
// what must not be in it.
func TestSweepEvidence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := embedded(t, simcloud.Options{Seed: 21, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 3, Plant: 0.4}}}, "DATA_DIR="+dir,
		"SERVICE_WEBHOOK_SECRET=canary-topsecret-0001", "SERVICE_SEARCH_APIKEY=canary-search-key")
	a := s.assessed()
	path := "/api/assessments/" + a.ID + "/evidence"
	got := s.call("GET", path, nil, "Accept-Encoding", "gzip")
	require.Equal(t, 200, got.status, string(got.body))
	require.Equal(t, "application/zip", got.header.Get("Content-Type"))
	require.Empty(t, got.header.Get("Content-Encoding"))
	require.Regexp(t, `^attachment; filename="edgeposture-[a-z0-9-]+-evidence\.zip"$`, got.header.Get("Content-Disposition"))
	require.Equal(t, got.body, s.call("GET", path, nil).body, "the same bytes each time")
	tag := got.header.Get("ETag")
	require.NotEmpty(t, tag)
	require.Equal(t, 304, s.call("GET", path, nil, "If-None-Match", tag).status)

	var keys struct {
		Key  evidence.KeyInfo
		Keys []evidence.KeyInfo
	}
	s.get("/api/evidence/key", &keys)
	require.Len(t, keys.Keys, 1)
	report := valid(t, got.body, keys.Key.Fingerprint)
	require.Equal(t, a.ID, report.Manifest.Assessment.ID)
	require.Equal(t, evidence.Included, report.Manifest.Saved.State)
	require.Equal(t, evidence.Included, report.Manifest.Policy)
	require.Equal(t, evidence.Included, report.Manifest.Sections)
	require.False(t, report.Manifest.Assessment.Demo)
	require.Equal(t, a.SnapshotDigest, report.Manifest.SnapshotDigest)

	for _, secret := range append(canaries(s), "canary-", "PRIVATE KEY") {
		require.NotContains(t, string(got.body), secret)
	}

	// Another key: what was signed before stays valid, and its key is still listed.
	s.call("POST", "/api/evidence/key/rotate", "{}").into(t, &keys)
	require.Len(t, keys.Keys, 2)
	require.NotEqual(t, keys.Keys[0].ID, keys.Keys[1].ID)
	valid(t, got.body, keys.Keys[1].Fingerprint)
	again := s.call("GET", path, nil)
	require.NotEqual(t, tag, again.header.Get("ETag"))
	valid(t, again.body, keys.Key.Fingerprint)
	require.Equal(t, 404, s.call("GET", "/api/assessments/01890000-0000-7000-8000-000000000000/evidence", nil).status)

	// A row that somebody else changed is never signed.
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "edgeposture.db")+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	change := func(statement string) {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	change("UPDATE piece SET no = -no")
	tampered := s.call("GET", path, nil)
	require.Equal(t, 500, tampered.status)
	require.Contains(t, string(tampered.body), "does not match what was saved")
	change("UPDATE piece SET no = -no")
	require.Equal(t, 200, s.call("GET", path, nil).status)
	change("UPDATE section SET value = CAST('x[]' AS BLOB) WHERE source = 'zone/list'")
	require.Equal(t, 500, s.call("GET", path, nil).status)
	change("DELETE FROM section")
	gone := valid(t, s.call("GET", path, nil).body, keys.Key.Fingerprint)
	require.Equal(t, evidence.NotKept, gone.Manifest.Sections)
	change("DELETE FROM assessment_evidence")
	old := valid(t, s.call("GET", path, nil).body, keys.Key.Fingerprint)
	require.Equal(t, evidence.NotRecorded, old.Manifest.Saved.State)
	require.Equal(t, evidence.NotRecorded, old.Manifest.Policy)
}

// canaries are the credentials the simulation knows.
func canaries(s *system) []string {
	var out []string
	for _, token := range s.cloud.Tokens() {
		out = append(out, token.Secret)
	}
	return out
}

func valid(t *testing.T, b []byte, fingerprint string) evidence.Report {
	t.Helper()
	report, err := evidence.Verify(bytes.NewReader(b), evidence.Options{Fingerprint: fingerprint})
	require.NoError(t, err)
	return report
}

// TestSweepEvidenceOfTheDemo says so, and of an assessment an older version saved it gives
// what it read when it is sure of it.
func TestSweepEvidenceOfTheDemo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	dir := t.TempDir()
	s := &system{t: t}
	s.open([]string{"DATA_DIR=" + dir, "SERVICE_DNS_RESOLVER=off"})
	var a struct {
		ID string
	}
	require.Eventually(t, func() bool { // the demo's own first run is 409 until it ends
		got := s.call("POST", "/api/assess", map[string]any{"checks": []string{"CFL-DNS-001"}})
		got.into(t, &a)
		return got.status == 200
	}, time.Minute, 50*time.Millisecond)
	require.NotEmpty(t, a.ID)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "edgeposture.db")+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.ExecContext(t.Context(), "DELETE FROM assessment_evidence")
	require.NoError(t, err)
	b := s.call("GET", "/api/assessments/"+a.ID+"/evidence", nil).body
	report := valid(t, b, "")
	require.True(t, report.Manifest.Assessment.Demo)
	require.False(t, report.Trusted)
	require.Equal(t, evidence.Included, report.Manifest.Sections)
	raw, err := json.Marshal(report.Manifest)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"demo":true`)
}

// TestSweepPackedRuns opens the data of a service two hours later, when what its run has read is
// packed: whatever is asked of the run has the same answer, to the byte.
func TestSweepPackedRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cloud, url := simulate(t, simcloud.Options{Seed: 21, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 3, Plant: 0.4}}})
	s := &system{t: t, cloud: cloud}
	environ := []string{"DATA_DIR=" + dir, "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret,
		"SERVICE_DNS_RESOLVER=off", "CLOUDFLARE_REQUESTS_PER_5M=1000000"}
	closeNow := s.openAt(environ, time.Now)
	s.assessed()
	a := s.assessed()
	paths := []string{"/api/assessments/" + a.ID + "?result=all", "/api/assessments/" + a.ID + "/evidence",
		"/api/posture/graph?assessmentId=" + a.ID, "/api/assessments/" + a.ID + "/findings"}
	var before [][]byte
	for _, path := range paths {
		got := s.call("GET", path, nil)
		require.Equal(t, 200, got.status, path+string(got.body))
		before = append(before, got.body)
	}
	closeNow()

	s.openAt(environ, func() time.Time { return time.Now().Add(2 * time.Hour) })
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "edgeposture.db")+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.Eventually(t, func() bool {
		var rows int
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM section").Scan(&rows))
		return rows == 0
	}, 20*time.Second, 20*time.Millisecond)
	for i, path := range paths {
		require.Equal(t, before[i], s.call("GET", path, nil).body, path)
	}
	var replay struct{ Same bool }
	s.call("POST", "/api/replay", map[string]any{"assessmentId": a.ID}).into(t, &replay)
	require.True(t, replay.Same)

	// What of it is damaged is never signed.
	_, err = db.ExecContext(t.Context(), "UPDATE piece SET value = zeroblob(9) WHERE no = (SELECT MAX(no) FROM piece WHERE length(facts) = 0)")
	require.NoError(t, err)
	damaged := s.call("GET", paths[1], nil)
	require.Equal(t, 500, damaged.status)
	require.Contains(t, string(damaged.body), "does not match what was saved")
}
