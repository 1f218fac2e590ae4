// Package trend places the runs of an account on a time line: which of them represent a day, a week
// or a month, and what was opened and closed between them. It is pure.
package trend

import (
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Bucket is a span of time that one run represents.
type Bucket string

// Weeks begin on Monday.
const (
	Run   Bucket = "run"
	Day   Bucket = "day"
	Week  Bucket = "week"
	Month Bucket = "month"
)

// Closed counts resolved findings, and sums how long they had been open.
type Closed struct {
	Findings int   `json:"n"`
	Seconds  int64 `json:"s"`
}

// StatusDelta is what one run changed in the history of the findings.
type StatusDelta struct {
	Opened   int
	Resolved int
	Reopened int
	// Closed breaks down the resolved findings by severity.
	Closed map[posture.Severity]Closed
}

// Tick is one run on the time line.
type Tick struct {
	No       int64 // identifies its Point
	At       time.Time
	Opened   int
	Resolved int
	Reopened int
}

// Point is the data of a run.
type Point struct {
	AssessmentID string                      `json:"assessmentId"`
	At           time.Time                   `json:"at"`
	Partial      bool                        `json:"partial,omitempty" doc:"The run was narrowed to zones, categories, checks or the core."`
	Score        int                         `json:"score"`
	Grade        *string                     `json:"grade"`
	Coverage     float64                     `json:"coverage" doc:"Percent."`
	Summary      Counts                      `json:"summary"`
	AttackPaths  int                         `json:"attackPaths"`
	ByCategory   map[posture.Category]int    `json:"-"`
	Closed       map[posture.Severity]Closed `json:"-"`
}

// Counts are the findings of a run that need attention.
type Counts struct {
	Fail       int                      `json:"fail"`
	Warning    int                      `json:"warning"`
	Unknown    int                      `json:"unknown"`
	BySeverity map[posture.Severity]int `json:"bySeverity"`
}

// Slot is a bucket: its last run, which represents it, with the changes of all its runs.
type Slot struct {
	Tick
	Runs int
}

// Slots returns the newest limit buckets of runs, oldest first, with bucket boundaries in loc.
// Ticks must be sorted oldest first. more is set when there are older buckets.
func Slots(ticks []Tick, bucket Bucket, loc *time.Location, limit int) (out []Slot, more bool) {
	var begin time.Time
	for _, t := range slices.Backward(ticks) {
		if len(out) > 0 && bucket != Run && !t.At.Before(begin) {
			last := &out[len(out)-1]
			last.Opened, last.Resolved, last.Reopened = last.Opened+t.Opened, last.Resolved+t.Resolved, last.Reopened+t.Reopened
			last.Runs++
			continue
		}
		if len(out) == limit {
			more = true
			break
		}
		out = append(out, Slot{t, 1})
		begin = start(t.At.In(loc), bucket)
	}
	slices.Reverse(out)
	return out, more
}

// Near returns the run that stands for an instant so long before another: of those at least half as long before it, the
// nearest to that instant, and of two as near the older. Ticks must be sorted oldest first.
func Near(ticks []Tick, end time.Time, long time.Duration) (near Tick, found bool) {
	wanted := end.Add(-long)
	for _, t := range ticks {
		if t.At.After(end.Add(-long / 2)) {
			break
		}
		if !found || t.At.Sub(wanted).Abs() < near.At.Sub(wanted).Abs() {
			near, found = t, true
		}
	}
	return near, found
}

// start returns when the bucket that contains a time began.
func start(at time.Time, bucket Bucket) time.Time {
	y, m, d := at.Date()
	switch bucket {
	case Week:
		d -= (int(at.Weekday()) + 6) % 7
	case Month:
		d = 1
	case Day, Run:
	}
	return time.Date(y, m, d, 0, 0, 0, 0, at.Location())
}

// Mean is how long findings of a severity stayed open until they were resolved.
type Mean struct {
	Severity posture.Severity `json:"severity" enum:"critical,high,medium,low,informational"`
	Resolved int              `json:"resolved"`
	MeanDays float64          `json:"meanDays"`
}

// Slowest returns the mean time to resolve of each severity that has one, longest first.
func Slowest(closed map[posture.Severity]Closed) []Mean {
	out := []Mean{}
	for _, s := range posture.Severities() {
		if c := closed[s]; c.Findings > 0 {
			out = append(out, Mean{s, c.Findings, Days(c)})
		}
	}
	slices.SortStableFunc(out, func(a, b Mean) int {
		switch {
		case a.MeanDays > b.MeanDays:
			return -1
		case a.MeanDays < b.MeanDays:
			return 1
		default:
			return 0
		}
	})
	return out
}

// Days is the mean in days, to two decimals.
func Days(c Closed) float64 {
	return float64(int64(float64(c.Seconds)/float64(c.Findings)/864+0.5)) / 100
}

// Add adds the counts in more to to.
func Add(to, more map[posture.Severity]Closed) {
	for s, c := range more {
		to[s] = Closed{to[s].Findings + c.Findings, to[s].Seconds + c.Seconds}
	}
}
