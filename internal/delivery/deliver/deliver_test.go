package deliver_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/deliver"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/sqlite"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

type document struct{ ID string }

// receiver stores documents by id, as a search index does, and misbehaves as told.
type receiver struct {
	stored map[string]int // times each id came
	calls  int
	say    func(call, n int, id string) deliver.Verdict // nil: takes everything
}

func (r *receiver) send(_ context.Context, documents []document) []deliver.Verdict {
	r.calls++
	out := make([]deliver.Verdict, len(documents))
	for i, d := range documents {
		out[i] = deliver.Verdict{Sent: true}
		if r.say != nil {
			out[i] = r.say(r.calls, i, d.ID)
		}
		if out[i].Sent {
			r.stored[d.ID]++
		}
	}
	return out
}

func documents(n int) func() iter.Seq2[document, error] {
	return func() iter.Seq2[document, error] {
		return func(yield func(document, error) bool) {
			for i := range n {
				if !yield(document{ID: fmt.Sprint("d", i)}, nil) {
					return
				}
			}
		}
	}
}

// bench is a runner on a real store, with waits that only advance the clock.
type bench struct {
	t      *testing.T
	store  store.Store
	runner *deliver.Runner
	now    time.Time
	slept  []time.Duration
}

func newBench(t *testing.T) *bench {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	b := &bench{t: t, store: db, now: noon}
	b.runner = &deliver.Runner{Ledger: db, Now: func() time.Time { return b.now }, NewID: uuid.NewString,
		Jitter: func() float64 { return 0.5 }, Sleep: func(ctx context.Context, d time.Duration) error {
			b.slept, b.now = append(b.slept, d), b.now.Add(d)
			return ctx.Err()
		}}
	return b
}

// job is a claimed job.
func (b *bench) job(p deliver.Patience) deliver.Job {
	b.t.Helper()
	e, err := b.store.Enqueue(b.t.Context(), store.NewJob{ID: uuid.NewString(), Kind: posture.JobShip, Queue: "delivery", CreatedAt: b.now})
	require.NoError(b.t, err)
	return deliver.Job{Row: b.claim(e.Job.ID), Assessment: posture.AssessmentSummary{ID: "a", Account: posture.AccountRef{ID: "acc"}},
		Patience: p}
}

func (b *bench) claim(id string) store.JobRow {
	b.t.Helper()
	row, err := b.store.Claim(b.t.Context(), id, "w", b.now, time.Hour)
	require.NoError(b.t, err)
	return row
}

func (b *bench) target(r *receiver, n int) deliver.Receiver[document] {
	if r.stored == nil {
		r.stored = map[string]int{}
	}
	return deliver.Receiver[document]{Name: "search", Destination: "https://siem.example:443", Documents: documents(n), Send: r.send,
		ID: func(d document) string { return d.ID }}
}

// ledger gives the row as it is stored.
func (b *bench) ledger(id string) posture.Delivery {
	b.t.Helper()
	d, err := b.store.Delivery(b.t.Context(), id)
	require.NoError(b.t, err)
	return d
}

func TestEverythingIsDelivered(t *testing.T) {
	for _, n := range []int{0, 1, 4000, 10_001} {
		b, r := newBench(t), &receiver{}
		got, err := deliver.Run(t.Context(), b.runner, b.job(deliver.Prompt()), b.target(r, n))
		require.NoError(t, err)
		require.Len(t, r.stored, n)
		require.Equal(t, posture.DeliveryDelivered, got.Delivery.State)
		require.Equal(t, []int{n, n, 0, 1}, []int{got.Delivery.Documents, got.Delivery.Sent, got.Delivery.Failed, got.Delivery.Attempts})
		require.Empty(t, got.Errors)
		require.Equal(t, got.Delivery, b.ledger(got.Delivery.ID))
	}
}

func TestOnlyWhatIsLeftIsTriedAgain(t *testing.T) {
	b := newBench(t)
	r := &receiver{say: func(call, _ int, id string) deliver.Verdict {
		switch {
		case id == "d3":
			return deliver.Verdict{Reason: "mapper_parsing_exception"}
		case call == 1 && id >= "d5":
			return deliver.Verdict{Again: true, Reason: "busy", Wait: 2 * time.Second}
		}
		return deliver.Verdict{Sent: true}
	}}
	got, err := deliver.Run(t.Context(), b.runner, b.job(deliver.Prompt()), b.target(r, 9))
	require.NoError(t, err)
	require.Len(t, r.stored, 8)
	for id, times := range r.stored {
		require.Equal(t, 1, times, id)
	}
	require.Equal(t, []time.Duration{2 * time.Second}, b.slept, "what the receiver asked for")
	require.Equal(t, posture.DeliveryFailed, got.Delivery.State)
	require.Equal(t, []int{9, 8, 1, 2}, []int{got.Delivery.Documents, got.Delivery.Sent, got.Delivery.Failed, got.Delivery.Attempts})
	require.Equal(t, []string{"mapper_parsing_exception"}, got.Errors)
}

