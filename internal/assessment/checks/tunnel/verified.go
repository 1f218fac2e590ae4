package tunnel

import (
	"net/netip"
	"net/url"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// verified finds services whose certificate the connector does not verify. The global setting
// applies to every ingress rule that does not override it.
func verified() check.Check {
	return check.Check{
		ID: "CFL-TUNNEL-002", Title: "Tunnel ingress checks origin certificates",
		Category: "tunnels", Severity: posture.Medium, Resource: posture.ResourceTunnel, Scope: check.PerTunnel,
		Why: "With No TLS Verify the connector accepts any certificate of a service. Encryption without that check " +
			"protects against listening, and not against a server that pretends to be the right one.",
		Fix: "Put the certificate of the internal CA on the connector's host, set it as CA pool, then turn No TLS " +
			"Verify off.",
		Words: posture.Words{
			Problem: "Tunnel {name} does not verify origin certificates",
			Impact: "Someone in the network between connector and service answers in its place, reads passwords and changes " +
				"answers.",
			Breaks: "Services whose certificate does not match their hostname or comes from another CA get an error 502.",
			Dashboard: "Zero Trust › Networks › Connectors › Cloudflare Tunnels › {name} › Published application routes › the " +
				"route › Edit › TLS › No TLS Verify: Off.",
			Call: posture.Call{Method: "PUT", Path: "/accounts/{account_id}/cfd_tunnel/{id}/configurations",
				From: "/accounts/{account_id}/cfd_tunnel/{id}/configurations",
				Body: `{config: (.result.config | .originRequest += {noTLSVerify: false, caPool: "{$CA_POOL}"} | ` +
					`.ingress |= map(if .originRequest.noTLSVerify then .originRequest.noTLSVerify = false else . end))}`,
				Choose: "CA_POOL: the file with the internal CA on the host of the connector (such as /etc/cloudflared/ca.pem)"},
			Terraform: `resource "cloudflare_zero_trust_tunnel_cloudflared_config" "tunnel" {
  account_id = "{account_id}"
  tunnel_id  = "{id}"
  config = {
    origin_request = {
      no_tls_verify = false
      ca_pool       = var.ca_pool
    }
    ingress = [
      { hostname = var.hostname, service = var.service },
      { service = "http_status:404" },
    ]
  }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Traffic to the internal service is encrypted and its certificate checked."),
			check.Supports("soc2 CC6.7", "Data between connector and service is protected."),
			check.Touches("pci 4.2.1", "That leg is inside and not an open network."),
			check.Supports("nist PR.DS-02", "Data between connector and service is protected on the wire."),
		},
		Aliases:  []string{"union:no-tls-verify"},
		Needs:    []snapshot.Named{snapshot.Tunnels, snapshot.TunnelConfig},
		Evaluate: evaluateVerified,
	}
}

func verifiedExamples() []goodtest.Example {
	service := func(url string, skip bool) func(*snapshot.Builder) {
		return ingress(snapshot.Ingress{Hostname: "admin." + goodtest.Domain, Service: url, NoTLSVerify: skip},
			snapshot.Ingress{Service: "http_status:404"})
	}
	return []goodtest.Example{
		{Name: "checked", Want: posture.Pass, Resource: goodtest.Tunnel},
		{Name: "unchecked, the scheme in capitals", Want: posture.Fail, Edit: service("HTTPS://10.0.0.5:8443", true)},
		{Name: "unchecked TLS over a socket", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: service("unix+tls:/run/app.sock", true)},
		{Name: "unchecked web sockets", Want: posture.Fail, Edit: service("wss://10.0.0.5:9000", true)},
		{Name: "unchecked", Want: posture.Fail, Resource: goodtest.Tunnel, Edit: service("https://10.0.0.5:8443", true)},
		{Name: "unchecked on another machine", Want: posture.Fail, Resource: goodtest.Tunnel, Edit: service("https://wiki", true)},
		{Name: "one of two unchecked", Want: posture.Fail,
			Edit: ingress(snapshot.Ingress{Hostname: "a.shop.example", Service: "https://localhost", NoTLSVerify: true},
				snapshot.Ingress{Hostname: "b.shop.example", Service: "https://10.0.0.5", NoTLSVerify: true})},
		{Name: "unchecked on the same machine", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: service("https://localhost:8443", true)},
		{Name: "unchecked on a loopback address", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: service("https://127.0.0.1:8443",
			true)},
		{Name: "unchecked on the v6 loopback address", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: service("https://[::1]:8443",
			true)},
		{Name: "plain services have no certificate", Want: posture.NotApplicable, Edit: service("http://10.0.0.5", true)},
		{Name: "configured on its host", Want: posture.Unknown, Resource: goodtest.Tunnel, Edit: local},
		{Name: "no tunnel", Want: posture.NotApplicable, Edit: without},
	}
}

func evaluateVerified(v *check.View) check.Outcome {
	t := self(v)
	if reason := onHost(t); reason != "" {
		return v.Unknown(reason)
	}
	var far, near []posture.Evidence
	encrypted := 0
	for _, in := range check.Read(v, snapshot.TunnelConfig).Ingress {
		u, err := url.Parse(in.Service)
		if err != nil || !slices.Contains([]string{"https", "wss", "unix+tls"}, u.Scheme) {
			continue
		}
		encrypted++
		if !in.NoTLSVerify {
			continue
		}
		seen := check.Evidence(snapshot.TunnelConfig, "/ingress/"+in.Hostname+"/no_tls_verify", "true for "+u.Scheme+"://"+u.Host, "false")
		if u.Scheme == "unix+tls" || loopback(u.Hostname()) {
			near = append(near, seen)
		} else {
			far = append(far, seen)
		}
	}
	switch {
	case encrypted == 0:
		return v.NotApplicable("no https service is behind the tunnel")
	case len(far) > 0:
		return v.Fail("The tunnel "+t.Name+" does not verify the certificate of "+check.Count(len(far), "service", "")+" on another machine.",
			append(far, near...)...)
	case len(near) > 0:
		return v.Warn("The tunnel "+t.Name+" does not verify the certificate of "+check.Count(len(near), "service", "")+" on its own machine.",
			near...).As(posture.Words{Problem: "Tunnel {name} does not verify certificates on its own machine",
			Impact: "Someone with an account on the machine of the connector can answer in place of the service."})
	}
	return v.Pass("The tunnel verifies the certificate of every service.")
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return exposure.Within(host, "localhost") || err == nil && a.IsLoopback()
}
