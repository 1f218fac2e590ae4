package script

import (
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// innocent is the lowest score that Cloudflare does not consider malicious; 0 is no score. Source:
// developers.cloudflare.com/client-side-security/how-it-works/malicious-script-detection/.
const innocent = 10

// malicious looks for scripts and connections that the provider reported. Those not seen for a
// while are no longer on the pages, whether reported or scored.
func malicious() check.Check {
	return check.Check{
		ID: "CFL-PAGESHIELD-002", Title: "No malicious script or connection is seen",
		Category: "page-shield", Severity: posture.Critical, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Plans: []string{"business", "enterprise"},
		Why: "Cloudflare compares scripts and connections of your pages with known malicious ones. A match is rarely a " +
			"false alarm.",
		Fix: "Remove the script from the pages, then find out how it got there and what it sent.",
		Words: posture.Words{
			Problem:   "Pages of {zone} load a malicious script",
			Impact:    "The script reads what visitors type, such as passwords and card numbers, and sends it away.",
			Breaks:    "Functions of the page that depend on the script.",
			Dashboard: "Security › Web assets › Client-side resources: open the reported scripts and connections.",
		},
		References: []string{docsClientSide, "https://developers.cloudflare.com/client-side-security/alerts/"},
		Controls: check.Controls{
			check.Touches("cis 16.11", "It finds bad scripts; it chooses no module for a security function."),
			check.Supports("soc2 CC7.2", "Anomalies in scripts of visitors' browsers are seen."),
			check.Supports("pci 6.4.3", "Scripts are checked for malice; authorisation and integrity are more than that."),
			check.Supports("pci 11.6.1", "Changes of scripts to something malicious are detected."),
			check.Supports("nist DE.CM-09", "What runs in browsers is monitored, and nothing malicious is seen."),
		},
		Aliases:  []string{},
		Needs:    []snapshot.Named{snapshot.ZonePageShield, snapshot.ZonePageShieldScripts, snapshot.ZonePageShieldConnections},
		Evaluate: evaluateMalicious,
	}
}

// sightings sorts hosts by what was reported about them.
type sightings struct {
	reported, scored, undated []string
	unchecked                 []string // Cloudflare does not say whether they are malicious
	evidence                  []posture.Evidence
}

func evaluateMalicious(v *check.View) check.Outcome {
	switch on := check.Read(v, snapshot.ZonePageShield).Enabled; {
	case on != nil && !*on:
		return v.NotApplicable("scripts are not monitored")
	case on == nil && v.StatusOf(snapshot.ZonePageShield) == snapshot.Absent:
		return v.NotApplicable("client-side security is not in use")
	case on == nil:
		return v.Unknown("Cloudflare did not return whether scripts are monitored")
	}
	since := v.Now().AddDate(0, 0, -v.Policy.ScriptSeenDays)
	var s sightings
	note := func(k snapshot.Named, id, host string, seen snapshot.Time, reported, unchecked bool, score int) {
		bad := score > 0 && score < innocent
		when := check.Evidence(k, "/"+id+"/last_seen_at", seen.Format(time.DateOnly), "before "+since.Format(time.DateOnly))
		switch {
		case unchecked && (seen.IsZero() || !seen.Before(since)):
			s.unchecked = append(s.unchecked, host)
		case !reported && !bad:
		case seen.IsZero():
			s.undated = append(s.undated, host)
		case seen.Before(since):
		case reported:
			s.reported = append(s.reported, host)
			s.evidence = append(s.evidence, check.Evidence(k, "/"+id, "reported as malicious", "no report"), when)
		default:
			s.scored = append(s.scored, host)
			s.evidence = append(s.evidence, check.Evidence(k, "/"+id, fmt.Sprintf("a score of %d", score), fmt.Sprintf("%d or more", innocent)),
				when)
		}
	}
	for _, c := range check.Read(v, snapshot.ZonePageShieldScripts) {
		note(snapshot.ZonePageShieldScripts, c.ID, c.Host, c.LastSeen, c.DomainMalicious || c.URLMalicious, c.Unchecked,
			lowest(c.Integrity, c.Malware, c.Magecart, c.Cryptomining))
	}
	for _, c := range check.Read(v, snapshot.ZonePageShieldConnections) {
		note(snapshot.ZonePageShieldConnections, c.ID, c.Host, c.LastSeen, c.DomainMalicious || c.URLMalicious, c.Unchecked, 0)
	}
	switch name := v.Zone().Name; {
	case len(s.reported) > 0:
		return v.Fail("Pages of "+name+" load scripts from, or connect to, what is reported as malicious: "+check.Few(s.reported)+".",
			s.evidence...)
	case len(s.scored) > 0:
		return v.Warn("Pages of "+name+" load scripts whose code looks malicious, from: "+check.Few(s.scored)+".", s.evidence...).
			As(posture.Words{Problem: "Scripts on pages of {zone} look malicious",
				Impact: "If the score is right, the script reads what visitors type and sends it away."})
	case len(s.undated) > 0:
		return v.Unknown("Cloudflare did not say when it last saw the suspicious host " + check.Few(s.undated))
	case len(s.unchecked) > 0:
		return v.Unknown("Cloudflare did not say whether what pages load from, or connect to, is malicious: " + check.Few(s.unchecked))
	}
	return v.Pass("No script or connection that was seen lately is reported as malicious.")
}

// lowest returns the worst of the available scores.
func lowest(scores ...int) int {
	out := 0
	for _, s := range scores {
		if s > 0 && (out == 0 || s < out) {
			out = s
		}
	}
	return out
}

func maliciousExamples() []goodtest.Example {
	no := false
	seen := func(days int) snapshot.Time { return snapshot.At(goodtest.Now().AddDate(0, 0, -days)) }
	script := func(s snapshot.PageScript) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			s.ID, s.Host = "s9", "cdn.partner.example"
			snapshot.Edit(b, snapshot.ZonePageShieldScripts, goodtest.Zone, func(all *[]snapshot.PageScript) { *all = append(*all, s) })
		}
	}
	connection := func(c snapshot.PageConnection) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			c.ID, c.Host = "c9", "collect.partner.example"
			snapshot.Put(b, snapshot.ZonePageShieldConnections, goodtest.Zone, []snapshot.PageConnection{c})
		}
	}
	return []goodtest.Example{
		{Name: "nothing reported", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a reported domain", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: script(snapshot.PageScript{LastSeen: seen(1), DomainMalicious: true})},
		{Name: "a reported address", Want: posture.Fail, Edit: script(snapshot.PageScript{LastSeen: seen(29), URLMalicious: true})},
		{Name: "a reported connection", Want: posture.Fail, Edit: connection(snapshot.PageConnection{LastSeen: seen(2), DomainMalicious: true})},
		{Name: "reported, but gone for long", Want: posture.Pass, Edit: script(snapshot.PageScript{LastSeen: seen(31), DomainMalicious: true})},
		{Name: "nobody looked whether it is malicious", Want: posture.Unknown, Resource: goodtest.Zone,
			Edit: script(snapshot.PageScript{LastSeen: seen(1), Unchecked: true})},
		{Name: "nobody looked at a connection", Want: posture.Unknown,
			Edit: connection(snapshot.PageConnection{LastSeen: seen(1), Unchecked: true})},
		{Name: "nobody looked, and it is gone for long", Want: posture.Pass,
			Edit: script(snapshot.PageScript{LastSeen: seen(31), Unchecked: true})},
		{Name: "reported, without a date", Want: posture.Unknown, Edit: script(snapshot.PageScript{URLMalicious: true})},
		{Name: "code that looks like a skimmer", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: script(snapshot.PageScript{LastSeen: seen(1), Malware: 90, Magecart: 4})},
		{Name: "code that mines", Want: posture.Warning, Edit: script(snapshot.PageScript{LastSeen: seen(1), Cryptomining: 9})},
		{Name: "code of low integrity", Want: posture.Warning,
			Edit: script(snapshot.PageScript{LastSeen: seen(1), Integrity: 9, Malware: 60, Magecart: 40, Cryptomining: 80})},
		{Name: "low integrity, but gone for long", Want: posture.Pass, Edit: script(snapshot.PageScript{LastSeen: seen(31), Integrity: 1})},
		{Name: "low integrity, without a date", Want: posture.Unknown, Edit: script(snapshot.PageScript{Integrity: 1})},
		{Name: "low integrity and a reported address", Want: posture.Fail,
			Edit: script(snapshot.PageScript{LastSeen: seen(1), Integrity: 1, URLMalicious: true})},
		{Name: "a score at the threshold", Want: posture.Pass,
			Edit: script(snapshot.PageScript{LastSeen: seen(1), Integrity: 10, Malware: 10, Magecart: 99})},
		{Name: "no score", Want: posture.Pass, Edit: script(snapshot.PageScript{LastSeen: seen(1)})},
		{Name: "not monitored", Want: posture.NotApplicable, Edit: goodtest.Edits(watching(&no),
			script(snapshot.PageScript{LastSeen: seen(1), URLMalicious: true}))},
		{Name: "not returned whether monitored", Want: posture.Unknown, Edit: watching(nil)},
		{Name: "not in use", Want: posture.NotApplicable, Edit: marked(snapshot.ZonePageShield, snapshot.Absent)},
		{Name: "pro plan", Want: posture.NotApplicable, Edit: goodtest.Plan("pro")},
	}
}
