package tunnel

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// healthy judges whether a tunnel is connected.
func healthy() check.Check {
	return check.Check{
		ID: "CFL-TUNNEL-001", Title: "Tunnels are healthy",
		Category: "tunnels", Severity: posture.Medium, Resource: posture.ResourceTunnel, Scope: check.PerTunnel,
		Why:        "A broken tunnel is an outage, a forgotten one an unattended credential.",
		Fix:        "Restore the connectors or delete the tunnel.",
		References: []string{"https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/"},
		Controls: check.Controls{
			check.Supports("cis 12.2", "The network path that was designed is in service."),
			check.Supports("soc2 A1.2", "Connections of the tunnel are up."),
			check.Supports("pci 10.7.2", "A tunnel that went down does not stay unnoticed."),
			check.Supports("nist PR.IR-03", "The tunnel withstands the loss of a connection."),
		},
		Aliases:  []string{"flareinspect:CFL-TUNNEL-001"},
		Needs:    []snapshot.Named{snapshot.Tunnels},
		Evaluate: evaluateHealthy,
	}
}

func healthyExamples() []goodtest.Example {
	status := func(s string) func(*snapshot.Builder) {
		return editTunnel(func(t *snapshot.Tunnel) { t.Status = s })
	}
	idle := func(days int) func(*snapshot.Builder) {
		return editTunnel(func(t *snapshot.Tunnel) {
			t.Status, t.InactiveSince = "inactive", snapshot.At(goodtest.Now().AddDate(0, 0, -days))
		})
	}
	return []goodtest.Example{
		{Name: "healthy", Want: posture.Pass, Resource: goodtest.Tunnel},
		{Name: "down", Want: posture.Fail, Resource: goodtest.Tunnel, Edit: status("down")},
		{Name: "degraded", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: status("degraded")},
		{Name: "inactive since last week", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: idle(7)},
		{Name: "inactive since last year", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: idle(300)},
		{Name: "never connected", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: status("inactive")},
		{Name: "a status nobody knows", Want: posture.Unknown, Resource: goodtest.Tunnel, Edit: status("active")},
		{Name: "no tunnel", Want: posture.NotApplicable, Edit: without},
	}
}

func evaluateHealthy(v *check.View) check.Outcome {
	t := self(v)
	seen := check.Evidence(snapshot.Tunnels, "/"+t.ID+"/status", t.Status, "healthy")
	switch t.Status {
	case "healthy":
		return v.Pass("The tunnel is healthy.")
	case "down":
		return v.Fail("The tunnel "+t.Name+" is down.", seen)
	case "degraded":
		return v.Warn("The tunnel "+t.Name+" lost some of its connections.", seen)
	case "inactive":
		since := t.InactiveSince
		if since.IsZero() {
			since = t.CreatedAt
		}
		if !since.IsZero() && since.Before(v.Now().AddDate(0, 0, -v.Policy.TunnelIdleDays)) {
			return v.Warn("Nothing used the tunnel "+t.Name+" for a long time, so it should be deleted.", seen)
		}
		return v.Warn("The tunnel "+t.Name+" is not connected.", seen)
	}
	return v.Unknown("the provider returned a status this check does not know")
}
