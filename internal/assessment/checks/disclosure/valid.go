package disclosure

import (
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// valid judges the two mandatory members of the file (RFC 9116). A file with both a useless and a
// good contact meets neither condition.
func valid() check.Check {
	return check.Check{
		ID: "CFL-SEC-002", Title: "The security contact file is valid",
		Category: "securitytxt", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "RFC 9116 wants a date of expiry within a year. Researchers ignore a file that is out of date.",
		Fix: "Renew the date of expiry and check that each contact still reaches someone.",
		Words: posture.Words{
			Problem:   "The security.txt of {zone} is not valid",
			Impact:    "Someone who finds a hole does not trust the contact and does not report it.",
			Breaks:    "Nothing; only the file at /.well-known/security.txt changes.",
			Dashboard: "Security › Settings › Security.txt: set a new date of expiry and check the contacts.",
			Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/security-center/securitytxt",
				From: "/zones/{zone_id}/security-center/securitytxt",
				Body: `.result | .expires = (now + 330 * 86400 | todate)`},
		},
		References: []string{reference},
		Controls: check.Controls{
			check.Supports("soc2 CC2.3", "The published contact is complete and current, so that a report arrives."),
			check.Supports("pci 6.3.1", "Reports of weaknesses are not lost to an expired contact file."),
			check.Touches("nist RS.MA-01", "A valid contact helps an incident to be heard of; the plan is not seen."),
		},
		Aliases: []string{"flareinspect:CFL-SEC-002"},
		Remedy: &propose.Remedy{Operation: "PUT /zones/{zone_id}/security-center/securitytxt", Risk: "low", Reversible: true,
			Body:    "the captured object with expires set to now plus 330 days",
			Inverse: "PUT the captured object",
			Caution: "Only the date changes. Check that somebody still answers at the contacts.",
			Propose: proposeRenewed},
		Needs:    []snapshot.Named{snapshot.ZoneSecurityTxt, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.ServedNeeds(),
		Evaluate: evaluateValid,
	}
}

func validExamples() []goodtest.Example {
	expires := func(days int) func(*snapshot.Builder) {
		return file(func(f *snapshot.SecurityTxt) { f.Expires = snapshot.At(goodtest.Now().AddDate(0, 0, days)) })
	}
	contacts := func(all ...string) func(*snapshot.Builder) {
		return file(func(f *snapshot.SecurityTxt) { f.Contacts = all })
	}
	return []goodtest.Example{
		{Name: "ten months ahead", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a page and a number", Want: posture.Pass, Edit: contacts("https", "tel")},
		{Name: "expired", Want: posture.Fail, Resource: goodtest.Zone, Edit: expires(-1)},
		{Name: "no date", Want: posture.Fail, Edit: file(func(f *snapshot.SecurityTxt) { f.Expires = snapshot.Time{} })},
		{Name: "no usable contact", Want: posture.Fail, Edit: contacts("other")},
		{Name: "a useless contact beside a good one", Want: posture.Unknown, Edit: contacts("mailto", "other")},
		{Name: "expires soon", Want: posture.Warning, Resource: goodtest.Zone, Edit: expires(20)},
		{Name: "expires soon, with a useless contact", Want: posture.Warning, Edit: goodtest.Edits(expires(20), contacts("mailto", "other"))},
		{Name: "exactly a year ahead", Want: posture.Pass, Edit: expires(365)},
		{Name: "far ahead", Want: posture.Warning, Edit: expires(700)},
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.Edits(expires(-1),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
		{Name: "expired, and no record is proxied", Want: posture.NotApplicable, Edit: goodtest.Edits(expires(-1), goodtest.NotProxied())},
		{Name: "expired, and the zone is not active", Want: posture.NotApplicable, Edit: goodtest.Edits(expires(-1),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "moved" }))},
		{Name: "not published", Want: posture.NotApplicable, Edit: file(func(f *snapshot.SecurityTxt) { f.Enabled = false })},
		{Name: "published without a contact", Want: posture.NotApplicable, Edit: contacts()},
		{Name: "never set up", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.ZoneSecurityTxt.Source(),
				snapshot.Absent, "", "")
		}},
	}
}

func evaluateValid(v *check.View) check.Outcome {
	const soon = 30 * 24 * time.Hour
	f, now, name := check.Read(v, snapshot.ZoneSecurityTxt), v.Now(), v.Zone().Name
	usable := func(scheme string) bool { return scheme != "other" }
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZoneSecurityTxt, "/expires", observed, "between 30 days and a year ahead")
	}
	day := check.Day(f.Expires)
	switch {
	case !f.Enabled || len(f.Contacts) == 0:
		return v.NotApplicable("the file is not published")
	case f.Expires.IsZero():
		return v.Fail("The security contact file of "+name+" has no end date.", seen("absent"))
	case !f.Expires.After(now):
		return v.Fail("The security contact file of "+name+" expired on "+day+".", seen(day))
	case !slices.ContainsFunc(f.Contacts, usable):
		return v.Fail("No contact in the security contact file of "+name+" is an address a researcher can use.",
			check.Evidence(snapshot.ZoneSecurityTxt, "/contacts", "no mailto, https or tel address", "at least one")).
			As(posture.Words{Call: named()})
	case f.Expires.Before(now.Add(soon)):
		return v.Warn("The security contact file of "+name+" expires on "+day+".", seen(day))
	case f.Expires.After(now.AddDate(1, 0, 0)):
		return v.Warn("The security contact file of "+name+" expires more than a year ahead, on "+day+".", seen(day))
	case slices.Contains(f.Contacts, "other"):
		return v.Unknown("one contact of the file is no mailto, https or tel address, others are")
	}
	return v.Pass("The security contact file is valid until %s.", day)
}
