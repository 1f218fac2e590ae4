package tunnel

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// vpc finds Workers VPC services whose certificate is not verified.
func vpc() check.Check {
	return check.Check{
		ID: "CFL-TUNNEL-010", Title: "Workers VPC services verify certificates in full",
		Category: "tunnels", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A Worker reaches a private service by a VPC service. Unless its certificate is verified in full, another machine in the " +
			"private network can pose as the service.",
		Fix: "Give the service a certificate with its own name, then set the verification mode to verify_full.",
		Words: posture.Words{
			Problem: "Workers of this account reach private services without verifying them",
			Impact: "Someone in the private network answers in place of the service, and reads the queries and credentials that Workers " +
				"send.",
			Breaks:    "Workers get errors from services whose certificate is self-signed or has another name.",
			Dashboard: "Workers & Pages › Workers VPC › the service › Edit: verify the certificate in full.",
			Terraform: `resource "cloudflare_connectivity_directory_service" "db" {
  account_id   = "{account_id}"
  name         = "db"
  type         = "tcp"
  host         = { hostname = var.hostname, resolver_network = { tunnel_id = var.tunnel_id } }
  tls_settings = { cert_verification_mode = "verify_full" }
}`},
		References: []string{"https://developers.cloudflare.com/workers-vpc/configuration/vpc-services/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Data of Workers goes to a server whose certificate was checked."),
			check.Supports("soc2 CC6.7", "Data between Workers and private services is protected."),
			check.Touches("pci 4.2.1", "That leg is inside and not an open network."),
			check.Supports("nist PR.DS-02", "Data between Workers and private services is protected on the wire."),
		},
		Needs:    []snapshot.Named{snapshot.Tunnels, snapshot.VPCServices},
		Unless:   check.Empty(snapshot.VPCServices, "the account has no VPC service"),
		Evaluate: evaluateVPC,
	}
}

func vpcGood(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.VPCServices, goodtest.Account, []snapshot.VPCService{
		{ID: "v1", Name: "db", Type: "tcp", Protocol: "postgresql", Verify: "verify_full"}, {ID: "v2", Name: "api", Type: "http", HTTPS: 443}})
}

func vpcExamples() []goodtest.Example {
	service := func(s snapshot.VPCService) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			s.ID, s.Name = "v1", "db"
			snapshot.Put(b, snapshot.VPCServices, goodtest.Account, []snapshot.VPCService{s})
		}
	}
	verify := func(mode string) func(*snapshot.Builder) {
		return service(snapshot.VPCService{Type: "tcp", Protocol: "postgresql", Verify: mode})
	}
	return []goodtest.Example{
		{Name: "in full", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "never set, which is in full", Want: posture.Pass, Edit: verify("")},
		{Name: "plain HTTP has no certificate", Want: posture.Pass,
			Edit: service(snapshot.VPCService{Type: "http", HTTP: 80, Verify: "disabled"})},
		{Name: "not at all", Want: posture.Fail, Resource: goodtest.Account, Edit: verify("disabled")},
		{Name: "not at all, in capitals", Want: posture.Fail, Edit: verify("DISABLED")},
		{Name: "a web service, not at all", Want: posture.Fail,
			Edit: service(snapshot.VPCService{Type: "http", HTTPS: 8443, Verify: "disabled"})},
		{Name: "a web service on the usual ports, not at all", Want: posture.Fail,
			Edit: service(snapshot.VPCService{Type: "http", Verify: "disabled"})},
		{Name: "any name", Want: posture.Warning, Resource: goodtest.Account, Edit: verify("verify_ca")},
		{Name: "a mode nobody knows", Want: posture.Unknown, Resource: goodtest.Account, Edit: verify("pinned")},
		{Name: "no service", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.VPCServices, goodtest.Account, []snapshot.VPCService{})
		}},
		{Name: "no tunnel", Want: posture.NotApplicable, Edit: goodtest.Edits(without, func(b *snapshot.Builder) {
			b.Mark(snapshot.VPCServices.Source(), snapshot.Skipped, "", "the account has no tunnel")
		})},
	}
}

func evaluateVPC(v *check.View) check.Outcome {
	var severe, mild []posture.Evidence
	odd := ""
	for _, s := range check.Read(v, snapshot.VPCServices) {
		if s.Type == "http" && s.HTTP != 0 && s.HTTPS == 0 {
			continue // the connection is not encrypted at all
		}
		seen := check.Evidence(snapshot.VPCServices, "/"+s.ID+"/tls_settings/cert_verification_mode", s.Name+": "+s.Verify, "verify_full")
		switch strings.ToLower(s.Verify) {
		case "", "verify_full":
		case "disabled":
			severe = append(severe, seen)
		case "verify_ca":
			mild = append(mild, seen)
		default:
			odd = s.Verify
		}
	}
	switch {
	case len(severe) > 0:
		return v.Fail("Workers do not verify the certificate of "+check.Count(len(severe), "private service", "")+".", append(severe, mild...)...)
	case odd != "":
		return v.Unknown("Cloudflare returned a verification mode this check does not know: " + odd)
	case len(mild) > 0:
		return v.Warn("Workers accept a certificate of any name from "+check.Count(len(mild), "private service", "")+".", mild...).
			Rated(posture.Low)
	}
	return v.Pass("Workers verify the certificate of every private service.")
}
