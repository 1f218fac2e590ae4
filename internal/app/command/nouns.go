package command

import (
	"net/http"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
)

// nouns is the table of the objects that a service stores and the commands for them.
func nouns() []noun {
	const get, post, patch, remove = http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete
	account := param{flag: "account", name: "account", usage: "id or name of a registered account"}
	severity := param{flag: "severity", name: "severity", kind: list, values: severities()}
	category := param{flag: "category", name: "category", kind: list, usage: "categories of checks, such as dns"}
	check := param{flag: "check", name: "check", kind: list, usage: "ids of checks, such as CFL-SSL-002"}
	zone := param{flag: "zone", name: "zone", kind: list, usage: "names of zones"}
	search := param{flag: "search", name: "q", usage: "words to search for"}
	sort := func(values ...string) param { return param{flag: "sort", name: "sort", values: values} }
	return append([]noun{
		{"assessments", reading, "List finished assessments", []verb{
			{name: "list", short: "List assessments, newest first", method: get, path: "/api/assessments", items: "assessments",
				params: []param{account, {flag: "since", name: "since", usage: "completed at or after this `TIME`, such as 2027-01-31T00:00:00Z"},
					{flag: "newest", name: "newest", kind: yes, usage: "only the newest of each account"}},
				columns: []column{{"ID", "id", false}, {"ACCOUNT", "account.name", false}, {"COMPLETED", "completedAt", false},
					{"STATUS", "status", false}, {"SCORE", "score.value", false}, {"GRADE", "score.grade", false}, {"FAIL", "summary.fail", false},
					{"WARNING", "summary.warning", false}, {"UNKNOWN", "summary.unknown", false}, {"PATHS", "attackPaths", true},
					{"PROFILE", "profile", true}, {"REQUESTS", "requests", true},
					{"NOTE", "note", true}}}}},
		{"paths", reading, "", []verb{
			{name: "paths", argument: "ASSESSMENT", optional: latest, short: "List attack paths, most severe first", method: get,
				examples: []string{"paths", "paths --severity critical -o wide"}, path: "/api/assessments/{id}/paths", items: "items",
				params: []param{{flag: "severity", name: "severity", kind: list, values: []string{"critical", "high"}}, search},
				columns: []column{{"SEVERITY", "severity", false}, {"KIND", "kind", true}, {"STEPS", "hopCount", true}, {"TITLE", "title", false},
					{"BROKEN BY", "remediableCheckIds", true}, {"ID", "id", true}}}}},
		{"findings", reading, "List and show findings as they stand now", []verb{
			{name: "list",
				examples: []string{"findings list --severity critical,high --zone example.com",
					"findings list --account prod --result UNKNOWN -o json"},
				short: "List findings, worst first", method: get, path: "/api/findings", items: "items",
				params: []param{account, severity, category, check, zone, search,
					sort("severity", "check", "resource", "zone", "account", "oldest", "newest"),
					{flag: "result", name: "result", kind: list, values: []string{"FAIL", "WARNING", "UNKNOWN", "PASS", "NOT_APPLICABLE"}},
					{flag: "resource", name: "resource", usage: "id of a resource"},
					{flag: "status", name: "status", kind: list, values: []string{"open", "reopened", "resolved"}},
					{flag: "exception", name: "exception", usage: "what to do with accepted findings", values: []string{"hidden", "shown", "only"}}},
				columns: []column{{"ID", "id", false}, {"SEVERITY", "severity", false}, {"RESULT", "result", false}, {"CHECK", "checkId", false},
					{"RESOURCE", "resource.name", false}, {"ZONE", "resource.zone", true}, {"STATUS", "status", true}, {"RISK", "risk", true},
					{"FIRST SEEN", "firstSeen", true}, {"LAST SEEN", "lastSeen", true}, {"REASON", "reason", true},
					{"TITLE", "title", false}}},
			{name: "get", argument: "ID", short: "Show one finding, its evidence and its history", method: get,
				path: "/api/findings/{id}", describe: describeFinding}}},
		{"issues", reading, "List, assign and comment on issues: checks with everything they hit", []verb{
			{name: "list",
				examples: []string{"issues list --account prod --effort one-click",
					"issues list --owner platform --overdue yes -o wide"},
				short: "List issues, most urgent first", method: get, path: "/api/issues", items: "items",
				params: []param{account, severity, category, check, zone, search,
					sort("rank", "severity", "resources", "paths", "newest", "oldest", "title", "due"),
					{flag: "state", name: "state", kind: list,
						values: []string{"open", "acknowledged", "in_progress", "accepted", "resolved", "all"}},
					{flag: "owner", name: "owner", kind: list, usage: "owners; none for issues without one"},
					{flag: "assignee", name: "assignee", kind: list, usage: "assignees; none for issues without one"},
					{flag: "overdue", name: "overdue", usage: "only what is overdue", values: []string{"yes"}},
					{flag: "effort", name: "effort", kind: list, values: []string{"one-click", "settings", "work"}}},
				columns: []column{{"ID", "id", false}, {"RANK", "rank", false}, {"SEVERITY", "severity", false}, {"CHECK", "checkId", false},
					{"RESOURCES", "resources", false}, {"ZONES", "zones", true}, {"PATHS", "paths", true}, {"EFFORT", "effort", false},
					{"STATE", "state", true}, {"OWNER", "owner", true}, {"ASSIGNEE", "assignee", true}, {"DUE", "due", true},
					{"OVERDUE", "overdue", true}, {"FIRST SEEN", "firstSeen", true}, {"WHY FIRST", "reason", true}, {"TITLE", "title", false}}},
			{name: "get", argument: "ID", short: "Show one issue, how to close it and the first of its findings", method: get,
				path: "/api/issues/{id}", describe: describeIssue},
			{name: "set",
				examples: []string{"issues set ID --state in_progress --assignee ana@example.com --due 2027-01-31"},
				argument: "ID", short: "Set the state, owner, assignee or due date of an issue", method: patch,
				path: "/api/issues/{id}", describe: describeIssue,
				params: []param{{flag: "state", name: "state", values: []string{"open", "acknowledged", "in_progress"}},
					{flag: "owner", name: "owner", usage: "a team or a person; empty: as the rules of ownership say"},
					{flag: "assignee", name: "assignee", usage: "who works on it; empty: nobody"},
					{flag: "due", name: "due", usage: "due `DATE`, such as 2027-01-31"}}},
			{name: "comment",
				examples: []string{`issues comment ID --text "fixed with the next release"`},
				argument: "ID", short: "Comment on an issue", method: post, path: "/api/issues/{id}/comments",
				params: []param{{flag: "text", name: "text", needed: true, usage: "the comment, as plain text"}}},
			{name: "ticket",
				examples: []string{"issues ticket ID --kind github",
					"issues ticket ID --url https://example.atlassian.net/browse/SEC-17"},
				argument: "ID", short: "Create a GitHub or Jira ticket for an issue, or link one", method: post,
				path: "/api/issues/{id}/tickets",
				params: []param{{flag: "kind", name: "kind", usage: "default: that of the settings", values: []string{"github", "jira"}},
					{flag: "url", name: "url", usage: "`URL` of an existing ticket"}}}}},
		{"accounts", running, "Register, list and remove Cloudflare accounts", []verb{
			{name: "list", short: "List the registered accounts", method: get, path: "/api/accounts", items: "items", whole: true,
				columns: []column{{"ID", "id", false}, {"NAME", "name", false}, {"DEFAULT", "default", false}, {"DEMO", "demo", false},
					{"CLOUDFLARE ID", "providerId", true}, {"TOKEN", "tokenInfo.status", true}, {"TOKEN ENDS", "tokenInfo.expiresOn", true},
					{"CREATED", "createdAt", false}}},
			{name: "get", argument: "ACCOUNT", short: "Show one account, by id or name", method: get, path: "/api/accounts/{id}"},
			{name: "add",
				examples: []string{"accounts add prod --token-file token.txt --default"},
				argument: "NAME", short: "Register an account; its token is verified and sealed", method: post, path: "/api/accounts",
				params: []param{{flag: "token-file", name: "token", kind: fromFile, needed: true, usage: "`FILE` with its API token, - for stdin"},
					{flag: "account-id", name: "accountId", usage: "Cloudflare's `ID`, when the token sees several accounts"},
					{flag: "zone", name: "zones", kind: list, usage: "assess only these zones"},
					{flag: "exclude-zone", name: "excludeZones", kind: list, usage: "skip these zones"},
					{flag: "default", name: "default", kind: yes, usage: "make it the default account"}}},
			{name: "remove", argument: "ACCOUNT", short: "Remove an account with its token and schedules; its assessments stay", method: remove,
				path: "/api/accounts/{id}", done: "the account is removed; its assessments stay"}}},
		{"permissions", reading, "", []verb{
			{name: "permissions", argument: "ACCOUNT", optional: "default",
				examples: []string{"permissions", "permissions prod -o wide"},
				short:    "Show what the token of an account may read, and which checks are blind",
				method:   get, path: "/api/accounts/{id}/permissions", items: "permissions", whole: true,
				columns: []column{{"STATUS", "status", false}, {"PERMISSION", "permission", false}, {"GROUP", "group", true},
					{"BLINDS", "checkIds", true}, {"REASON", "reason", false}}}}},
		{"backups", fixing, "", []verb{
			{name: "backups", short: "List backup bundles, for rollback", method: get, path: "/api/remediate/backups", items: "backups",
				examples: []string{"backups"},
				columns: []column{{"BUNDLE", "id", false}, {"MADE", "createdAt", false}, {"STATE", "state", false},
					{"ASSESSMENT", "assessmentId", false}}}}},
		{"exceptions", fixing, "Accept risks, list and revoke what was accepted", []verb{
			{name: "list", short: "List accepted risks, newest first", method: get, path: "/api/exceptions", items: "items",
				columns: []column{{"ID", "id", false}, {"STATE", "state", false}, {"HIDES", "hides", false}, {"OWNER", "owner", false},
					{"ENDS", "expiresAt", false}, {"CHECKS", "match.checkIds", true}, {"ZONES", "match.zones", true},
					{"RESOURCES", "match.resourceIds", true}, {"REASON", "reason", false}}},
			{name: "add",
				examples: []string{`exceptions add --check CFL-SSL-002 --zone example.com --reason "legacy clients" --owner platform`},
				short:    "Accept a risk: hide what matches from lists and messages until it expires", method: post,
				path: "/api/exceptions", fixed: map[string]any{"match": map[string]any{}},
				params: []param{{flag: "reason", name: "reason", needed: true, usage: "why the risk is accepted"},
					{flag: "owner", name: "owner", needed: true, usage: "who is responsible"},
					{flag: "account", name: "account", usage: "id or name of an account; default: all"},
					{flag: "check", name: "match.checkIds", kind: list, usage: "ids of checks"},
					{flag: "zone", name: "match.zones", kind: list, usage: "zones"},
					{flag: "resource", name: "match.resourceIds", kind: list, usage: "ids of resources"},
					{flag: "severity", name: "match.severities", kind: list, values: severities()},
					{flag: "pattern", name: "match.pattern", usage: "pattern of resource names, with * and ?"},
					{flag: "expires", name: "expiresAt", usage: "when it expires, at most 400 days ahead, such as 2027-01-31T00:00:00Z; default: never"}}},
			{name: "remove", argument: "ID", short: "Revoke an exception; what it hides is back at once", method: remove,
				path: "/api/exceptions/{id}", done: "the exception is revoked"}}},
		{"schedules", running, "Schedule repeated runs", []verb{
			{name: "list", short: "List schedules, newest first", method: get, path: "/api/schedules", items: "items",
				params: []param{account},
				columns: []column{{"ID", "id", false}, {"CRON", "cron", false}, {"TIME ZONE", "timeZone", false}, {"PAUSED", "paused", false},
					{"ACCOUNT", "account", true}, {"NEXT", "nextRuns", true}, {"CREATED", "createdAt", false}}},
			{name: "get", argument: "ID", short: "Show one schedule", method: get, path: "/api/schedules/{id}"},
			{name: "add",
				examples: []string{"schedules add '0 6 * * *' --account prod --time-zone Europe/Berlin"},
				argument: "CRON", short: "Repeat a run at the times of a cron expression", method: post,
				path: "/api/schedules", params: []param{account,
					{flag: "time-zone", name: "timeZone", usage: "time `ZONE`, such as Europe/Berlin; default UTC"},
					{flag: "zone", name: "request.zones", kind: list, usage: "assess only these zones"},
					{flag: "profile", name: "request.profile", values: []string{"full", "core"}},
					{flag: "jitter", name: "jitterSeconds", kind: number, usage: "start up to this many seconds later, always by the same delay"}}},
			{name: "pause", argument: "ID", short: "Pause a schedule", method: patch, path: "/api/schedules/{id}",
				fixed: map[string]any{"paused": true}},
			{name: "resume", argument: "ID", short: "Resume a schedule", method: patch, path: "/api/schedules/{id}",
				fixed: map[string]any{"paused": false}},
			{name: "remove", argument: "ID", short: "Remove a schedule; its jobs and assessments stay", method: remove, path: "/api/schedules/{id}",
				done: "the schedule is removed; its jobs and assessments stay"}}},
		{"alerts", telling, "Choose which issues are sent to which channel", []verb{
			{name: "list", short: "List the alert rules", method: get, path: "/api/alert-rules", items: "items",
				columns: []column{{"ID", "id", false}, {"NAME", "name", false}, {"CHANNEL", "channel", false}, {"EVENTS", "events", true},
					{"SEVERITY", "severity", false}, {"OWNERS", "owners", true}, {"ACCOUNTS", "accounts", true}, {"DAILY", "daily", false},
					{"PAUSED", "paused", false}, {"LAST SENT", "lastSentAt", false}, {"PROBLEM", "problem", true}}},
			{name: "get", argument: "ID", short: "Show one alert rule", method: get, path: "/api/alert-rules/{id}"},
			{name: "add",
				examples: []string{"alerts add critical --channel chat_a --severity critical",
					"alerts add digest --channel chat_b --daily 08:30 --time-zone Europe/Berlin"},
				argument: "NAME", short: "Send a channel what runs find, from now on", method: post, path: "/api/alert-rules",
				params: []param{{flag: "channel", name: "channel", needed: true, usage: "the channel (chat_a is Slack, chat_b Microsoft Teams)",
					values: notify.Names()},
					{flag: "event", name: "events", kind: list, usage: "default: all but resolved",
						values: []string{"opened", "worse", "returned", "overdue", "resolved"}},
					{flag: "severity", name: "severity", usage: "lowest severity; default high", values: severities()},
					{flag: "account", name: "accounts", kind: list, usage: "only these accounts"},
					{flag: "owner", name: "owners", kind: list, usage: "only issues of these owners; none for issues without one"},
					{flag: "daily", name: "daily", usage: "one message a day at this `TIME`, such as 08:30, instead of at once"},
					{flag: "quiet-from", name: "quiet.from", usage: "send nothing from this `TIME` of the day"},
					{flag: "quiet-to", name: "quiet.to", usage: "until this `TIME`"},
					{flag: "time-zone", name: "timeZone", usage: "time `ZONE`, such as Europe/Berlin; default UTC"},
					{flag: "url-file", name: "url", kind: fromFile, usage: "`FILE` with the URL to send to, - for stdin; default: that of the settings"},
					{flag: "secret-file", name: "secret", kind: fromFile, usage: "`FILE` with the signing secret of a webhook"}}},
			{name: "test", argument: "ID", short: "Send open issues to the channel of a rule", method: post, path: "/api/alert-rules/{id}/test"},
			{name: "pause", argument: "ID", short: "Pause an alert rule; what happens meanwhile is never sent", method: patch,
				path: "/api/alert-rules/{id}", fixed: map[string]any{"paused": true}},
			{name: "resume", argument: "ID", short: "Resume an alert rule", method: patch, path: "/api/alert-rules/{id}",
				fixed: map[string]any{"paused": false}},
			{name: "remove", argument: "ID", short: "Delete an alert rule", method: remove, path: "/api/alert-rules/{id}",
				done: "the alert rule is deleted"}}},
		{"inbox", reading, "", []verb{
			{name: "inbox",
				examples: []string{"inbox --unread"},
				short:    "List the issues that concern you, latest event first", method: get, path: "/api/inbox",
				items: "items", params: []param{{flag: "unread", name: "unread", kind: yes, usage: "only unread ones"}},
				columns: []column{{"UNREAD", "unread", false}, {"AT", "at", false}, {"WHAT", "what", false}, {"BY", "actor", false},
					{"SEVERITY", "severity", false}, {"WHY", "why", true}, {"ID", "id", true}, {"TITLE", "title", false}}}}},
		ofJobs(account),
	}, people()...)
}

