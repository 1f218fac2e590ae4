package access

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// usernames finds servers where users log in as root, or with a shared account.
func usernames() check.Check {
	return check.Check{
		ID: "CFL-ZT-035", Title: "Nobody enters a server as root",
		Category: "access", Severity: posture.Medium, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why: "A policy of Access for Infrastructure names the accounts of the server that people may use. As root they may do everything " +
			"at once, and the server's own log does not tell them apart.",
		Fix: "Let people in by accounts of their own, such as by their email alias, and give rights by sudo.",
		Words: posture.Words{
			Problem: "People enter servers of {name} as root",
			Impact: "Someone with the session or device of one admitted person controls every target of the application, without a " +
				"second step.",
			Breaks:    "People need an account on each target, with sudo rights, before the policy changes.",
			Dashboard: inApplications + " › {name} › Policies › the policy › Connection context: remove root from the SSH users.",
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/applications/non-http/infrastructure-apps/"},
		Controls: check.Controls{
			check.Supports("cis 5.4", "Administrators work under accounts of their own."),
			check.Supports("soc2 CC6.3", "People get the rights they need and no more."),
			check.Supports("pci 7.2.2", "People enter servers with the rights they need."),
			check.Supports("nist PR.AA-05", "Least privilege holds on servers, too."),
		},
		Needs:    []snapshot.Named{snapshot.AccessOrg, snapshot.AccessApps},
		Unless:   notInUse,
		Evaluate: evaluateUsernames,
	}
}

func usernamesGood(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
		servers := (*as)[0]
		servers.ID, servers.Name, servers.Type, servers.Domain, servers.Domains = "servers", "Servers", "infrastructure", "", nil
		servers.SessionDuration = "1h"
		servers.Policies = []snapshot.AccessPolicy{{ID: "ssh", Name: "Operators", Decision: "allow", Usernames: []string{"ann", "ben"},
			Include: []snapshot.AccessRule{{Kind: "email_domain", Value: goodtest.Domain}}}}
		*as = append(*as, servers)
	})
}

func usernamesExamples() []goodtest.Example {
	as := func(decision string, names ...string) func(*snapshot.Builder) {
		return editApp(func(a *snapshot.AccessApp) {
			if a.ID == "servers" {
				a.Policies[0].Decision, a.Policies[0].Usernames = decision, names
			}
		})
	}
	return []goodtest.Example{
		{Name: "accounts of their own", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "the name of the mail address alone", Want: posture.Pass, Edit: goodtest.Edits(as("allow"), editApp(func(a *snapshot.AccessApp) {
			for i := range a.Policies {
				a.Policies[i].MailName = true
			}
		}))},
		{Name: "a name that holds the word", Want: posture.Pass, Edit: as("allow", "groot")},
		{Name: "denied as root", Want: posture.Pass, Edit: as("deny", "root")},
		{Name: "root", Want: posture.Fail, Resource: "servers", Edit: as("allow", "root")},
		{Name: "root among others", Want: posture.Fail, Resource: "servers", Edit: as("allow", "ann", " root ")},
		{Name: "the account of an image", Want: posture.Warning, Resource: "servers", Edit: as("allow", "ubuntu")},
		{Name: "a shared account in capitals", Want: posture.Warning, Resource: "servers", Edit: as("allow", "Administrator")},
		{Name: "a decision nobody knows", Want: posture.Unknown, Resource: "servers", Edit: as("odd", "root")},
		{Name: "not told", Want: posture.Unknown, Resource: "servers", Edit: as("allow")},
		{Name: "no server", Want: posture.NotApplicable, Edit: editApp(func(a *snapshot.AccessApp) { a.Type = "self_hosted" })},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateUsernames(v *check.View) check.Outcome {
	j := v.Judge()
	for _, a := range check.Read(v, snapshot.AccessApps) {
		if a.Type != "infrastructure" {
			continue
		}
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID, Name: a.Name}
		root, shared, unreported := "", "", false
		for _, p := range a.Policies {
			switch p.Decision {
			case "deny", "bypass", "non_identity":
				continue
			case "allow":
			default:
				unreported = true
				continue
			}
			unreported = unreported || len(p.Usernames) == 0 && !p.MailName
			for _, name := range p.Usernames {
				name = strings.TrimSpace(name)
				switch {
				case name == "root":
					root = p.Name
				case sharedAccount(name):
					shared = name
				}
			}
		}
		switch {
		case root != "":
			j.Fail(r, "The policy "+root+" lets people into the servers of "+a.Name+" as root.",
				check.Evidence(snapshot.AccessApps, "/"+a.ID+"/policies", "root", "accounts of people"))
		case unreported:
			j.Unclear(r, "Cloudflare did not return which accounts of the servers a policy allows")
		case shared != "":
			j.Warn(r, "People share the account "+shared+" on the servers of "+a.Name+".",
				check.Evidence(snapshot.AccessApps, "/"+a.ID+"/policies", shared, "accounts of people"))
			j.As(posture.Words{Problem: "People share an account on servers of {name}",
				Impact: "The server's own log does not tell who did what, and most images give this account every right by sudo."})
			j.Rated(posture.Low)
		default:
			j.Pass()
		}
	}
	return j.Done("People enter servers by accounts of their own.", "no application admits people to servers")
}

// sharedAccount reports whether an account is a default account of server images.
func sharedAccount(name string) bool {
	return slices.Contains([]string{"admin", "administrator", "azureuser", "bitnami", "centos", "core", "debian", "ec2-user", "fedora", "opc",
		"pi", "rocky", "ubuntu", "vagrant"}, strings.ToLower(name))
}
