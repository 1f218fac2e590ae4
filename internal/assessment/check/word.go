package check

import (
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Count formats a number with its noun: "1 host", "2 hosts". plural is needed only where adding an
// s does not make it.
func Count(n int, singular, plural string) string { return english.Plural(n, singular, plural) }

// Lasting formats a duration in its largest unit, with the next smaller unit when there is a
// remainder: "30 days", "1 hour and 30 minutes".
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

// Exceeding is Lasting for a duration that is named beside the limit it exceeds: by less than Lasting shows, both would read the same.
func Exceeding(d, limit time.Duration) string {
	if d > limit && Lasting(d) == Lasting(limit) {
		return "more than " + Lasting(limit)
	}
	return Lasting(d)
}

// Day formats the UTC date of an instant: "2 January 2006".
func Day(t interface{ UTC() time.Time }) string { return t.UTC().Format("2 January 2006") }

// HostnameSettings is the call that changes settings of a custom hostname. The rest of how its certificate is
// made is sent as it is: what is missing falls back to the default, and a certificate without it is ordered.
func HostnameSettings(id, settings string) posture.Call {
	path := "/zones/{zone_id}/custom_hostnames/" + id
	return posture.Call{Method: "PATCH", Path: path, From: path,
		Body: `.result.ssl | {ssl: (({method, type, bundle_method, certificate_authority, wildcard} | with_entries(select(.value != null))) + ` +
			`{settings: ((.settings // {}) + ` + settings + `)})}`}
}

// SettingTo adds to the words of a check the API call and the Terraform that set one zone setting
// to a value.
func SettingTo(id, value string, w posture.Words) posture.Words {
	w.Call = posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/settings/" + id, Body: `{"value": "` + value + `"}`}
	w.Terraform = `resource "cloudflare_zone_setting" "` + id + `" {
  zone_id    = "{zone_id}"
  setting_id = "` + id + `"
  value      = "` + value + `"
}`
	return w
}
