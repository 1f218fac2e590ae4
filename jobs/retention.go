package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/store"
)

// Kept holds the retention periods; 0 means for ever. Older rows are deleted within some hours.
type Kept struct {
	Assessments time.Duration // the newest ten and the newest of each month of an account are kept for ever
	Sections    time.Duration // what runs read; needed for a replay and complete evidence
	Jobs        time.Duration
	Deliveries  time.Duration // and the files that were exported
}

// Day is the unit in which retention is configured.
const Day = 24 * time.Hour

// bundlesAtLeast is the minimum time for which changes at the provider can be undone.
const bundlesAtLeast = 400 * Day

// keysFor is how long an idempotency key replays an answer, how long a plan is shown after it expired,
// and how long the row of a session is kept after its end.
const keysFor = Day

// before returns the instant before which rows of a kind may be deleted; false means that they are kept
// for ever.
func (k Kept) before(what store.Forgettable, now time.Time) (time.Time, bool) {
	age := map[store.Forgettable]time.Duration{store.Keys: keysFor, store.Plans: keysFor, store.SignedIn: keysFor,
		store.Delivered: k.Deliveries, store.Read: k.Sections, store.Assessed: k.Assessments, store.Finished: k.Jobs}[what]
	if what == store.BundlesMade && k.Assessments > 0 {
		age = max(k.Assessments, bundlesAtLeast)
	}
	return now.Add(-age), age > 0
}

// Retention deletes what is past its retention, a few rows at a time.
type Retention struct {
	Store store.Retentions
	Files Files // of this machine
	Kept  Kept
	Now   func() time.Time
	// Pause is called after each transaction, so that other writers get their turn.
	Pause func(ctx context.Context) error
}

// retentionEvery is how often one of all processes sweeps.
const retentionEvery = time.Hour

// Sweep deletes everything past its retention, if it is this process's turn, and counts the rows; then
// it packs what is kept. It may be interrupted at any point; the next sweep continues.
func (r Retention) Sweep(ctx context.Context) (rows int, err error) {
	now := r.Now()
	exported, some := r.Kept.before(store.Delivered, now)
	if !some {
		exported = time.Time{}
	}
	failed := r.Files.forget(exported, now)
	mine, err := r.Store.TakeTurn(ctx, "retention", now, retentionEvery)
	if err != nil || !mine {
		return 0, errors.Join(err, failed)
	}
	for _, what := range store.Forgettables() {
		before, some := r.Kept.before(what, now)
		for some {
			n, err := r.Store.Forget(ctx, what, before, now)
			if err != nil {
				return rows, fmt.Errorf("forget %s that are past their time: %w", what, err)
			}
			if rows += n; n == 0 {
				break
			}
			if err := r.Pause(ctx); err != nil {
				return rows, err
			}
		}
	}
	return rows, errors.Join(r.pack(ctx), failed)
}

// pack packs what finished runs have read; it is done here because no run has to wait for it.
func (r Retention) pack(ctx context.Context) error {
	ids, err := r.Store.Unpacked(ctx)
	if err != nil {
		return fmt.Errorf("look for what runs read: %w", err)
	}
	var failed error // the first error; a damaged row does not keep others from being packed
	for _, id := range ids {
		for more := true; more; {
			if more, err = r.Store.Pack(ctx, id); err != nil && failed == nil {
				failed = fmt.Errorf("pack what job %s read: %w", id, err)
			}
			if err := r.Pause(ctx); err != nil {
				return err
			}
		}
	}
	return failed
}
