package origin

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// firewalled judges whether the IP access rules apply to Spectrum applications. Cloudflare offers
// that for TCP only, so UDP is left out. Traffic of the types http and https passes the rules of
// the zone like any host's traffic; plans below Enterprise have no switch
// (developers.cloudflare.com/spectrum/reference/settings-by-plan/).
func firewalled() check.Check {
	return check.Check{
		ID: "CFL-SPECTRUM-002", Title: "Spectrum applications obey the firewall",
		Category: "spectrum", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Plans: []string{"pro", "business", "enterprise"},
		Why: "A Spectrum application opens a port on Cloudflare's addresses. With the IP firewall off, IP Access rules do " +
			"not apply to it.",
		Fix: "Turn the IP firewall on and add IP Access rules, or publish the service through Cloudflare Tunnel with " +
			"Access.",
		Words: posture.Words{
			Problem:   "Spectrum applications of {zone} ignore IP Access rules",
			Impact:    "Anyone on the internet can reach the port, such as SSH or a database, and guess passwords there.",
			Breaks:    "Addresses that an IP Access rule blocks can no longer connect.",
			Dashboard: "Spectrum › the application › Edit › IP Access Rules: On.",
		},
		References: []string{"Cloudflare docs: Spectrum configuration options"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "IP access rules are in force for Spectrum applications."),
			check.Supports("soc2 CC6.6", "The boundary holds for protocols other than HTTP."),
			check.Supports("pci 1.2.5", "Ports that are open obey rules."),
			check.Supports("pci 1.3.1", "Inbound traffic to these ports can be limited."),
			check.Supports("nist PR.IR-01", "Access rules guard the services behind Spectrum."),
		},
		Aliases: []string{"cfsi:exposed-rdp"},
		Remedy: &propose.Remedy{Operation: "PUT /zones/{zone_id}/spectrum/apps/{app_id}", Risk: "medium", Reversible: true,
			Body:    "the whole application as read with ip_firewall true",
			Inverse: "PUT the captured object",
			Caution: "Existing IP access rules start to apply to this port: check for block rules that hit partners.",
			Propose: proposeFirewalled},
		Needs:    []snapshot.Named{snapshot.ZoneSpectrumApps},
		Evaluate: evaluateFirewalled,
	}
}

func firewalledExamples() []goodtest.Example {
	unsaid := app("tcp/22", "off", true)
	unsaid.IPFirewall = nil
	of := func(traffic string, firewall bool) snapshot.SpectrumApp {
		a := app("tcp/22", "off", firewall)
		a.Traffic = traffic
		return a
	}
	return []goodtest.Example{
		{Name: "on", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "ssh", Want: posture.Fail, Resource: goodtest.Zone, Edit: spectrumApps(app("ssh", "off", false))},
		{Name: "rdp", Want: posture.Fail, Edit: spectrumApps(app("tcp/3389", "off", false))},
		{Name: "a database", Want: posture.Fail, Edit: spectrumApps(app("tcp/5432", "strict", false))},
		{Name: "a range that holds a management port", Want: posture.Fail, Edit: spectrumApps(app("tcp/1-65535", "off", false))},
		{Name: "a web port", Want: posture.Warning, Resource: goodtest.Zone, Edit: spectrumApps(app("tcp/443", "strict", false))},
		{Name: "UDP", Want: posture.NotApplicable, Edit: spectrumApps(app("udp/53", "off", false))},
		{Name: "a protocol nobody knows", Want: posture.Unknown, Edit: spectrumApps(app("sctp/1", "off", false))},
		{Name: "a protocol nobody knows behind the firewall", Want: posture.Pass, Edit: spectrumApps(app("sctp/1", "off", true))},
		{Name: "not returned", Want: posture.Unknown, Edit: spectrumApps(unsaid)},
		{Name: "not returned, on a plan that has no such switch", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: goodtest.Edits(goodtest.Plan("business"), spectrumApps(unsaid))},
		{Name: "straight to the origin", Want: posture.Fail, Edit: spectrumApps(of("direct", false))},
		{Name: "through the rules for web traffic", Want: posture.Pass, Edit: spectrumApps(of("http", false))},
		{Name: "through the rules for encrypted web traffic", Want: posture.Pass, Edit: spectrumApps(of("https", false))},
		{Name: "to a Worker", Want: posture.Unknown, Edit: spectrumApps(of("worker", false))},
		{Name: "to a Worker behind the firewall", Want: posture.Pass, Edit: spectrumApps(of("worker", true))},
		{Name: "no application", Want: posture.NotApplicable, Edit: spectrumApps()},
		{Name: "free plan", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Plan("free"), spectrumApps(app("ssh", "off", false)))},
	}
}

