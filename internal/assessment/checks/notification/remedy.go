package notification

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const policiesPath = "/accounts/{account_id}/alerting/v3/policies"

// newPolicy is the remedy of every check for a missing policy; missing returns the alert types that
// need one.
func newPolicy(missing func(*propose.Case, []snapshot.AlertPolicy, []string) ([]string, error)) *propose.Remedy {
	return &propose.Remedy{Operation: "POST " + policiesPath, Risk: "low", Reversible: true,
		Body: `{"name": <our mark>, "enabled": true, "alert_type": <first type of the check that is available>, "mechanisms": <destinations ` +
			`the operator names>, "filters": {}}`,
		Inverse: "DELETE /accounts/{account_id}/alerting/v3/policies/{policy_id} of the created id, which is recorded in the receipt",
		Caution: "Alerts go to the destinations you name.",
		Inputs: []change.Input{{Name: "destinations", Example: `["security@example.com", "a6b4c1d2e3f405162738495a6b7c8d9e"]`,
			Description: "Where the alert goes: mail addresses in own domains, and ids of webhook destinations of the account."}},
		Propose: func(c *propose.Case) ([]change.Edit, error) { return proposePolicies(c, missing) }}
}

// proposePolicies creates one policy for each alert type without an enabled one.
func proposePolicies(c *propose.Case, missing func(*propose.Case, []snapshot.AlertPolicy, []string) ([]string,
	error)) ([]change.Edit, error) {
	collection := c.Path(policiesPath)
	listed, err := c.List(collection)
	if err != nil {
		return nil, err
	}
	offered, err := c.Locate(change.Place{Path: c.Path("/accounts/{account_id}/alerting/v3/available_alerts")})
	if err != nil {
		return nil, err
	}
	available, policies := []string{}, []snapshot.AlertPolicy{}
	for _, product := range slices.Sorted(maps.Keys(offered)) {
		for _, a := range propose.Objects(offered[product]) {
			available = append(available, propose.Text(a, "type"))
		}
	}
	for _, p := range listed {
		policies = append(policies, reduced(p))
	}
	kinds, err := missing(c, policies, available)
	if err != nil || len(kinds) == 0 {
		return nil, err
	}
	ways, err := mechanisms(c)
	if err != nil {
		return nil, err
	}
	var out []change.Edit
	for _, kind := range kinds {
		name := c.Mark() + " " + kind
		if slices.ContainsFunc(listed, func(p map[string]any) bool { return propose.Text(p, "name") == name }) {
			return nil, propose.Refuse("The policy %s exists already and was changed since; look at it, or delete it and plan again.", name)
		}
		e := propose.Create(change.Place{Path: collection, Match: map[string]any{"name": name}}, collection,
			map[string]any{"name": name, "enabled": true, "alert_type": kind, "mechanisms": ways, "filters": map[string]any{}})
		// The API may return more about a destination than its id.
		e.Or = change.Encode(map[string]any{"name": name, "enabled": true, "alert_type": kind})
		e.Label = kind
		out = append(out, e)
	}
	return out, nil
}

// mechanisms converts the destinations a person named to the form of the API, see
// https://developers.cloudflare.com/api/resources/alerting/subresources/policies/methods/create/.
func mechanisms(c *propose.Case) (map[string]any, error) {
	var chosen []string
	if err := c.Input("destinations", &chosen); err != nil {
		return nil, err
	}
	hooks, err := c.List(c.Path("/accounts/{account_id}/alerting/v3/destinations/webhooks"))
	if err != nil {
		return nil, err
	}
	out, seen := map[string]any{}, map[string]bool{}
	add := func(kind, id string) {
		list, _ := out[kind].([]any)
		out[kind] = append(list, map[string]any{"id": id})
	}
	for _, d := range chosen {
		if seen[d] {
			continue
		}
		seen[d] = true
		switch {
		case strings.Contains(d, "@"):
			if err := c.OwnAddress("destinations", d); err != nil {
				return nil, err
			}
			add("email", d)
		case d != "" && slices.ContainsFunc(hooks, func(h map[string]any) bool { return propose.Text(h, "id") == d }):
			add("webhooks", d)
		default:
			return nil, propose.Refuse("A destination in the inputs of %s is neither a mail address nor the id of a webhook of the account.",
				c.Finding.CheckID)
		}
	}
	if len(out) == 0 {
		return nil, propose.Refuse("The inputs of %s name no destination, and an alert without one reaches nobody.", c.Finding.CheckID)
	}
	return out, nil
}

