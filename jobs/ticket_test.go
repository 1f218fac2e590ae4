package jobs_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/ticket"
	"github.com/edgeposture/edgeposture/internal/delivery/ticket/tickettest"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/sqlite"
	"github.com/edgeposture/edgeposture/jobs"
)

// tracked is a store whose runs are made up, with workers that do ticket jobs and a simulated tracker. Time passes when the test says.
type tracked struct {
	t       *testing.T
	store   store.Store
	kind    jobs.Ticket
	client  *outbound.Client
	tickets func() []tickettest.Ticket
	does    func(s store.Store, client outbound.Doer) work.Kind // what a worker does with a job
	clock   atomic.Int64

	mu     sync.Mutex
	random *mathrand.Rand
	faulty bool
	known  map[string]posture.FindingState
}

const account = "0123456789abcdef0123456789abcdef"

func (w *tracked) now() time.Time { return time.UnixMicro(w.clock.Load()).UTC() }

func (w *tracked) pass(d time.Duration) { w.clock.Add(d.Microseconds()) }

func (w *tracked) chance(percent int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.faulty && w.random.IntN(100) < percent
}

func (w *tracked) upTo(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.IntN(n)
}

// fault fails one call in five, before or after it was done.
func (w *tracked) fault() tickettest.Fault {
	if !w.chance(20) {
		return tickettest.None
	}
	return []tickettest.Fault{tickettest.Before, tickettest.After, tickettest.Cut, tickettest.Busy}[w.upTo(4)]
}

func newTracked(t *testing.T, kind string, seed uint64) *tracked {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	w := &tracked{t: t, store: s, random: mathrand.New(mathrand.NewPCG(seed, 1)), known: map[string]posture.FindingState{},
		client: outbound.New(outbound.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MaxBody: 4 << 20})}
	t.Cleanup(w.client.Close)
	w.clock.Store(time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC).UnixMicro())
	key, err := secret.NewKey(bytes.NewReader(bytes.Repeat([]byte{7}, 32)))
	require.NoError(t, err)
	w.kind = jobs.Ticket{Store: s, Client: w.client, Now: w.now, Dashboard: "https://posture.example",
		Settings: setting.New(setting.Options{Path: filepath.Join(t.TempDir(), "settings.json"), Key: key, Random: rand.Reader, Numbers: s})}
	w.does = func(s store.Store, client outbound.Doer) work.Kind {
		k := w.kind
		k.Store, k.Client = s, client
		return k
	}
	values := map[string]string{"ticketKind": kind, "ticketFrom": "low", "ticketClose": "true"}
	if kind == "github" {
		g := tickettest.NewGitHub(t, "owner/name", "canary-token")
		g.Fault, w.tickets = w.fault, g.Tickets
		values["githubUrl"], values["githubRepository"], values["githubToken"] = g.Start(t), g.Repository, g.Token
	} else {
		j := tickettest.NewJira(t, "SEC", "ann@example.com", "canary-token")
		j.Fault, w.tickets, j.Now, j.Lag = w.fault, j.Tickets, w.now, 40*time.Second
		values["jiraUrl"], values["jiraProject"], values["jiraEmail"], values["jiraToken"] = j.Start(t), j.Project, j.Email, j.Token
	}
	w.set(values)
	return w
}

func (w *tracked) set(values map[string]string) {
	w.t.Helper()
	raw, err := json.Marshal(values)
	require.NoError(w.t, err)
	_, err = w.kind.Settings.Change(w.t.Context(), raw)
	require.NoError(w.t, err)
}

func check(n int) string { return fmt.Sprintf("CFL-TST-%03d", n) }

