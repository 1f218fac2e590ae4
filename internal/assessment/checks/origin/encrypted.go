package origin

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// encrypted judges the connection from the edge to the origin. A range of ports counts as each port
// in it; only a single port is known to carry an encrypted protocol.
func encrypted() check.Check {
	return check.Check{
		ID: "CFL-SPECTRUM-001", Title: "Spectrum applications use encryption",
		Category: "spectrum", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Plans: []string{"pro", "business", "enterprise"},
		Why: "Spectrum passes TCP as it comes. Without TLS on both sides passwords and data cross the internet in clear " +
			"text.",
		Fix: "Set the TLS mode of the application to Full (strict), after the origin serves a certificate that Cloudflare " +
			"trusts.",
		Words: posture.Words{
			Problem:   "Spectrum applications of {zone} are not encrypted",
			Impact:    "Someone on the way between Cloudflare and the origin can read and change what is sent.",
			Breaks:    "Applications whose origin has no valid certificate stop connecting.",
			Dashboard: "Spectrum › the application › Edit › TLS: Full (strict).",
		},
		References: []string{"Cloudflare docs: Spectrum configuration options"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Traffic of Spectrum applications is encrypted up to the origin."),
			check.Supports("soc2 CC6.7", "Data of other protocols is protected on its way."),
			check.Supports("pci 4.2.1", "Card data through Spectrum is encrypted; other ways are not seen."),
			check.Supports("nist PR.DS-02", "Traffic of Spectrum applications is protected on the wire."),
		},
		Aliases:  []string{"flareinspect:CFL-SPECTRUM-001"},
		Needs:    []snapshot.Named{snapshot.ZoneSpectrumApps},
		Evaluate: evaluateEncrypted,
	}
}

func encryptedExamples() []goodtest.Example {
	out := []goodtest.Example{
		{Name: "strict, and ssh", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "no application", Want: posture.NotApplicable, Edit: spectrumApps()},
		{Name: "only UDP", Want: posture.NotApplicable, Edit: spectrumApps(app("udp/53", "off", true))},
		{Name: "UDP beside TCP", Want: posture.Pass, Edit: spectrumApps(app("udp/53", "off", true),
			func() snapshot.SpectrumApp { a := app("tcp/443", "full", true); a.ID = "app2"; return a }())},
		{Name: "free plan", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Plan("free"), spectrumApps(app("tcp/25", "off", true)))},
	}
	for protocol, want := range map[string]posture.Result{"ssh": posture.Pass, "rdp": posture.Warning} {
		out = append(out, goodtest.Example{Name: protocol + " below enterprise, which has no mode", Want: want,
			Edit: goodtest.Edits(goodtest.Plan("pro"), spectrumApps(app(protocol, "", true)))})
	}
	for _, e := range []struct {
		protocol, tls string
		want          posture.Result
	}{
		{"tcp/443", "full", posture.Pass}, {"tcp/22", "off", posture.Pass}, {"ssh", "off", posture.Pass}, {"tcp/25", "off", posture.Fail},
		{"tcp/993", "off", posture.Pass}, {"tcp/443", "off", posture.Pass}, {"tcp/27017", "off", posture.Fail},
		{"tcp/443-444", "off", posture.Warning}, {"tcp/587", "off", posture.Fail}, {"tcp/8080", "off", posture.Fail},
		{"tcp/80-443", "off", posture.Fail},
		{"tcp/3300-3310", "off", posture.Fail},
		{"tcp/443", "flexible", posture.Warning}, {"tcp/25", "flexible", posture.Warning}, {"tcp/5222", "off", posture.Warning},
		{"rdp", "off", posture.Warning},
		{"tcp/22-23", "off", posture.Warning}, {"tcp/443", "", posture.Unknown}, {"tcp/443", "smile", posture.Unknown},
		{"sctp/1", "off", posture.Unknown},
	} {
		out = append(out, goodtest.Example{Name: e.protocol + " with mode " + e.tls, Want: e.want, Resource: goodtest.Zone,
			Edit: spectrumApps(app(e.protocol, e.tls, true))})
	}
	return out
}

func evaluateEncrypted(v *check.View) check.Outcome {
	var s apps
	for _, a := range check.Read(v, snapshot.ZoneSpectrumApps) {
		p, udp, known := portsOf(a.Protocol)
		if a.TLS == "" && !v.Zone().MayHave("enterprise") {
			a.TLS = "off" // the setting is for Enterprise (developers.cloudflare.com/spectrum/reference/settings-by-plan/)
		}
		seen := check.Evidence(snapshot.ZoneSpectrumApps, "/"+a.ID+"/tls", a.Protocol+" with mode "+a.TLS, "full or strict")
		switch {
		case udp:
		case a.TLS == "full" || a.TLS == "strict", known && a.TLS == "off" && p.encryptsItself():
			s.good++
		case a.TLS == "flexible":
			s.doubtful, s.warnRows = append(s.doubtful, appName(a)), append(s.warnRows, seen)
		case !known || a.TLS != "off":
			s.odd = append(s.odd, appName(a))
		case p.hasOneOf(clearPorts()):
			s.bad, s.badRows = append(s.bad, appName(a)), append(s.badRows, seen)
		default:
			s.doubtful, s.warnRows = append(s.doubtful, appName(a)), append(s.warnRows, seen)
		}
	}
	name := v.Zone().Name
	switch {
	case len(s.bad) > 0:
		return v.Fail("Applications of "+name+" pass mail, web or database traffic without TLS: "+list(s.bad)+".", s.badRows...)
	case len(s.doubtful) > 0:
		return v.Warn("Applications of "+name+" are not encrypted all the way: "+list(s.doubtful)+".", s.warnRows...)
	case len(s.odd) > 0:
		return v.Unknown("the protocol or mode of these applications is one this check does not know: " + list(s.odd))
	case s.good == 0:
		return v.NotApplicable("the zone has no application over TCP")
	}
	return v.Pass("Every application is encrypted all the way.")
}
