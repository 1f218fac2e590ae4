package snapshot

import (
	"encoding/json"
	"time"
)

// Time is an instant the provider told. An absent, empty or unreadable value is
// the zero time, so that one odd date never hides a whole section.
type Time struct{ time.Time }

// At makes a Time.
func At(t time.Time) Time { return Time{t.UTC()} }

// MarshalJSON writes RFC 3339 in UTC, or null for the zero time.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(t.UTC().Format(time.RFC3339Nano))
}

// UnmarshalJSON reads RFC 3339 with or without a fraction or zone, and the
// "2006-01-02 15:04:05 +0000 UTC" form that certificate lists use.
func (t *Time) UnmarshalJSON(b []byte) error {
	*t = Time{}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		s = "" // a number or an object is no date, and no reason to lose the section
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05 -0700 MST", "2006-01-02 15:04:05",
		"2006-01-02"} {
		if v, err := time.Parse(layout, s); err == nil {
			t.Time = v.UTC()
			return nil
		}
	}
	return nil
}