// run saves a run in which each check has a result, and what follows it.
func (w *tracked) run(results []posture.Result) string {
	w.t.Helper()
	w.pass(time.Second)
	at := w.now()
	id, assessment := uuid.NewString(), uuid.NewString()
	_, err := w.store.Enqueue(w.t.Context(), store.NewJob{ID: id, Kind: posture.JobAssess, Queue: "scheduled", Arguments: []byte("{}"),
		CreatedAt: at})
	require.NoError(w.t, err)
	row, err := w.store.Claim(w.t.Context(), id, "test", at, time.Minute)
	require.NoError(w.t, err)
	in := store.SaveAssessment{JobID: id, Attempt: row.Attempt, Now: at}
	in.Assessment.AssessmentSummary = posture.AssessmentSummary{ID: assessment, JobID: id, Status: posture.Completed, StartedAt: at,
		CompletedAt: at, Account: posture.AccountRef{ID: account, Name: "Main"}}
	for n, result := range results {
		f := posture.Finding{CheckID: check(n), CheckTitle: "Check", Category: posture.Categories()[0], Severity: posture.High, Result: result,
			Resource: posture.Resource{Type: posture.ResourceZone, ID: "z", Name: "@ops <b>z</b>", ZoneID: "z", Zone: "z.example"}, Why: "why",
			Fix: "fix", Message: "seen", AttackPathIDs: []string{}, LastSeen: at}
		f.ID = posture.FindingID(account, f.CheckID, f.Resource.Type, f.Resource.ID)
		st, known := w.known[f.ID]
		if !known {
			st = posture.FindingState{FindingID: f.ID, FirstSeen: at, Status: posture.StatusOpen}
		}
		switch {
		case result == posture.Pass:
			st.Status = posture.StatusResolved
		case issue.Counts(result) && known && st.Status == posture.StatusResolved:
			if st.Status = posture.StatusReopened; !st.Opened {
				st.Status = posture.StatusOpen
			}
		}
		st.Result, st.LastSeen, st.Opened = result, at, st.Opened || issue.Counts(result)
		f.FirstSeen, f.Status = st.FirstSeen, st.Status
		w.known[f.ID] = st
		in.Assessment.Findings, in.States = append(in.Assessment.Findings, f.Worded()), append(in.States, st)
	}
	in.Then, err = w.kind.After(w.t.Context(), nil, "", assessment, uuid.NewString(), at)
	require.NoError(w.t, err)
	require.NoError(w.t, w.store.Save(w.t.Context(), in))
	return assessment
}

// vary changes one result in six.
func (w *tracked) vary(results []posture.Result) {
	for i := range results {
		if w.upTo(6) == 0 {
			results[i] = []posture.Result{posture.Pass, posture.Pass, posture.Fail, posture.Warning, posture.Unknown}[w.upTo(5)]
		}
	}
}

// mortal is a store that a killed worker reaches no more.
type mortal struct {
	store.Store
	dead atomic.Bool
}

var errKilled = errors.New("killed")

func (m *mortal) TakeTicket(ctx context.Context, id, kind string, now, until time.Time) (store.TicketRow, error) {
	if m.dead.Load() {
		return store.TicketRow{}, errKilled
	}
	return m.Store.TakeTicket(ctx, id, kind, now, until)
}

func (m *mortal) KeepTicket(ctx context.Context, t store.TicketRow, now time.Time, back bool) error {
	if m.dead.Load() {
		return errKilled
	}
	return m.Store.KeepTicket(ctx, t, now, back)
}

// dying is a client whose worker is stopped, or killed, before or after some calls.
type dying struct {
	w    *tracked
	m    *mortal
	stop context.CancelFunc
}

func (d dying) Do(req *http.Request) (*outbound.Response, error) {
	ends := d.w.chance(3)
	first, kill := d.w.upTo(2) == 0, d.w.upTo(2) == 0
	end := func() {
		d.m.dead.Store(kill)
		d.stop()
	}
	if ends && first {
		end()
	}
	resp, err := d.w.client.Do(req)
	if ends && !first {
		end()
		return nil, context.Canceled
	}
	return resp, err
}

// attempt does what the worker of package queue does with a job.
func (w *tracked) attempt(id string) {
	now := w.now()
	row, err := w.store.Claim(w.t.Context(), id, "worker", now, 2*time.Minute)
	if errors.Is(err, store.ErrNotClaimable) {
		return
	}
	require.NoError(w.t, err)
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	m := &mortal{Store: w.store}
	out, err := w.does(m, dying{w, m, stop}).Work(ctx, work.Attempt{Row: row, Progress: func(posture.Progress) {}})
	later, waits := errors.AsType[*posture.LaterError](err)
	problem, fails := errors.AsType[*posture.Problem](err)
	switch now := w.now(); {
	case m.dead.Load():
		return // its lease ends
	case ctx.Err() != nil:
		err = w.store.Release(w.t.Context(), id, row.Attempt, now)
	case err == nil:
		err = w.store.Finish(w.t.Context(), id, row.Attempt, posture.JobSucceeded, out.Result, nil, now)
	case waits:
		err = w.store.Release(w.t.Context(), id, row.Attempt, later.At)
	case fails:
		err = w.store.Finish(w.t.Context(), id, row.Attempt, posture.JobFailed, nil, problem, now)
	}
	if err != nil && !errors.Is(err, store.ErrFenced) {
		w.t.Errorf("the job ends with %v", err)
	}
}

