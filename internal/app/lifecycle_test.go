package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

// provider sends one request to the simulated provider, as its owner.
func (s *system) provider(method, path, body string) (result struct{ ID string }) {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), method, "/client/v4"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+s.cloud.Tokens()[0].Secret)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.cloud.ServeHTTP(w, r)
	require.Equal(s.t, http.StatusOK, w.Code, w.Body.String())
	var envelope struct{ Result struct{ ID string } }
	require.NoError(s.t, json.Unmarshal(w.Body.Bytes(), &envelope))
	return envelope.Result
}

func twoZones() simcloud.Options {
	return simcloud.Options{Seed: 5, Limit: simcloud.Limit{Disabled: true}, Tokens: []simcloud.Token{{CanWrite: true}},
		Accounts: []simcloud.AccountSpec{{Zones: 2, RecordsPerZone: 4}}}
}

// Of the bodies of a record, CFL-DNS-008 finds the first and not the second.
const recordInside, recordOutside = `{"type":"A","name":"inside","content":"10.1.2.3","proxied":false,"ttl":1}`,
	`{"type":"A","name":"inside","content":"20.51.7.9","proxied":true,"ttl":1}`

// pointing opens a service for an account with the first of them, and gives what writes another body in its place.
func pointing(t *testing.T, environ ...string) (s *system, put func(body string)) {
	t.Helper()
	s = embedded(t, twoZones(), environ...)
	records := "/zones/" + s.cloud.ZoneIDs(s.cloud.Accounts()[0])[0] + "/dns_records"
	record := s.provider("POST", records, recordInside).ID
	return s, func(body string) { s.provider("PUT", records+"/"+record, body) }
}

// latest lists where findings stand now.
func (s *system) latest(query string) (items []store.LatestFinding) {
	s.t.Helper()
	got := s.call("GET", "/api/findings?"+query, nil)
	require.Equal(s.t, 200, got.status, string(got.body))
	var body struct{ Items []store.LatestFinding }
	got.into(s.t, &body)
	return body.Items
}

func (s *system) finding(id string) (f httpapi.FindingDetail) {
	s.t.Helper()
	s.get("/api/findings/"+id, &f)
	return f
}

