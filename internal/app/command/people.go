package command

import "net/http"

// people returns who may use the service, and the programs that may.
func people() []noun {
	const get, post, remove = http.MethodGet, http.MethodPost, http.MethodDelete
	role := func(name string) param {
		return param{flag: "role", name: name, needed: true, values: []string{"viewer", "analyst", "operator", "remediator", "administrator"}}
	}
	return []noun{
		{"users", running, "Invite, list and remove people", []verb{
			{name: "list", short: "List people", method: get, path: "/api/users", items: "items",
				columns: []column{{"ID", "id", false}, {"NAME", "name", false}, {"EMAIL", "email", false}, {"ROLES", "grants.role", false},
					{"DISABLED", "disabled", true}, {"LAST SEEN", "lastSeenAt", true}}},
			{name: "add", argument: "EMAIL", method: post, path: "/api/users",
				short: "Add a person with one role, and create the link that lets them in",
				examples: []string{"users add ana@example.com --name Ana --role remediator",
					"users add ben@example.com --name Ben --role operator --label staging"},
				params: []param{{flag: "name", name: "name", needed: true, usage: "name of the person"}, role("grants[].role"),
					{flag: "account", name: "grants[].accounts", kind: list, usage: "ids of accounts; default: all"},
					{flag: "label", name: "grants[].labels", kind: list, usage: "accounts with one of these labels"}}},
			{name: "invite", argument: "ID", method: post,
				short: "Create a new link; ends the password, the passkeys and the sessions of the person", path: "/api/users/{id}/invite"},
			{name: "remove", argument: "ID", short: "Remove a person", method: remove, path: "/api/users/{id}", done: "the person is removed"}}},
		{"teams", running, "Create, list and remove teams, which own issues", []verb{
			{name: "list", short: "List teams", method: get, path: "/api/teams", items: "items",
				columns: []column{{"ID", "id", false}, {"NAME", "name", false}, {"MEMBERS", "members", false}}},
			{name: "add", argument: "NAME", short: "Create a team", method: post, path: "/api/teams",
				examples: []string{"teams add platform --member ID --member ID"},
				params:   []param{{flag: "member", name: "members", kind: list, usage: "ids of people"}}},
			{name: "remove", argument: "ID", short: "Remove a team", method: remove, path: "/api/teams/{id}", done: "the team is removed"}}},
		{"tokens", running, "Create, list and revoke service tokens", []verb{
			{name: "list", short: "List service tokens", method: get, path: "/api/service-tokens", items: "items",
				columns: []column{{"ID", "id", false}, {"NAME", "name", false}, {"ROLE", "role", false}, {"ENDS", "expiresAt", false},
					{"ACCOUNTS", "accounts", true}, {"LABELS", "labels", true}, {"LAST USED", "lastUsedAt", true}}},
			{name: "add", argument: "NAME", short: "Create a service token for a program; it is shown once", method: post,
				path:     "/api/service-tokens",
				examples: []string{"tokens add pipeline --role operator --expires 2027-12-31T00:00:00Z"},
				params: []param{role("role"), {flag: "account", name: "accounts", kind: list, usage: "ids of accounts; default: all"},
					{flag: "label", name: "labels", kind: list, usage: "accounts with one of these labels"},
					{flag: "expires", name: "expiresAt", usage: "when it expires, such as 2027-01-31T00:00:00Z; default: never"}}},
			{name: "remove", argument: "ID", short: "Revoke a service token", method: remove, path: "/api/service-tokens/{id}",
				done: "the token is revoked"}}},
	}
}