// work has some workers do what is due.
func (w *tracked) work(workers int) {
	w.t.Helper()
	require.NoError(w.t, w.store.Recover(w.t.Context(), w.now()))
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range 20 {
				due, err := w.store.Due(w.t.Context(), "delivery", w.now(), 5)
				if err != nil || len(due) == 0 {
					return
				}
				w.attempt(due[w.upTo(len(due))])
			}
		})
	}
	all.Wait()
}

// settled works without faults until nothing is left to do.
func (w *tracked) settled() {
	w.t.Helper()
	w.mu.Lock()
	w.faulty = false
	w.mu.Unlock()
	for range 500 {
		w.work(2)
		open, _, err := w.store.Jobs(w.t.Context(), store.JobFilter{States: []posture.JobState{posture.JobQueued, posture.JobRunning}},
			store.Page{Limit: 1})
		require.NoError(w.t, err)
		if len(open) == 0 {
			return
		}
		w.pass(6 * time.Minute)
	}
	w.t.Fatal("jobs do not end")
}

// TestSweepTicketsOnce lets issues open, resolve and return over many runs, while the tracker fails one call in five, before or after it
// has acted, and workers are stopped and killed at any call. In the end each issue has one ticket, in the right state, and nothing was
// said twice.
func TestSweepTicketsOnce(t *testing.T) {
	runs := 500
	if testing.Short() {
		runs = 40
	}
	for _, kind := range []string{"github", "jira"} {
		t.Run(kind, func(t *testing.T) {
			w := newTracked(t, kind, 5)
			w.faulty = true
			results := slices.Repeat([]posture.Result{posture.Pass}, 12)
			for range runs {
				w.vary(results)
				w.run(results)
				for range w.upTo(3) {
					w.work(2)
					w.pass(time.Duration(w.upTo(400)) * time.Second)
				}
			}
			w.settled()
			for i := range results {
				if results[i] == posture.Unknown {
					results[i] = posture.Fail
				}
			}
			w.run(results)
			w.settled()
			w.holds(results, runs)
		})
	}
}

// holds compares the tracker with the issues.
func (w *tracked) holds(results []posture.Result, runs int) {
	w.t.Helper()
	rows, err := w.store.Tickets(w.t.Context(), nil, nil)
	require.NoError(w.t, err)
	at, of := w.tickets(), map[string]int{}
	for i := range at {
		require.Len(w.t, at[i].Labels, 1)
		require.Zero(w.t, of[at[i].Labels[0]], "%s has two tickets", at[i].Labels[0])
		of[at[i].Labels[0]] = i + 1
	}
	made, notes := 0, 0
	for n, result := range results {
		id := issue.ID(account, check(n))
		k := slices.IndexFunc(rows, func(r store.TicketRow) bool { return r.IssueID == id })
		require.True(w.t, k >= 0 || result == posture.Pass, "%s has no ticket", check(n))
		if k < 0 || rows[k].Key == "" {
			require.Equal(w.t, posture.Pass, result)
			require.Zero(w.t, of[ticket.Marker(id)], "%s has a ticket that nobody knows of", check(n))
			continue
		}
		row := rows[k]
		require.Empty(w.t, row.Problem)
		require.NotZero(w.t, of[ticket.Marker(id)])
		is := at[of[ticket.Marker(id)]-1]
		require.Equal(w.t, is.Key, row.Key)
		require.Equal(w.t, result == posture.Pass, is.Closed, "%s is %s", row.Key, result)
		require.Equal(w.t, is.Closed, row.State == issue.TicketClosed)
		require.Len(w.t, is.Comments, row.Notes, row.Key)
		for i, c := range is.Comments {
			require.Contains(w.t, c, fmt.Sprintf("note-%d", i+1), "%s: a comment is there twice or is missing", row.Key)
			require.Equal(w.t, i%2 == 0, strings.Contains(c, "any more"))
		}
		events, err := w.store.IssueEvents(w.t.Context(), id, 1000)
		require.NoError(w.t, err)
		require.Len(w.t, slices.DeleteFunc(events, func(e store.IssueEvent) bool { return e.Kind != store.IssueTicket }), 1)
		made, notes = made+1, notes+row.Notes
	}
	require.Len(w.t, at, made, "tickets that belong to no issue")
	w.t.Logf("%d runs: %d issues with a ticket, %d at the tracker, %d comments; none lost, none doubled", runs, made, len(at), notes)
}
