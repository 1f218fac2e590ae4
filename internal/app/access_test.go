package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/ticket/tickettest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// tenants is a service with two registered accounts: own, which the callers of a test may see, and foreign, the default one.
type tenants struct {
	*system
	own, foreign tenant
	made         int // views
}

// tenant is what there is of an account.
type tenant struct {
	account    httpapi.AccountInfo
	assessment posture.Assessment
	ids        map[string]string // of one object of each kind, by the word of the row
	words      []string          // that nobody else may read
}

func twoTenants(t *testing.T, environ ...string) *tenants {
	t.Helper()
	o := simcloud.Options{Seed: 31, Limit: simcloud.Limit{Disabled: true}}
	for n, canary := range []string{"foreigncanary", "owncanary"} {
		id := fmt.Sprintf("%032x", 0xacc0+n)
		plants := []simcloud.PlantRule{{CheckID: "CFL-SSL-002", Zones: []int{0}}, {CheckID: "CFL-SSL-001", Zones: []int{1}}}
		o.Accounts = append(o.Accounts, simcloud.AccountSpec{ID: id, Name: canary, Zones: 2, RecordsPerZone: 4, Plants: plants, Plant: 0.2})
		o.Tokens = append(o.Tokens, simcloud.Token{Secret: fmt.Sprintf("token-of-account-%020d", n), User: fmt.Sprint("user-", n),
			Accounts: []string{id}, CanWrite: true})
	}
	s := embedded(t, o, append(environ, "SERVICE_API_KEY="+apiKey, "SERVICE_ALLOW_REMEDIATION=true", "SERVICE_EDIT_SCOPE="+editSecret,
		"SERVICE_PUBLIC_URL=https://edge.example.com")...)
	s.key = apiKey
	out := &tenants{system: s}
	s.post(200, "/api/assess", object{}).into(t, &out.foreign.assessment)
	out.foreign.account = s.account("default")
	s.post(201, "/api/accounts", object{"name": "owncanary", "token": o.Tokens[1].Secret, "labels": []string{"mine"}}).
		into(t, &out.own.account)
	s.post(200, "/api/assess", object{"account": "owncanary"}).into(t, &out.own.assessment)
	for _, of := range []*tenant{&out.foreign, &out.own} {
		out.fill(t, of)
	}
	return out
}

func (s *system) post(status int, path string, body any, headers ...string) answer {
	s.t.Helper()
	got := s.call("POST", path, body, append([]string{"Prefer", "wait=300"}, headers...)...)
	require.Equal(s.t, status, got.status, "%s %s", path, got.body)
	return got
}

// fill makes one object of each kind in an account.
func (s *tenants) fill(t *testing.T, of *tenant) {
	t.Helper()
	s.get("/api/accounts/"+of.account.ID, &of.account)
	s.get("/api/assessments/"+of.assessment.ID+"?result=all", &of.assessment)
	canary := of.assessment.Account.Name
	id := of.assessment.ID
	var plan change.Plan
	s.post(200, "/api/remediate/plan", object{"assessmentId": id, "checkIds": []string{"CFL-SSL-002"}}).into(t, &plan)
	var applied change.Execution
	s.post(200, "/api/remediate/apply", object{"assessmentId": id, "checkIds": []string{"CFL-SSL-002"}, "planId": plan.ID,
		"token": editSecret}).into(t, &applied)
	s.post(200, "/api/integrations/ship", object{"assessmentId": id, "target": "file"})
	var deliveries struct{ Items []posture.Delivery }
	s.get("/api/deliveries?account="+of.account.ID, &deliveries)
	var view struct{ ID string }
	s.post(201, "/api/views", object{"name": canary, "page": "findings", "query": "q=" + canary}).into(t, &view)
	of.ids = map[string]string{"assessments": id, "jobs": of.assessment.JobID, "accounts": of.account.ID, "deliveries": deliveries.Items[0].ID,
		"views": view.ID, "plans": plan.ID, "backups": applied.BundleID, "findings": of.assessment.Findings[0].ID,
		"schedules": s.fresh(of, "schedules"), "exceptions": s.fresh(of, "exceptions")}
	var issues struct{ Items []struct{ ID string } }
	s.get("/api/issues?state=all&account="+of.account.ID, &issues)
	of.ids["issues"] = issues.Items[0].ID
	of.words = append(slices.Collect(maps.Values(of.ids)), canary, of.assessment.Account.ID)
	for _, z := range of.assessment.Zones {
		of.words = append(of.words, z.ID, z.Name)
	}
}

