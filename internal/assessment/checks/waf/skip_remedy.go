package waf

import (
	"net/url"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// proposeNoSkip disables one skip rule, wherever it is. Its live expression is judged again: a rule
// that has since been narrowed is left alone.
func proposeNoSkip(c *propose.Case) ([]change.Edit, error) {
	for _, phase := range []string{"http_request_firewall_custom", "http_request_firewall_managed"} {
		entry, rule, err := c.Rule(phase)
		if err != nil {
			return nil, err
		}
		if rule != nil {
			weak, err := stillWeak(c, rule)
			if err != nil || !weak {
				return nil, err
			}
			return []change.Edit{c.PatchRule(phase, entry, rule, switchedOff(rule), "enabled")}, nil
		}
		if c.Finding.Resource.ZoneID != "" {
			continue
		}
		if edits, found, err := proposeNoInnerSkip(c, entry); found || err != nil {
			return edits, err
		}
	}
	return nil, nil
}

// proposeNoInnerSkip looks for the rule in the rulesets that an account phase executes.
func proposeNoInnerSkip(c *propose.Case, entry map[string]any) (edits []change.Edit, found bool, err error) {
	executed := map[string][]string{} // ruleset → conditions under which it runs
	var order []string
	for _, r := range propose.Objects(entry["rules"]) {
		id, _ := propose.Member(r, "action_parameters.id").(string)
		if !propose.Flag(r, "enabled") || propose.Text(r, "action") != "execute" || id == "" {
			continue
		}
		if executed[id] == nil {
			order = append(order, id)
		}
		executed[id] = append(executed[id], propose.Text(r, "expression"))
	}
	for _, id := range order {
		set, err := c.Locate(change.Place{Path: c.Path("/accounts/{account_id}/rulesets/") + url.PathEscape(id)})
		if err != nil {
			return nil, false, err
		}
		rule := propose.ByID(propose.Objects(set["rules"]), c.Finding.Resource.ID)
		if rule == nil {
			continue
		}
		weak, err := stillWeak(c, rule, executed[id]...)
		if err != nil || !weak {
			return nil, true, err
		}
		return []change.Edit{c.PatchRuleIn(set, rule, switchedOff(rule), "enabled")}, true, nil
	}
	return nil, false, nil
}

func switchedOff(rule map[string]any) map[string]any {
	written := propose.Copy(rule)
	written["enabled"] = false
	return written
}

// stillWeak reports whether a live skip rule lets too much past the firewall. A rule whose meaning
// is not known is refused.
func stillWeak(c *propose.Case, rule map[string]any, oneOf ...string) (bool, error) {
	if !propose.Flag(rule, "enabled") || propose.Text(rule, "action") != "skip" {
		return false, nil
	}
	e, err := combine([]string{propose.Text(rule, "expression")}, oneOf)
	if err != nil {
		return false, propose.Refuse("The expression of the skip rule cannot be read any more; judge it by hand.")
	}
	live := liveLists{c: c}
	worst, ok := readBranches(e, live.grade).judge()
	switch {
	case live.err != nil:
		return false, live.err
	case !ok && worst != bad:
		return false, propose.Refuse("The skip rule reads something whose meaning is not known; judge it by hand.")
	}
	return worst != good, nil
}

// liveLists grades the account lists that an expression names, as they are now.
type liveLists struct {
	c   *propose.Case
	err error
}

func (l *liveLists) grade(name string) (limit, bool) {
	all, err := l.c.List(l.c.Path("/accounts/{account_id}/rules/lists"))
	if err != nil {
		l.err = err
		return unlimited, false
	}
	i := slices.IndexFunc(all, func(o map[string]any) bool { return propose.Text(o, "name") == name })
	if i < 0 {
		return unlimited, false // a list managed by the provider, or none
	}
	items, err := l.c.List(l.c.Path("/accounts/{account_id}/rules/lists/{list}/items", "list", propose.Text(all[i], "id")))
	if err != nil {
		l.err = err
		return unlimited, false
	}
	var read []snapshot.ListItem
	for _, item := range items {
		one := snapshot.ListItem{IP: propose.Text(item, "ip")}
		if item["asn"] != nil {
			one.ASN = 1 // the number is irrelevant
		}
		read = append(read, one)
	}
	return gradeItems(read), true
}
