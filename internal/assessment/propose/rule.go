package propose

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/change"
)

// Rule returns the rule of the finding out of the entry point of a phase, with that
// entry point; nil when it is no longer there.
func (c *Case) Rule(phase string) (entry, rule map[string]any, err error) {
	entry, rules, err := c.Rules(phase)
	if err != nil {
		return nil, nil, err
	}
	return entry, ByID(rules, c.Finding.Resource.ID), nil
}

// ByID returns the object of a list that has an id, nil when none has.
func ByID(list []map[string]any, id string) map[string]any {
	i := slices.IndexFunc(list, func(o map[string]any) bool { return Text(o, "id") == id })
	if i < 0 {
		return nil
	}
	return list[i]
}

// ReplaceRule proposes another form of the rule of the finding. better changes a
// copy and tells whether anything had to change; view names the members of the rule
// it may change.
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

// PatchRuleIn is PatchRule for a rule of a ruleset of the account that is no entry
// point; set is that ruleset as read by its id.
func (c *Case) PatchRuleIn(set, rule, written map[string]any, view ...string) change.Edit {
	return c.patchRule(c.Scope()+"/rulesets/"+Text(set, "id"), set, rule, written, view...)
}

// AppendMarked is AppendRule for a rule with the mark of the case as its ref. One
// that has it already was made for this finding before, so it is refused.
func (c *Case) AppendMarked(phase string, entry map[string]any, rule map[string]any) ([]change.Edit, error) {
	made := func(r map[string]any) bool { return Text(r, "ref") == c.Mark() }
	if slices.ContainsFunc(Objects(entry["rules"]), made) {
		return nil, Refuse("The rule %s is there already, and somebody changed or disabled it; look at it and enable it by hand.", c.Mark())
	}
	rule["ref"] = c.Mark()
	return []change.Edit{c.AppendRule(phase, entry, rule)}, nil
}
