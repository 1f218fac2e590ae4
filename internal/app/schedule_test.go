package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func (s *system) schedule(body any) (info httpapi.ScheduleInfo) {
	s.t.Helper()
	got := s.call("POST", "/api/schedules", body)
	require.Equal(s.t, 201, got.status, string(got.body))
	got.into(s.t, &info)
	require.Equal(s.t, "/api/schedules/"+info.ID, got.header.Get("Location"))
	return info
}

// TestSchedulesOverTheAPI creates, reads, changes, runs and deletes schedules.
func TestSchedulesOverTheAPI(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	account := s.account("default")
	plain := s.schedule(map[string]any{"cron": "@daily"})
	require.Equal(t, account.ID, plain.Account)
	require.Equal(t, "UTC", plain.TimeZone)
	require.Equal(t, posture.OverlapSkip, plain.Overlap)
	require.Equal(t, posture.MissedSkip, plain.Missed)
	require.Nil(t, plain.LastRun)
	require.Len(t, plain.NextRuns, 5)
	for i, at := range plain.NextRuns {
		require.Zero(t, at.Hour()+at.Minute())
		require.True(t, i == 0 || at.Sub(plain.NextRuns[i-1]) == 24*time.Hour)
	}
	full := s.schedule(map[string]any{"account": account.Name, "cron": "30 5 * * 1-5", "timeZone": "Europe/Berlin", "jitterSeconds": 600,
		"overlap": "queue", "missed": "once", "request": map[string]any{"checks": []string{"CFL-TOK-001"}, "note": "each morning"},
		"afterRun": map[string]any{"ship": "file"}})
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for _, at := range full.NextRuns {
		require.Equal(t, "05:30", at.In(berlin).Format("15:04"))
		require.NotContains(t, []time.Weekday{time.Saturday, time.Sunday}, at.In(berlin).Weekday())
	}
	var list struct{ Items []httpapi.ScheduleInfo }
	s.get("/api/schedules?account=default", &list)
	require.Equal(t, []httpapi.ScheduleInfo{full, plain}, list.Items)
	var one httpapi.ScheduleInfo
	s.get("/api/schedules/"+full.ID, &one)
	require.Equal(t, full, one)

	path := "/api/schedules/" + full.ID
	change := func(body any) (info httpapi.ScheduleInfo) {
		got := s.call("PATCH", path, body)
		require.Equal(t, 200, got.status, string(got.body))
		got.into(t, &info)
		return info
	}
	noted := change(`{"jitterSeconds":0,"afterRun":{}}`)
	require.Nil(t, noted.AfterRun)
	require.Zero(t, noted.JitterSeconds)
	require.Equal(t, full.NextRuns, noted.NextRuns)
	require.Empty(t, change(`{"paused":true}`).NextRuns)
	resumed := change(`{"paused":false,"cron":"0 * * * *"}`)
	require.Equal(t, time.Hour, resumed.NextRuns[1].Sub(resumed.NextRuns[0]))
	require.Equal(t, "each morning", resumed.Request.Note)

	got := s.call("POST", path+"/run", nil)
	require.Equal(t, 202, got.status, string(got.body))
	require.Empty(t, got.header.Get("Preference-Applied"), "none was named")
	var j posture.Job
	got.into(t, &j)
	require.Equal(t, full.ID, j.ScheduleID)
	eventually(t, 20*time.Second, "the run ends", func() bool {
		s.get("/api/jobs/"+j.ID, &j)
		return j.State == posture.JobSucceeded
	})
	account = s.account("default") // a run has told the id that Cloudflare gives it
	for _, name := range []string{account.Name, account.ID, account.ProviderID} {
		s.get("/api/schedules?account="+name, &list)
		require.Len(t, list.Items, 2, name)
	}
	require.Equal(t, 422, s.call("GET", "/api/schedules?account=nobody", nil).status)
	require.Equal(t, 200, s.call("POST", path+"/run", nil, "Prefer", "wait=60").status)
	require.Equal(t, 204, s.call("DELETE", path, nil).status)
	for _, method := range []string{"GET", "DELETE"} {
		require.Equal(t, 404, s.call(method, path, nil).status)
	}
	require.Equal(t, 404, s.call("POST", path+"/run", nil).status)
	require.Equal(t, 404, s.call("PATCH", path, `{}`).status)
	require.Equal(t, 204, s.call("DELETE", "/api/accounts/default", nil).status)
	require.Equal(t, 404, s.call("GET", "/api/schedules/"+plain.ID, nil).status, "schedules go with their account")
}

// TestSchedulesRefuse names what is wrong and where.
func TestSchedulesRefuse(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	made := s.schedule(map[string]any{"cron": "@daily"})
	for body, where := range map[string]string{
		`{}`: "body", `{"cron":""}`: "body.cron", `{"cron":"* * * *"}`: "body.cron", `{"cron":"@every 5m"}`: "body.cron",
		`{"cron":"0 0 31 2 *"}`:       "body.cron",
		`{"cron":"TZ=UTC * * * * *"}`: "body.cron", `{"cron":"@daily","timeZone":"Mars/Olympus"}`: "body.timeZone",
		`{"cron":"@daily","timeZone":"Local"}`:   "body.timeZone",
		`{"cron":"@daily","jitterSeconds":3601}`: "body.jitterSeconds", `{"cron":"@daily","jitterSeconds":-1}`: "body.jitterSeconds",
		`{"cron":"@daily","overlap":"both"}`: "body.overlap",
		`{"cron":"@daily","missed":"all"}`:   "body.missed", `{"cron":"@daily","request":{"checks":["NOPE"]}}`: "body.request.checks[0]",
		`{"cron":"@daily","request":{"zones":["["]}}`: "body.request.zones[0]", `{"cron":"@daily","request":{"token":"x"}}`: "body.request",
		`{"cron":"@daily","odd":1}`:                       "body",
		`{"cron":"@daily","afterRun":{"ship":"nowhere"}}`: "body.afterRun.ship",
	} {
		p := problem(t, s.call("POST", "/api/schedules", body))
		require.Equal(t, 422, p.Status, body)
		require.NotEmpty(t, p.Errors, body)
		require.Contains(t, p.Errors[0].Location, where, body)
	}
	require.Equal(t, 404, s.call("POST", "/api/schedules", `{"cron":"@daily","account":"nobody"}`).status)
	require.Equal(t, 422, s.call("PATCH", "/api/schedules/"+made.ID, `{"cron":"nonsense"}`).status)
	require.Equal(t, 422, s.call("GET", "/api/schedules/not-an-id", nil).status)
	require.Equal(t, 422, s.call("GET", "/api/schedules?cursor=x", nil).status)
	var again httpapi.ScheduleInfo
	s.get("/api/schedules/"+made.ID, &again)
	require.Equal(t, made, again, "a refused change changes nothing")
}
