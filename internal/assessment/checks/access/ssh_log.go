package access

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// sshLog judges whether commands on servers can be reviewed later.
func sshLog() check.Check {
	return check.Check{
		ID: "CFL-ZT-037", Title: "Commands of SSH sessions are logged",
		Category: "access", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Access for Infrastructure logs the commands of SSH sessions when the account has a key that encrypts them. Without it only " +
			"the start and end of a session are known.",
		Fix: "Generate a key pair, upload the public key for SSH command logs, and keep the private key with those who investigate.",
		Words: posture.Words{
			Problem:   "Commands of SSH sessions are not logged in this account",
			Impact:    "After a break-in nobody can tell what someone with a stolen session did on a server.",
			Breaks:    "Nothing for people; a works council may have a say in what is logged.",
			Dashboard: "Zero Trust › Traffic policies › Traffic settings › SSH log encryption public key: upload the public key.",
			Call: posture.Call{Method: "PUT", Path: "/accounts/{account_id}/gateway/audit_ssh_settings", Body: `{"public_key": "{$PUBLIC_KEY}"}`,
				Choose: "PUBLIC_KEY: the public key that encrypts the log (such as 1pyl6I1tL7xfJuFYVzXlUW8uXXlpxegHXBzGCBKaSFA=)"},
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/insights/logs/logpush/ssh-command-logs/"},
		Controls: check.Controls{
			check.Supports("cis 8.2", "What administrators do on servers is logged."),
			check.Supports("soc2 CC7.2", "Sessions of administrators can be looked at."),
			check.Supports("pci 10.2.1", "Actions of administrators are logged on servers that Access guards."),
			check.Supports("nist PR.PS-04", "Log records of sessions are made."),
		},
		Needs:    []snapshot.Named{snapshot.AccessOrg, snapshot.AccessApps, snapshot.SSHLog},
		Unless:   notInUse,
		Evaluate: evaluateSSHLog,
	}
}

func sshLogGood(b *snapshot.Builder) {
	usernamesGood(b)
	snapshot.Put(b, snapshot.SSHLog, goodtest.Account, snapshot.SSHLogging{Encrypted: true})
}

func sshLogExamples() []goodtest.Example {
	silent := func(b *snapshot.Builder) { snapshot.Put(b, snapshot.SSHLog, goodtest.Account, snapshot.SSHLogging{}) }
	mark := func(s snapshot.Status) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { b.Mark(snapshot.SSHLog.Source(), s, "", "") }
	}
	return []goodtest.Example{
		{Name: "logged", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "not logged", Want: posture.Fail, Resource: goodtest.Account, Edit: silent},
		{Name: "never set up", Want: posture.Fail, Resource: goodtest.Account, Edit: mark(snapshot.Absent)},
		{Name: "the settings cannot be read", Want: posture.Unknown, Edit: mark(snapshot.Failed)},
		{Name: "the plan does not have it", Want: posture.NotApplicable, Edit: mark(snapshot.NotEntitled)},
		{Name: "no server", Want: posture.NotApplicable, Edit: goodtest.Edits(silent,
			editApp(func(a *snapshot.AccessApp) { a.Type = "self_hosted" }))},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: goodtest.Edits(unused, mark(snapshot.Skipped))},
	}
}

func evaluateSSHLog(v *check.View) check.Outcome {
	servers := func(a snapshot.AccessApp) bool { return a.Type == "infrastructure" }
	status := v.StatusOf(snapshot.SSHLog)
	switch {
	case !slices.ContainsFunc(check.Read(v, snapshot.AccessApps), servers):
		return v.NotApplicable("no application admits people to servers")
	case status == snapshot.NotEntitled:
		return v.NotApplicable("the account has no SSH command logs")
	case status == snapshot.OK && check.Read(v, snapshot.SSHLog).Encrypted:
		return v.Pass("Commands of SSH sessions are logged.")
	case status == snapshot.Skipped:
		return v.Unknown("the settings of SSH command logs were not read")
	}
	return v.Fail("The account has no key for SSH command logs, so no command is logged.",
		check.Evidence(snapshot.SSHLog, "/public_key", "none", "a public key"))
}
