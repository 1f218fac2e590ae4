package propose

import (
	"path"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Proposal is a function that proposes the edits for a case; Remedy.Propose has this type.
type Proposal = func(*Case) ([]change.Edit, error)

// Setting proposes a value for a setting of the zone,
// https://developers.cloudflare.com/api/resources/zones/subresources/settings/. Values in fine are
// at least as good and are kept.
func Setting(id string, want any, fine ...any) Proposal {
	return func(c *Case) ([]change.Edit, error) {
		if err := SettingDecides(id, c.Finding.Evidence); err != nil {
			return nil, err
		}
		place, live, err := c.At("/zones/{zone_id}/settings/" + id)
		if err != nil {
			return nil, err
		}
		if live == nil {
			return nil, Refuse("The zone has no setting %s.", id)
		}
		for _, f := range append(fine, want) {
			if change.Holds(live["value"], f) {
				return nil, nil
			}
		}
		if live["editable"] == false {
			return nil, Refuse("The plan of the zone does not let the setting %s be changed.", id)
		}
		return []change.Edit{Patch("PATCH", place, place.Path, live, map[string]any{"value": want})}, nil
	}
}

// Cause returns the source of the first evidence of the finding, and the id that its pointer ends with: the
// rule that decides, where one does. Both are "" without evidence.
func (c *Case) Cause() (source, id string) {
	if len(c.Finding.Evidence) == 0 {
		return "", ""
	}
	first := c.Finding.Evidence[0]
	return first.Source, path.Base(first.Pointer)
}

// SettingDecides refuses when rules set every value that the finding shows: changing the setting
// would have no effect.
func SettingDecides(id string, seen []posture.Evidence) error {
	byRule := snapshot.ZonePhaseConfig.Source()
	if id == "security_header" {
		byRule = snapshot.ZonePhaseResponse.Source()
	} else if !slices.Contains(traffic.RuledSettings(), id) {
		return nil
	}
	rule := ""
	for _, e := range seen {
		if e.Source != byRule && e.Source != snapshot.ZonePageRules.Source() {
			return nil
		}
		rule = path.Base(e.Pointer)
	}
	if rule == "" {
		return nil
	}
	return Refuse("The rule that the finding names (id %s) overrides the setting %s; change or delete that rule.", rule, id)
}

// Patch is an edit that sends only the members that change; the provider keeps the
// others, at every depth. Undo sends the captured values of the same members, null for
// a missing one.
func Patch(method string, place change.Place, path string, live, want map[string]any) change.Edit {
	before := prior(live, want)
	return change.Edit{Place: place, Before: change.Encode(before), After: change.Encode(want),
		Do:   change.Call{Method: method, Path: path, Header: place.Header, Body: change.Encode(want)},
		Undo: &change.Call{Method: method, Path: path, Header: place.Header, Body: change.Encode(before)}}
}

// prior returns the live values of the members that are wanted.
func prior(live, want map[string]any) map[string]any {
	out := map[string]any{}
	for name, w := range want {
		object, isObject := w.(map[string]any)
		have, both := live[name].(map[string]any)
		if isObject && both {
			out[name] = prior(have, object)
			continue
		}
		out[name] = live[name]
	}
	return out
}

// Members proposes values for members of one object: those that differ are sent with method to the
// path where the object is read. An absent object is refused.
func Members(method, path string, want map[string]any) Proposal {
	return func(c *Case) ([]change.Edit, error) {
		place, live, err := c.At(path)
		if err != nil {
			return nil, err
		}
		if live == nil {
			return nil, Refuse("The object is no longer there.")
		}
		differs := map[string]any{}
		for name, w := range want {
			if !change.Holds(live[name], w) {
				differs[name] = w
			}
		}
		if len(differs) == 0 {
			return nil, nil
		}
		return []change.Edit{Patch(method, place, place.Path, live, differs)}, nil
	}
}

// Replace is an edit that sends the complete object: written is the live object with the changes,
// captured is what Undo sends. view names the top-level members to show that differ; of members
// that are objects only the differences are shown.
func Replace(method string, place change.Place, path string, live, written, captured map[string]any, view ...string) change.Edit {
	before, after := map[string]any{}, map[string]any{}
	for _, name := range view {
		before[name], after[name] = differing(live[name], written[name])
	}
	return change.Edit{Place: place, Before: change.Encode(before), After: change.Encode(after), Whole: true,
		Do:   change.Call{Method: method, Path: path, Header: place.Header, Body: change.Encode(written)},
		Undo: &change.Call{Method: method, Path: path, Header: place.Header, Body: change.Encode(captured)}}
}

// Create is an edit that creates an object in a collection; place identifies it
// uniquely. Undo deletes it by the id the provider assigned.
func Create(place change.Place, collection string, body map[string]any) change.Edit {
	return change.Edit{Place: place, Before: change.Encode(nil), After: change.Encode(body), Whole: true,
		Do:   change.Call{Method: "POST", Path: collection, Body: change.Encode(body)},
		Undo: &change.Call{Method: "DELETE", Path: collection + "/" + change.Created}}
}

// Delete is an edit that deletes the object at a place. Undo creates it again in its
// collection from the captured members, with a new id; again locates it there. Without
// members it cannot be undone.
func Delete(place, again change.Place, item, collection string, live, members map[string]any) change.Edit {
	e := change.Edit{Place: place, Before: change.Encode(live), After: change.Encode(nil), Do: change.Call{Method: "DELETE", Path: item}}
	if members != nil {
		e.Again, e.Undo = &again, &change.Call{Method: "POST", Path: collection, Body: change.Encode(members)}
	}
	return e
}

// Entrypoint is the path of the entrypoint ruleset of a phase in a zone, or in the account when the
// finding has no zone; see https://developers.cloudflare.com/ruleset-engine/rulesets-api/.
func (c *Case) Entrypoint(phase string) string {
	return c.Scope() + "/rulesets/phases/" + phase + "/entrypoint"
}

// Scope is the path of the zone of the finding, or of the account when it has none.
func (c *Case) Scope() string {
	if c.Finding.Resource.ZoneID != "" {
		return c.Path("/zones/{zone_id}")
	}
	return c.Path("/accounts/{account_id}")
}

// Rules returns the entrypoint ruleset of a phase and its rules, or nil when it does not exist.
func (c *Case) Rules(phase string) (map[string]any, []map[string]any, error) {
	entry, err := c.Locate(change.Place{Path: c.Entrypoint(phase)})
	if err != nil || entry == nil {
		return nil, nil, err
	}
	return entry, Objects(entry["rules"]), nil
}

// PatchRule is an edit of one rule of an entrypoint ruleset: the whole rule is sent to its own
// path, all others stay unchanged.
func (c *Case) PatchRule(phase string, entry, rule, written map[string]any, view ...string) change.Edit {
	return c.patchRule(c.Entrypoint(phase), entry, rule, written, view...)
}

// patchRule patches a rule of a ruleset that is read at a path.
func (c *Case) patchRule(path string, set, rule, written map[string]any, view ...string) change.Edit {
	place := change.Place{Path: path, Within: "rules", Match: map[string]any{"id": rule["id"]}}
	own := c.Scope() + "/rulesets/" + Text(set, "id") + "/rules/" + Text(rule, "id")
	return Replace("PATCH", place, own, rule, Without(written, "version", "last_updated"), Without(rule, "version", "last_updated"), view...)
}

// AppendRule is an edit that adds one rule to the entrypoint ruleset of a phase, and creates the
// ruleset with this single rule when there is none. The rule is identified by its ref.
func (c *Case) AppendRule(phase string, entry, rule map[string]any) change.Edit {
	place := change.Place{Path: c.Entrypoint(phase), Within: "rules", Match: map[string]any{"ref": rule["ref"]}}
	if entry != nil {
		return Create(place, c.Scope()+"/rulesets/"+Text(entry, "id")+"/rules", rule)
	}
	kind := "root"
	if c.Finding.Resource.ZoneID != "" {
		kind = "zone"
	}
	made := map[string]any{"name": "default", "kind": kind, "phase": phase, "rules": []any{rule}}
	// A POST is refused once the phase has an entrypoint (code 20217,
	// https://github.com/cloudflare/terraform-provider-cloudflare/issues/6273); a PUT would replace it.
	// The id of the ruleset is not known yet. Undo deletes only the rule: an empty entrypoint
	// ruleset has no effect, and others may have added rules to it.
	return change.Edit{Place: place, Before: change.Encode(nil), After: change.Encode(rule), Whole: true,
		Do:   change.Call{Method: "POST", Path: c.Scope() + "/rulesets", Body: change.Encode(made)},
		Undo: &change.Call{Method: "DELETE", Path: c.Scope() + "/rulesets/" + change.Parent + "/rules/" + change.Created}}
}
