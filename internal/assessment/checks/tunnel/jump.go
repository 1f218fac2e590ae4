package tunnel

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// jump finds hostnames at which the client chooses the destination machine.
func jump() check.Check {
	return check.Check{
		ID: "CFL-TUNNEL-009", Title: "No tunnel hostname leads to every machine of the network",
		Category: "tunnels", Severity: posture.High, Resource: posture.ResourceTunnel, Scope: check.PerTunnel,
		Why: "In bastion mode, and as a SOCKS proxy, cloudflared connects to whatever address the client names. One Access application " +
			"then guards the whole network behind the connector.",
		Fix: "Publish each service by its own hostname, or replace the route by Access for Infrastructure or private routes.",
		Words: posture.Words{
			Problem: "Tunnel {name} connects clients to any machine they name",
			Impact: "Someone who passes the one login of the hostname reaches every machine and port that the connector reaches, such as " +
				"databases and cloud metadata.",
			Breaks: "People who use the hostname as a jump host need a hostname or private route for each server.",
			Dashboard: "Zero Trust › Networks › Connectors › Cloudflare Tunnels › {name} › Published application routes › the route › Edit: " +
				"choose the service it is for, and no proxy type or bastion mode.",
			Terraform: `resource "cloudflare_zero_trust_tunnel_cloudflared_config" "tunnel" {
  account_id = "{account_id}"
  tunnel_id  = "{id}"
  config = {
    ingress = [
      { hostname = var.hostname, service = var.service },
      { service = "http_status:404" },
    ]
  }
}`},
		References: []string{
			"https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/routing-to-tunnel/protocols/"},
		Controls: check.Controls{
			check.Supports("cis 12.2", "A tunnel publishes services and not the network."),
			check.Supports("soc2 CC6.6", "What can be reached from outside is limited to named services."),
			check.Supports("pci 1.4.2", "Traffic from outside reaches named services only."),
			check.Supports("nist PR.IR-01", "The private network stays closed but for what is published."),
		},
		Needs:    []snapshot.Named{snapshot.Tunnels, snapshot.TunnelConfig},
		Evaluate: evaluateJump,
	}
}

func jumpExamples() []goodtest.Example {
	service := func(name string, socks bool) func(*snapshot.Builder) {
		return ingress(snapshot.Ingress{Hostname: "admin." + goodtest.Domain, Service: name, Socks: socks},
			snapshot.Ingress{Service: "http_status:404"})
	}
	return []goodtest.Example{
		{Name: "one service", Want: posture.Pass, Resource: goodtest.Tunnel},
		{Name: "SSH to one server", Want: posture.Pass, Edit: service("ssh://10.0.0.5:22", false)},
		{Name: "a host of that name", Want: posture.Pass, Edit: service("ssh://bastion:22", false)},
		{Name: "a web service, whose proxy type does not count", Want: posture.Pass, Edit: service("http://10.0.0.5", true)},
		{Name: "bastion mode", Want: posture.Fail, Resource: goodtest.Tunnel, Edit: service("bastion", false)},
		{Name: "bastion mode in capitals", Want: posture.Fail, Edit: service(" Bastion ", false)},
		{Name: "a SOCKS proxy", Want: posture.Fail, Edit: service("socks-proxy", false)},
		{Name: "a SOCKS proxy by its type", Want: posture.Fail, Edit: service("tcp://10.0.0.5:22", true)},
		{Name: "a SOCKS proxy by its type, with a protocol of any name", Want: posture.Fail, Edit: service("vnc://10.0.0.5:5900", true)},
		{Name: "one route of two", Want: posture.Fail, Edit: ingress(snapshot.Ingress{Hostname: "a.shop.example", Service: "http://10.0.0.5"},
			snapshot.Ingress{Hostname: "b.shop.example", Service: "bastion"}, snapshot.Ingress{Service: "http_status:404"})},
		{Name: "configured on its host", Want: posture.Unknown, Resource: goodtest.Tunnel, Edit: local},
		{Name: "no route", Want: posture.NotApplicable, Edit: ingress()},
		{Name: "no tunnel", Want: posture.NotApplicable, Edit: without},
	}
}

func evaluateJump(v *check.View) check.Outcome {
	t := self(v)
	if reason := onHost(t); reason != "" {
		return v.Unknown(reason)
	}
	routes := check.Read(v, snapshot.TunnelConfig).Ingress
	var found []posture.Evidence
	for _, in := range routes {
		if exposure.AnyMachine(in.Service) || in.Socks && exposure.Streams(in.Service) {
			found = append(found, check.Evidence(snapshot.TunnelConfig, "/ingress/"+in.Hostname+"/service", in.Service, "one service"))
		}
	}
	switch {
	case len(routes) == 0:
		return v.NotApplicable("the tunnel publishes nothing")
	case len(found) > 0:
		return v.Fail("The tunnel "+t.Name+" connects clients of "+check.Count(len(found), "hostname", "")+" to any machine they name.", found...)
	}
	return v.Pass("Every hostname of the tunnel leads to one service.")
}
