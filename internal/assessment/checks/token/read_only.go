package token

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// readOnly judges what the token of the run may change.
func readOnly() check.Check {
	return check.Check{
		ID: "CFL-TOK-006", Title: "The assessment credential can only read",
		Category: "token", Severity: posture.Medium, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "A tool that assesses needs to read and nothing else. With write rights it becomes a target of its own.",
		Fix: "Give the assessment a read-only token, and keep a separate one for changes.",
		Words: posture.Words{
			Problem: "API token {name} that assesses this account can write",
			Impact:  "Someone who takes over the machine that runs the assessments can change the account.",
			Breaks:  "Nothing for assessments; applying changes then needs its own token.",
			Dashboard: "Manage Account › Account API Tokens, or My Profile › API Tokens for a token of a person: create one from " +
				"the template Read all resources, store it here, then delete {name}.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/api/reference/permissions/"},
		Controls: check.Controls{
			check.Supports("cis 6.8", "The assessment has the permissions of its role and no more."),
			check.Supports("soc2 CC6.3", "Least privilege is kept by the assessment itself."),
			check.Supports("pci 7.2.5", "One application account, that of the assessment, has least privilege."),
			check.Supports("nist PR.AA-05", "The assessment cannot change what it looks at."),
		},
		Aliases:  []string{"grclanker:CF-IAM-01"},
		Needs:    []snapshot.Named{snapshot.UserTokenVerify, snapshot.UserTokenSelf, snapshot.AccountTokenVerify, snapshot.AccountTokenSelf},
		Evaluate: evaluateReadOnly,
	}
}

func readOnlyExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "read groups only", Want: posture.Pass},
		{Name: "one group may write", Want: posture.Fail, Resource: goodtest.Token, Edit: grant("allow", "DNS Write")},
		{Name: "one group may edit", Want: posture.Fail, Resource: goodtest.Token, Edit: grant("allow", "Zaraz Edit")},
		{Name: "a denied group grants nothing", Want: posture.Pass, Edit: grant("deny", "DNS Write")},
		{Name: "a group that reads by another name", Want: posture.Pass, Edit: grant("allow", "Account Security Center Insights")},
		{Name: "a group that says in its middle that it reads", Want: posture.Pass,
			Edit: grant("allow", "Magic Firewall Packet Captures - Read PCAPs API")},
		{Name: "a group that says in its middle that it writes", Want: posture.Fail, Resource: goodtest.Token,
			Edit: grant("allow", "Magic Firewall Packet Captures - Write PCAPs API")},
		{Name: "a group for reports", Want: posture.Pass, Edit: grant("allow", "Zero Trust Report")},
		{Name: "a group of another kind", Want: posture.Unknown, Resource: goodtest.Token, Edit: grant("allow", "Something Else")},
		{Name: "a group that writes without saying so", Want: posture.Fail, Resource: goodtest.Token, Edit: grant("allow", "Cache Purge")},
		{Name: "a global API key", Want: posture.Fail, Edit: skip(snapshot.UserTokenVerify, snapshot.AccountTokenVerify, snapshot.UserTokenSelf,
			snapshot.AccountTokenSelf)},
		{Name: "the token itself was not read", Want: posture.Unknown, Edit: skip(snapshot.UserTokenSelf)},
	}
}

func grant(effect, group string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.UserTokenSelf, snapshot.UserScope, func(t *snapshot.Token) {
			t.Policies = append(t.Policies, snapshot.TokenPolicy{Effect: effect, Groups: []string{group}})
		})
	}
}

func evaluateReadOnly(v *check.View) check.Outcome {
	verify, source, apiKey := verified(v)
	j := v.Judge()
	if apiKey {
		j.Fail(resource("global-api-key", "global API key"), "The run uses a global API key, which may change everything.",
			check.Evidence(snapshot.UserTokenVerify, "", "a global API key", "a token that can only read"))
		return j.Done("", "")
	}
	if source == nil {
		return v.Unknown("neither verify call says which token this is")
	}
	self, selfSource := check.Read(v, snapshot.UserTokenSelf), snapshot.Named(snapshot.UserTokenSelf)
	if source.Source() == snapshot.AccountTokenVerify.Source() {
		self, selfSource = check.Read(v, snapshot.AccountTokenSelf), snapshot.AccountTokenSelf
	}
	if self.ID == "" || self.ID != verify.ID {
		return v.Unknown("the token of this run could not be looked up, so nobody knows what it may do")
	}
	writing, other := groups(self)
	r := resource(self.ID, self.Name)
	switch {
	case len(writing) > 0:
		j.Fail(r, "The token "+self.Name+" may change configuration: "+strings.Join(writing, ", ")+".",
			check.Evidence(selfSource, "/policies", strings.Join(writing, ", "), "only groups that end in Read"))
	case len(other) > 0:
		j.Unclear(r, "the name of these permission groups does not say that they only read: "+strings.Join(other, ", "))
	case len(self.Policies) == 0:
		j.Unclear(r, "Cloudflare returned no policy of the token")
	default:
		j.Pass()
	}
	return j.Done("The token of this run can only read.", "")
}

// readsByAnotherName knows the read groups whose name does not end in Read; the write groups for
// the same resources have Write in their name
// (developers.cloudflare.com/fundamentals/api/reference/permissions/).
func readsByAnotherName(group string) bool {
	return slices.Contains([]string{"Account Security Center Insights", "Zero Trust Report",
		"Magic Firewall Packet Captures - Read PCAPs API"}, group)
}

// groups sorts the granted permission groups that do not end in Read into those that may write and
// those whose name does not show it.
func groups(t snapshot.Token) (writing, other []string) {
	for _, p := range t.Policies {
		if p.Effect == "deny" {
			continue
		}
		for _, g := range p.Groups {
			switch {
			case groupWrites(g):
				writing = append(writing, g)
			case !strings.HasSuffix(g, "Read") && !readsByAnotherName(g):
				other = append(other, g)
			}
		}
	}
	slices.Sort(writing)
	slices.Sort(other)
	return slices.Compact(writing), slices.Compact(other)
}
