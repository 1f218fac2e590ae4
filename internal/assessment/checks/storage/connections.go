package storage

import (
	"cmp"
	"net/netip"
	"net/url"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// connections judges whether scripts verify the database they connect to. Every hostname counts as
// public, because its address is not known. The mode require, which is the default, verifies the
// certificate against public authorities
// (developers.cloudflare.com/hyperdrive/configuration/tls-ssl-certificates-for-hyperdrive/).
func connections() check.Check {
	return check.Check{
		ID: "CFL-STORE-004", Title: "Database connections check the server",
		Category: "storage", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Hyperdrive in the mode require encrypts the connection and accepts any certificate of a public CA. " +
			"verify-ca and verify-full check that the database is the right one.",
		Fix: "Upload the CA certificate of the database to Cloudflare, then set the SSL mode to verify-full, for MySQL to VERIFY_IDENTITY.",
		Words: posture.Words{
			Problem: "Database connections of this account do not verify the server",
			Impact: "Someone in the network between Cloudflare and the database answers in its place and reads every query " +
				"and password.",
			Breaks: "Connections fail when the certificate of the database does not match its hostname or the CA.",
			Dashboard: "Storage & databases › Hyperdrive › the configuration › Settings: choose the CA certificate and the SSL " +
				"mode verify-full, for MySQL VERIFY_IDENTITY.",
			Terraform: `resource "cloudflare_hyperdrive_config" "database" {
  account_id = "{account_id}"
  name       = "orders"
  origin = {
    scheme   = "postgres"
    host     = var.host
    port     = 5432
    database = var.database
    user     = var.user
    password = var.password
  }
  mtls = {
    sslmode           = "verify-full"
    ca_certificate_id = var.ca_certificate
  }
}`},
		References: []string{"https://developers.cloudflare.com/hyperdrive/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Connections to databases are encrypted, and the server is checked."),
			check.Supports("soc2 CC6.7", "Data on the way to the database is protected."),
			check.Supports("pci 4.2.1", "Card data to the database is encrypted and goes to the right server."),
			check.Supports("nist PR.DS-02", "Data to databases is protected on the wire."),
		},
		Needs:    []snapshot.Named{snapshot.Hyperdrive},
		Unless:   check.Empty(snapshot.Hyperdrive, "the account has no database connection"),
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
		{Name: "MySQL, the name is verified", Want: posture.Pass,
			Edit: one(snapshot.Database{Host: "db.shop.example", Scheme: "mysql", SSLMode: "VERIFY_IDENTITY"})},
		{Name: "MySQL, the authority is verified", Want: posture.Pass,
			Edit: one(snapshot.Database{Host: "db.shop.example", Scheme: "mysql", SSLMode: "VERIFY_CA"})},
		{Name: "MySQL, any public authority will do", Want: posture.Warning, Severity: posture.Medium,
			Edit: one(snapshot.Database{Host: "db.shop.example", Scheme: "mysql", SSLMode: "REQUIRED"})},
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
	var open, loose check.Found
	var found []snapshot.Database
	odd := ""
	seen := func(d snapshot.Database, mode string) posture.Evidence {
		return check.Evidence(snapshot.Hyperdrive, "/"+d.ID+"/sslmode", mode, "verify-ca or verify-full")
	}
	for _, d := range check.Read(v, snapshot.Hyperdrive) {
		a, err := netip.ParseAddr(strings.Trim(d.Host, "[]"))
		mode := strings.ReplaceAll(strings.ToLower(d.SSLMode), "_", "-") // of MySQL it is REQUIRED, VERIFY_CA or VERIFY_IDENTITY
		switch {
		case strings.HasPrefix(mode, "verify-") || d.Through || err == nil && exposure.ReservedAddress(a):
		case d.Host == "":
			odd = d.Name
		case mode == "require" || mode == "required" || mode == "":
			found = append(found, d)
			loose.Add(d.Name, seen(d, cmp.Or(d.SSLMode, "none, which is require")))
		default:
			found = append(found, d)
			open.Add(d.Name, seen(d, d.SSLMode))
		}
	}
	switch {
	case len(open.Names) > 0:
		return v.Fail("TLS is optional or off for "+check.Count(len(open.Names), "Hyperdrive configuration", "")+": "+
			open.String()+".", open.Rows...).
			As(verifyWords("Database connections of this account may be unencrypted", found))
	case len(loose.Names) > 0:
		return v.Warn("Any certificate of a public CA is accepted by "+check.Count(len(loose.Names), "Hyperdrive configuration", "")+": "+
			loose.String()+".", loose.Rows...).
			As(verifyWords("Database connections of this account do not verify the server", found)).Rated(posture.Medium)
	case odd != "":
		return v.Unknown("Cloudflare does not tell where the connection " + odd + " leads")
	}
	return v.Pass("Every database connection checks the server or stays private.")
}

// verifyWords returns the words for connections. A single one is changed with one request, which
// keeps the certificate that the connection shows to the database.
func verifyWords(problem string, found []snapshot.Database) posture.Words {
	w := posture.Words{Problem: problem}
	if len(found) == 1 {
		path, mode := "/accounts/{account_id}/hyperdrive/configs/"+url.PathEscape(found[0].ID), "verify-full"
		if found[0].Scheme == "mysql" {
			mode = "VERIFY_IDENTITY"
		}
		w.Call = posture.Call{Method: "PATCH", Path: path, From: path,
			Body:   `{mtls: ((.result.mtls // {}) + {sslmode: "` + mode + `", ca_certificate_id: "{$CA_CERTIFICATE}"})}`,
			Choose: "CA_CERTIFICATE: the id of the CA certificate that was uploaded (such as 2f0b1c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d)"}
	}
	return w
}
