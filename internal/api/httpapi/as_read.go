package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// AsRead lets a caller change only what nobody else has changed meanwhile.
type AsRead struct {
	UpdatedAt *time.Time `json:"updatedAt,omitempty" doc:"As it was read: 409 when it has been changed since."`
}

// still reports whether a thing that was changed last at this time is as the caller read it.
func (r AsRead) still(at time.Time) bool { return r.UpdatedAt == nil || r.UpdatedAt.Equal(at) }

// Revised is AsRead for what has no time of its last change.
type Revised struct {
	Revision string `json:"revision,omitempty" minLength:"1" maxLength:"100" doc:"As it was read: 409 when it has been changed since."`
}

func (r Revised) still(revision string) bool { return r.Revision == "" || r.Revision == revision }

// revisionOf tells one state of what can be changed from another, by how its parts are written.
func revisionOf(format string, parts ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, format, parts...))
	return hex.EncodeToString(sum[:8])
}

// following returns now, or the next instant of the store when the clock has not moved since the last change.
func following(last, now time.Time) time.Time {
	if next := last.Add(time.Microsecond); now.Before(next) {
		return next
	}
	return now
}
