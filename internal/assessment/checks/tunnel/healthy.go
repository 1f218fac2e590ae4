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
		Why: "A tunnel that is down serves nobody. One that nothing uses keeps a token with which anyone can connect " +
			"a server in its place.",
		Fix: "Start cloudflared on its host again, or delete the tunnel when nothing uses it.",
		Words: posture.Words{
			Problem: "Tunnel {name} is down",
			Impact:  "Users get an error 1033, and whoever finds the token of the tunnel can answer in place of the service.",
			Breaks:  "Nothing; the services come back when the connector is connected.",
			Dashboard: "Zero Trust › Networks › Connectors › Cloudflare Tunnels › {name}: read the status, then start " +
				"cloudflared on its host.",
		},
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
		return v.Fail("The tunnel "+t.Name+" is down: no connector is connected.", seen)
	case "degraded":
		return v.Warn("The tunnel "+t.Name+" is degraded: some of its connections are lost.", seen).As(posture.Words{
			Problem: "Tunnel {name} is degraded",
			Impact:  "When the remaining connections fail too, users get an error 1033 at every hostname of the tunnel.",
			Dashboard: "Zero Trust › Networks › Connectors › Cloudflare Tunnels › {name} › Live logs: look for the reason on the host of the " +
				"connector."})
	case "inactive":
		since := t.InactiveSince
		if since.IsZero() {
			since = t.CreatedAt
		}
		if !since.IsZero() && since.Before(v.Now().AddDate(0, 0, -v.Policy.TunnelIdleDays)) {
			return v.Warn("The tunnel "+t.Name+" has been inactive since "+check.Day(since)+".", seen).As(posture.Words{
				Problem:   "Tunnel {name} is not used any more",
				Impact:    "Whoever finds its token connects a server of their own and answers at the hostnames that still point to it.",
				Breaks:    "Hostnames and private routes that still lead to the tunnel get an error.",
				Dashboard: "Zero Trust › Networks › Connectors › Cloudflare Tunnels › {name} › Delete.",
				Call:      posture.Call{Method: "DELETE", Path: "/accounts/{account_id}/cfd_tunnel/{id}"}})
		}
		return v.Warn("The tunnel "+t.Name+" is inactive: no connector is connected.", seen).
			As(posture.Words{Problem: "Tunnel {name} is inactive"})
	}
	return v.Unknown("Cloudflare returned a status this check does not know")
}