// TestSweepLifecycle follows one bad record through runs that see it, that do not look,
// that cannot look, and that find it right.
func TestSweepLifecycle(t *testing.T) {
	t.Parallel()
	s := embedded(t, twoZones())
	zones := s.cloud.ZoneIDs(s.cloud.Accounts()[0])
	const check, query = "CFL-DNS-008", "check=CFL-DNS-008"
	run := func(body map[string]any) posture.Assessment {
		a := s.assessAll(body)
		require.Empty(t, a.Note)
		return a
	}
	run(map[string]any{})
	require.Empty(t, s.latest(query))
	require.NotEmpty(t, s.latest("result=PASS&"+query), "what passes is asked for by its result alone")
	require.Greater(t, len(s.latest("result=all&limit=1000")), len(s.latest("result=PASS&limit=1000")))
	require.Empty(t, s.latest("result=PASS&status=open&"+query))

	record := s.provider("POST", "/zones/"+zones[0]+"/dns_records", recordInside).ID
	first := run(map[string]any{})
	found := s.latest(query)
	require.Len(t, found, 1)
	id := found[0].ID
	require.Equal(t, record, found[0].Resource.ID)
	require.Equal(t, posture.StatusOpen, found[0].Status)
	require.Equal(t, first.ID, found[0].AssessmentID)
	require.Equal(t, first.StartedAt, found[0].FirstSeen)

	s.provider("PUT", "/zones/"+zones[0]+"/dns_records/"+record, recordOutside)
	for name, body := range map[string]map[string]any{"another zone": {"zones": []string{zones[1]}},
		"another check": {"checks": []string{"CFL-SSL-001"}}, "another category": {"categories": []string{"access"}}} {
		run(body)
		require.Equal(t, found, s.latest(query), name)
	}
	s.cloud.Deny("Zone: DNS Read")
	run(map[string]any{})
	s.cloud.Allow("Zone: DNS Read")
	require.Equal(t, found[0], s.finding(id).LatestFinding, "unreadable is not resolved")

	// ends counts how often receivers are told that the finding ended.
	ends := func(a posture.Assessment) (n int) {
		for format, word := range map[string]string{"asff": `"RecordState":"ARCHIVED"`, "ocsf": `"status":"Resolved"`} {
			file := s.call("GET", "/api/download/"+format+"?assessmentId="+a.ID, nil)
			require.Equal(t, 200, file.status, string(file.body))
			for one := range strings.SplitSeq(strings.ReplaceAll(string(file.body), `{"SchemaVersion"`, "\n"), "\n") {
				if strings.Contains(one, id) && strings.Contains(one, word) {
					n++
				}
			}
		}
		var shipped jobs.ShipResult
		s.call("POST", "/api/integrations/ship", map[string]any{"assessmentId": a.ID, "target": "file", "onlyChanges": true}).into(t, &shipped)
		for one := range strings.SplitSeq(string(s.call("GET", shipped.Files[1].URL, nil).body), "\n") {
			if strings.Contains(one, id) && strings.Contains(one, `"result":"PASS"`) {
				n++
			}
		}
		return n
	}
	require.Zero(t, ends(first))
	fixed := run(map[string]any{"zones": []string{zones[0]}, "checks": []string{check}})
	require.Equal(t, 3, ends(fixed))
	require.Empty(t, s.latest(query))
	f := s.finding(id)
	require.Equal(t, posture.StatusResolved, f.Status)
	require.Equal(t, posture.ResolutionFixed, f.Resolution)
	require.Equal(t, first.StartedAt, f.LastSeen)
	require.Equal(t, []store.Sighting{{AssessmentID: first.ID, At: first.CompletedAt, Result: posture.Fail}}, f.History)
	require.Len(t, s.latest("status=resolved&"+query), 1)

	s.provider("PUT", "/zones/"+zones[0]+"/dns_records/"+record, recordInside)
	again := run(map[string]any{})
	require.Zero(t, ends(again))
	f = s.finding(id)
	require.Equal(t, posture.StatusReopened, f.Status)
	require.Empty(t, f.Resolution)
	require.Equal(t, first.StartedAt, f.FirstSeen)
	require.Equal(t, again.StartedAt, f.LastSeen)
	require.Len(t, f.History, 2)
	require.Equal(t, again.ID, f.History[0].AssessmentID)

	s.provider("DELETE", "/zones/"+zones[0]+"/dns_records/"+record, "")
	require.Equal(t, 3, ends(run(map[string]any{})))
	require.Zero(t, ends(run(map[string]any{})), "the end is told once")
	require.Equal(t, posture.ResolutionDeleted, s.finding(id).Resolution)
	require.Empty(t, s.latest(query))

	require.Equal(t, 404, s.call("GET", "/api/findings/"+strings.Repeat("0", 32), nil).status)
	for _, bad := range []string{"/api/findings/x", "/api/findings?status=closed", "/api/findings?result=no", "/api/findings?cursor=x",
		"/api/findings?limit=0"} {
		require.Equal(t, 422, s.call("GET", bad, nil).status, bad)
	}
}

// shipped sends a run's changes to files, and notes in a receiver what each finding of a check came to.
func (s *system) shipped(a posture.Assessment, check string, receiver map[string]string) {
	s.t.Helper()
	var made jobs.ShipResult
	s.post(200, "/api/integrations/ship", map[string]any{"assessmentId": a.ID, "target": "file", "onlyChanges": true}).into(s.t, &made)
	for line := range strings.SplitSeq(string(s.call("GET", made.Files[1].URL, nil).body), "\n") {
		var sent struct {
			Event struct {
				SignatureID string `json:"signature_id"`
				Result      string
				FindingID   string `json:"finding_id"`
			}
		}
		if json.Unmarshal([]byte(line), &sent) == nil && sent.Event.SignatureID == check {
			receiver[sent.Event.FindingID] = sent.Event.Result
		}
	}
}

