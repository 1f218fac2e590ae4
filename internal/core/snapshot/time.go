package snapshot

import (
	"encoding/json"
	"time"
)

// Time is a time returned by the provider. An absent, empty or unparsable value is the zero time,
// so that one odd date never hides a whole section.
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

// UnmarshalJSON parses RFC 3339 with or without a fraction or zone, and the "2006-01-02 15:04:05
// +0000 UTC" form of certificate lists.
func (t *Time) UnmarshalJSON(b []byte) error {
	*t = Time{}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		s = "" // a number or object is not a date, but no reason to lose the section
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
