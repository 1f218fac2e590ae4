package developer

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// trusted finds namespaces whose scripts are not isolated from each other
// (developers.cloudflare.com/cloudflare-for-platforms/workers-for-platforms/reference/worker-isolation/).
func trusted() check.Check {
	return check.Check{
		ID: "CFL-WORK-014", Title: "Workers of customers run isolated",
		Category: "workers", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "In a dispatch namespace in trusted mode all Workers share one cache and read request.cf. Cloudflare advises it only " +
			"where one company controls all the code.",
		Fix: "Turn the namespace back to untrusted, after you looked which Workers use request.cf or the shared cache.",
		Words: posture.Words{
			Problem: "Dispatch namespaces of this account run customer code as trusted",
			Impact:  "Code of one customer reads and replaces cached answers of another, and may change features of the zone by request.cf.",
			Breaks:  "Workers that read request.cf or caches.default; each has to be deployed again.",
			Dashboard: "Workers & Pages › Workers for Platforms › the namespace: the API alone changes the mode, with PUT and " +
				"trusted_workers false.",
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-for-platforms/workers-for-platforms/reference/worker-isolation/"},
		Controls: check.Controls{
			check.Supports("soc2 CC6.1", "One customer does not get at what another's code holds."),
			check.Supports("nist PR.IR-01", "Tenants are isolated from each other."),
		},
		Needs:    []snapshot.Named{snapshot.DispatchNamespaces},
		Evaluate: evaluateTrusted,
	}
}

func namespaces(all ...snapshot.DispatchNamespace) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.DispatchNamespaces, goodtest.Account, all) }
}

func customers(trusted bool, scripts int) snapshot.DispatchNamespace {
	return snapshot.DispatchNamespace{Name: "customers", Trusted: &trusted, Scripts: &scripts}
}

func trustedGood(b *snapshot.Builder) { namespaces(customers(false, 12))(b) }

func trustedExamples() []goodtest.Example {
	yes := true
	return []goodtest.Example{
		{Name: "isolated", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "trusted", Want: posture.Fail, Resource: goodtest.Account, Edit: namespaces(customers(true, 12))},
		{Name: "trusted, a single Worker", Want: posture.Warning, Resource: goodtest.Account, Edit: namespaces(customers(true, 1))},
		{Name: "trusted, empty", Want: posture.Warning, Edit: namespaces(customers(true, 0))},
		{Name: "trusted, of how many Workers is not told", Want: posture.Fail,
			Edit: namespaces(snapshot.DispatchNamespace{Name: "customers", Trusted: &yes})},
		{Name: "not told", Want: posture.Unknown, Edit: namespaces(snapshot.DispatchNamespace{Name: "customers"})},
		{Name: "no namespace", Want: posture.NotApplicable, Edit: namespaces()},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.DispatchNamespaces.Source(), snapshot.NotEntitled, "", "")
		}},
		{Name: "not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.DispatchNamespaces.Source(), snapshot.Denied, "Workers Scripts Read", "")
		}},
	}
}

func evaluateTrusted(v *check.View) check.Outcome {
	var t check.Tally
	for _, n := range check.Read(v, snapshot.DispatchNamespaces) {
		row := check.Evidence(snapshot.DispatchNamespaces, "/"+n.Name+"/trusted_workers", "true", "false")
		switch {
		case n.Trusted == nil:
			t.Unknown("Cloudflare does not tell whether the namespace " + n.Name + " is trusted")
		case !*n.Trusted:
			t.Pass()
		case n.Scripts != nil && *n.Scripts < 2:
			t.Warn(n.Name, n.Name, row)
		default:
			t.Fail(n.Name, n.Name, row)
		}
	}
	return t.Done(v, check.Said{None: "the account has no dispatch namespace",
		Fail: "Workers of these namespaces share a cache and see request.cf",
		Warn: "These namespaces are trusted, with no second Worker yet", Pass: "Workers of every namespace run isolated."})
}
