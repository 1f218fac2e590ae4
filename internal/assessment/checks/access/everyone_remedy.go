package access

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// proposeGroup replaces everyone by the group a person chose, in each policy of the application
// that admits everyone. It is refused while a policy stays that lets everyone in all the same.
func proposeGroup(c *propose.Case) ([]change.Edit, error) {
	app, err := c.Locate(appPlace(c))
	if app == nil || err != nil {
		return nil, err
	}
	groups, err := liveGroups(c)
	if err != nil {
		return nil, err
	}
	policies, err := livePolicies(c, app)
	if err != nil {
		return nil, err
	}
	reduced, allowed := []snapshot.AccessPolicy{}, []string{}
	for _, p := range policies {
		reduced = append(reduced, p.reduced)
	}
	logins, _ := app["allowed_idps"].([]any)
	for _, id := range logins {
		allowed = append(allowed, fmt.Sprint(id))
	}
	var wide []livePolicy
	nologin, conditional := false, false
	var waiting error
	for i, p := range policies {
		admitted, err := admitsEveryone(c, groups, reduced, allowed, p.reduced.ID)
		if err == nil && admitted != truth.Yes {
			var alone truth.Value
			alone, err = admitsOnCondition(c, groups, reduced, allowed, i)
			conditional = conditional || alone == truth.Yes
		}
		switch {
		case err != nil:
			waiting = err
		case admitted == truth.Yes && exposure.NoLogin(p.reduced):
			nologin = true
		case admitted == truth.Yes:
			wide = append(wide, p)
		}
	}
	if waiting != nil {
		return nil, waiting
	}
	if nologin {
		return nil, propose.Refuse("A policy for everyone asks nobody to log in, and where nobody logs in no group can be told; remove that " +
			"policy, or make it one that allows.")
	}
	if conditional {
		return nil, propose.Refuse("A policy includes everyone and its condition names nobody. Decide who may pass and change it by hand.")
	}
	var out []change.Edit
	for _, p := range wide {
		e, err := narrow(c, groups, p.place, p.live)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// livePolicy is a policy as it is now.
type livePolicy struct {
	place   change.Place
	live    map[string]any
	reduced snapshot.AccessPolicy
}

// livePolicies returns the policies of an application. The reads for all of them are requested together.
func livePolicies(c *propose.Case, app map[string]any) (out []livePolicy, waiting error) {
	for _, p := range propose.Objects(app["policies"]) {
		place, live, err := policyPlace(c, p)
		if propose.Waits(err) {
			waiting = err
			continue
		}
		if err != nil {
			return nil, err
		}
		reduced, err := policyOf(live)
		if err != nil {
			return nil, err
		}
		reduced.ID = propose.Text(p, "id")
		out = append(out, livePolicy{place, live, reduced})
	}
	return out, waiting
}

// policyPlace returns the live policy: a reusable one at its own path, otherwise one below the
// application. The policies in an application do not show which kind they are.
func policyPlace(c *propose.Case, attached map[string]any) (change.Place, map[string]any, error) {
	at := func(path string) change.Place {
		return change.Place{Path: c.Path(path, "policy", propose.Text(attached, "id"))}
	}
	place := at("/accounts/{account_id}/access/policies/{policy}")
	live, err := c.Locate(place)
	if live == nil && err == nil {
		place = at("/accounts/{account_id}/access/apps/{id}/policies/{policy}")
		live, err = c.Locate(place)
	}
	return place, live, err
}

// narrow is the edit of one policy. A policy shared by several applications is left to people,
// because the others would change too.
func narrow(c *propose.Case, groups exposure.Groups, place change.Place, live map[string]any) (change.Edit, error) {
	if n, _ := live["app_count"].(json.Number); propose.Flag(live, "reusable") && n != "1" {
		return change.Edit{}, propose.Refuse("The reusable policy %s serves other applications too, which would change with this one; give the "+
			"application a policy of its own.", propose.Text(live, "name"))
	}
	if propose.Blanked(live) {
		return change.Edit{}, propose.Refuse("Cloudflare does not return the whole policy, so it cannot be sent back.")
	}
	var id string
	if err := c.Input("group", &id); err != nil {
		return change.Edit{}, err
	}
	g, known := groups[id]
	if !known {
		return change.Edit{}, propose.Refuse("The group in the inputs of %s does not exist in the account.", c.Finding.CheckID)
	}
	chosen := snapshot.AccessPolicy{Decision: propose.Text(live, "decision"), Include: []snapshot.AccessRule{{Kind: "group", Value: id}}}
	admitted, err := admitsStrangers(c, groups, chosen)
	if err != nil {
		return change.Edit{}, err
	}
	if len(g.Include) == 0 || admitted != truth.No {
		return change.Edit{}, propose.Refuse("The group %s does not keep strangers out for certain, so nothing would be gained.", g.Name)
	}
	captured := propose.Without(live, "id", "reusable", "app_count", "created_at", "updated_at")
	written := maps.Clone(captured)
	written["include"] = []any{map[string]any{"group": map[string]any{"id": id}}}
	e := propose.Replace("PUT", place, place.Path, live, written, captured, "include")
	e.Label = propose.Text(live, "name")
	return e, nil
}
