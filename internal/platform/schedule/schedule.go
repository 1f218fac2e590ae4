// Package schedule computes when a repeated run is due: it parses cron expressions, finds due times
// in a time zone, and spreads them. It has no clock; every function gets the instants that it works
// on.
package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the same zones everywhere, even on a system without any

	"github.com/robfig/cron/v3"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// maxExpression bounds an expression, in bytes; the longest sensible one lists all values of each
// field and has about 400.
const maxExpression = 500

// Plan is a cron expression in a time zone. Make one with Parse.
type Plan struct {
	fields *cron.SpecSchedule // matched against wall-clock time, never an instant
	zone   *time.Location
	hourly bool // due in every hour of the day
}

// Parse parses five fields (minute, hour, day from 1 to 31, month, day of week) or one of @yearly,
// @annually, @monthly, @weekly, @daily, @midnight and @hourly, and the name of an IANA time zone;
// "" is UTC. When both day fields are restricted, either one is enough, as in every cron. Errors
// are one sentence for the author of the expression; they wrap ErrZone if the zone is the reason.
func Parse(expression, zone string) (Plan, error) {
	location, err := Zone(zone)
	if err != nil {
		return Plan{}, err
	}
	fields, err := parseFields(expression)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{fields: fields, zone: location, hourly: fields.Hour&everyHour == everyHour}
	if p.nextWall(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Plan{}, fmt.Errorf("the cron expression %q names a day that never comes; correct its day or month", expression)
	}
	return p, nil
}

// everyHour has a bit for each hour of the day.
const everyHour = 1<<24 - 1

// ErrZone means that the time zone cannot be used.
var ErrZone = errors.New("use a name of the IANA database, for example Europe/Berlin or UTC")

// Zone returns the IANA time zone with a name; "" is UTC. Its error wraps ErrZone.
func Zone(name string) (*time.Location, error) {
	switch name {
	case "":
		return time.UTC, nil
	case "Local": // would mean a different zone on each machine
		return nil, fmt.Errorf("the time zone %q is not known; %w", name, ErrZone)
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("the time zone %q is not known; %w", name, ErrZone)
	}
	return location, nil
}

func parseFields(expression string) (*cron.SpecSchedule, error) {
	trimmed := strings.TrimSpace(expression)
	refuse := func(why string) (*cron.SpecSchedule, error) {
		return nil, fmt.Errorf("the cron expression %q is not understood (%s); write five fields such as \"30 5 * * 1-5\", or @daily",
			posture.Clip(expression, 80), why)
	}
	switch {
	case len(trimmed) > maxExpression:
		return refuse("it is too long")
	case strings.Contains(trimmed, "="):
		return refuse("a zone belongs in timeZone")
	case strings.HasPrefix(strings.ToLower(trimmed), "@every"):
		return refuse("@every has no time of day")
	}
	parser := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)
	parts := strings.Fields(strings.ToLower(trimmed))
	if !strings.HasPrefix(trimmed, "@") {
		names := []string{"minute", "hour", "day of the month", "month", "day of the week"}
		if len(parts) != len(names) {
			return refuse(fmt.Sprintf("it has %d of five fields", len(parts)))
		}
		parts[4] = sundayAsZero(parts[4])
		for i, name := range names {
			alone := slices.Repeat([]string{"*"}, len(names))
			alone[i] = parts[i]
			if _, err := parser.Parse(strings.Join(alone, " ")); err != nil {
				return refuse(fmt.Sprintf("%q is no %s", posture.Clip(parts[i], 40), name))
			}
		}
	}
	parsed, err := parser.Parse(strings.Join(parts, " "))
	if err != nil {
		return refuse("there is no such shorthand")
	}
	fields, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return refuse("it has no time of day")
	}
	fields.Location = time.UTC
	return fields, nil
}

