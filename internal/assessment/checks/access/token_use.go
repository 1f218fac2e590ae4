package access

import (
	"slices"
	"strconv"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// tokenUse compares service tokens with the policies that name them. A token may be named inside a
// group, so the groups are needed too.
func tokenUse() check.Check {
	return check.Check{
		ID: "CFL-ZT-012", Title: "No policy relies on an expired service token",
		Category: "access", Severity: posture.Medium, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "A service token that expired or is disabled opens nothing. The automation that uses it stops, and " +
			"policies that name it hide who really has access.",
		Fix: "Ask the owner, then refresh the service token or remove it from the policies and delete it.",
		Words: posture.Words{
			Problem:   "Service token {name} expired and a policy relies on it",
			Impact:    "The automation that sends the token is refused, and someone in a hurry may open the application instead.",
			Breaks:    "Nothing; the secret stays the same and the end date moves by the duration of the token.",
			Dashboard: inServiceAuth + ` › {name} › Refresh.`,
			Call:      posture.Call{Method: "POST", Path: serviceAuthPath + "/refresh"}},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/identity/service-tokens/"},
		Controls: check.Controls{
			check.Supports("cis 6.2", "Policies do not wait on a credential whose time has passed."),
			check.Supports("soc2 CC6.3", "Rules are cleaned up when the access they gave has ended."),
			check.Touches("pci 8.6.3", "An expired token shows that rotation was missed, not how it is done."),
			check.Supports("nist PR.AA-01", "Credentials and the policies that use them are kept in step."),
		},
		Remedy: &propose.Remedy{Operation: "POST /accounts/{account_id}/access/service_tokens/{service_token_id}/refresh", Risk: "low",
			Reversible: false, Body: "none",
			Inverse: "none needed: only the end date moves; the captured date is kept in the receipt",
			Caution: "The credential stays valid for longer, for everyone who holds it. Name only tokens whose owner asked for that.",
			Inputs: []change.Input{{Name: "tokens", Example: `["f174e90a-fafe-4643-bbbc-4a0ed4fc8415"]`,
				Description: "Ids of the service tokens whose owner asked for a longer life."}},
			Propose: proposeRefresh},
		Needs:    []snapshot.Named{snapshot.AccessServiceTokens, snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessGroups},
		Evaluate: evaluateTokenUse,
	}
}

func tokenUseExamples() []goodtest.Example {
	off, yes := false, true
	token := func(change func(*snapshot.ServiceToken)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessServiceTokens, goodtest.Account, func(ts *[]snapshot.ServiceToken) { change(&(*ts)[0]) })
		}
	}
	ends := func(days int) func(*snapshot.Builder) {
		return token(func(t *snapshot.ServiceToken) { t.ExpiresAt = snapshot.At(goodtest.Now().AddDate(0, 0, days)) })
	}
	named := func(r snapshot.AccessRule) func(*snapshot.Builder) {
		return editPolicy(func(p *snapshot.AccessPolicy) {
			if p.Decision == "non_identity" {
				p.Include = []snapshot.AccessRule{r}
			}
		})
	}
	other, all := named(snapshot.AccessRule{Kind: "service_token", Value: "t9"}), named(snapshot.AccessRule{Kind: "any_valid_service_token"})
	reusable := func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessPolicies, goodtest.Account, func(ps *[]snapshot.AccessPolicy) {
			*ps = append(*ps, snapshot.AccessPolicy{ID: "p7", Name: "Spare", Decision: "non_identity",
				Include: []snapshot.AccessRule{{Kind: "service_token", Value: goodtest.ServiceToken}}})
		})
	}
	blocked := goodtest.Edits(named(snapshot.AccessRule{Kind: "service_token", Value: goodtest.ServiceToken}),
		editPolicy(func(p *snapshot.AccessPolicy) {
			if p.Decision == "non_identity" {
				p.Decision = "deny"
			}
		}))
	inGroup := named(snapshot.AccessRule{Kind: "group", Value: "g1"})
	return []goodtest.Example{
		{Name: "named and valid", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "named and without an end", Want: posture.Pass, Edit: token(func(t *snapshot.ServiceToken) { t.ExpiresAt = snapshot.Time{} })},
		{Name: "enabled is not told", Want: posture.Pass, Edit: token(func(t *snapshot.ServiceToken) { t.Enabled = nil })},
		{Name: "enabled", Want: posture.Pass, Edit: token(func(t *snapshot.ServiceToken) { t.Enabled = &yes })},
		{Name: "exactly at the limit", Want: posture.Warning, Resource: goodtest.ServiceToken, Edit: ends(30)},
		{Name: "a day more", Want: posture.Pass, Edit: ends(31)},
		{Name: "any token is admitted", Want: posture.Pass, Edit: all},
		{Name: "named inside a group", Want: posture.Pass,
			Edit: goodtest.Edits(inGroup, group("g1", snapshot.AccessRule{Kind: "service_token", Value: goodtest.ServiceToken}))},
		{Name: "expired", Want: posture.Fail, Resource: goodtest.ServiceToken, Edit: ends(-1)},
		{Name: "switched off", Want: posture.Fail, Resource: goodtest.ServiceToken,
			Edit: token(func(t *snapshot.ServiceToken) { t.Enabled = &off })},
		{Name: "ends soon", Want: posture.Warning, Resource: goodtest.ServiceToken, Edit: ends(10)},
		{Name: "named nowhere", Want: posture.Warning, Resource: goodtest.ServiceToken, Edit: other},
		{Name: "expired and named nowhere", Want: posture.Warning, Resource: goodtest.ServiceToken, Edit: goodtest.Edits(other, ends(-1))},
		{Name: "expired where any valid token is admitted", Want: posture.Warning, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(all, ends(-1))},
		{Name: "named in a reusable policy that no application has", Want: posture.Warning, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(other, reusable)},
		{Name: "expired, and named in a reusable policy that no application has", Want: posture.Warning, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(other, reusable, ends(-1))},
		{Name: "named in a reusable policy of an application", Want: posture.Pass, Edit: goodtest.Edits(other, reusable,
			editGoodApp(func(a *snapshot.AccessApp) {
				a.Policies = append(a.Policies, snapshot.AccessPolicy{ID: "p7", Decision: "non_identity"})
			}))},
		{Name: "named in a Block only", Want: posture.Warning, Resource: goodtest.ServiceToken, Edit: blocked},
		{Name: "expired and named in a Block only", Want: posture.Warning, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(blocked, ends(-1))},
		{Name: "perhaps named in a group that is missing", Want: posture.Unknown, Resource: goodtest.ServiceToken, Edit: inGroup},
		{Name: "perhaps named in a policy without its rules", Want: posture.Unknown, Resource: goodtest.ServiceToken,
			Edit: editPolicy(func(p *snapshot.AccessPolicy) {
				if p.Decision == "non_identity" {
					p.Include = nil
				}
			})},
		{Name: "no service token", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccessServiceTokens, goodtest.Account, []snapshot.ServiceToken{})
		}},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