func evaluateFirewalled(v *check.View) check.Outcome {
	var s apps
	noSwitch := v.Zone().Plan != "enterprise"
	for _, a := range check.Read(v, snapshot.ZoneSpectrumApps) {
		p, udp, known := portsOf(a.Protocol)
		seen := check.Evidence(snapshot.ZoneSpectrumApps, "/"+a.ID+"/ip_firewall", a.Protocol+" without it", "true")
		switch {
		case udp:
		case a.IPFirewall != nil && *a.IPFirewall, a.Traffic == "http", a.Traffic == "https":
			s.good++
		case a.IPFirewall == nil && !noSwitch || !known || a.Traffic != "" && a.Traffic != "direct":
			s.odd = append(s.odd, appName(a))
		case p.hasOneOf(managementPorts()):
			s.bad, s.badRows = append(s.bad, appName(a)), append(s.badRows, seen)
		default:
			s.doubtful, s.warnRows = append(s.doubtful, appName(a)), append(s.warnRows, seen)
		}
	}
	name := v.Zone().Name
	switch {
	case len(s.bad) > 0:
		return v.Fail("Management or database ports of "+name+" are open to every address: "+list(s.bad)+".", s.badRows...).
			As(posture.Words{Problem: "Management or database ports of {zone} are open to everyone", Dashboard: elsewhere(noSwitch)})
	case len(s.doubtful) > 0:
		return v.Warn("Applications of "+name+" ignore the IP access rules: "+list(s.doubtful)+".", s.warnRows...).
			As(posture.Words{Dashboard: elsewhere(noSwitch)})
	case len(s.odd) > 0:
		return v.Unknown("the protocol or firewall switch of these applications is not known: " + list(s.odd))
	case s.good == 0:
		return v.NotApplicable("the zone has no application over TCP")
	}
	return v.Pass("Every application obeys the IP access rules.")
}

// elsewhere describes the alternative where the plan has no switch.
func elsewhere(noSwitch bool) string {
	if !noSwitch {
		return ""
	}
	return "Zero Trust › Networks › Connectors › Cloudflare Tunnels: publish the service behind Access, then delete the application in " +
		"Spectrum."
}

// proposeFirewalled applies the IP access rules to each TCP application.
func proposeFirewalled(c *propose.Case) ([]change.Edit, error) {
	all, err := c.List(c.Path("/zones/{zone_id}/spectrum/apps"))
	if err != nil {
		return nil, err
	}
	var edits []change.Edit
	for _, a := range all {
		_, udp, known := portsOf(propose.Text(a, "protocol"))
		_, has := a["ip_firewall"]
		switch kind := propose.Text(a, "traffic_type"); {
		case udp || !known || kind != "" && kind != "direct":
			continue
		case !has:
			return nil, propose.Refuse("The plan of the zone has no IP Access rules for Spectrum; publish the service through Cloudflare Tunnel.")
		case a["ip_firewall"] != false:
			continue
		}
		place, live, err := c.At("/zones/{zone_id}/spectrum/apps/{app}", "app", propose.Text(a, "id"))
		if err != nil {
			return nil, err
		}
		captured := propose.Without(live, "id", "created_on", "modified_on")
		written := propose.Copy(captured)
		written["ip_firewall"] = true
		e := propose.Replace("PUT", place, place.Path, live, written, captured, "ip_firewall")
		name, _ := propose.Member(live, "dns.name").(string)
		e.Label = name + " " + propose.Text(live, "protocol") + " " + propose.Text(live, "id")
		edits = append(edits, e)
	}
	return edits, nil
}