// fresh makes an object that a call may delete.
func (s *tenants) fresh(of *tenant, kind string, headers ...string) (id string) {
	var made struct{ ID string }
	canary := of.assessment.Account.Name
	switch kind {
	case "schedules":
		s.post(201, "/api/schedules", object{"account": of.account.ID, "cron": "0 6 1 1 *", "request": object{"note": canary}}).into(s.t, &made)
	case "views": // who sees one account sees their own
		s.post(201, "/api/views", object{"name": canary + number(s.made), "page": "issues", "query": "q=x"}, headers...).into(s.t, &made)
		s.made++
	case "exceptions":
		s.post(201, "/api/exceptions", object{"account": of.account.ID, "match": object{"checkIds": []string{"CFL-DNS-001"}}, "reason": canary,
			"owner": canary}).into(s.t, &made)
	}
	return made.ID
}

// kindOf is the word of what a row is about, by its path.
func kindOf(r httpapi.Route) string {
	before, _, has := strings.Cut(r.Path, "/{id}")
	if !has {
		return ""
	}
	return before[strings.LastIndexByte(before, '/')+1:]
}

// bodies are what calls send that name an object in their bodies, by the path of the row; %s is the assessment.
func (s *tenants) body(r httpapi.Route, of tenant) any {
	id := of.ids["assessments"]
	switch r.Path {
	case "/api/assess":
		return object{"account": of.ids["accounts"], "checks": []string{"CFL-SSL-001"}}
	case "/api/diff":
		return object{"baselineId": id, "currentId": id}
	case "/api/replay":
		return object{"assessmentId": id}
	case "/api/what-if":
		return object{"assessmentId": id,
			"changes": []any{object{"method": "PATCH", "path": "/zones/z/settings/ssl", "body": object{"value": "off"}}}}
	case "/api/notify":
		return object{"assessmentId": id, "channels": []string{"webhook"}, "webhookUrl": "https://hooks.example.com/x", "dryRun": true}
	case "/api/integrations/ship":
		return object{"assessmentId": id, "target": "file"}
	case "/api/remediate/plan":
		return object{"assessmentId": id, "checkIds": []string{"CFL-SSL-001"}}
	case "/api/remediate/apply":
		return object{"assessmentId": id, "checkIds": []string{"CFL-SSL-001"}, "token": editSecret}
	case "/api/remediate/rollback":
		return object{"bundleId": of.ids["backups"], "token": editSecret}
	case "/api/passkeys":
		return object{"name": "x", "passkey": object{}}
	case "/api/schedules":
		return object{"account": of.ids["accounts"], "cron": "0 6 1 1 *"}
	case "/api/exceptions", "/api/exceptions/preview":
		return object{"account": of.ids["accounts"], "match": object{"checkIds": []string{"CFL-DNS-001"}}, "reason": "r", "owner": "o"}
	case "/api/exceptions/bulk", "/api/exceptions/bulk/preview":
		return object{"assessmentId": id, "filter": object{"severity": "low"}, "reason": "r", "owner": "o"}
	default:
		return object{}
	}
}

// query is what reads need besides.
func query(r httpapi.Route, of tenant) string {
	id := of.ids["assessments"]
	switch r.Path {
	case "/api/explain":
		return "?assessmentId=" + id + "&url=shop.example.com"
	case "/api/assessments/{id}/editable":
		return "?check=CFL-SSL-001&resource=x"
	case "/api/assessments/{id}/findings/groups":
		return "?by=check"
	case "/api/compliance/{framework}", "/api/posture/graph", "/api/download/{format}", "/report":
		return "?assessmentId=" + id
	case "/api/findings", "/api/issues", "/api/trends", "/api/jobs", "/api/schedules", "/api/deliveries", "/api/assessments",
		"/api/remediate/backups", "/api/assessment":
		return "?account=" + of.ids["accounts"]
	default:
		return ""
	}
}

