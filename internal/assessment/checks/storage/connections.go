package storage

import (
	"cmp"
	"net/netip"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// connections judges whether scripts know to which database they talk. Every
// host name counts as public: where it leads is not known. The mode require, which
// is the default, checks the certificate against public authorities
// (developers.cloudflare.com/hyperdrive/configuration/tls-ssl-certificates-for-hyperdrive/).
func connections() check.Check {
	return check.Check{
		ID: "CFL-STORE-004", Title: "Database connections check the server",
		Category: "storage", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why:        "Without verification a machine in the path reads every query.",
		Fix:        "Upload the authority and use a verifying mode.",
		References: []string{"https://developers.cloudflare.com/hyperdrive/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Connections to databases are encrypted, and the server is checked."),
			check.Supports("soc2 CC6.7", "Data on the way to the database is protected."),
			check.Supports("pci 4.2.1", "Card data to the database is encrypted and goes to the right server."),
			check.Supports("nist PR.DS-02", "Data to databases is protected on the wire."),
		},
		Needs:    []snapshot.Named{snapshot.Hyperdrive},
		Evaluate: evaluateConnections,
	}
}

func connectionsExamples() []goodtest.Example {
	one := func(d snapshot.Database) func(*snapshot.Builder) {
		d.ID, d.Name = "h1", "orders"
		return put(snapshot.Hyperdrive, goodtest.Account, []snapshot.Database{d})
	}
	return []goodtest.Example{
		{Name: "the name is verified", Want: posture.Pass, Resource: goodtest.Account,
			Edit: one(snapshot.Database{Host: "db.shop.example", SSLMode: "verify-full"})},
		{Name: "the authority is verified", Want: posture.Pass, Edit: one(snapshot.Database{Host: "45.60.10.9", SSLMode: "verify-ca"})},
		{Name: "any public authority will do", Want: posture.Warning, Severity: posture.Medium, Resource: goodtest.Account,
			Edit: one(snapshot.Database{Host: "db.shop.example", SSLMode: "require"})},
		{Name: "no mode", Want: posture.Warning, Severity: posture.Medium, Edit: one(snapshot.Database{Host: "45.60.10.9"})},
		{Name: "not encrypted for sure", Want: posture.Fail, Resource: goodtest.Account,
			Edit: one(snapshot.Database{Host: "db.shop.example", SSLMode: "prefer"})},
		{Name: "an address just outside the private ones", Want: posture.Warning, Edit: one(snapshot.Database{Host: "172.32.0.7"})},
		{Name: "through a private service, without a host", Want: posture.Pass, Edit: one(snapshot.Database{Through: true})},
		{Name: "through a tunnel", Want: posture.Pass, Edit: one(snapshot.Database{Host: "db.shop.example", Through: true})},
		{Name: "a private address", Want: posture.Pass, Edit: one(snapshot.Database{Host: "10.4.0.7"})},
		{Name: "a private address of version 6", Want: posture.Pass, Edit: one(snapshot.Database{Host: "[fd00::7]"})},
		{Name: "no host", Want: posture.Unknown, Edit: one(snapshot.Database{})},
		{Name: "no connection", Want: posture.NotApplicable, Edit: put(snapshot.Hyperdrive, goodtest.Account, []snapshot.Database{})},
	}
}

func evaluateConnections(v *check.View) check.Outcome {
	all := check.Read(v, snapshot.Hyperdrive)
	if len(all) == 0 {
		return v.NotApplicable("the account has no database connection")
	}
	var open, loose []string
	var rows, looseRows []posture.Evidence
	odd := ""
	seen := func(d snapshot.Database, mode string) posture.Evidence {
		return check.Evidence(snapshot.Hyperdrive, "/"+d.ID+"/sslmode", mode, "verify-ca or verify-full")
	}
	for _, d := range all {
		a, err := netip.ParseAddr(strings.Trim(d.Host, "[]"))
		switch {
		case d.SSLMode == "verify-ca" || d.SSLMode == "verify-full" || d.Through || err == nil && exposure.ReservedAddress(a):
		case d.Host == "":
			odd = d.Name
		case d.SSLMode == "require" || d.SSLMode == "":
			loose, looseRows = append(loose, d.Name), append(looseRows, seen(d, cmp.Or(d.SSLMode, "none, which is require")))
		default:
			open, rows = append(open, d.Name), append(rows, seen(d, d.SSLMode))
		}
	}
	switch {
	case len(open) > 0:
		return v.Fail("These database connections do not check the server: "+strings.Join(open, ", ")+".", rows...)
	case len(loose) > 0:
		return v.Warn("These database connections take any certificate of a public authority: "+strings.Join(loose, ", ")+".",
			looseRows...).Rated(posture.Medium)
	case odd != "":
		return v.Unknown("the provider does not tell where the connection " + odd + " leads")
	}
	return v.Pass("Every database connection checks the server or stays private.")
}
