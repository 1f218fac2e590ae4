package tunnel

import (
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// lastRule judges what a tunnel does with unconfigured hostnames. With a saved configuration
// without rules, cloudflared answers 503; if none was ever saved, its command line decides.
func lastRule() check.Check {
	return check.Check{
		ID: "CFL-TUNNEL-008", Title: "Unknown hostnames end in an error",
		Category: "tunnels", Severity: posture.Medium, Resource: posture.ResourceTunnel, Scope: check.PerTunnel,
		Why: "The last ingress rule of a tunnel takes every hostname that no rule names. When it leads to a service, " +
			"any record that points at the tunnel reaches it.",
		Fix: "Give each hostname a rule of its own, then let the last rule answer with http_status:404.",
		Words: posture.Words{
			Problem: "Tunnel {name} serves hostnames that nobody configured",
			Impact: "Anyone who may add a DNS record in the account publishes the service at a hostname without an Access " +
				"application.",
			Breaks: "Hostnames that only the last rule serves get an error 404.",
			Dashboard: "Zero Trust › Networks › Connectors › Cloudflare Tunnels › {name} › Published application routes › " +
				"Catch-all rule: http_status:404.",
			Call: posture.Call{Method: "PUT", Path: "/accounts/{account_id}/cfd_tunnel/{id}/configurations",
				From: "/accounts/{account_id}/cfd_tunnel/{id}/configurations",
				Body: `{config: (.result.config | .ingress[-1] = {service: "http_status:404"})}`},
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
		References: []string{"https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/"},
		Controls: check.Controls{
			check.Supports("cis 12.2", "Only hostnames that were named lead inside."),
			check.Supports("soc2 CC6.6", "Requests for other names end at the boundary."),
			check.Supports("pci 1.4.2", "Untrusted networks reach only services that were published."),
			check.Supports("nist PR.IR-01", "Nothing internal answers for an unknown name."),
		},
		Paths:    []string{"tunnel-without-access"},
		Needs:    []snapshot.Named{snapshot.Tunnels, snapshot.TunnelConfig},
		Evaluate: evaluateLastRule,
	}
}

func lastRuleExamples() []goodtest.Example {
	named := snapshot.Ingress{Hostname: "admin." + goodtest.Domain, Service: "https://10.0.0.5:8443"}
	last := func(in snapshot.Ingress) func(*snapshot.Builder) { return ingress(named, in) }
	return []goodtest.Example{
		{Name: "not found", Want: posture.Pass, Resource: goodtest.Tunnel},
		{Name: "any name reaches whatever it asks for", Want: posture.Fail, Edit: last(snapshot.Ingress{Service: "socks-proxy"})},
		{Name: "not found, by a star", Want: posture.Pass, Edit: last(snapshot.Ingress{Hostname: "*", Service: "http_status:404"})},
		{Name: "unavailable", Want: posture.Pass, Edit: last(snapshot.Ingress{Service: "http_status:503"})},
		{Name: "any name reaches a service", Want: posture.Fail, Resource: goodtest.Tunnel,
			Edit: last(snapshot.Ingress{Service: "http://10.0.0.5"})},
		{Name: "any name by a star reaches a service", Want: posture.Fail,
			Edit: last(snapshot.Ingress{Hostname: "*", Service: "http://10.0.0.5"})},
		{Name: "any name reaches the demonstration page", Want: posture.Fail, Edit: last(snapshot.Ingress{Service: "hello_world"})},
		{Name: "any name is answered well", Want: posture.Fail, Resource: goodtest.Tunnel,
			Edit: last(snapshot.Ingress{Service: "http_status:200"})},
		{Name: "the last rule has a host name", Want: posture.Unknown, Resource: goodtest.Tunnel, Edit: ingress(named)},
		{Name: "the last rule has a path", Want: posture.Unknown, Resource: goodtest.Tunnel,
			Edit: last(snapshot.Ingress{Path: "^/a", Service: "http://10.0.0.5"})},
		{Name: "a status nobody can read", Want: posture.Unknown, Resource: goodtest.Tunnel,
			Edit: last(snapshot.Ingress{Service: "http_status:teapot"})},
		{Name: "no rule at all", Want: posture.Pass, Edit: ingress()},
		{Name: "no configuration was ever saved", Want: posture.Unknown, Resource: goodtest.Tunnel, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.TunnelConfig, goodtest.Tunnel, snapshot.TunnelSettings{Ingress: []snapshot.Ingress{}})
		}},
		{Name: "configured on its host", Want: posture.Unknown, Resource: goodtest.Tunnel, Edit: local},
		{Name: "no tunnel", Want: posture.NotApplicable, Edit: without},
	}
}

func evaluateLastRule(v *check.View) check.Outcome {
	t := self(v)
	if reason := onHost(t); reason != "" {
		return v.Unknown(reason)
	}
	config := check.Read(v, snapshot.TunnelConfig)
	rules := config.Ingress
	switch {
	case len(rules) == 0 && config.Version > 0:
		return v.Pass("The tunnel has no ingress rule, so every hostname gets an error 503.")
	case len(rules) == 0:
		return v.Unknown("the configuration of the tunnel holds no ingress rule")
	}
	last := rules[len(rules)-1]
	if last.Hostname != "" && last.Hostname != "*" || last.Path != "" {
		return v.Unknown("the last ingress rule is no rule for every host name")
	}
	observed := last.Service
	if !strings.HasPrefix(observed, "http_status:") {
		observed = exposure.ServiceName(observed)
	}
	seen := check.Evidence(snapshot.TunnelConfig, "/ingress/"+strconv.Itoa(len(rules)-1)+"/service", observed, "http_status of 400 or more")
	text, status := strings.CutPrefix(last.Service, "http_status:")
	code, err := strconv.Atoi(text)
	switch {
	case !status:
		return v.Fail("The tunnel "+t.Name+" sends every hostname without a rule to "+observed+".", seen)
	case err != nil:
		return v.Unknown("Cloudflare returned a status this check cannot read")
	case code < 400:
		return v.Fail("The tunnel "+t.Name+" answers every hostname without a rule with the status "+text+".", seen)
	}
	return v.Pass("Hostnames without a rule get an error.")
}
