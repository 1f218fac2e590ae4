package httpapi

import "time"

// AsRead lets a caller change only what nobody else has changed meanwhile.
type AsRead struct {
	UpdatedAt *time.Time `json:"updatedAt,omitempty" doc:"As it was read: 409 when it has been changed since."`
}

// still reports whether a thing that was changed last at this time is as the caller read it.
func (r AsRead) still(at time.Time) bool { return r.UpdatedAt == nil || r.UpdatedAt.Equal(at) }

// following returns now, or the next instant of the store when the clock has not moved since the last change.
func following(last, now time.Time) time.Time {
	if next := last.Add(time.Microsecond); now.Before(next) {
		return next
	}
	return now
}