func pathOf(r httpapi.Route, of tenant) string {
	path := strings.NewReplacer("{framework}", "cis", "{format}", "json", "{name}", "none.ndjson").Replace(r.Path)
	switch kind := kindOf(r); kind {
	case "checks":
		path = strings.Replace(path, "{id}", "CFL-SSL-001", 1)
	case "":
	default:
		id := of.ids[kind]
		if id == "" {
			id = unknownID
		}
		path = strings.Replace(path, "{id}", id, 1)
	}
	return path + query(r, of)
}

// names reports whether a call names an object, so that a foreign one can be told from one that is not there.
func (s *tenants) names(r httpapi.Route) bool {
	none := unknown(s.foreign)
	return pathOf(r, s.foreign) != pathOf(r, none) || !reflect.DeepEqual(s.body(r, s.foreign), s.body(r, none))
}

const unknownID = "01936d3e-0000-7000-8000-000000000000"

// unknown is an account that is not there.
func unknown(of tenant) tenant {
	out := tenant{ids: map[string]string{}}
	for kind := range of.ids {
		out.ids[kind] = unknownID
	}
	for _, kind := range []string{"findings", "issues"} {
		out.ids[kind] = strings.ReplaceAll(unknownID, "-", "")
	}
	return out
}

// leveled gives an answer without what differs between two that say the same: the id of the request, and the ids that were asked for.
func leveled(a answer, of tenant) string {
	var v object
	text := string(a.body)
	if json.Unmarshal(a.body, &v) == nil {
		delete(v, "requestId")
		raw, err := json.Marshal(v)
		if err == nil {
			text = string(raw)
		}
	}
	for _, id := range slices.SortedFunc(maps.Values(of.ids), func(a, b string) int { return len(b) - len(a) }) {
		text = strings.ReplaceAll(text, id, "ID")
	}
	return text
}

type asker struct {
	name    string
	p       access.Principal
	headers []string
}

// askers are callers of each role, for the own account and for all, with a service token and with a session.
func (s *tenants) askers(t *testing.T) (out []asker) {
	t.Helper()
	for _, role := range access.Roles() {
		for _, where := range []object{{"accounts": []string{s.own.account.ID}}, {"labels": []string{"mine"}}, {}} {
			g := access.Grant{Role: role}
			body := object{"name": fmt.Sprint(role, where), "role": role}
			maps.Copy(body, where)
			if where["accounts"] != nil {
				g.Accounts = []string{s.own.account.ID}
			}
			if where["labels"] != nil {
				g.Labels = []string{"mine"}
			}
			var made httpapi.ServiceToken
			s.post(201, "/api/service-tokens", body).into(t, &made)
			out = append(out, asker{"token " + made.Name, access.Principal{Kind: access.Service, Grants: []access.Grant{g}},
				[]string{"X-API-Key", "", "Authorization", "Bearer " + made.Token}})
		}
		email := string(role) + "@example.com"
		s.post(201, "/api/users", object{"name": string(role), "email": email, "password": "a sentence nobody guesses",
			"grants": []any{object{"role": role, "accounts": []string{"owncanary"}}}})
		got := s.post(200, "/api/session", object{"email": email, "password": "a sentence nobody guesses"}, "X-API-Key", "")
		set, err := http.ParseSetCookie(got.header.Get("Set-Cookie"))
		require.NoError(t, err)
		out = append(out, asker{"person " + email, access.Principal{Kind: access.User, Grants: []access.Grant{{Role: role,
			Accounts: []string{s.own.account.ID}}}}, []string{"X-API-Key", "", "Cookie", sessionCookie + "=" + set.Value, "Origin", s.url}})
	}
	return append(out, asker{"root", access.Principal{Kind: access.Root}, nil},
		asker{"nobody", access.Principal{}, []string{"X-API-Key", ""}},
		asker{"a wrong token", access.Principal{}, []string{"X-API-Key", "", "Authorization", "Bearer eps_none"}})
}

