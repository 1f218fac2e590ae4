package app_test

import (
	"context"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// ask sends a call of the page of outages and gives the status of its answer.
func (p *plant) ask(method, path, body string) int {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, p.apis[0].url+path, strings.NewReader(body))
	require.NoError(p.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Prefer", "wait=2")
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(p.t, err, path)
	require.NoError(p.t, resp.Body.Close())
	return resp.StatusCode
}

// word is what the page calls a status.
func word(status int) string {
	switch status {
	case 200, 201:
		return "works"
	case 202:
		return "202"
	case 502:
		return "502"
	case 503:
		return "503"
	default:
		return http.StatusText(status)
	}
}

// all asks several things of one kind, which must end alike.
func (p *plant) all(paths ...string) string {
	p.t.Helper()
	words := make([]string, 0, len(paths))
	for _, path := range paths {
		words = append(words, word(p.ask("GET", path, "")))
	}
	return strings.Join(slices.Compact(words), " and ")
}

// cancel starts a run and cancels it.
func (p *plant) cancel(account string) string {
	p.t.Helper()
	got := p.apis[0].call("POST", "/api/assess", map[string]any{"account": account}, "Prefer", "respond-async")
	if got.status != http.StatusAccepted {
		return word(got.status)
	}
	var j posture.Job
	got.into(p.t, &j)
	return word(p.ask("POST", "/api/jobs/"+j.ID+"/cancel", "{}"))
}

// situations are what the page lists, with what is seen of them while something is away.
func (p *plant) situations(ended func() bool) map[string]func() string {
	get := func(paths ...string) func() string { return func() string { return p.all(paths...) } }
	post := func(method, path, body string) func() string {
		return func() string { return word(p.ask(method, path, body)) }
	}
	return map[string]func() string{
		"opens the dashboard":                   get("/"),
		"asks `/healthz`":                       get("/healthz"),
		"asks `/readyz`":                        get("/readyz"),
		"asks `/api/health`":                    get("/api/health"),
		"reads an assessment":                   get("/api/assessment"),
		"reads findings, the graph, the report": get("/api/findings", "/api/posture/graph", "/report"),
		"downloads":                             get("/api/download/csv", "/api/download/sarif"),
		"lists jobs, accounts, schedules":       get("/api/jobs", "/api/accounts", "/api/schedules"),
		"makes a schedule":                      post("POST", "/api/schedules", `{"cron":"0 3 1 1 *"}`),
		"reads settings":                        get("/api/settings"),
		"changes settings":                      post("PUT", "/api/settings", `{"notifyThreshold":"high"}`),
		"starts a run":                          post("POST", "/api/assess", `{"account":"`+p.accounts[0]+`"}`),
		"cancels a run that waits":              func() string { return p.cancel(p.accounts[3]) },
		"has a run at work": func() string {
			if ended() {
				return "works"
			}
			return "waits"
		},
		"asks what the token may read": get("/api/accounts/" + p.accounts[1] + "/permissions"),
		"registers an account":         post("POST", "/api/accounts", `{"name":"another","token":"token-of-account-00000000000000000001"}`),
		"exports to a file":            post("POST", "/api/integrations/ship", `{"target":"file"}`),
	}
}

// page gives the first table of docs/outages.md: what is done, and what each column says of it.
func page(t *testing.T) (columns []string, rows map[string][]string) {
	t.Helper()
	raw, err := os.ReadFile("../../docs/outages.md")
	require.NoError(t, err)
	rows = map[string][]string{}
	meanings, _, _ := strings.Cut(string(raw), "\n## ")
	for line := range strings.SplitSeq(meanings, "\n") {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if columns == nil {
			columns = cells[1:]
			continue
		}
		require.Len(t, cells, len(columns)+1, line)
		rows[cells[0]] = cells[1:]
	}
	return columns, rows
}

// TestSweepOutagesPage holds every line of the page against a deployment.
func TestSweepOutagesPage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it waits for what answers late; the faults have a short part")
	}
	program(t)
	columns, rows := page(t)
	p := newPlant(t, 200)
	away := map[string]struct{ start, end func() }{
		"Redis is away":        {p.redis.Down, p.redis.Up},
		"the database is away": {func() { p.refuse(true) }, func() { p.refuse(false) }},
		"Cloudflare is away":   {func() { p.cloud.Outage(true) }, func() { p.cloud.Outage(false) }},
	}
	require.Len(t, away, len(columns))
	for n, column := range columns {
		require.Contains(t, away, column)
		release := p.cloud.Hold()
		got := p.apis[0].call("POST", "/api/assess", map[string]any{"account": p.accounts[2]}, "Prefer", "respond-async")
		require.Equal(t, 202, got.status)
		var run posture.Job
		got.into(t, &run)
		away[column].start()
		release()
		situations := p.situations(func() bool { return p.look(run.ID, &run) && run.State.Terminal() })
		require.ElementsMatch(t, slices.Collect(maps.Keys(rows)), slices.Collect(maps.Keys(situations)), "each line of the page is tried")
		var g sync.WaitGroup
		for what, see := range situations {
			g.Go(func() {
				if got := see(); !strings.HasPrefix(rows[what][n], got) {
					t.Errorf("%s while %s: %s, and the page says %s", what, column, got, rows[what][n])
				}
			})
		}
		g.Wait()
		away[column].end()
		p.end(map[string]string{p.accounts[2]: run.ID}, func(account string, _ posture.Job, v verdict) {
			require.Equal(t, p.quiet[account], v,
				column)
		})
		eventually(t, 2*time.Minute, "what waited ends", func() bool {
			var list struct{ Items []posture.Job }
			got, err := p.apis[0].try("/api/jobs?limit=20")
			if err != nil || got.status != 200 {
				return false
			}
			got.into(t, &list)
			return !slices.ContainsFunc(list.Items, func(j posture.Job) bool { return !j.State.Terminal() })
		})
	}
}
