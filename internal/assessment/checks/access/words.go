package access

import (
	"fmt"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Paths in the dashboard.
const (
	inApplications = "Zero Trust › Access controls › Applications"
	inPolicies     = "Zero Trust › Access controls › Policies"
	inServiceAuth  = "Zero Trust › Access controls › Service credentials › Service Tokens"
)

// serviceAuthPath is the API path of a service token.
const serviceAuthPath = "/accounts/{account_id}/access/service_tokens/{id}"

// Values that only a person can know.
const (
	chooseMailDomain = "MAIL_DOMAIN: the mail domain of the people who may sign in (such as corp.example)"
	chooseGroup      = "GROUP: the id of the Access group whose members may pass (such as 4d1e7c52-0a6b-4c0f-9a51-6f0c9f1d2b3a)"
	chooseToken      = "SERVICE_TOKEN: the id of the service token that may pass (such as f174e90a-fafe-4643-bbbc-4a0ed4fc8415)"
	chooseNetwork    = "NETWORK: the address or small range that may skip the login (such as 203.0.113.7/32)"
)

// ownPolicy says where Terraform has a policy that no other application can use.
const ownPolicy = "# A policy of one application alone is set there, in policies of its cloudflare_zero_trust_access_application.\n"

// allowPolicy is a Terraform policy for the people of a mail domain.
const allowPolicy = ownPolicy + `resource "cloudflare_zero_trust_access_policy" "policy" {
  account_id = "{account_id}"
  name       = "{name}"
  decision   = "allow"
  include    = [{ email_domain = { domain = var.mail_domain } }]
}`

// appCall edits an application with a jq program. PUT replaces the whole object, so what was read
// is sent back, with its policies by their ids. An application that holds a credential would lose
// it, because no answer contains it.
func appCall(edit, choose string) posture.Call {
	const path = "/accounts/{account_id}/access/apps/{id}"
	return posture.Call{Method: "PUT", Path: path, From: path, Choose: choose,
		Body: `.result | if .scim_config.authentication then error("no answer contains its SCIM credential: use the dashboard") else . end` +
			` | del(.id, .uid, .aud, .created_at, .updated_at) | .policies = (.policies // [] | map({id, precedence})) | ` + edit}
}

// ofApp adapts the words to an application. The credentials of a SaaS application cannot be sent
// back.
func ofApp(a snapshot.AccessApp, w posture.Words) posture.Words {
	w.ByHand = w.ByHand || a.Type == "saas" || a.Type == "dash_sso"
	return w
}

// policyCall edits a policy with a jq program.
func policyCall(v *check.View, id, edit, choose string) posture.Call {
	path := check.PolicyPath(v, id)
	return posture.Call{Method: "PUT", Path: path, From: path, Choose: choose,
		Body: `.result | del(.id, .reusable, .app_count, .created_at, .updated_at) | ` + edit}
}

// application is the application of the finding in Terraform with one setting.
func application(setting string) string {
	name, value, _ := strings.Cut(setting, " = ")
	wide := len("account_id")
	if !strings.Contains(value, "\n") { // terraform fmt aligns what stands on one line
		wide = max(wide, len(name))
	}
	return fmt.Sprintf(`resource "cloudflare_zero_trust_access_application" "app" {
  %-*s = "{account_id}"
  %-*s = "{name}"
  %s
}`, wide, "account_id", wide, "name", setting)
}

// tokenPolicy is a Terraform policy for one service token.
const tokenPolicy = ownPolicy + `resource "cloudflare_zero_trust_access_policy" "policy" {
  account_id = "{account_id}"
  name       = "{name}"
  decision   = "non_identity"
  include    = [{ service_token = { token_id = var.service_token_id } }]
}`

func anyTokenWords(call posture.Call) posture.Words {
	return posture.Words{Problem: "Every service token of the account passes policy {name}", Call: call, Terraform: tokenPolicy,
		Impact:    "Anyone with any one service token, such as that of a build system, uses the applications of the policy.",
		Breaks:    "Automation that sends another service token is refused.",
		Dashboard: inPolicies + " › {name} › Edit: replace Any Access Service Token in Include by one service token."}
}
