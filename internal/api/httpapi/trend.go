package httpapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

type trendsInput struct {
	Account string    `query:"account" doc:"Provider account id, or a registered account's id or name; that of the newest run when absent."`
	From    time.Time `query:"from" doc:"Completed at or after this instant (RFC 3339)."`
	Until   time.Time `query:"until" doc:"Completed before this instant."`

	Bucket string `query:"bucket" enum:"run,day,week,month" default:"day" doc:"The span whose last run counts; weeks begin on Monday."`
	Zone   string `query:"zone" maxLength:"64" default:"UTC" doc:"The time zone of days, weeks and months, as Europe/Berlin."`
	Scope  string `query:"scope" enum:"whole,all" default:"whole" doc:"all adds narrowed runs, marked: they do not compare with whole ones."`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"400" doc:"The newest so many."`
	Ago    int    `query:"ago" minimum:"1" maximum:"3660" doc:"The run nearest to so many days before until (or now), at least half of it."`
}

// TrendPoint is one bucket: the result of its last run, and the changes of all its runs.
type TrendPoint struct {
	trend.Point
	Runs         int      `json:"runs"`
	Opened       int      `json:"opened"`
	Resolved     int      `json:"resolved"`
	Reopened     int      `json:"reopened"`
	MeanDaysOpen *float64 `json:"meanDaysOpen,omitempty" doc:"How long what the last run saw resolved had been open."`
}

// Trends is the history of an account, oldest first.
type Trends struct {
	Account posture.AccountRef `json:"account"`
	Demo    bool               `json:"demo"`
	Points  []TrendPoint       `json:"points"`
	More    bool               `json:"more" doc:"There are older ones; ask with until."`
	// ByCategory has one value per point, null where a run judged nothing in the category.
	ByCategory map[posture.Category][]*int `json:"byCategory"`
	Slowest    []trend.Mean                `json:"slowest" doc:"Mean time to resolve by severity, longest first, over all runs of the line."`
}

// getTrends reads only the small rows that are stored with each assessment, never findings.
func getTrends(s *Server, ctx context.Context, in *trendsInput) (*answer[Trends], error) {
	loc, err := time.LoadLocation(in.Zone)
	if err != nil || in.Zone == "Local" {
		return nil, posture.Invalid("query.zone", "the time zone is not known; use a name like Europe/Berlin or UTC", in.Zone)
	}
	account, err := s.accountKey(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	line, err := s.o.Store.Line(ctx, store.TrendFilter{Account: account, Since: in.From, Until: in.Until, Partial: in.Scope == "all"})
	if errors.Is(err, store.ErrNotFound) {
		return nil, posture.Problemf(posture.CodeNoAssessment,
			"There is no completed assessment yet that trends are made of; start one with POST /api/assess.")
	}
	if err != nil {
		return nil, fmt.Errorf("read the runs of the account: %w", err)
	}
	slots, more := s.slots(in, line.Ticks, loc)
	nos := make([]int64, 0, len(slots))
	for _, slot := range slots {
		nos = append(nos, slot.No)
	}
	points, err := s.o.Store.Points(ctx, nos)
	if err != nil {
		return nil, fmt.Errorf("read the points of the runs: %w", err)
	}
	out := &answer[Trends]{Body: Trends{Account: line.Account, Demo: line.Demo, More: more, Slowest: trend.Slowest(line.Closed)}}
	out.Body.Points, out.Body.ByCategory = joined(slots, points)
	return out, nil
}

func (s *Server) slots(in *trendsInput, ticks []trend.Tick, loc *time.Location) ([]trend.Slot, bool) {
	if in.Ago == 0 {
		return trend.Slots(ticks, trend.Bucket(in.Bucket), loc, in.Limit)
	}
	end := in.Until
	if end.IsZero() {
		end = s.o.Now()
	}
	near, found := trend.Near(ticks, end, time.Duration(in.Ago)*24*time.Hour)
	if !found {
		return nil, false
	}
	return []trend.Slot{{Tick: near, Runs: 1}}, false
}

// joined matches points to their slots; a slot whose assessment was deleted in the meantime is left out.
func joined(slots []trend.Slot, points []trend.Point) ([]TrendPoint, map[posture.Category][]*int) {
	out, categories := []TrendPoint{}, map[posture.Category][]*int{}
	for _, slot := range slots {
		if len(out) == len(points) || !points[len(out)].At.Equal(slot.At) {
			continue
		}
		p := TrendPoint{Point: points[len(out)], Runs: slot.Runs, Opened: slot.Opened, Resolved: slot.Resolved, Reopened: slot.Reopened}
		var closed trend.Closed
		for _, c := range p.Closed {
			closed = trend.Closed{Findings: closed.Findings + c.Findings, Seconds: closed.Seconds + c.Seconds}
		}
		if closed.Findings > 0 {
			days := trend.Days(closed)
			p.MeanDaysOpen = &days
		}
		for c := range p.ByCategory {
			if categories[c] == nil {
				categories[c] = make([]*int, 0, len(slots))
			}
		}
		out = append(out, p)
	}
	for c := range categories {
		for _, p := range out {
			var at *int
			if v, there := p.ByCategory[c]; there {
				at = &v
			}
			categories[c] = append(categories[c], at)
		}
	}
	return out, categories
}
