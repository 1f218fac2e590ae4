package tls

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// opportunistic judges whether TLS is announced to browsers that connect without it.
func opportunistic() check.Check {
	return check.Check{
		ID: "CFL-SSL-008", Title: "Opportunistic encryption is announced",
		Category: "ssl", Severity: posture.Informational, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Opportunistic Encryption tells browsers that an http:// page can be fetched over TLS as well. A browser " +
			"that supports this encrypts the request and keeps the address.",
		Fix: "Turn on Opportunistic Encryption, or redirect plain HTTP with Always Use HTTPS, which protects more.",
		Words: check.SettingTo("opportunistic_encryption", "on", posture.Words{
			Problem:   "Opportunistic Encryption is off on {zone}",
			Impact:    "Anyone on the same network can read http:// pages that a browser could have fetched encrypted.",
			Breaks:    "Nothing that works today; browsers that do not know the announcement ignore the header.",
			Dashboard: "SSL/TLS › Edge Certificates › Opportunistic Encryption: On.",
		}),
		References: []string{"https://developers.cloudflare.com/ssl/"},
		Controls: check.Controls{
			check.Touches("cis 3.10", "It announces encryption to few browsers and demands it of none."),
			check.Touches("soc2 CC6.7", "Encryption is offered and not demanded."),
			check.Touches("nist PR.DS-02", "Encryption is offered and not demanded."),
		},
		Aliases: []string{"cnspec:opportunistic-encryption", "flareinspect:CFL-SSL-008"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/opportunistic_encryption", Risk: "low", Reversible: true,
			Body:    `{"value": "on"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "None known.",
			Propose: propose.Setting("opportunistic_encryption", "on")},
		Needs:    switchNeeds(snapshot.ZoneSetting("opportunistic_encryption"), snapshot.ZoneSetting("always_use_https")),
		Optional: traffic.Sources(traffic.Setting("opportunistic_encryption").Needs, traffic.PlainHTTP().Needs),
		Evaluate: func(v *check.View) check.Outcome {
			plain := check.Lanes(v, traffic.PlainHTTP(), v.Zone())
			redirected := func(to string) bool { return to == traffic.ToHTTPS }
			switch doubt := check.DoubtOf(plain, redirected); {
			case len(plain) > 0 && len(check.LanesWith(plain, redirected)) == len(plain):
				return v.NotApplicable("every request is redirected to HTTPS")
			case doubt != nil && len(check.LanesWith(plain, func(to string) bool { return !redirected(to) })) == 0:
				return v.Doubtful(*doubt) // perhaps every request is redirected
			}
			return check.OnOff(v, "opportunistic_encryption", "on",
				"Opportunistic Encryption is off for "+v.Zone().Name+", which serves plain HTTP.")
		},
	}
}

func opportunisticExamples() []goodtest.Example {
	plain := goodtest.Setting("always_use_https", "off")
	examples := slices.Concat(goodtest.OnOff("opportunistic_encryption", "on"),
		goodtest.OnOffByRule("opportunistic_encryption", "on", "opportunistic_encryption"))
	for i := range examples {
		examples[i].Edit = goodtest.Edits(plain, examples[i].Edit)
	}
	return append(examples, goodtest.Example{Name: "perhaps everything is redirected", Want: posture.Unknown, Edit: goodtest.Edits(plain,
		goodtest.Setting("opportunistic_encryption", "off"), goodtest.Denied(snapshot.ZonePhaseRedirect))},
		goodtest.Example{Name: "everything is redirected", Want: posture.NotApplicable,
			Edit: goodtest.Setting("opportunistic_encryption", "off")})
}
