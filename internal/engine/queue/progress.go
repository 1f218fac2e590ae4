package queue

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// progress is the progress of an attempt. A new phase or a new reason to wait is stored at once, counts
// at most once a second; the last count is always stored.
type progress struct {
	store store.Jobs
	row   store.JobRow
	now   func() time.Time
	log   *slog.Logger

	mu     sync.Mutex
	newest posture.Progress
	stored time.Time
	behind bool // newest is not stored
}

// progressEvery is how often counts are stored.
const progressEvery = time.Second

func (p *progress) set(ctx context.Context, newest posture.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	atOnce := newest.Phase != p.newest.Phase || newest.Detail != "" && newest.Detail != p.newest.Detail
	p.newest, p.behind = newest, true
	if atOnce || p.now().Sub(p.stored) >= progressEvery {
		p.save(ctx)
	}
}

// flush stores what is not stored yet, if the last write is at least after ago.
func (p *progress) flush(ctx context.Context, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.behind && p.now().Sub(p.stored) >= after {
		p.save(ctx)
	}
}

// save is called with the lock held. What cannot be stored is tried again with the next flush; it does
// not end the run.
func (p *progress) save(ctx context.Context) {
	p.stored = p.now()
	err := p.store.SetProgress(ctx, p.row.ID, p.row.Attempt, p.newest)
	p.behind = err != nil
	if err != nil && ctx.Err() == nil {
		p.log.DebugContext(ctx, "progress could not be stored", "error", err)
	}
}
