package snapshot

import "encoding/json"

// ZonePageRules holds the active page rules.
const ZonePageRules Key[[]PageRule] = "zone/page_rules"

// PageRule is a legacy rule that still takes effect.
type PageRule struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Priority int               `json:"priority"`
	Targets  []string          `json:"targets"`
	Actions  map[string]string `json:"actions"` // action id → value as text, JSON for objects
}

// SortKey orders page rules by id.
func (p PageRule) SortKey() string { return p.ID }

type pageRuleWire struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Priority int    `json:"priority"`
	Targets  []struct {
		Constraint struct {
			Value string `json:"value"`
		} `json:"constraint"`
	} `json:"targets"`
	Actions []struct {
		ID    string          `json:"id"`
		Value json.RawMessage `json:"value"`
	} `json:"actions"`
}

// zonePageRules reads the active page rules
// (developers.cloudflare.com/api/resources/page_rules/methods/list/).
func zonePageRules() Source {
	return list(ZonePageRules, Source{
		Path: "/zones/{zone_id}/pagerules?status=active", Permission: "Zone: Page Rules Read",
		Example: `[{"id":"p1","status":"active","priority":1,"targets":[{"target":"url","constraint":{"operator":"matches",` +
			`"value":"http://*acme.example/*"}}],"actions":[{"id":"always_use_https"}]}]`,
	}, reducePageRule)
}

func reducePageRule(w pageRuleWire) PageRule {
	r := PageRule{ID: w.ID, Status: w.Status, Priority: w.Priority, Targets: []string{}, Actions: map[string]string{}}
	for _, t := range w.Targets {
		r.Targets = append(r.Targets, ASCII(t.Constraint.Value))
	}
	for _, a := range w.Actions {
		value := ""
		if json.Unmarshal(a.Value, &value) != nil && len(a.Value) > 0 {
			value = string(canonicalJSON(a.Value))
		}
		r.Actions[a.ID] = value
	}
	return r
}
