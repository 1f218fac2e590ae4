package notify

import (
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/schedule"
)

// hours holds the times of a rule as plans in its time zone.
type hours struct {
	rule       posture.AlertRule
	zone       *time.Location
	daily      schedule.Plan
	nights     bool // quiet hours exist, not only quiet weekends
	quiet, end schedule.Plan
}

// hoursOf parses the times of a rule. The error is a *posture.Problem that names the field.
func hoursOf(r posture.AlertRule) (h hours, err error) {
	h.rule = r
	if h.zone, err = schedule.Zone(r.TimeZone); err != nil {
		return h, posture.Invalid("body.timeZone", fmt.Sprintf("time zone %q is unknown; use a name of the IANA database, for example "+
			"Europe/Berlin", posture.Clip(r.TimeZone, 100)), posture.Clip(r.TimeZone, 100))
	}
	read := func(field, at string) (p schedule.Plan) {
		if err != nil {
			return p
		}
		var clock time.Time
		if clock, err = time.Parse("15:04", at); err == nil {
			p, err = schedule.Parse(fmt.Sprintf("%d %d * * *", clock.Minute(), clock.Hour()), r.TimeZone)
		}
		if err != nil {
			err = posture.Invalid(field, "is not a time of the day; write it as 08:30", posture.Clip(at, 20))
		}
		return p
	}
	if r.Daily != "" {
		h.daily = read("body.daily", r.Daily)
	}
	if r.Quiet != nil && (r.Quiet.From != "" || r.Quiet.To != "" || !r.Quiet.Weekends) {
		h.nights = true
		h.quiet, h.end = read("body.quiet.from", r.Quiet.From), read("body.quiet.to", r.Quiet.To)
		if err == nil && r.Quiet.From == r.Quiet.To {
			err = posture.Invalid("body.quiet.to", "is the same as from, so nothing would ever be sent; choose another time", r.Quiet.To)
		}
	}
	return h, err
}

// quietUntil returns the end of the quiet period that contains now; zero when there is none.
func (h hours) quietUntil(now time.Time) time.Time {
	if h.rule.Quiet == nil {
		return time.Time{}
	}
	at := now
	for range 14 { // quiet nights and weekends may be adjacent
		switch day := at.In(h.zone).Weekday(); {
		case h.rule.Quiet.Weekends && (day == time.Saturday || day == time.Sunday):
			y, m, d := at.In(h.zone).Date()
			at = time.Date(y, m, d+1, 0, 0, 0, 0, h.zone)
		case h.nights && h.quiet.Next(at).After(h.end.Next(at)): // in quiet hours: their end comes before their start
			at = h.end.Next(at)
		case at.Equal(now):
			return time.Time{}
		default:
			return at.UTC()
		}
	}
	return at.UTC()
}

// Wake decides about a rule that is due: send is whether it sends now, next when it is due again,
// unless a run wakes it before. The error is a *posture.Problem that names the unusable field of the
// rule.
func Wake(r posture.AlertRule, now time.Time) (next time.Time, send bool, err error) {
	h, err := hoursOf(r)
	if err != nil {
		return next, false, err
	}
	if until := h.quietUntil(now); !until.IsZero() {
		return until, false, nil
	}
	if r.Daily != "" {
		return h.daily.Next(now), true, nil
	}
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1), true, nil // other issues are overdue the next day
}

// QuietUntil returns the end of a rule's quiet period that contains now; zero when there is none, and for a rule whose
// times cannot be read.
func QuietUntil(r posture.AlertRule, now time.Time) time.Time {
	h, err := hoursOf(r)
	if err != nil {
		return time.Time{}
	}
	return h.quietUntil(now)
}

// FirstWake is when a rule is first due after it was made or changed.
func FirstWake(r posture.AlertRule, now time.Time) (time.Time, error) {
	h, err := hoursOf(r)
	if err != nil || r.Daily == "" {
		return now, err
	}
	return h.daily.Next(now), nil
}
