package check

import (
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Count gives a number with its noun in the right number: "1 host", "2 hosts". plural is needed only where an s does not make it.
func Count(n int, singular, plural string) string { return english.Plural(n, singular, plural) }

// Lasting gives a duration for people in its largest unit, with the next one when there is a rest: "30 days", "1 hour and 30 minutes".
func Lasting(d time.Duration) string {
	units := []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}}
	for i, u := range units[:len(units)-1] {
		if d < u.of {
			continue
		}
		out := Count(int(d/u.of), u.name, "")
		if rest := int(d % u.of / units[i+1].of); rest > 0 {
			out += " and " + Count(rest, units[i+1].name, "")
		}
		return out
	}
	return Count(int(d/time.Second), "second", "")
}

// Day writes a date for people, as UTC has it.
func Day(t interface{ UTC() time.Time }) string { return t.UTC().Format("2 January 2006") }

// SettingTo adds to the words of a check how its fix, a value of one setting of the zone, is made by API and in Terraform.
func SettingTo(id, value string, w posture.Words) posture.Words {
	w.Call = posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/settings/" + id, Body: `{"value": "` + value + `"}`}
	w.Terraform = `resource "cloudflare_zone_setting" "` + id + `" {
  zone_id    = "{zone_id}"
  setting_id = "` + id + `"
  value      = "` + value + `"
}`
	return w
}
