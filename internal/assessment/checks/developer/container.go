package developer

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// shell finds containers in which people can open a shell. That requires write access to the
// account and a listed key; SSH is on unless the configuration turns it off
// (developers.cloudflare.com/containers/ssh/).
func shell() check.Check {
	return check.Check{
		ID: "CFL-CONT-001", Title: "Containers let nobody open a shell",
		Category: "workers", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Whoever may write to a container and has a listed key opens a shell in it with Wrangler, and sees its memory, files " +
			"and secrets.",
		Fix: "Remove authorized_keys from the configuration of the container, set ssh.enabled to false, then deploy.",
		Words: posture.Words{
			Problem:   "Containers of this account let people open a shell",
			Impact:    "Someone with a stolen token of a developer and a listed key changes what runs, past review and build.",
			Breaks:    "People who look for faults inside running containers; use logs, or a container for tests.",
			Dashboard: "Workers & Pages › Containers shows the container; the keys stand in the Wrangler configuration, so deploy it anew.",
		},
		References: []string{"https://developers.cloudflare.com/containers/ssh/"},
		Controls: check.Controls{
			check.Supports("cis 4.8", "A way into running systems that is not needed is closed."),
			check.Supports("soc2 CC6.1", "Running code is changed by deployments alone."),
			check.Supports("pci 2.2.4", "A service that production does not need is off."),
			check.Supports("nist PR.PS-01", "Containers are configured for the least function."),
		},
		Needs:    []snapshot.Named{snapshot.Containers},
		Evaluate: evaluateShell,
	}
}

func containers(all ...snapshot.Container) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.Containers, goodtest.Account, all) }
}

func container(keys int, ssh *bool, variables ...snapshot.Binding) snapshot.Container {
	return snapshot.Container{ID: "c1", Name: "encoder", Image: "registry.cloudflare.com/acc/encoder:1",
		Keys: keys, SSH: ssh, Variables: variables}
}

func shellGood(b *snapshot.Builder) {
	containers(container(0, nil, snapshot.Binding{Name: "REGION", Type: "environment variable", Length: 9}))(b)
}

func shellExamples() []goodtest.Example {
	yes, no := true, false
	return []goodtest.Example{
		{Name: "no key", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a key", Want: posture.Fail, Resource: goodtest.Account, Edit: containers(container(1, nil))},
		{Name: "a key, and SSH is on", Want: posture.Fail, Edit: containers(container(1, &yes))},
		{Name: "a key, and SSH is off", Want: posture.Pass, Edit: containers(container(1, &no))},
		{Name: "no key, and SSH is on", Want: posture.Pass, Edit: containers(container(0, &yes))},
		{Name: "no container", Want: posture.NotApplicable, Edit: containers()},
		{Name: "no Worker, so that containers were not read", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.Containers.Source(), snapshot.Skipped, "", "the account has no script")
		}},
		{Name: "not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.Containers.Source(), snapshot.Denied, "Containers Read", "")
		}},
	}
}

func evaluateShell(v *check.View) check.Outcome {
	var t check.Tally
	for _, c := range check.Read(v, snapshot.Containers) {
		if c.Keys == 0 || c.SSH != nil && !*c.SSH {
			t.Pass()
			continue
		}
		t.Fail(c.Name, c.ID, check.Evidence(snapshot.Containers, "/"+c.ID+"/authorized_keys", check.Count(c.Keys, "key", ""), "none, or SSH off"))
	}
	return t.Done(v, check.Said{None: "the account has no container", Fail: "People with a listed key can open a shell in these containers",
		Pass: "Nobody can open a shell in a container."})
}

// containerSecret finds credentials among the plain variables of containers.
func containerSecret() check.Check {
	return check.Check{
		ID: "CFL-CONT-002", Title: "No secret is stored as a plain variable of a container",
		Category: "workers", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Environment variables in the configuration of a container are plain text, which everyone with read access to " +
			"containers of the account gets by the API.",
		Fix: "Issue a new value where the secret is used, hand it to the container from a Worker secret, then revoke the old value.",
		Words: posture.Words{
			Problem:   "Plain variables of containers in this account hold secrets",
			Impact:    "Anyone who may read the containers, or a log of the deployment, uses the credential elsewhere.",
			Breaks:    "What uses the old value, until it has the new one.",
			Dashboard: "Workers & Pages › the Worker of the container › Settings › Variables and Secrets: add it as a secret, then deploy.",
		},
		References: []string{"https://developers.cloudflare.com/containers/examples/env-vars-and-secrets/"},
		Controls: check.Controls{
			check.Supports("cis 3.11", "Secrets are not stored in the text of a configuration."),
			check.Supports("soc2 CC6.1", "Whoever may look at a container reads no credential."),
			check.Supports("pci 8.6.2", "Passwords and keys are not written out in the container's configuration."),
			check.Supports("nist PR.DS-01", "Secrets are stored encrypted."),
		},
		Needs:    []snapshot.Named{snapshot.Containers},
		Evaluate: evaluateContainerSecret,
	}
}

func containerSecretGood(b *snapshot.Builder) { shellGood(b) }

func containerSecretExamples() []goodtest.Example {
	with := func(bs ...snapshot.Binding) func(*snapshot.Builder) { return containers(container(0, nil, bs...)) }
	const kind = "environment variable"
	return []goodtest.Example{
		{Name: "a region", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a known shape", Want: posture.Fail, Resource: goodtest.Account,
			Edit: with(snapshot.Binding{Name: "CONFIG", Type: kind, Kind: "github-token", Length: 40})},
		{Name: "a secret name with a random value", Want: posture.Fail,
			Edit: with(snapshot.Binding{Name: "API_TOKEN", Type: kind, Length: 40, SecretName: true, HighEntropy: true})},
		{Name: "a secret name with a placeholder", Want: posture.Warning, Resource: goodtest.Account,
			Edit: with(snapshot.Binding{Name: "API_TOKEN", Type: kind, Length: 8, SecretName: true})},
		{Name: "a random value under another name", Want: posture.Pass,
			Edit: with(snapshot.Binding{Name: "BUILD", Type: kind, Length: 40, HighEntropy: true})},
		{Name: "no variable", Want: posture.NotApplicable, Edit: with()},
		{Name: "no container", Want: posture.NotApplicable, Edit: containers()},
		{Name: "not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.Containers.Source(), snapshot.Denied, "Containers Read", "")
		}},
	}
}

func evaluateContainerSecret(v *check.View) check.Outcome {
	var found plainValues
	for _, c := range check.Read(v, snapshot.Containers) {
		for _, b := range c.Variables {
			found.add(b, c.Name+" "+b.Name, snapshot.Containers, "/"+c.ID+"/variables/"+b.Name)
		}
	}
	switch {
	case len(found.secrets) > 0:
		return v.Fail("Plain variables of containers hold credentials: "+strings.Join(found.secrets, ", ")+".", found.secretRows...)
	case len(found.doubts) > 0:
		return v.Warn("Plain variables of containers have the names of secrets: "+strings.Join(found.doubts, ", ")+".", found.doubtsRows...).
			As(posture.Words{Problem: "Plain variables of containers in this account may hold secrets"})
	case found.plain == 0:
		return v.NotApplicable("no container has a plain variable")
	}
	return v.Pass("No plain variable of a container holds a credential.")
}