// TestChangesUndoNarrowedRuns: what a narrowed run shipped is taken back by the next run, although that run finds what the whole run
// before found.
func TestChangesUndoNarrowedRuns(t *testing.T) {
	t.Parallel()
	s, put := pointing(t)
	const check = "CFL-DNS-008"
	receiver := map[string]string{}
	whole, narrowed := map[string]any{}, map[string]any{"checks": []string{check}}
	s.shipped(s.assessAll(whole), check, receiver)
	id := s.latest("check=" + check)[0].ID
	for _, step := range []struct {
		body    string
		request map[string]any
		want    string
	}{{recordOutside, narrowed, "PASS"}, {recordInside, whole, "FAIL"}, {recordOutside, whole, "PASS"}, {recordInside, narrowed, "FAIL"},
		{recordOutside, whole, "PASS"}} {
		put(step.body)
		s.shipped(s.assessAll(step.request), check, receiver)
		require.Equal(t, step.want, receiver[id], "%v", step)
	}
}

// TestChangesTellWhatIsReadable: a receiver that has a finding as unknown learns what it is, also when it passes.
func TestChangesTellWhatIsReadable(t *testing.T) {
	t.Parallel()
	s := embedded(t, twoZones())
	zone := s.cloud.ZoneIDs(s.cloud.Accounts()[0])[0]
	const check, permission = "CFL-SSL-001", "Zone: Zone Settings Read"
	receiver, id := map[string]string{}, ""
	for _, step := range []struct {
		mode   string
		denied bool
		want   string
	}{{"flexible", false, "FAIL"}, {"strict", true, "UNKNOWN"}, {"strict", false, "PASS"}} {
		s.provider("PATCH", "/zones/"+zone+"/settings/ssl", `{"value":"`+step.mode+`"}`)
		if s.cloud.Allow(permission); step.denied {
			s.cloud.Deny(permission)
		}
		s.shipped(s.assessAll(map[string]any{"checks": []string{check}}), check, receiver)
		if id == "" {
			id = s.latest("result=FAIL&check=" + check)[0].ID
		}
		require.Equal(t, step.want, receiver[id])
	}
	require.Equal(t, posture.StatusResolved, s.finding(id).Status)
}

// TestARunGoesOnWithTheTokenItHas stops the service in the middle of a run and starts it with a token of another account:
// nothing of what the first token read may stand in what is saved.
func TestARunGoesOnWithTheTokenItHas(t *testing.T) {
	t.Parallel()
	o := simcloud.Options{Seed: 31, Limit: simcloud.Limit{Disabled: true}, Latency: 50 * time.Millisecond}
	for n := range 2 {
		id := fmt.Sprintf("%032x", 0xacc0+n)
		o.Accounts = append(o.Accounts, simcloud.AccountSpec{ID: id, Name: "account " + number(n), Zones: 3, RecordsPerZone: 4})
		o.Tokens = append(o.Tokens, simcloud.Token{Secret: fmt.Sprintf("token-of-account-%020d", n), User: fmt.Sprint("user-", n),
			Accounts: []string{id}})
	}
	cloud, url := simulate(t, o)
	dir, s := t.TempDir(), &system{t: t, cloud: cloud}
	open := func(token string) (closeNow func()) {
		return s.openAt([]string{"DATA_DIR=" + dir, "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + token, "SERVICE_DNS_RESOLVER=off"},
			time.Now)
	}
	closeNow := open(o.Tokens[0].Secret)
	var job posture.Job
	s.call("POST", "/api/assess", nil, "Prefer", "respond-async").into(t, &job)
	eventually(t, 10*time.Second, "some reads are done", func() bool { return cloud.Requests().Total > 40 })
	closeNow()
	open(o.Tokens[1].Secret)
	eventually(t, 60*time.Second, "the run ends", func() bool {
		s.get("/api/jobs/"+job.ID, &job)
		return job.State.Terminal()
	})
	require.Equal(t, posture.JobSucceeded, job.State, "%v", job.Error)
	var made posture.Assessment
	s.get("/api/assessments/"+job.AssessmentID, &made)
	require.Equal(t, o.Accounts[1].ID, made.Account.ID)
	require.Equal(t, s.assessed().TokenInfo.ID, made.TokenInfo.ID, "what is said of the token is about this one")
}
