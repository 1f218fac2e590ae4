package token

import (
	"fmt"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// reach finds tokens that may write everywhere, or in a whole account. It judges the keys of a
// policy's resources: a star as the value of one zone's key is still one zone.
func reach() check.Check {
	return check.Check{
		ID: "CFL-TOK-004", Title: "No token combines wide reach with many write rights",
		Category: "token", Severity: posture.High, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "A secret of one pipeline should not be able to rewrite every zone. Tokens can be limited to single zones " +
			"and tasks.",
		Fix: "Split the token by task and name the zones it may change in its resources.",
		Words: posture.Words{
			Problem: "API token {name} writes across the whole account",
			Impact:  "Someone who steals the token can redirect or take down every site of the account.",
			Breaks:  "Jobs that need a permission or a zone which the new tokens lack.",
			Dashboard: "Manage Account › Account API Tokens, or My Profile › API Tokens for a token of a person: {name} › Edit: " +
				"choose Specific zone and only the permissions of the task.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/api/reference/permissions/"},
		Controls: check.Controls{
			check.Touches("cis 5.5", "The list of tokens is looked at for their reach; it is kept elsewhere."),
			check.Supports("cis 6.8", "Permissions of tokens are narrow enough to be a role."),
			check.Shows("soc2 CC6.3", "Tokens have the least privilege for their task."),
			check.Shows("pci 7.2.5", "Tokens of applications do not combine wide reach with many rights."),
			check.Shows("nist PR.AA-05", "Permissions of tokens follow least privilege."),
		},
		Aliases:  []string{"grclanker:CF-IAM-02", "flareinspect:CFL-ACC-002"},
		Needs:    []snapshot.Named{snapshot.AccountTokens, snapshot.UserTokens},
		Evaluate: evaluateReach,
	}
}

func reachExamples() []goodtest.Example {
	six := []string{"A Write", "B Write", "C Write", "D Edit", "E Edit", "F Write"}
	account := accountKey + goodtest.Account
	everywhere := func(groups []string, keys ...string) func(*snapshot.Builder) {
		return addWriter(func(t *snapshot.Token) {
			t.Policies = []snapshot.TokenPolicy{{Effect: "allow", Groups: groups, Resources: keys}}
		})
	}
	return []goodtest.Example{
		statusUntold(), policiesUntold(), groupsUntold(),
		{Name: "no token may write", Want: posture.NotApplicable},
		{Name: "write rights on one zone", Want: posture.Pass, Resource: goodtest.Account, Edit: addWriter(nil)},
		{Name: "many write rights on one account", Want: posture.Fail, Resource: "t2", Edit: everywhere(six, account)},
		{Name: "some write rights on one account", Want: posture.Pass, Edit: everywhere(six[:5], account)},
		{Name: "many write rights on one zone of an account", Want: posture.Pass, Edit: everywhere(six, account, zoneKey+"1a")},
		{Name: "DNS on every zone", Want: posture.Fail, Resource: "t2", Edit: everywhere([]string{"DNS Write"}, zoneKey+"*")},
		{Name: "DNS on every zone of an account", Want: posture.Fail, Edit: everywhere([]string{"DNS Edit"}, account, zoneKey+"*")},
		{Name: "DNS on a whole account", Want: posture.Fail, Edit: everywhere([]string{"dns write"}, account)},
		{Name: "routes of scripts on every zone", Want: posture.Fail, Edit: everywhere([]string{"Workers Routes Write"}, zoneKey+"*")},
		{Name: "DNS on named zones", Want: posture.Pass, Edit: everywhere([]string{"DNS Write"}, zoneKey+"1a", zoneKey+"2b")},
		{Name: "scripts of one account", Want: posture.Pass, Edit: everywhere([]string{"Workers Scripts Write"}, account)},
		{Name: "scripts of every account", Want: posture.Fail, Edit: everywhere([]string{"Workers Scripts Write"}, accountKey+"*")},
		{Name: "six groups that write without saying so", Want: posture.Fail, Edit: everywhere([]string{"Account API Gateway", "Page Shield",
			"Cloudflare DEX", "Realtime Admin", "SCIM Provisioning", "Access: Apps and Policies Revoke"}, account)},
		{Name: "one group that writes without saying so, on every zone", Want: posture.Warning, Resource: "t2",
			Edit: everywhere([]string{"Cache Purge"}, zoneKey+"*")},
		{Name: "rights parted among policies", Want: posture.Fail, Edit: addWriter(func(t *snapshot.Token) {
			t.Policies = []snapshot.TokenPolicy{{Effect: "allow", Groups: six[:3], Resources: []string{account}},
				{Effect: "allow", Groups: six[3:], Resources: []string{zoneKey + "*"}}}
		})},
		{Name: "a group of which only the id is known", Want: posture.Unknown, Resource: "t2", Edit: everywhere([]string{""}, account)},
		{Name: "six write rights on every zone", Want: posture.Fail, Resource: "t2", Edit: everywhere(six, "com.cloudflare.api.account.zone.*")},
		{Name: "six write rights on every account", Want: posture.Fail, Resource: "t2", Edit: everywhere(six, "com.cloudflare.api.account.*")},
		{Name: "a key of one account that holds all its zones", Want: posture.Fail, Resource: "t2",
			Edit: everywhere(six, "com.cloudflare.api.account."+goodtest.Account, "com.cloudflare.api.account.zone.*")},
		{Name: "five write rights on every zone", Want: posture.Warning, Resource: "t2",
			Edit: everywhere(six[:5], "com.cloudflare.api.account.zone.*")},
		{Name: "one write right among many read rights on every zone", Want: posture.Warning, Resource: "t2",
			Edit: everywhere([]string{"Zone Settings Write", "A Read", "B Read", "C Read", "D Read", "E Read"}, zoneKey+"*")},
		{Name: "a denied policy gives nothing", Want: posture.Pass, Edit: addWriter(func(t *snapshot.Token) {
			t.Policies = append(t.Policies, snapshot.TokenPolicy{Effect: "deny", Groups: six,
				Resources: []string{"com.cloudflare.api.account.zone.*"}})
		})},
		{Name: "no active token", Want: posture.NotApplicable, Edit: allOff()},
	}
}

func evaluateReach(v *check.View) check.Outcome {
	j := v.Judge()
	eachActive(v, j, func(k snapshot.Named, t snapshot.Token) {
		r, s := resource(t.ID, t.Name), spanOf(t)
		all, takes := s.all(), s.takes()
		seen := check.Evidence(k, "/"+t.ID+"/policies", strings.Join(all, ", ")+" on "+s.key, "write rights on named zones only")
		switch {
		case len(takes) > 0:
			j.Fail(r, "Whoever has the token "+t.Name+" takes over every zone or account it can see: "+strings.Join(takes, ", ")+".", seen)
		case len(all) > v.Policy.TokenWriteGroups:
			j.Fail(r, fmt.Sprintf("The token %s has %d write rights on a whole account, or on every zone.", t.Name, len(all)), seen)
		case len(s.everywhere) > 0:
			j.Warn(r, "The token "+t.Name+" may write on every account or zone it can see: "+strings.Join(s.everywhere, ", ")+".", seen)
		case nameless(t):
			j.Unclear(r, noName)
		case mayWrite(t):
			j.Pass()
		}
	})
	return j.Done("No token may write on every account or zone.", "no active token may write")
}
