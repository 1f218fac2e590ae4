package access

import (
	"encoding/json"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// asRead converts live objects to the form the checks judge.
func asRead[T any](k snapshot.Key[[]T], live []map[string]any) (out []T, err error) {
	text, err := json.Marshal(live)
	if err != nil {
		return nil, err
	}
	if text, err = snapshot.SourceOf(k).Decode(text); err != nil {
		return nil, err
	}
	return out, json.Unmarshal(text, &out)
}

// policyOf converts one live policy.
func policyOf(p map[string]any) (snapshot.AccessPolicy, error) {
	all, err := asRead(snapshot.AccessPolicies, []map[string]any{p})
	if err != nil {
		return snapshot.AccessPolicy{}, err
	}
	return all[0], nil
}

// live returns a list of the account as it is now, in the form the checks judge.
func live[T any](c *propose.Case, k snapshot.Key[[]T], path string, pairs ...string) ([]T, error) {
	all, err := c.List(c.Path("/accounts/{account_id}"+path, pairs...))
	if err != nil {
		return nil, err
	}
	return asRead(k, all)
}

// liveAccess returns the applications of the account and its reusable policies, and the context for
// evaluating them.
func liveAccess(c *propose.Case) (apps []snapshot.AccessApp, policies []snapshot.AccessPolicy, access admission.Access, err error) {
	if apps, err = live(c, snapshot.AccessApps, "/access/apps"); err != nil {
		return nil, nil, access, err
	}
	if policies, err = live(c, snapshot.AccessPolicies, "/access/policies"); err != nil {
		return nil, nil, access, err
	}
	access.Groups, err = liveGroups(c)
	return apps, policies, access, err
}

// liveGroups returns the groups of the account, by id.
func liveGroups(c *propose.Case) (exposure.Groups, error) {
	all, err := live(c, snapshot.AccessGroups, "/access/groups")
	return exposure.IndexGroups(all), err
}

// admitsEveryone reports whether, of the policies of an application, that with an id admits any visitor, or anyone who
// signs in, including through groups; allowed are the logins of the application.
func admitsEveryone(c *propose.Case, groups exposure.Groups, policies []snapshot.AccessPolicy, allowed []string,
	id string) (truth.Value, error) {
	return admits(c, groups, func(access admission.Access) truth.Value {
		return opened(access, policies, allowed, id, func(o opening) bool { return o > halfOpen })
	})
}

// admitsStrangers reports whether a policy admits everyone, anyone with a mailbox or an account at a
// public service (CFL-ZT-011), or any service token.
func admitsStrangers(c *propose.Case, groups exposure.Groups, p snapshot.AccessPolicy) (truth.Value, error) {
	policies := []snapshot.AccessPolicy{p}
	return admits(c, groups, func(access admission.Access) truth.Value {
		out := opened(access, policies, nil, p.ID, func(o opening) bool { return o > halfOpen })
		for _, w := range access.Ways(policies, nil) {
			t := trusted(w)
			out = truth.Or(out, truth.If(t != unsureTrust, t > unsureTrust))
		}
		return out
	})
}

// admits asks a question about policies. Logins, posture checks and lists are read only where they
// decide; those that cannot be read leave it unknown.
func admits(c *propose.Case, groups exposure.Groups, question func(admission.Access) truth.Value) (truth.Value, error) {
	access := admission.Access{Groups: groups}
	if admitted := question(access); admitted != truth.Undecided {
		return admitted, nil
	}
	var waiting error
	learn := func(err error) bool {
		if propose.Waits(err) {
			waiting = err
		}
		return err == nil
	}
	if all, err := live(c, snapshot.AccessIDPs, "/access/identity_providers"); learn(err) {
		access.Logins = &all
	}
	if all, err := live(c, snapshot.DevicePosture, "/devices/posture"); learn(err) {
		access.Posture = &all
	}
	access.Lists = func(id string) ([]snapshot.GatewayListItem, bool) {
		items, err := live(c, snapshot.GatewayListItems, "/gateway/lists/{list}/items", "list", id)
		return items, learn(err) && len(items) > 0
	}
	return question(access), waiting
}

// opened reports whether a way by a policy opens its application in some way.
func opened(access admission.Access, policies []snapshot.AccessPolicy, allowed []string, id string, how func(opening) bool) truth.Value {
	out := truth.No
	for _, w := range access.Ways(policies, allowed) {
		if w.Policy.ID == id {
			o := openness(w, false)
			out = truth.Or(out, truth.If(o != unsureDoor && !w.Listed, how(o)))
		}
	}
	return out
}

// admitsOnCondition reports whether, of the policies of an application, one admits everyone on a condition that names
// nobody and that anyone can meet.
func admitsOnCondition(c *propose.Case, groups exposure.Groups, policies []snapshot.AccessPolicy, allowed []string,
	i int) (truth.Value, error) {
	p := policies[i]
	easy, err := admits(c, groups, func(access admission.Access) truth.Value {
		return opened(access, policies, allowed, p.ID, func(o opening) bool { return o == halfOpen })
	})
	if err != nil || easy == truth.No {
		return easy, err
	}
	p.Require = nil
	return admitsEveryone(c, groups, []snapshot.AccessPolicy{p}, allowed, p.ID)
}

// chosenPolicy returns the reusable policy a person chose for a new application. A policy that
// requires no login, or admits everyone, is refused.
func chosenPolicy(c *propose.Case) (string, error) {
	var id string
	if err := c.Input("policy", &id); err != nil {
		return "", err
	}
	all, err := c.List(c.Path("/accounts/{account_id}/access/policies"))
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(all, func(p map[string]any) bool { return id != "" && propose.Text(p, "id") == id })
	if i < 0 {
		return "", propose.Refuse("The policy in the inputs of %s is not among the reusable policies of the account.", c.Finding.CheckID)
	}
	groups, err := liveGroups(c)
	if err != nil {
		return "", err
	}
	p, err := policyOf(all[i])
	if err != nil {
		return "", err
	}
	admitted, err := admitsStrangers(c, groups, p)
	if err != nil {
		return "", err
	}
	if p.Decision != "allow" && p.Decision != "non_identity" || len(p.Include) == 0 || admitted != truth.No {
		return "", propose.Refuse("The policy %s does not keep strangers out for certain, so it protects nothing; choose one that names people, "+
			"groups or service tokens.", p.Name)
	}
	return id, nil
}

// sendable returns an application without the members that the provider sets, and with its policies
// as references: full policies would be created again, and omitted ones are detached.
func sendable(live map[string]any) map[string]any {
	out := propose.Without(live, "id", "uid", "aud", "created_at", "updated_at")
	references := []any{}
	for _, p := range propose.Objects(live["policies"]) {
		r := map[string]any{"id": p["id"]}
		if p["precedence"] != nil {
			r["precedence"] = p["precedence"]
		}
		references = append(references, r)
	}
	out["policies"] = references
	return out
}

// writeOnly reports whether an application holds values that the provider never returns, so that
// sending it back would lose them.
func writeOnly(live map[string]any) bool {
	scim, _ := live["scim_config"].(map[string]any)
	saas, _ := live["saas_app"].(map[string]any)
	return scim["authentication"] != nil || len(saas) > 0 || propose.Blanked(live)
}

// appPlace is where the application of the finding is read.
func appPlace(c *propose.Case) change.Place {
	return change.Place{Path: c.Path("/accounts/{account_id}/access/apps/{id}")}
}
