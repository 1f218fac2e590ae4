package check

import (
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Count gives a number with its noun in the right number: "1 host", "2 hosts". plural is needed only where an s does not make it.
func Count(n int, singular, plural string) string { return english.Plural(n, singular, plural) }

// Lasting gives a duration for people in the largest unit that leaves a whole number: "30 days", "90 minutes".
func Lasting(d time.Duration) string {
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= u.of && d%u.of == 0 {
			return Count(int(d/u.of), u.name, "")
		}
	}
	if d >= 3*time.Minute {
		return Count(int(d.Round(time.Minute)/time.Minute), "minute", "")
	}
	return Count(int(d/time.Second), "second", "")
}

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