// blocks reports whether a policy keeps out whom it names, so that naming a token is no use of it.
func blocks(p snapshot.AccessPolicy) bool { return p.Decision == "deny" }

// evaluateTokenUse ignores policies for any valid token: they admit only valid tokens, so they do
// not depend on an expired one.
func evaluateTokenUse(v *check.View) check.Outcome {
	gs := exposure.IndexGroups(check.Read(v, snapshot.AccessGroups))
	var policies []snapshot.AccessPolicy
	for _, a := range check.Read(v, snapshot.AccessApps) { // a policy of no application admits nobody
		policies = append(policies, exposure.Attached(a, exposure.IndexPolicies(check.Read(v, snapshot.AccessPolicies)))...)
	}
	policies = slices.DeleteFunc(policies, blocks)
	always := func(snapshot.AccessGroup) bool { return true }
	names := func(is func(snapshot.AccessRule) bool) truth.Value {
		out := truth.No
		for _, p := range policies {
			named := gs.Any(slices.Concat(p.Include, p.Require), is, always)
			if !slices.Contains([]string{"allow", "non_identity", "bypass"}, p.Decision) && named != truth.No {
				named = truth.Undecided // it may block
			}
			out = truth.Or(out, named, truth.If(len(p.Include) > 0, false))
		}
		return out
	}
	admitsAny := names(func(r snapshot.AccessRule) bool { return r.Kind == "any_valid_service_token" })
	j := v.Judge()
	for _, t := range check.Read(v, snapshot.AccessServiceTokens) {
		named := names(func(r snapshot.AccessRule) bool { return r.Kind == "service_token" && r.Value == t.ID })
		expired := !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(v.Now())
		dead := expired || t.Enabled != nil && !*t.Enabled
		used := named
		if !dead {
			used = truth.Or(named, admitsAny)
		}
		soon := !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(v.Now().AddDate(0, 0, v.Policy.ServiceTokenWarnDays))
		r := posture.Resource{Type: posture.ResourceToken, ID: t.ID, Name: t.Name}
		seen := func(member, observed, expected string) posture.Evidence {
			return check.Evidence(snapshot.AccessServiceTokens, "/"+t.ID+"/"+member, observed, expected)
		}
		switch {
		case used == truth.Undecided && (dead || !soon):
			j.Unknown(r, "a policy names a group, rules or a list of addresses that are not known")
		case dead && used == truth.Yes && expired:
			j.Fail(r, "The service token "+t.Name+" expired on "+check.Day(t.ExpiresAt)+" and a policy names it.",
				seen("expires_at", t.ExpiresAt.Format(time.DateOnly), "a date ahead"))
		case dead && used == truth.Yes:
			j.Fail(r, "The service token "+t.Name+" is disabled and a policy names it.", seen("enabled", "false", "true"))
			j.As(posture.Words{Problem: "Service token {name} is disabled and a policy relies on it",
				Breaks:    "Whoever has the secret gets in again; enable the token only when its owner asks for it.",
				Dashboard: inServiceAuth + " › {name}: enable the token, or remove it from the policies and delete it.",
				Call: posture.Call{Method: "PUT", Path: serviceAuthPath, From: serviceAuthPath,
					Body: `{name: .result.name, duration: .result.duration, enabled: true}`}})
		case used == truth.No:
			j.Warn(r, "The service token "+t.Name+" is named in no policy of an application.",
				seen("id", "named in no policy of an application", "named in one, or deleted"))
			j.As(posture.Words{Problem: "Service token {name} is not used by any policy", ByHand: true,
				Impact:    "Its secret lies around, and opens an application as soon as someone admits any valid service token.",
				Breaks:    "Nothing that works today, as no policy names the token.",
				Dashboard: inServiceAuth + " › {name} › Delete.", Call: posture.Call{Method: "DELETE", Path: serviceAuthPath}})
		case soon:
			j.Warn(r, "The service token "+t.Name+" expires on "+check.Day(t.ExpiresAt)+".",
				seen("expires_at", t.ExpiresAt.Format(time.DateOnly), strconv.Itoa(v.Policy.ServiceTokenWarnDays)+" days ahead or more"))
			j.As(posture.Words{Problem: "Service token {name} expires soon",
				Impact: "The automation that sends the token is refused from that day on, without a warning."})
		default:
			j.Pass()
		}
	}
	return j.Done("Every service token is valid and in use.", "no service token exists")
}