func ofJobs(account param) noun {
	const get, post = http.MethodGet, http.MethodPost
	return noun{"jobs", running, "List, cancel and retry jobs", []verb{
		{name: "list",
			examples: []string{"jobs list --state queued,running"},
			short:    "List jobs, newest first", method: get, path: "/api/jobs", items: "items",
			params: []param{account, {flag: "kind", name: "kind", kind: list,
				values: []string{"assess", "ship", "notify", "alert", "ticket", "plan", "apply", "rollback"}},
				{flag: "state", name: "state", kind: list, values: []string{"queued", "running", "succeeded", "failed", "cancelled"}}},
			columns: []column{{"ID", "id", false}, {"KIND", "kind", false}, {"STATE", "state", false}, {"CREATED", "createdAt", false},
				{"FINISHED", "finishedAt", true}, {"ATTEMPT", "attempt", true}, {"ASSESSMENT", "assessmentId", true},
				{"WHY", "error.detail", false}}},
		{name: "get", argument: "ID", short: "Show one job", method: get, path: "/api/jobs/{id}"},
		{name: "cancel", argument: "ID", short: "Cancel a job; what it has read is kept", method: post, path: "/api/jobs/{id}/cancel"},
		{name: "retry", argument: "ID", short: "Run a finished assessment again, from what it had read", method: post,
			path: "/api/jobs/{id}/retry"}}}
}

func severities() []string {
	var out []string
	for _, s := range posture.Severities() {
		out = append(out, string(s))
	}
	return out
}
