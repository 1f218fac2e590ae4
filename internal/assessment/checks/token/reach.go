package token

import (
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// reach finds tokens that may write everywhere. It judges the keys of a policy's
// resources: the star as the value of a key of one zone is one zone.
func reach() check.Check {
	return check.Check{
		ID: "CFL-TOK-004", Title: "No token combines wide reach with many write rights",
		Category: "token", Severity: posture.High, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why:        "One leaked automation secret should not be able to rewrite every zone.",
		Fix:        "Split by task and name the zones in the policy resources.",
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
	everywhere := func(groups []string, keys ...string) func(*snapshot.Builder) {
		return addWriter(func(t *snapshot.Token) {
			t.Policies = []snapshot.TokenPolicy{{Effect: "allow", Groups: groups, Resources: keys}}
		})
	}
	return []goodtest.Example{
		{Name: "no token may write", Want: posture.NotApplicable},
		{Name: "write rights on one zone", Want: posture.Pass, Resource: goodtest.Account, Edit: addWriter(nil)},
		{Name: "many write rights on one account", Want: posture.Pass, Edit: everywhere(six, "com.cloudflare.api.account."+goodtest.Account)},
		{Name: "six write rights on every zone", Want: posture.Fail, Resource: "t2", Edit: everywhere(six, "com.cloudflare.api.account.zone.*")},
		{Name: "six write rights on every account", Want: posture.Fail, Resource: "t2", Edit: everywhere(six, "com.cloudflare.api.account.*")},
		{Name: "a key of one account that holds all its zones", Want: posture.Fail, Resource: "t2",
			Edit: everywhere(six, "com.cloudflare.api.account."+goodtest.Account, "com.cloudflare.api.account.zone.*")},
		{Name: "five write rights on every zone", Want: posture.Warning, Resource: "t2",
			Edit: everywhere(six[:5], "com.cloudflare.api.account.zone.*")},
		{Name: "one write right among many read rights on every zone", Want: posture.Warning, Resource: "t2",
			Edit: everywhere([]string{"DNS Write", "A Read", "B Read", "C Read", "D Read", "E Read"}, "com.cloudflare.api.account.zone.*")},
		{Name: "a denied policy gives nothing", Want: posture.Pass, Edit: addWriter(func(t *snapshot.Token) {
			t.Policies = append(t.Policies, snapshot.TokenPolicy{Effect: "deny", Groups: six,
				Resources: []string{"com.cloudflare.api.account.zone.*"}})
		})},
		{Name: "no active token", Want: posture.NotApplicable, Edit: allOff()},
	}
}

// wildcard names the key of a policy that reaches every account or every zone.
func wildcard(p snapshot.TokenPolicy) string {
	i := slices.IndexFunc(p.Resources, func(key string) bool {
		return key == "com.cloudflare.api.account.*" || key == "com.cloudflare.api.account.zone.*"
	})
	if i < 0 {
		return ""
	}
	return p.Resources[i]
}

func evaluateReach(v *check.View) check.Outcome {
	j := v.Judge()
	eachActive(v, func(k snapshot.Named, t snapshot.Token) {
		if !mayWrite(t) {
			return
		}
		var worst []string
		key := ""
		for _, p := range t.Policies {
			if w := writes(p); len(w) > len(worst) && wildcard(p) != "" {
				worst, key = w, wildcard(p)
			}
		}
		r := resource(t.ID, t.Name)
		seen := check.Evidence(k, "/"+t.ID+"/policies", strings.Join(worst, ", ")+" on "+key, "write rights on named zones only")
		switch {
		case len(worst) == 0:
			j.Pass()
		case len(worst) > v.Policy.TokenWriteGroups:
			j.Fail(r, fmt.Sprintf("The token %s has %d write rights on every account or zone it can see.", t.Name, len(worst)), seen)
		default:
			j.Warn(r, "The token "+t.Name+" may write on every account or zone it can see: "+strings.Join(worst, ", ")+".", seen)
		}
	})
	return j.Done("No token may write on every account or zone.", "no active token may write")
}