// TestSweepAccess goes through every row, every role and every kind of caller, for an account of their own, a foreign one and one that is
// not there: what is refused and what is not, and that foreign objects answer as those that are not there.
func TestSweepAccess(t *testing.T) {
	t.Parallel()
	s := twoTenants(t)
	none := unknown(s.own)
	calls, wrong := 0, 0
	for i, who := range s.askers(t) {
		if who.name == "a wrong token" {
			require.Equal(t, 401, s.call("GET", "/api/accounts", nil, who.headers...).status)
			continue
		}
		for k, r := range httpapi.Routes() {
			if testing.Short() && (i+k)%4 != 0 { // of each row, every fourth caller
				continue
			}
			if r.Caller == httpapi.Anyone || strings.HasPrefix(r.Path, "/api/session") || r.Path == "/api/jobs/{id}/issues" {
				continue
			}
			ask := func(of tenant) answer {
				calls++
				if r.Method == http.MethodGet {
					return s.call(r.Method, pathOf(r, of), nil, who.headers...)
				}
				return s.call(r.Method, pathOf(r, of), s.body(r, of), append(who.headers, "Prefer", "respond-async")...)
			}
			fail := func(what string, a answer) {
				wrong++
				if wrong < 30 {
					t.Errorf("%s, %s %s: %s: %d %.300s", who.name, r.Method, r.Path, what, a.status, a.body)
				}
			}
			scope := who.p.Scope(r.Role)
			own := s.own
			if kind := kindOf(r); r.Method != http.MethodGet && !scope.Empty() &&
				slices.Contains([]string{"schedules", "exceptions", "views"}, kind) {
				own.ids = maps.Clone(own.ids)
				own.ids[kind] = s.fresh(&own, kind, who.headers...)
			}
			gone := r.Method == http.MethodDelete && kindOf(r) == "accounts" && !scope.Empty() // the account is still needed
			if !gone {
				switch got := ask(own); {
				case who.p.Kind == access.Nobody:
					if got.status != 401 {
						fail("nobody is let in", got)
					}
				case scope.Empty() || r.Whole && !scope.All:
					if got.status != 403 || problem(t, got).Code != posture.CodeForbidden {
						fail("is not refused", got)
					}
				case strings.HasSuffix(r.Path, "/approve") && who.p.Kind != access.User: // root asked for the plan, and a program is nobody
					if got.status != 403 {
						fail("approves", got)
					}
				case strings.HasPrefix(r.Path, "/api/passkeys") && who.p.Kind != access.User:
					if got.status != 403 {
						fail("has passkeys", got)
					}
				case got.status == 401 || got.status == 403 || got.status >= 500,
					got.status == 404 && s.own.ids[kindOf(r)] != "" && r.Path != "/api/assessments/{id}/editable":
					fail("is refused", got)
				}
			}
			if who.p.Kind == access.Nobody || scope.Empty() || scope.All || !s.names(r) {
				continue
			}
			foreign, absent := ask(s.foreign), ask(none)
			if foreign.status != absent.status || leveled(foreign, s.foreign) != leveled(absent, none) {
				fail("foreign is told apart from unknown: "+leveled(absent, none), foreign)
			}
		}
	}
	t.Logf("%d calls, %d wrong", calls, wrong)
}

