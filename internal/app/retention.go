package app

import (
	"context"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/clock"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/jobs"
)

// retentionPause is the pause between two transactions of a sweep, in which others can write.
const retentionPause = 20 * time.Millisecond

// newRetention builds the retention sweep. The configuration was validated when it was loaded.
func (a *App) newRetention() (r jobs.Retention, err error) {
	r = jobs.Retention{Store: a.backend.store, Files: a.exports(), Now: a.o.Now,
		Pause: func(ctx context.Context) error { return clock.Sleep(ctx, retentionPause) }}
	for _, v := range []struct {
		raw  string
		into *time.Duration
	}{{a.cfg.Retention.Assessments, &r.Kept.Assessments}, {a.cfg.Retention.Sections, &r.Kept.Sections}, {a.cfg.Retention.Jobs, &r.Kept.Jobs},
		{a.cfg.Retention.Deliveries, &r.Kept.Deliveries}} {
		if *v.into, err = config.ParseKept(v.raw); err != nil {
			return r, err
		}
	}
	return r, nil
}
