package assess

import (
	"context"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/check"
	"github.com/edgeposture/edgeposture/internal/report"
	"github.com/edgeposture/edgeposture/internal/snapshot"
	"github.com/edgeposture/edgeposture/internal/trend"
)

// recall writes into the findings of a run what the store knows of them, and tells what the
// run changes in that.
func (r *Runner) recall(ctx context.Context, snap *snapshot.Snapshot, ev check.Evaluation, now time.Time) (report.History, trend.Turnover, error) {
	before, err := r.o.Store.FindingStates(ctx, snap.Account.ID)
	if err != nil {
		return report.History{}, trend.Turnover{}, fmt.Errorf("load the history of the findings: %w", err)
	}
	h := report.Recall(snap, ev, before)
	return h, turnover(before, h, ev.Findings, now), nil
}
