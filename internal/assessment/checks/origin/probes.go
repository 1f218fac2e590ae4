package origin

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// probes judges the standalone health checks.
func probes() check.Check {
	return check.Check{
		ID: "CFL-LB-005", Title: "Standalone health checks probe over TLS",
		Category: "loadbalancing", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Plans: []string{"pro", "business", "enterprise"},
		Why:   "A probe over plain HTTP says nothing about the encrypted service and shows its path and headers on the way.",
		Fix:   "Change the health check to HTTPS and let it verify the certificate.",
		Words: posture.Words{
			Problem:   "Health checks of {zone} do not use verified HTTPS",
			Impact:    "A broken or foreign certificate goes unnoticed, and someone on the way can answer the probe.",
			Breaks:    "Origins with a self-signed certificate are reported as unhealthy.",
			Dashboard: "Traffic › Health Checks › the check › Edit › Type: HTTPS; Verify certificate.",
		},
		References: []string{"Cloudflare docs: Health Checks"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Probes travel encrypted, as the traffic does."),
			check.Supports("soc2 CC6.7", "What probes carry is not readable on the way."),
			check.Touches("pci 4.2.1", "Probes carry no card data."),
			check.Supports("nist PR.DS-02", "Probes are protected on the wire."),
		},
		Aliases:  []string{},
		Needs:    []snapshot.Named{snapshot.ZoneHealthChecks},
		Unless:   check.NotPublic,
		Evaluate: evaluateProbes,
	}
}

func probesExamples() []goodtest.Example {
	set := func(all ...snapshot.HealthCheck) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneHealthChecks, goodtest.Zone, all) }
	}
	return []goodtest.Example{
		{Name: "https", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "tcp", Want: posture.Pass, Edit: set(snapshot.HealthCheck{ID: "h1", Name: "a", Type: "TCP"})},
		{Name: "plain http", Want: posture.Fail, Resource: goodtest.Zone, Edit: set(snapshot.HealthCheck{ID: "h1", Name: "a", Type: "HTTP"},
			snapshot.HealthCheck{ID: "h2", Name: "b", Type: "TCP"})},
		{Name: "any certificate", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: set(snapshot.HealthCheck{ID: "h1", Name: "a", Type: "HTTPS", AllowInsecure: true})},
		{Name: "suspended", Want: posture.NotApplicable, Edit: set(snapshot.HealthCheck{ID: "h1", Name: "a", Type: "HTTP", Suspended: true})},
		{Name: "plain http in a zone that has moved away", Want: posture.NotApplicable, Edit: goodtest.Edits(
			set(snapshot.HealthCheck{ID: "h1", Name: "a", Type: "HTTP"}), goodtest.Status("moved"))},
		{Name: "none", Want: posture.NotApplicable, Edit: set()},
		{Name: "a type nobody knows", Want: posture.Unknown, Edit: set(snapshot.HealthCheck{ID: "h1", Name: "a", Type: "QUIC"})},
		{Name: "a type that is not told", Want: posture.Unknown, Resource: goodtest.Zone, Edit: set(snapshot.HealthCheck{ID: "h1", Name: "a"})},
		{Name: "free plan", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Plan("free"),
			set(snapshot.HealthCheck{ID: "h1", Name: "a", Type: "HTTP"}))},
	}
}

func evaluateProbes(v *check.View) check.Outcome {
	var plain, blind check.Found
	judged, odd := 0, ""
	for _, h := range check.Read(v, snapshot.ZoneHealthChecks) {
		if h.Suspended {
			continue
		}
		judged++
		switch {
		case h.Type == "HTTP":
			plain.Add(h.Name, check.Evidence(snapshot.ZoneHealthChecks, "/"+h.ID+"/type", h.Type, "HTTPS"))
		case h.Type == "HTTPS" && h.AllowInsecure:
			blind.Add(h.Name, check.Evidence(snapshot.ZoneHealthChecks, "/"+h.ID+"/allow_insecure", "true", "false"))
		case h.Type != "HTTPS" && h.Type != "TCP":
			odd = "the health check " + h.Name + " has a type this check does not know: " + h.Type
		}
	}
	name := v.Zone().Name
	switch {
	case judged == 0:
		return v.NotApplicable("the zone has no active health check")
	case len(plain.Names) > 0:
		return v.Fail("Health checks of "+name+" probe over plain HTTP: "+list(plain.Names)+".", plain.Rows...)
	case len(blind.Names) > 0:
		return v.Warn("Health checks of "+name+" take any certificate: "+list(blind.Names)+".", blind.Rows...)
	case odd != "":
		return v.Unknown(odd)
	}
	return v.Pass("Every health check probes over TLS or TCP.")
}