// proposeRefresh extends a service token that is in use. That cannot be undone, so the owner must
// have requested it.
func proposeRefresh(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/accounts/{account_id}/access/service_tokens/{id}")
	if live == nil || err != nil {
		return nil, err
	}
	if live["enabled"] == false {
		return nil, propose.Refuse("The service token is switched off, and refreshing does not switch it on; enable it, or take it out of the " +
			"policy.")
	}
	ends := propose.Moment(live, "expires_at")
	used, err := namedLive(c, ends.IsZero() || ends.After(c.Now))
	if err != nil {
		return nil, err
	}
	if used != truth.Yes {
		return nil, propose.Refuse("No policy is known to name the service token; delete it, or name it, instead of making it live longer.")
	}
	if ends.IsZero() || ends.After(c.Now.AddDate(0, 0, c.Policy.ServiceTokenWarnDays)) {
		return nil, nil
	}
	var asked []string
	if err := c.Input("tokens", &asked); err != nil {
		return nil, err
	}
	if !slices.Contains(asked, c.Finding.Resource.ID) {
		return nil, propose.Refuse("The service token %s is not among those whose owner asked for a longer life.", c.Finding.Resource.Name)
	}
	path := place.Path + "/refresh"
	return []change.Edit{{Place: place, Before: change.Encode(map[string]any{"expires_at": live["expires_at"]}),
		After: change.Encode(map[string]any{"expires_at": "a date Cloudflare chooses by the duration of the token"}), Moved: true,
		Do: change.Call{Method: "POST", Path: path}}}, nil
}

// namedLive reports whether a policy currently names the token of the finding or, while the token
// is valid, admits every valid one.
func namedLive(c *propose.Case, valid bool) (truth.Value, error) {
	apps, policies, access, err := liveAccess(c)
	if err != nil {
		return truth.Undecided, err
	}
	for _, a := range apps {
		policies = append(policies, a.Policies...)
	}
	out := truth.No
	for _, p := range slices.DeleteFunc(policies, blocks) {
		out = truth.Or(out, access.Groups.Any(slices.Concat(p.Include, p.Require), func(r snapshot.AccessRule) bool {
			return r.Kind == "service_token" && r.Value == c.Finding.Resource.ID || valid && r.Kind == "any_valid_service_token"
		}, func(snapshot.AccessGroup) bool { return true }))
	}
	return out, nil
}