func TestPatienceEnds(t *testing.T) {
	down := func(int, int, string) deliver.Verdict {
		return deliver.Verdict{Again: true, Reason: "connection refused"}
	}
	b, r := newBench(t), &receiver{say: down}
	got, err := deliver.Run(t.Context(), b.runner, b.job(deliver.Prompt()), b.target(r, 3))
	require.NoError(t, err)
	require.Equal(t, posture.DeliveryFailed, got.Delivery.State)
	require.Equal(t, "connection refused", got.Delivery.Reason)
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, b.slept)

	job := b.job(deliver.Patient())
	rounds := 0
	for {
		got, err = deliver.Run(t.Context(), b.runner, job, b.target(r, 3))
		var later *posture.LaterError
		if !errors.As(err, &later) {
			break
		}
		rounds++
		require.Equal(t, posture.DeliveryRetrying, b.ledger(got.Delivery.ID).State)
		require.Equal(t, later.At, *b.ledger(got.Delivery.ID).NextAt)
		require.True(t, later.At.After(b.now))
		require.NoError(t, b.store.Release(t.Context(), job.Row.ID, job.Row.Attempt, b.now))
		b.now = later.At
		job.Row = b.claim(job.Row.ID)
	}
	require.NoError(t, err)
	require.Equal(t, len(deliver.Patient().Pauses), rounds)
	require.Equal(t, posture.DeliveryFailed, got.Delivery.State)
	require.Equal(t, 3*(rounds+1), got.Delivery.Attempts)
}

// TestKilledBetweenSendAndMark loses the note of a group that was sent: the next
// attempt sends it again under the same ids, and nothing else.
func TestKilledBetweenSendAndMark(t *testing.T) {
	b, r := newBench(t), &receiver{}
	job := b.job(deliver.Prompt())
	ctx, kill := context.WithCancel(t.Context())
	r.say = func(call, _ int, _ string) deliver.Verdict {
		if call == 2 {
			kill()
		}
		return deliver.Verdict{Sent: true}
	}
	_, err := deliver.Run(ctx, b.runner, job, b.target(r, 10_000))
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, r.stored, 8000)
	require.NoError(t, b.store.Release(t.Context(), job.Row.ID, job.Row.Attempt, b.now))
	dead := job
	job.Row = b.claim(job.Row.ID)
	_, err = deliver.Run(t.Context(), b.runner, dead, b.target(&receiver{}, 10_000))
	require.ErrorIs(t, err, store.ErrFenced, "the killed one must not go on")
	got, err := deliver.Run(t.Context(), b.runner, job, b.target(r, 10_000))
	require.NoError(t, err)
	require.Len(t, r.stored, 10_000)
	twice := 0
	for _, times := range r.stored {
		require.LessOrEqual(t, times, 2)
		twice += times - 1
	}
	require.Equal(t, 4000, twice, "the group whose note was lost")
	require.Equal(t, 10_000, got.Delivery.Sent)
	again, err := deliver.Run(t.Context(), b.runner, job, b.target(r, 10_000))
	require.NoError(t, err)
	require.Equal(t, got.Delivery, again.Delivery, "what is delivered is left alone")
}

// TestReplayTriesWhatWasNotSent: and everything when it is no longer known what the receiver has.
func TestReplayTriesWhatWasNotSent(t *testing.T) {
	for name, tc := range map[string]struct {
		documents   int
		others      bool // other documents than at first
		destination string
		want        []string // what is sent
	}{
		"the same":       {5, false, "", []string{"d2", "d3", "d4"}},
		"more":           {6, false, "", []string{"d2", "d3", "d4", "d5"}},
		"fewer":          {4, false, "", []string{"d0", "d1", "d2", "d3"}},
		"others":         {5, true, "", []string{"e0", "e1", "e2", "e3", "e4"}},
		"other receiver": {5, false, "https://other.example:443", []string{"d0", "d1", "d2", "d3", "d4"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			first, err := deliver.Run(t.Context(), b.runner, b.job(deliver.Prompt()),
				b.target(&receiver{say: func(_, n int, _ string) deliver.Verdict {
					return deliver.Verdict{Sent: n < 2, Reason: "no such index"}
				}}, 5))
			require.NoError(t, err)
			require.Equal(t, posture.DeliveryFailed, first.Delivery.State)
			job, r := b.job(deliver.Prompt()), &receiver{}
			job.Replay = first.Delivery.ID
			target := b.target(r, tc.documents)
			target.Destination = cmp.Or(tc.destination, target.Destination)
			if tc.others {
				all := target.Documents
				target.Documents = func() iter.Seq2[document, error] {
					return func(yield func(document, error) bool) {
						for d, err := range all() {
							if !yield(document{ID: strings.Replace(d.ID, "d", "e", 1)}, err) {
								return
							}
						}
					}
				}
			}
			second, err := deliver.Run(t.Context(), b.runner, job, target)
			require.NoError(t, err)
			require.Equal(t, first.Delivery.ID, second.Delivery.ID)
			require.Equal(t, posture.DeliveryDelivered, second.Delivery.State)
			require.Equal(t, []int{tc.documents, tc.documents}, []int{second.Delivery.Documents, second.Delivery.Sent})
			require.Equal(t, target.Destination, b.ledger(second.Delivery.ID).Destination)
			require.Equal(t, tc.want, slices.Sorted(maps.Keys(r.stored)))
		})
	}
}

func TestBrokenSourcesAndTargets(t *testing.T) {
	b := newBench(t)
	broken := errors.New("the database went away")
	target := b.target(&receiver{}, 0)
	target.Documents = func() iter.Seq2[document, error] {
		return func(yield func(document, error) bool) { yield(document{}, broken) }
	}
	_, err := deliver.Run(t.Context(), b.runner, b.job(deliver.Prompt()), target)
	require.ErrorIs(t, err, broken)
	target = b.target(&receiver{}, 2)
	target.Send = func(context.Context, []document) []deliver.Verdict { return nil }
	_, err = deliver.Run(t.Context(), b.runner, b.job(deliver.Prompt()), target)
	require.ErrorContains(t, err, "0 verdicts on 2 documents")
}
