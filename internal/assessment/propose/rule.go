package propose

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/change"
)

// Rule returns the rule of the finding from the entrypoint ruleset of a phase, and that ruleset;
// rule is nil when it no longer exists.
func (c *Case) Rule(phase string) (entry, rule map[string]any, err error) {
	entry, rules, err := c.Rules(phase)
	if err != nil {
		return nil, nil, err
	}
	return entry, ByID(rules, c.Finding.Resource.ID), nil
}

// ByID returns the object with an id in a list, or nil.
func ByID(list []map[string]any, id string) map[string]any {
	i := slices.IndexFunc(list, func(o map[string]any) bool { return Text(o, "id") == id })
	if i < 0 {
		return nil
	}
	return list[i]
}

// ReplaceRule proposes changes to the rule of the finding. better modifies a copy and reports
// whether anything had to change; view names the members of the rule it may change.
func (c *Case) ReplaceRule(phase string, better func(rule map[string]any) bool, view ...string) ([]change.Edit, error) {
	entry, rule, err := c.Rule(phase)
	if err != nil || rule == nil {
		return nil, err
	}
	written := Copy(rule)
	if !better(written) {
		return nil, nil
	}
	return []change.Edit{c.PatchRule(phase, entry, rule, written, view...)}, nil
}

// PatchRuleIn is PatchRule for a rule of an account ruleset that is not an entrypoint; set is that
// ruleset as read by its id.
func (c *Case) PatchRuleIn(set, rule, written map[string]any, view ...string) change.Edit {
	return c.patchRule(c.Scope()+"/rulesets/"+Text(set, "id"), set, rule, written, view...)
}

// AppendMarked is AppendRule for a rule with the mark of the case as its ref. A rule that already
// has this ref was created for the finding before, so it is refused.
func (c *Case) AppendMarked(phase string, entry map[string]any, rule map[string]any) ([]change.Edit, error) {
	made := func(r map[string]any) bool { return Text(r, "ref") == c.Mark() }
	if slices.ContainsFunc(Objects(entry["rules"]), made) {
		return nil, Refuse("The rule %s is there already, and somebody changed or disabled it; look at it and enable it by hand.", c.Mark())
	}
	rule["ref"] = c.Mark()
	return []change.Edit{c.AppendRule(phase, entry, rule)}, nil
}
