package jobs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/deliver"
	"github.com/edgeposture/edgeposture/internal/delivery/ticket/tickettest"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

func (m *mortal) AlertNow(ctx context.Context, id string) (store.AlertRow, store.AlertMessage, int64, error) {
	if m.dead.Load() {
		return store.AlertRow{}, store.AlertMessage{}, 0, errKilled
	}
	return m.Store.AlertNow(ctx, id)
}

func (m *mortal) BeginAlert(ctx context.Context, id string, a store.AlertMessage, any bool) error {
	if m.dead.Load() {
		return errKilled
	}
	return m.Store.BeginAlert(ctx, id, a, any)
}

func (m *mortal) EndAlert(ctx context.Context, id, job string, now time.Time) error {
	if m.dead.Load() {
		return errKilled
	}
	return m.Store.EndAlert(ctx, id, job, now)
}

func (m *mortal) FailAlert(ctx context.Context, id, problem string) error {
	if m.dead.Load() {
		return errKilled
	}
	return m.Store.FailAlert(ctx, id, problem)
}

func (m *mortal) MarkDelivery(ctx context.Context, d posture.Delivery, attempt int, progress []byte) error {
	if m.dead.Load() {
		return errKilled
	}
	return m.Store.MarkDelivery(ctx, d, attempt, progress)
}

// inbound is a receiver of webhooks that takes each message once, by its id, and fails as the tracker does.
type inbound struct {
	w    *tracked
	down atomic.Bool
	mu   sync.Mutex
	ids  map[string]string // what came under each id
	told []string          // event and check, in order
	odd  []string          // what must not be
}

func (in *inbound) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := in.w.fault()
	if in.down.Load() || fault == tickettest.Before || fault == tickettest.Busy {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	in.take(r.Header.Get("Webhook-Id"), string(raw))
	if fault != tickettest.None {
		w.WriteHeader(http.StatusBadGateway)
	}
}

func (in *inbound) take(id, body string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if was, again := in.ids[id]; again {
		if was != body {
			in.odd = append(in.odd, "another message came under the id "+id)
		}
		return
	}
	in.ids[id] = body
	var doc map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		in.odd = append(in.odd, err.Error())
	}
	for _, e := range posture.AlertEvents() {
		var list struct {
			Issues []struct{ CheckID string }
		}
		_ = json.Unmarshal(doc[string(e)], &list)
		for _, i := range list.Issues {
			in.told = append(in.told, string(e)+" "+i.CheckID)
		}
	}
}