// TestNothingOfForeignAccounts reads all that tells of several accounts, as somebody who may see one: no word of the other is there. Who
// may see all reads those words, so that the test can fail.
func TestNothingOfForeignAccounts(t *testing.T) {
	t.Parallel()
	s := twoTenants(t)
	var made httpapi.ServiceToken
	s.post(201, "/api/service-tokens", object{"name": "own", "role": "administrator", "accounts": []string{s.own.account.ID}}).into(t, &made)
	own := []string{"X-API-Key", made.Token}
	read := 0
	for _, path := range []string{"/api/assessment", "/api/assessments", "/api/trends",
		"/api/findings?result=all&status=open,reopened,resolved",
		"/api/issues?state=all&facets=true", "/api/findings?q=foreigncanary&result=all", "/api/jobs", "/api/deliveries", "/api/remediate/backups",
		"/api/accounts", "/api/schedules", "/api/exceptions", "/api/views", "/api/settings", "/api/session", "/api/sessions", "/api/health",
		"/api/posture/graph", "/api/compliance/cis", "/api/download/json", "/api/download/csv", "/api/download/html", "/api/download/sarif",
		"/report", "/api/checks", "/api/evidence/key"} {
		all := s.call("GET", path, nil)
		some := s.call("GET", path, nil, own...)
		require.Equal(t, 200, some.status, "%s %s", path, some.body)
		for _, w := range s.foreign.words {
			require.NotContains(t, string(some.body), w, path)
		}
		if slices.ContainsFunc(s.foreign.words, func(w string) bool { return strings.Contains(string(all.body), w) }) {
			read++
		}
	}
	require.Greater(t, read, 10, "lists of who sees all hold the words")

	tools := s.call("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_findings","arguments":{}}}`,
		append(own, "Accept", "application/json, text/event-stream")...)
	require.Equal(t, 200, tools.status, string(tools.body))
	for _, w := range s.foreign.words {
		require.NotContains(t, string(tools.body), w)
	}
	got := s.call("POST", "/api/assess", object{"account": "foreigncanary"}, own...)
	require.GreaterOrEqual(t, got.status, 400, string(got.body))
	require.NotContains(t, string(got.body), s.foreign.assessment.Account.ID)

	// The default account is foreign: whoever has one account means it, and whoever has two is asked which.
	var kept httpapi.ScheduleInfo
	s.post(201, "/api/schedules", object{"cron": "0 3 * * *"}, own...).into(t, &kept)
	require.Equal(t, s.own.account.ID, kept.Account)
	s.post(201, "/api/accounts", object{"name": "spare", "token": "secret-spare", "verify": false})
	both := []string{s.own.account.ID, "spare"}
	s.post(201, "/api/service-tokens", object{"name": "two", "role": "operator", "accounts": both}).into(t, &made)
	for path, body := range map[string]object{"/api/schedules": {"cron": "0 3 * * *"}, "/api/assess": {}} {
		got := s.call("POST", path, body, "X-API-Key", made.Token)
		require.Equal(t, 422, got.status, "%s %s", path, got.body)
		require.Equal(t, "body.account", problem(t, got).Errors[0].Location)
	}
}

// TestForeignPlanIsAsNone: a call about an assessment of one's own that names a plan of an account one may not see answers as for a
// plan that is not there.
func TestForeignPlanIsAsNone(t *testing.T) {
	t.Parallel()
	s := twoTenants(t)
	var made httpapi.ServiceToken
	s.post(201, "/api/service-tokens", object{"name": "own", "role": "remediator", "accounts": []string{s.own.account.ID}}).into(t, &made)
	ask := func(plan string) (status int, text string) {
		got := s.call("POST", "/api/remediate/apply", object{"assessmentId": s.own.assessment.ID, "checkIds": []string{"CFL-SSL-002"},
			"planId": plan, "token": editSecret}, "X-API-Key", made.Token, "Prefer", "wait=300")
		return got.status, leveled(got, tenant{ids: map[string]string{"plans": plan}})
	}
	status, text := ask(unknownID)
	foreign, said := ask(s.foreign.ids["plans"])
	require.Equal(t, 404, status, text)
	require.Equal(t, 404, foreign, said)
	require.Equal(t, text, said)
}

// TestForeignTicketIsNotLinked: whoever may see one account does not make the ticket of another's issue theirs, which runs of theirs
// would comment on and close.
func TestForeignTicketIsNotLinked(t *testing.T) {
	t.Parallel()
	s := twoTenants(t, onLoopback)
	j := tickettest.NewJira(t, "SEC", "ann@example.com", "canary-jira-token")
	at := j.Start(t)
	s.settings("PUT", map[string]any{"ticketKind": "jira", "jiraUrl": at, "jiraProject": j.Project, "jiraEmail": j.Email,
		"jiraToken": j.Token})
	s.post(200, "/api/issues/"+s.foreign.ids["issues"]+"/tickets", nil)
	var made httpapi.ServiceToken
	s.post(201, "/api/service-tokens", object{"name": "own", "role": "analyst", "accounts": []string{s.own.account.ID}}).into(t, &made)
	got := s.call("POST", "/api/issues/"+s.own.ids["issues"]+"/tickets", object{"url": at + "/browse/SEC-1"}, "X-API-Key", made.Token)
	require.Equal(t, 409, got.status, string(got.body))
	require.Empty(t, s.issue(s.own.ids["issues"]).Tickets)
}
