package snapshot

import "slices"

const (
	// AccountUserGroups holds the groups of members that share roles.
	AccountUserGroups Key[[]UserGroup] = "account/user_groups"
	// UserGroupMembers holds the members of groups with every permission.
	UserGroupMembers Key[[]GroupMember] = "user_group/members" // scope: group id
)

// UserGroup is a group of members that share roles.
type UserGroup struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Roles []string `json:"roles"`
}

// SortKey orders groups by id.
func (g UserGroup) SortKey() string { return g.ID }

// GroupMember is a member of the account that is in a group.
type GroupMember struct {
	ID string `json:"id"`
}

// SortKey orders members by id.
func (m GroupMember) SortKey() string { return m.ID }

type userGroupWire struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Policies []roleWire `json:"policies"`
}

// accountUserGroups lists the groups of members with the roles they grant
// (developers.cloudflare.com/api/resources/iam/subresources/user_groups/methods/list/).
func accountUserGroups() Source {
	return list(AccountUserGroups, Source{
		Path: "/accounts/{account_id}/iam/user_groups", Paging: Paging{Kind: ByPage, Size: 50},
		Permission: "Account: Account Settings Read",
		Example: `[{"id":"g1","name":"Operators","policies":[{"id":"drop","access":"allow","permission_groups":[{"id":"drop","name":"DNS"}],` +
			`"resource_groups":[{"id":"drop","scope":{"key":"drop","objects":[{"key":"*"}]}}]}]}]`,
	}, func(w userGroupWire) UserGroup { return UserGroup{ID: w.ID, Name: w.Name, Roles: rolesOf(w.Policies)} })
}

// userGroupMembers lists the members of groups with every permission; groups with lesser roles are
// not read
// (developers.cloudflare.com/api/resources/iam/subresources/user_groups/subresources/members/methods/list/).
func userGroupMembers() Source {
	return list(UserGroupMembers, Source{
		Path: "/accounts/{account_id}/iam/user_groups/{item}/members", Paging: Paging{Kind: ByPage, Size: 50}, Volatile: true,
		Permission: "Account: Account Settings Read", Parent: AccountUserGroups.Source(),
		Items:   idsOf(AccountUserGroups, func(g UserGroup) bool { return slices.ContainsFunc(g.Roles, EveryRight) }),
		Example: `[{"id":"m1","email":"drop@acme.example","status":"accepted"}]`,
	}, asRead[GroupMember])
}
