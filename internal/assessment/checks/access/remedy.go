package access

import (
	"maps"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// rulesOf converts live selectors to the form the checks judge: the kind, and the value it selects
// by.
func rulesOf(v any) []snapshot.AccessRule {
	out := []snapshot.AccessRule{}
	for _, m := range propose.Objects(v) {
		for _, kind := range slices.Sorted(maps.Keys(m)) {
			r := snapshot.AccessRule{Kind: kind}
			fields, _ := m[kind].(map[string]any)
			for _, name := range []string{"domain", "ip", "id", "country_code", "token_id", "common_name", "list_id", "name", "integration_uid",
				"auth_method"} {
				if word := propose.Text(fields, name); word != "" {
					r.Value = word
					break
				}
			}
			out = append(out, r)
		}
	}
	return out
}

// policyOf converts a live policy to the form the checks judge.
func policyOf(p map[string]any) snapshot.AccessPolicy {
	return snapshot.AccessPolicy{ID: propose.Text(p, "id"), Name: propose.Text(p, "name"), Decision: propose.Text(p, "decision"),
		Include: rulesOf(p["include"]), Require: rulesOf(p["require"])}
}

// liveGroups returns the groups of the account, by id.
func liveGroups(c *propose.Case) (exposure.Groups, error) {
	all, err := c.List(c.Path("/accounts/{account_id}/access/groups"))
	if err != nil {
		return nil, err
	}
	groups := exposure.Groups{}
	for _, g := range all {
		groups[propose.Text(g, "id")] = snapshot.AccessGroup{ID: propose.Text(g, "id"), Name: propose.Text(g, "name"),
			Include: rulesOf(g["include"]), Require: rulesOf(g["require"])}
	}
	return groups, nil
}

// liveApps returns the applications of the account, as read and in the form the checks judge.
func liveApps(c *propose.Case) ([]map[string]any, []snapshot.AccessApp, error) {
	all, err := c.List(c.Path("/accounts/{account_id}/access/apps"))
	if err != nil {
		return nil, nil, err
	}
	var out []snapshot.AccessApp
	for _, live := range all {
		a := snapshot.AccessApp{ID: propose.Text(live, "id"), Type: propose.Text(live, "type"), Domain: propose.Text(live, "domain"),
			Domains: propose.Texts(live["self_hosted_domains"])}
		for _, d := range propose.Objects(live["destinations"]) {
			if kind := propose.Text(d, "type"); kind == "public" || kind == "" {
				a.Domains = append(a.Domains, propose.Text(d, "uri"))
			}
		}
		for _, p := range propose.Objects(live["policies"]) {
			a.Policies = append(a.Policies, policyOf(p))
		}
		out = append(out, a)
	}
	return all, out, nil
}

// admitsEveryone reports whether a policy admits any visitor, or anyone who signs in, including
// through groups.
func admitsEveryone(gs exposure.Groups, p snapshot.AccessPolicy) truth.Value {
	out := truth.No
	for _, w := range (admission.Access{Groups: gs}).Ways([]snapshot.AccessPolicy{p}, nil) {
		o := openness(w, false)
		out = truth.Or(out, truth.If(o != unsureDoor, o > halfOpen))
	}
	return out
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
	p := policyOf(all[i])
	if p.Decision != "allow" && p.Decision != "non_identity" || len(p.Include) == 0 || admitsEveryone(groups, p) != truth.No {
		return "", propose.Refuse("The policy %s does not keep anybody out for certain, so it protects nothing; choose one that names people, "+
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
