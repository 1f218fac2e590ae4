package command

import "net/http"

// nouns is the table of what a service keeps.
func nouns() []noun {
	const get, post, patch, remove = http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete
	account := param{flag: "account", name: "account", usage: "id or name of a registered account"}
	severity := param{flag: "severity", name: "severity", kind: list, usage: "critical, high, medium, low, informational"}
	category := param{flag: "category", name: "category", kind: list, usage: "categories of checks"}
	check := param{flag: "check", name: "check", kind: list, usage: "ids of checks"}
	zone := param{flag: "zone", name: "zone", kind: list, usage: "zones"}
	search := param{flag: "search", name: "q", usage: "words to look for"}
	sort := param{flag: "sort", name: "sort", usage: "the order"}
	return []noun{
		{"findings", "Where findings stand now", []verb{
			{name: "list", short: "List findings, worst first", method: get, path: "/api/findings", items: "items",
				params: []param{account, severity, category, check, zone, search, sort,
					{flag: "result", name: "result", kind: list, usage: "FAIL, WARNING, UNKNOWN, PASS, NOT_APPLICABLE"},
					{flag: "resource", name: "resource", usage: "id of a resource"},
					{flag: "status", name: "status", kind: list, usage: "open, reopened, resolved"},
					{flag: "exception", name: "exception", usage: "accepted ones: hidden, shown or only"}},
				columns: []column{{"ID", "id", false}, {"SEVERITY", "severity", false}, {"RESULT", "result", false}, {"CHECK", "checkId", false},
					{"RESOURCE", "resource.name", false}, {"ZONE", "resource.zone", true}, {"STATUS", "status", true}, {"RISK", "risk", true},
					{"FIRST SEEN", "firstSeen", true}, {"LAST SEEN", "lastSeen", true}, {"TITLE", "title", false}}},
			{name: "get", argument: "ID", short: "Show one finding, its evidence and its history", method: get, path: "/api/findings/{id}"}}},
		{"issues", "Checks with everything they hit, what to do first at the top", []verb{
			{name: "list", short: "List issues, what to do first at the top", method: get, path: "/api/issues", items: "items",
				params: []param{account, severity, category, check, zone, search, sort,
					{flag: "state", name: "state", kind: list, usage: "open, acknowledged, in_progress, accepted, resolved, or all"},
					{flag: "owner", name: "owner", kind: list, usage: "owners; none is nobody"},
					{flag: "assignee", name: "assignee", kind: list, usage: "assignees; none is nobody"},
					{flag: "overdue", name: "overdue", usage: "yes: only what is overdue"},
					{flag: "effort", name: "effort", kind: list, usage: "one-click, settings, work"}},
				columns: []column{{"ID", "id", false}, {"RANK", "rank", false}, {"SEVERITY", "severity", false}, {"CHECK", "checkId", false},
					{"RESOURCES", "resources", false}, {"ZONES", "zones", true}, {"PATHS", "paths", true}, {"EFFORT", "effort", false},
					{"STATE", "state", true}, {"OWNER", "owner", true}, {"ASSIGNEE", "assignee", true}, {"DUE", "due", true},
					{"OVERDUE", "overdue", true}, {"FIRST SEEN", "firstSeen", true}, {"WHY FIRST", "reason", true}, {"TITLE", "title", false}}},
			{name: "get", argument: "ID", short: "Show one issue and the first of its findings", method: get, path: "/api/issues/{id}"},
			{name: "set", argument: "ID", short: "Decide about an issue", method: patch, path: "/api/issues/{id}",
				params: []param{{flag: "state", name: "state", usage: "open, acknowledged or in_progress"},
					{flag: "owner", name: "owner", usage: "a team or a person; empty leaves it to the rules of ownership"},
					{flag: "assignee", name: "assignee", usage: "who works on it; empty for nobody"},
					{flag: "due", name: "due", usage: "the `DAY` by which it is to be closed, as 2027-01-31"}}},
			{name: "comment", argument: "ID", short: "Say something about an issue", method: post, path: "/api/issues/{id}/comments",
				params: []param{{flag: "text", name: "text", needed: true, usage: "what to say, as plain text"}}},
			{name: "ticket", argument: "ID", short: "Make the ticket of an issue at GitHub or Jira, or link one", method: post,
				path: "/api/issues/{id}/tickets",
				params: []param{{flag: "kind", name: "kind", usage: "github or jira; the one of the settings when absent"},
					{flag: "url", name: "url", usage: "address of a `TICKET` that is there already"}}}}},
		{"accounts", "The Cloudflare accounts that are assessed", []verb{
			{name: "list", short: "List the registered accounts", method: get, path: "/api/accounts", items: "items",
				columns: []column{{"ID", "id", false}, {"NAME", "name", false}, {"DEFAULT", "default", false}, {"DEMO", "demo", false},
					{"CLOUDFLARE ID", "providerId", true}, {"TOKEN", "tokenInfo.status", true}, {"TOKEN ENDS", "tokenInfo.expiresOn", true},
					{"CREATED", "createdAt", false}}},
			{name: "get", argument: "ACCOUNT", short: "Show one account, by id or name", method: get, path: "/api/accounts/{id}"},
			{name: "add", argument: "NAME", short: "Register an account; its token is verified and sealed", method: post, path: "/api/accounts",
				params: []param{{flag: "token-file", name: "token", kind: fromFile, needed: true, usage: "`FILE` with its API token, - is stdin"},
					{flag: "account-id", name: "accountId", usage: "Cloudflare's `ID`, when the token sees several accounts"},
					{flag: "zone", name: "zones", kind: list, usage: "only these zones"},
					{flag: "exclude-zone", name: "excludeZones", kind: list, usage: "zones to leave out"},
					{flag: "default", name: "default", kind: yes, usage: "runs that name no account are of this one"}}},
			{name: "remove", argument: "ACCOUNT", short: "Forget an account, its token and its schedules; its assessments stay", method: remove,
				path: "/api/accounts/{id}", done: "the account is forgotten; its assessments stay"}}},
		{"permissions", "What a token lacks", []verb{
			{name: "permissions", argument: "ACCOUNT", optional: "default", short: "Show what the token of an account may read, and what it blinds",
				method: get, path: "/api/accounts/{id}/permissions", items: "permissions",
				columns: []column{{"STATUS", "status", false}, {"PERMISSION", "permission", false}, {"GROUP", "group", true},
					{"BLINDS", "checkIds", true}, {"REASON", "reason", false}}}}},
		{"exceptions", "Accepted risks", []verb{
			{name: "list", short: "List accepted risks, newest first", method: get, path: "/api/exceptions", items: "items",
				columns: []column{{"ID", "id", false}, {"STATE", "state", false}, {"HIDES", "hides", false}, {"OWNER", "owner", false},
					{"ENDS", "expiresAt", false}, {"CHECKS", "match.checkIds", true}, {"ZONES", "match.zones", true},
					{"RESOURCES", "match.resourceIds", true}, {"REASON", "reason", false}}},
			{name: "add", short: "Accept a risk: what matches is left out of lists and messages until it ends", method: post,
				path: "/api/exceptions", fixed: map[string]any{"match": map[string]any{}},
				params: []param{{flag: "reason", name: "reason", needed: true, usage: "why the risk is accepted"},
					{flag: "owner", name: "owner", needed: true, usage: "who answers for it"},
					{flag: "account", name: "account", usage: "id or name of an account; all when absent"},
					{flag: "check", name: "match.checkIds", kind: list, usage: "ids of checks"},
					{flag: "zone", name: "match.zones", kind: list, usage: "zones"},
					{flag: "resource", name: "match.resourceIds", kind: list, usage: "ids of resources"},
					{flag: "severity", name: "match.severities", kind: list, usage: "severities"},
					{flag: "pattern", name: "match.pattern", usage: "pattern of names, with * and ?"},
					{flag: "expires", name: "expiresAt", usage: "when it ends, as 2027-01-31T00:00:00Z"}}},
			{name: "remove", argument: "ID", short: "Revoke an exception: what it hides is back at once", method: remove,
				path: "/api/exceptions/{id}", done: "the exception is revoked"}}},
		{"schedules", "Repeated runs", []verb{
			{name: "list", short: "List the repeated runs, newest first", method: get, path: "/api/schedules", items: "items",
				params: []param{account},
				columns: []column{{"ID", "id", false}, {"CRON", "cron", false}, {"TIME ZONE", "timeZone", false}, {"PAUSED", "paused", false},
					{"ACCOUNT", "account", true}, {"NEXT", "nextRuns", true}, {"CREATED", "createdAt", false}}},
			{name: "get", argument: "ID", short: "Show one schedule", method: get, path: "/api/schedules/{id}"},
			{name: "add", argument: "CRON", short: "Repeat a run at the times of a cron expression, such as '0 6 * * *'", method: post,
				path: "/api/schedules", params: []param{account,
					{flag: "time-zone", name: "timeZone", usage: "`ZONE` of the times, as Europe/Berlin; UTC when absent"},
					{flag: "zone", name: "request.zones", kind: list, usage: "only these zones"},
					{flag: "profile", name: "request.profile", usage: "full or core"},
					{flag: "jitter", name: "jitterSeconds", kind: number, usage: "up to so many seconds later, by chance"}}},
			{name: "pause", argument: "ID", short: "Pause a schedule", method: patch, path: "/api/schedules/{id}",
				fixed: map[string]any{"paused": true}},
			{name: "resume", argument: "ID", short: "Resume a schedule", method: patch, path: "/api/schedules/{id}",
				fixed: map[string]any{"paused": false}},
			{name: "remove", argument: "ID", short: "End a schedule; its jobs and assessments stay", method: remove, path: "/api/schedules/{id}",
				done: "the schedule is ended; its jobs and assessments stay"}}},
		{"jobs", "What the service does and did", []verb{
			{name: "list", short: "List jobs, newest first", method: get, path: "/api/jobs", items: "items",
				params: []param{account, {flag: "kind", name: "kind", kind: list, usage: "assess, ship, notify, ticket, plan, apply, rollback"},
					{flag: "state", name: "state", kind: list, usage: "queued, running, succeeded, failed, cancelled"}},
				columns: []column{{"ID", "id", false}, {"KIND", "kind", false}, {"STATE", "state", false}, {"CREATED", "createdAt", false},
					{"FINISHED", "finishedAt", true}, {"ATTEMPT", "attempt", true}, {"ASSESSMENT", "assessmentId", true},
					{"WHY", "error.detail", false}}},
			{name: "get", argument: "ID", short: "Show one job", method: get, path: "/api/jobs/{id}"},
			{name: "cancel", argument: "ID", short: "Cancel a job; what it has read is kept", method: post, path: "/api/jobs/{id}/cancel"}}},
	}
}
