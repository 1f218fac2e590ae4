package store

import (
	"context"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// RunTotals is what a run adds to the trend line of its account.
type RunTotals struct {
	// Whole reports that the run was not narrowed, so that it compares with others.
	Whole bool
	trend.StatusDelta
}

// TrendFilter narrows the line of one account. Since is inclusive, Until exclusive.
type TrendFilter struct {
	Account string // provider account id or registered account id; "": the account of the newest run
	Since   time.Time
	Until   time.Time
	// Partial includes the runs that were narrowed.
	Partial bool
}

// Line holds the runs of one account, oldest first. Demo runs and others are never on one line: it
// shows the kind of the newest run.
type Line struct {
	Account posture.AccountRef
	Demo    bool
	Ticks   []trend.Tick
	// Closed sums up what was resolved on the line.
	Closed map[posture.Severity]trend.Closed
}

// Trends reads small rows that are stored with each assessment; never findings. Assessments saved by a
// version before these rows are not on the line.
type Trends interface {
	// Line returns the runs of an account. ErrNotFound when it has none at all.
	Line(ctx context.Context, f TrendFilter) (Line, error)
	// Points returns the points of runs, in the given order; runs that are gone are left out.
	Points(ctx context.Context, nos []int64) ([]trend.Point, error)
}
