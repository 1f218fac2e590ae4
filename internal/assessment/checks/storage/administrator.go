package storage

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// administrator finds connections whose user has the name of an administrator. A user's actual
// permissions are in the database, so another name proves nothing; it just gives no finding.
func administrator() check.Check {
	return check.Check{
		ID: "CFL-STORE-005", Title: "Database connections do not sign in as an administrator",
		Category: "storage", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Every query of a Worker runs with the rights of the user in the Hyperdrive configuration. postgres, root and " +
			"admin are the users that hosts of databases give every right.",
		Fix: "Create a user that may do only what the Worker needs, then enter it in the Hyperdrive configuration.",
		Words: posture.Words{
			Problem: "Database connections of this account sign in as an administrator",
			Impact: "Someone who gets one query of the Worker to run as they like can read every table, change users and drop " +
				"the database.",
			Breaks:    "Queries and migrations that need rights the new user lacks.",
			Dashboard: "Storage & databases › Hyperdrive › the configuration › Settings › Connection details: enter the new user.",
		},
		References: []string{"https://developers.cloudflare.com/hyperdrive/examples/connect-to-postgres/"},
		Controls: check.Controls{
			check.Supports("cis 5.4", "Applications do not use the account of an administrator."),
			check.Supports("soc2 CC6.3", "A Worker has the rights in the database that it needs."),
			check.Supports("pci 7.2.5", "The application's user in the database has the least rights, as far as its name tells."),
			check.Supports("nist PR.AA-05", "Rights in the database follow least privilege."),
		},
		Needs: []snapshot.Named{snapshot.Hyperdrive},
		Evaluate: func(v *check.View) check.Outcome {
			var t check.Tally
			for _, d := range check.Read(v, snapshot.Hyperdrive) {
				switch {
				case d.Administrator != "":
					t.Fail(d.Name, d.ID, check.Evidence(snapshot.Hyperdrive, "/"+d.ID+"/administrator", d.Administrator, "a user with few rights"))
				case d.UserTold:
					t.Pass()
				default:
					t.Unknown("Cloudflare does not tell the user of the connection " + d.Name)
				}
			}
			return t.Done(v, check.Said{None: "the account has no database connection",
				Fail: "These Hyperdrive configurations use the name of an administrator", Pass: "No connection uses the name of an administrator."})
		},
	}
}

func administratorGood(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.Hyperdrive, goodtest.Account, func(ds *[]snapshot.Database) {
		for i := range *ds {
			(*ds)[i].UserTold = true
		}
	})
}

func administratorExamples() []goodtest.Example {
	one := func(ds ...snapshot.Database) func(*snapshot.Builder) {
		return put(snapshot.Hyperdrive, goodtest.Account, ds)
	}
	user := func(name string) snapshot.Database {
		return snapshot.Database{ID: "h1", Name: "orders", Host: "db.shop.example", Administrator: name, UserTold: true}
	}
	return []goodtest.Example{
		{Name: "another name", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "postgres", Want: posture.Fail, Resource: goodtest.Account, Edit: one(user("postgres"))},
		{Name: "root, and an ordinary one", Want: posture.Fail, Edit: one(user("root"), snapshot.Database{ID: "h2", Name: "b", UserTold: true})},
		{Name: "through a tunnel", Want: posture.Fail,
			Edit: one(snapshot.Database{ID: "h1", Name: "orders", Through: true, Administrator: "admin", UserTold: true})},
		{Name: "not told", Want: posture.Unknown, Edit: one(snapshot.Database{ID: "h1", Name: "orders"})},
		{Name: "not told, and an administrator", Want: posture.Fail, Edit: one(user("sa"), snapshot.Database{ID: "h2", Name: "stock"})},
		{Name: "no connection", Want: posture.NotApplicable, Edit: one()},
	}
}
