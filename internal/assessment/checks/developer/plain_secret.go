package developer

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// plainSecret finds credentials among the plain variables of a script. It uses the properties
// recorded while they were read: no value ever gets here.
func plainSecret() check.Check {
	return check.Check{
		ID: "CFL-WORK-003", Title: "No secret is stored as a plain variable",
		Category: "workers", Severity: posture.High, Resource: posture.ResourceWorker, Scope: check.PerWorker,
		Why: "A plain text variable of a Worker can be read by every member with access to it, in the dashboard, the " +
			"API and exports of the configuration.",
		Fix: "Issue a new value, remove the variable, add a secret of the same name, then revoke the old value.",
		Words: posture.Words{
			Problem: "A plain variable of Worker {name} holds a secret",
			Impact:  "Anyone who may read the Worker, or an export of it, takes the secret and uses it elsewhere.",
			Breaks:  "The Worker fails between the removal of the variable and the secret, unless both are deployed together.",
			Dashboard: "Workers & Pages › {name} › Settings › Variables and Secrets › the variable › Edit: choose the type " +
				"Secret and enter a new value.",
			Terraform: `resource "cloudflare_workers_script" "script" {
  account_id     = "{account_id}"
  script_name    = "{id}"
  main_module    = "index.js"
  content_file   = "index.js"
  content_sha256 = filesha256("index.js")
  bindings = [
    { type = "secret_text", name = "API_TOKEN", text = var.api_token },
  ]
}`},
		References: []string{"https://developers.cloudflare.com/workers/"},
		Controls: check.Controls{
			check.Supports("cis 3.11", "Secrets of scripts are stored encrypted and cannot be read back."),
			check.Supports("soc2 CC6.1", "Whoever may look at a script does not read its secrets."),
			check.Supports("soc2 C1.1", "Secrets are kept as confidential."),
			check.Shows("pci 8.6.2", "Passwords and keys of an application are not written into its configuration."),
			check.Supports("pci 8.3.2", "Credentials of scripts are unreadable where they are stored."),
			check.Supports("nist PR.DS-01", "Secrets are stored encrypted."),
		},
		Aliases:  []string{"flareinspect:CFL-WORK-003", "union:plaintext-secret-in-vars"},
		Paths:    []string{"worker-plaintext-secret"},
		Needs:    []snapshot.Named{snapshot.Workers, snapshot.WorkerSettings},
		Evaluate: evaluatePlainSecret,
	}
}

func plainSecretExamples() []goodtest.Example {
	bind := func(bs ...snapshot.Binding) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.WorkerSettings, goodtest.Worker, snapshot.WorkerConfig{Bindings: bs})
		}
	}
	return []goodtest.Example{
		{Name: "a secret is bound as a secret", Want: posture.Pass, Resource: goodtest.Worker},
		{Name: "a known shape", Want: posture.Fail, Resource: goodtest.Worker,
			Edit: bind(snapshot.Binding{Name: "CONFIG", Type: "plain_text", Kind: "stripe-key", Length: 32})},
		{Name: "a known shape inside JSON", Want: posture.Fail, Edit: bind(snapshot.Binding{Name: "CONFIG", Type: "json", Kind: "private-key",
			Length: 1700})},
		{Name: "a secret name with a random value", Want: posture.Fail,
			Edit: bind(snapshot.Binding{Name: "API_TOKEN", Type: "plain_text", Length: 40, SecretName: true, HighEntropy: true})},
		{Name: "a secret name with a placeholder", Want: posture.Warning, Resource: goodtest.Worker,
			Edit: bind(snapshot.Binding{Name: "API_TOKEN", Type: "plain_text", Length: 8, SecretName: true})},
		{Name: "a random value with another name", Want: posture.Pass, Edit: bind(snapshot.Binding{Name: "BUILD", Type: "plain_text", Length: 40,
			HighEntropy: true})},
		{Name: "only other bindings", Want: posture.NotApplicable, Edit: bind(snapshot.Binding{Name: "KEY", Type: "secret_text"})},
	}
}

func evaluatePlainSecret(v *check.View) check.Outcome {
	var found plainValues
	for _, b := range check.Read(v, snapshot.WorkerSettings).Bindings {
		if b.Type == "plain_text" || b.Type == "json" {
			found.add(b, b.Name, snapshot.WorkerSettings, "/bindings/"+b.Name)
		}
	}
	script := v.Resource().Name
	switch {
	case found.plain == 0:
		return v.NotApplicable("the Worker has no plain variable")
	case len(found.secrets) > 0:
		return v.Fail("The Worker "+script+" has "+check.Count(len(found.secrets), "secret", "")+" in plain variables: "+
			strings.Join(found.secrets, ", ")+".", found.secretRows...)
	case len(found.doubts) > 0:
		return v.Warn("The Worker "+script+" has "+check.Count(len(found.doubts), "plain variable", "")+" with the name of a secret: "+
			strings.Join(found.doubts, ", ")+".", found.doubtsRows...).
			As(posture.Words{Problem: "A plain variable of Worker {name} may hold a secret"})
	}
	return v.Pass("No plain variable of the Worker looks like a secret.")
}