// reduced converts a live policy to the form the checks judge.
func reduced(p map[string]any) snapshot.AlertPolicy {
	out := snapshot.AlertPolicy{ID: propose.Text(p, "id"), Name: cmp.Or(propose.Text(p, "name"), propose.Text(p, "id")),
		Enabled:   propose.Flag(p, "enabled"),
		AlertType: propose.Text(p, "alert_type"), Filters: map[string][]string{}}
	ways, _ := p["mechanisms"].(map[string]any)
	out.Emails, out.PagerDuty = len(propose.Objects(ways["email"])), len(propose.Objects(ways["pagerduty"]))
	for _, h := range propose.Objects(ways["webhooks"]) {
		out.Webhooks = append(out.Webhooks, propose.Text(h, "id"))
	}
	filters, _ := p["filters"].(map[string]any)
	for name, list := range filters {
		out.Filters[name] = propose.Texts(list)
	}
	return out
}

// oneOf requests a policy of the first of some alert types that the account is offered, unless
// policies of these types already cover every zone.
func oneOf(types ...string) func(*propose.Case, []snapshot.AlertPolicy, []string) ([]string, error) {
	return func(c *propose.Case, policies []snapshot.AlertPolicy, available []string) ([]string, error) {
		first := slices.IndexFunc(types, func(t string) bool { return slices.Contains(available, t) })
		if first < 0 {
			return nil, propose.Refuse("The account cannot subscribe to this alert.")
		}
		zones := map[string]bool{}
		for _, p := range policies {
			if !p.Enabled || !slices.Contains(types, p.AlertType) || p.Mechanisms() == 0 || narrowed(p) {
				continue
			}
			only := slices.Concat(p.Filters["zones"], p.Filters["target_zone_name"])
			if len(only) == 0 {
				return nil, nil
			}
			for _, z := range only {
				zones[strings.ToLower(snapshot.ASCII(z))] = true
			}
		}
		all, err := c.OwnZones()
		if err != nil {
			return nil, err
		}
		if len(zones) > 0 && !slices.ContainsFunc(all, func(z map[string]any) bool {
			return !zones[propose.Text(z, "id")] && !zones[strings.ToLower(snapshot.ASCII(propose.Text(z, "name")))]
		}) {
			return nil, nil
		}
		return types[first : first+1], nil
	}
}

// whatIsDue requests policies on tunnels and on service tokens, if there are any.
func whatIsDue(c *propose.Case, policies []snapshot.AlertPolicy, available []string) ([]string, error) {
	ids := func(path string) ([]string, error) {
		all, err := c.List(c.Path(path))
		out := []string{}
		for _, o := range all {
			if ends := propose.Moment(o, "expires_at"); o["enabled"] != false && (ends.IsZero() || ends.After(c.Now)) {
				out = append(out, propose.Text(o, "id"))
			}
		}
		return out, err
	}
	tunnels, err := ids("/accounts/{account_id}/cfd_tunnel?is_deleted=false")
	if err != nil {
		return nil, err
	}
	tokens, err := ids("/accounts/{account_id}/access/service_tokens")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range []subscription{{tunnelTrouble, "", tunnelFilter, tunnels}, {tokenExpiring, "", tokenFilter, tokens}} {
		if len(s.items) == 0 || !slices.Contains(available, s.kind) {
			continue
		}
		if enabled, fault := s.judge(policies); !enabled || fault != "" {
			out = append(out, s.kind)
		}
	}
	return out, nil
}
