package snapshot

import "encoding/json"

// AccessGroups holds the groups that policies refer to.
const AccessGroups Key[[]AccessGroup] = "account/access_groups"

// AccessGroup is a named set of selectors.
type AccessGroup struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Include []AccessRule `json:"include"`
	Require []AccessRule `json:"require"`
	Exclude []AccessRule `json:"exclude"`
}

// SortKey orders groups by id.
func (g AccessGroup) SortKey() string { return g.ID }

type accessGroupWire struct {
	ID      string                       `json:"id"`
	Name    string                       `json:"name"`
	Include []map[string]json.RawMessage `json:"include"`
	Require []map[string]json.RawMessage `json:"require"`
	Exclude []map[string]json.RawMessage `json:"exclude"`
}

// accessGroups lists the groups that policies refer to
// (developers.cloudflare.com/api/resources/zero_trust/subresources/access/subresources/groups/methods/list/).
func accessGroups() Source {
	return list(AccessGroups, Source{
		Path: "/accounts/{account_id}/access/groups", Paging: Paging{Kind: ByPage, Size: 100}, Permission: permissionAccessOrg, Feeds: true,
		After: []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `[{"id":"g1","name":"staff","include":[{"email_domain":{"domain":"acme.example"}}],"require":[],"exclude":[]}]`,
	}, func(w accessGroupWire) AccessGroup {
		return AccessGroup{ID: w.ID, Name: w.Name, Include: reduceAccessRules(w.Include), Require: reduceAccessRules(w.Require),
			Exclude: reduceAccessRules(w.Exclude)}
	})
}
