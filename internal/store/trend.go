package store

import (
	"context"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// RunTotals is what a run adds to the line of its account.
type RunTotals struct {
	// Whole tells that the run was not narrowed, so that it compares with others.
	Whole bool
	trend.StatusDelta
}

// TrendFilter narrows the line of one account. Since is inclusive, Until exclusive.
type TrendFilter struct {
	Account string // provider account id or registered account id; "" is that of the newest run
	Since   time.Time
	Until   time.Time
	// Partial adds the runs that were narrowed.
	Partial bool
}

// Line is the runs of one account, oldest first. Demo runs are never on one line with
// others: it has what the newest run is.
type Line struct {
	Account posture.AccountRef
	Demo    bool
	Ticks   []trend.Tick
	// Closed sums what was resolved on the line.
	Closed map[posture.Severity]trend.Closed
}

// Trends reads small rows that are kept with each assessment; never findings.
// Assessments that a version before them saved are not on the line.
type Trends interface {
	// Line gives the runs of an account. ErrNotFound when it has none at all.
	Line(ctx context.Context, f TrendFilter) (Line, error)
	// Points gives what runs say, in the order asked for; those gone meanwhile are left out.
	Points(ctx context.Context, nos []int64) ([]trend.Point, error)
}