// sundayAsZero writes Sunday as 0 where a field of days of the week has it as 7, which cron(8)
// takes, too.
func sundayAsZero(field string) string {
	parts := strings.Split(field, ",")
	for i, part := range parts {
		days, by, _ := strings.Cut(part, "/")
		first, last, ranged := strings.Cut(days, "-")
		from, err := strconv.Atoi(first)
		step, stepErr := strconv.Atoi(cmp.Or(by, "1"))
		switch {
		case days == "7" && by == "":
			parts[i] = "0"
		case ranged && last == "7" && err == nil && stepErr == nil && from >= 0 && from <= 7 && step > 0:
			var each []string
			for day := from; day <= 7; day += step {
				each = append(each, strconv.Itoa(day%7))
			}
			parts[i] = strings.Join(each, ",")
		}
	}
	return strings.Join(parts, ",")
}

// Next returns the first due time after an instant, in UTC, or the zero time when none comes within
// five years.
//
// A time of day that is skipped when clocks are set forward is due at the moment of the change; one
// that occurs twice when they are set back is due the first time. A plan for every hour counts
// elapsed hours, so it continues through the repeated one.
func (p Plan) Next(after time.Time) time.Time {
	at := after.In(p.zone)
	start, end := at.ZoneBounds()
	off, from := offset(at), wall(at)
	if !p.hourly && !start.IsZero() {
		if seen := start.UTC().Add(offset(start.Add(-1).In(p.zone))); seen.After(from) {
			from = seen.Add(-1) // repeated times were already due before the change
		}
	}
	for range 64 { // clock changes in five years: about ten
		next := p.nextWall(from)
		if next.IsZero() {
			return time.Time{}
		}
		if due := next.Add(-off); end.IsZero() || due.Before(end) {
			return due
		}
		change := end.In(p.zone)
		old, now := end.UTC().Add(off), wall(change)
		if !p.hourly && p.nextWall(old.Add(-1)).Before(now) {
			return change.UTC() // due within the skipped part of the day
		}
		from = now.Add(-1)
		if !p.hourly && old.After(now) {
			from = old.Add(-1)
		}
		off = offset(change)
		_, end = change.ZoneBounds()
	}
	return time.Time{}
}

// nextWall is Next on a clock without changes.
func (p Plan) nextWall(after time.Time) time.Time { return p.fields.Next(after) }

// wall returns the wall-clock time in the zone of t, as if it were UTC.
func wall(t time.Time) time.Time { return t.UTC().Add(offset(t)) }

func offset(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// NextN returns the next n due times after an instant, fewer when no more come.
func (p Plan) NextN(after time.Time, n int) []time.Time {
	out := make([]time.Time, 0, n)
	for range n {
		if after = p.Next(after); after.IsZero() {
			break
		}
		out = append(out, after)
	}
	return out
}

// Last returns the latest due time in [from, until], where from is a due time itself; it returns
// from when no other follows. It searches growing spans before until, so that a year of missed
// minutes costs no more than an hour of them.
func (p Plan) Last(from, until time.Time) time.Time {
	for _, span := range []time.Duration{time.Hour, 24 * time.Hour, 32 * 24 * time.Hour, 400 * 24 * time.Hour, 0} {
		start := until.Add(-span)
		if span == 0 || start.Before(from) {
			start = from
		}
		last := time.Time{}
		if start.Equal(from) {
			last = from
		}
		for next := p.Next(start); !next.IsZero() && !next.After(until); next = p.Next(next) {
			last = next
		}
		if !last.IsZero() {
			return last
		}
	}
	return from
}

// Jitter returns the delay of a due time. It is always the same for a schedule and due time, evenly
// distributed over [0, most) in whole seconds, and less than the time to the next due time. most is
// at most an hour.
func Jitter(scheduleID string, due, next time.Time, most time.Duration) time.Duration {
	if !next.IsZero() {
		most = min(most, next.Sub(due))
	}
	seconds := uint64(max(most, 0) / time.Second)
	if seconds == 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s@%d", scheduleID, due.Unix()) // writing to a hash never fails
	// Neighbouring inputs differ in few bits of the sum; mix them (SplitMix64).
	z := h.Sum64()
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return time.Duration((z^z>>31)%seconds) * time.Second
}
