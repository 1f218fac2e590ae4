package assess

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/budget"
	"github.com/edgeposture/edgeposture/internal/store"
)

// 7,000 reads take five waits of the limit, 25 minutes and 10 seconds, and that is said from the first report on, although the first
// 1,200 requests take a minute.
func TestFinishFollowsTheLimit(t *testing.T) {
	now := simNow()
	var last posture.Progress
	r := New(Options{Requests: Requests{Budget: budget.New(nil, budget.Options{})}, Process: Process{Now: func() time.Time { return now }}})
	m := r.progress(Run{Progress: func(p posture.Progress) { last = p }})
	m.phase("collect", "read", 0)
	require.Nil(t, last.ETASeconds, "nothing is known of the total")
	for _, at := range []struct {
		after time.Duration
		done  int
		left  time.Duration
	}{
		{time.Second, 20, 1509 * time.Second},
		{time.Minute, 1200, 1450 * time.Second},
		{20 * time.Minute, 5900, 310 * time.Second},
	} {
		now = simNow().Add(at.after)
		for range at.done - m.requests() {
			m.request()
		}
		m.done(at.done, 7000)
		require.NotNil(t, last.ETASeconds)
		require.Equal(t, int(at.left.Seconds()), *last.ETASeconds, at.done)
	}
}

// Without the limit only the pace tells, and not before a tenth is done.
func TestFinishFollowsThePace(t *testing.T) {
	now := simNow()
	var last posture.Progress
	r := New(Options{Requests: Requests{Budget: budget.New(nil, budget.Options{})}, Process: Process{Now: func() time.Time { return now }}})
	m := r.progress(Run{Progress: func(p posture.Progress) { last = p }})
	m.phase("collect", "read", 100)
	now = now.Add(10 * time.Second)
	m.done(9, 100)
	require.Nil(t, last.ETASeconds)
	m.done(20, 100)
	require.Equal(t, 40, *last.ETASeconds)
	m.done(100, 100)
	require.Nil(t, last.ETASeconds)
}

// A run that waits says for how long and what for, and its finish is that much later.
func TestWaitIsSaid(t *testing.T) {
	now := simNow()
	var last posture.Progress
	r := New(Options{Requests: Requests{Budget: budget.New(nil, budget.Options{})}, Process: Process{Now: func() time.Time { return now }}})
	m := r.progress(Run{Job: store.JobRow{Job: posture.Job{Progress: posture.Progress{Requests: 1200}}},
		Progress: func(p posture.Progress) { last = p }})
	m.phase("collect", "read", 100)
	require.Equal(t, 1200, last.Requests, "those of earlier attempts count")
	now = now.Add(10 * time.Second)
	m.done(9, 100)
	require.Nil(t, last.ETASeconds, "the requests of earlier attempts are not limited again")
	m.done(10, 100)
	require.Equal(t, 90, *last.ETASeconds, "a tenth tells")
	m.done(20, 100)
	m.waiting(10*time.Second, "for a reason")
	require.Equal(t, []any{11, "for a reason", 51}, []any{last.WaitingSeconds, last.Detail, *last.ETASeconds})
	m.done(15, 100)
	require.Equal(t, 20, last.Done, "what is done stays done")
	now = now.Add(10 * time.Second)
	last = posture.Progress{}
	m.flush()
	require.Equal(t, []any{0, "", 80}, []any{last.WaitingSeconds, last.Detail, *last.ETASeconds}, "the wait is over")
	m.queued(time.Second)
	require.Equal(t, "waiting for Cloudflare's request budget", last.Detail)

	m.phase("resolve", "name", 7000)
	require.Equal(t, []any{"resolve", "name", 0, 1200}, []any{last.Phase, last.Unit, last.Done, last.Requests})
	require.Nil(t, last.ETASeconds, "look-ups are under no limit")
}

// A run that was handed back goes on at what it had done, also when it is handed back again before it has read anything, and its
// finish follows from what this attempt does.
func TestProgressGoesOn(t *testing.T) {
	now := simNow()
	var last posture.Progress
	r := New(Options{Requests: Requests{Budget: budget.New(nil, budget.Options{})}, Process: Process{Now: func() time.Time { return now }}})
	before := posture.Progress{Phase: "collect", Unit: "read", Done: 50, Total: 100, Requests: 60, WaitingSeconds: 5, Detail: "waiting",
		ETASeconds: new(int)}
	m := r.progress(Run{Job: store.JobRow{Job: posture.Job{Progress: before}}, Progress: func(p posture.Progress) { last = p }})
	m.flush()
	went := posture.Progress{Phase: "collect", Unit: "read", Done: 50, Total: 100, Requests: 60}
	require.Equal(t, went, last)
	m.phase("collect", "read", 0)
	require.Equal(t, went, last)
	m.done(3, 7)
	require.Equal(t, went, last, "what it has to walk again is no step back")
	now = now.Add(10 * time.Second)
	m.done(60, 100)
	require.Equal(t, 40, *last.ETASeconds, "ten in ten seconds, not sixty")
	m.phase("evaluate", "check", 200)
	require.Equal(t, posture.Progress{Phase: "evaluate", Unit: "check", Total: 200, Requests: 60}, last)
}