// alerted is tracked with a rule that sends to a webhook.
func alerted(t *testing.T, seed uint64) (*tracked, *inbound, func()) {
	t.Helper()
	w := newTracked(t, "github", seed)
	in := &inbound{w: w, ids: map[string]string{}}
	server := httptest.NewServer(in)
	t.Cleanup(server.Close)
	w.set(map[string]string{"ticketKind": "", "webhookUrl": server.URL, "webhookSecret": "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})
	key, err := secret.NewKey(bytes.NewReader(bytes.Repeat([]byte{7}, 32)))
	require.NoError(t, err)
	w.does = func(s store.Store, client outbound.Doer) work.Kind {
		return jobs.Alert{Notify: jobs.Notify{Store: s, Settings: w.kind.Settings, Client: client, Key: key, Now: w.now,
			Deliver: &deliver.Runner{Ledger: s, Now: w.now, NewID: uuid.NewString, Jitter: func() float64 { return 0 },
				Sleep: func(ctx context.Context, d time.Duration) error { w.pass(d); return ctx.Err() }}},
			Title: func(id string) string { return "good " + id }}
	}
	require.NoError(t, w.store.AddAlertRule(t.Context(), store.AlertRow{AlertRule: posture.AlertRule{ID: uuid.NewString(), Name: "all",
		Events: posture.AlertEvents(), Severity: posture.Low, Channel: "webhook", TimeZone: "UTC", CreatedAt: w.now()}, WakeAt: w.now()}))
	scheduler := jobs.Scheduler{Accounts: w.store, Schedules: w.store, Alerts: w.store, Now: w.now, NewID: uuid.NewString,
		Notify: func(context.Context, store.JobRow) error { return nil }}
	return w, in, func() { require.NoError(t, scheduler.Sweep(t.Context())) }
}

// TestSweepAlertsOnce lets issues open, resolve and return, while the receiver fails one call in five, before or after it has taken the
// message, and workers are stopped and killed at any call. What was told of an issue is: opened, resolved, opened, and so on, and in the
// end what is so.
func TestSweepAlertsOnce(t *testing.T) {
	runs := 400
	if testing.Short() {
		runs = 60
	}
	w, in, sweep := alerted(t, 9)
	w.faulty = true
	results := slices.Repeat([]posture.Result{posture.Pass}, 12)
	for range runs {
		w.vary(results)
		w.run(results)
		for range w.upTo(3) {
			sweep()
			w.work(2)
			w.pass(time.Duration(w.upTo(400)) * time.Second)
		}
	}
	for range 3 { // the job that is unfinished, and what came since
		w.settled()
		sweep()
	}
	w.settled()
	require.Empty(t, in.odd)
	open := map[string]bool{}
	for _, line := range in.told {
		var event, check string
		_, err := fmt.Sscanf(line, "%s %s", &event, &check)
		require.NoError(t, err)
		switch event {
		case "opened":
			require.False(t, open[check], "%s was told to be open twice", check)
			open[check] = true
		case "resolved":
			require.True(t, open[check], "%s was told to be resolved and not to be open before", check)
			open[check] = false
		case "overdue": // told beside
		default:
			t.Fatal(line)
		}
	}
	all, err := w.store.LatestIssues(t.Context(), store.IssueScope{}, w.now())
	require.NoError(t, err)
	is := map[string]bool{}
	for _, i := range all {
		is[i.CheckID] = i.State == issue.Open
	}
	for n, result := range results {
		if result != posture.Unknown { // what cannot be read stays as it was told
			require.Equal(t, is[check(n)], open[check(n)], check(n))
		}
	}
	t.Logf("%d runs, %d messages, %d events", runs, len(in.ids), len(in.told))
	require.Greater(t, len(in.told), runs/4)
}

// TestAlertThatArrivesADayLater: what became overdue while a message of the day before waited is told by the next one.
func TestAlertThatArrivesADayLater(t *testing.T) {
	w, in, sweep := alerted(t, 1)
	settle := func() {
		sweep()
		w.settled()
	}
	w.run([]posture.Result{posture.Fail, posture.Fail})
	settle()
	w.pass(30*24*time.Hour + 11*time.Hour) // an hour before the end of the day on which both are due
	in.down.Store(true)
	w.run([]posture.Result{posture.Fail, posture.Pass})
	sweep()
	w.work(1)
	w.pass(2 * time.Hour)
	in.down.Store(false)
	settle()
	w.pass(24 * time.Hour)
	settle()
	require.Equal(t, []string{"opened CFL-TST-000", "opened CFL-TST-001", "resolved CFL-TST-001", "overdue CFL-TST-000"}, in.told)
}

// TestAlertWaitsOutQuietHours: a message that could not be delivered before the quiet hours, or whose job comes late, wakes
// nobody in them.
func TestAlertWaitsOutQuietHours(t *testing.T) {
	for name, tries := range map[string]int{"made and not delivered": 1, "not made": 0} {
		t.Run(name, func(t *testing.T) {
			w, in, sweep := alerted(t, 1)
			all, err := w.store.AlertRules(t.Context())
			require.NoError(t, err)
			rule, at := all[0], func(d time.Duration) string { return w.now().Add(d).Format("15:04") }
			rule.Quiet = &posture.QuietHours{From: at(10 * time.Minute), To: at(8 * time.Hour)}
			require.NoError(t, w.store.ChangeAlertRule(t.Context(), rule))
			w.run([]posture.Result{posture.Fail, posture.Fail})
			sweep()
			in.down.Store(true)
			w.work(tries)
			in.down.Store(false)
			w.pass(time.Hour)
			w.work(1)
			require.Empty(t, in.told)
			w.pass(7 * time.Hour)
			w.settled()
			require.Equal(t, []string{"opened " + check(0), "opened " + check(1)}, in.told)
		})
	}
}

// TestAlertOfWhatIsNoLongerAccepted: on the day after an exception expired, what it accepted is told, once.
func TestAlertOfWhatIsNoLongerAccepted(t *testing.T) {
	w, in, sweep := alerted(t, 1)
	results := []posture.Result{posture.Fail, posture.Fail}
	w.run(results)
	sweep()
	w.settled()
	in.told = nil
	end := w.now().Add(5 * 24 * time.Hour)
	_, _, err := w.store.AddException(t.Context(), posture.Exception{ID: uuid.NewString(), Reason: "known", Owner: "ops", CreatedAt: w.now(),
		Match: posture.ExceptionMatch{CheckIDs: []string{check(0)}}, ExpiresAt: &end}, "", "")
	require.NoError(t, err)
	for range 8 {
		w.run(results)
		sweep()
		w.settled()
		if w.now().Before(end) {
			require.Empty(t, in.told)
		}
		w.pass(24 * time.Hour)
	}
	require.Equal(t, []string{"returned " + check(0)}, in.told)
}

// TestANewAlertRuleStartsFromNow: what came back earlier on the day on which a rule was made is not told by it.
func TestANewAlertRuleStartsFromNow(t *testing.T) {
	w, in, sweep := alerted(t, 1)
	w.run([]posture.Result{posture.Fail, posture.Fail})
	for n, ends := range []time.Duration{time.Hour, 3 * time.Hour} {
		end := w.now().Add(ends)
		_, _, err := w.store.AddException(t.Context(), posture.Exception{ID: uuid.NewString(), Reason: "known", Owner: "ops",
			CreatedAt: w.now(), Match: posture.ExceptionMatch{CheckIDs: []string{check(n)}}, ExpiresAt: &end}, "", "")
		require.NoError(t, err)
	}
	w.pass(2 * time.Hour)
	all, err := w.store.AlertRules(t.Context())
	require.NoError(t, err)
	require.NoError(t, w.store.DeleteAlertRule(t.Context(), all[0].ID))
	made := all[0]
	made.ID, made.CreatedAt, made.WakeAt = uuid.NewString(), w.now(), w.now()
	require.NoError(t, w.store.AddAlertRule(t.Context(), made))
	w.pass(24 * time.Hour)
	sweep()
	w.settled()
	require.Equal(t, []string{"returned " + check(1)}, in.told)
}
