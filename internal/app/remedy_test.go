package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

const (
	editSecret = "kV7q-Zr2xW9tM4bH8nS3jC6pD1lF5gQ-edit"
	apiKey     = "an api key of the tests"
)

// fixable is an account with findings the service can close in three zones.
func fixable() simcloud.Options {
	return simcloud.Options{Seed: 9, Limit: simcloud.Limit{Disabled: true}, Tokens: []simcloud.Token{{CanWrite: true}},
		Accounts: []simcloud.AccountSpec{{Zones: 4, Plants: []simcloud.PlantRule{{CheckID: "CFL-SSL-002", Zones: []int{0, 1, 2}},
			{CheckID: "CFL-SSL-001", Zones: []int{1}}, {CheckID: "CFL-WAF-009", Zones: []int{2}}}}}}
}

// opened is a service whose gate is open for who has the secret.
func opened(t *testing.T, environ ...string) *system {
	t.Helper()
	return embedded(t, fixable(), append([]string{"SERVICE_ALLOW_REMEDIATION=true", "SERVICE_EDIT_SCOPE=" + editSecret}, environ...)...)
}

func (s *system) assessed() posture.Assessment {
	s.t.Helper()
	got := s.call("POST", "/api/assess", map[string]any{}, "Prefer", "wait=300")
	require.Equal(s.t, 200, got.status, string(got.body))
	var a posture.Assessment
	got.into(s.t, &a)
	return a
}

func (s *system) planned(body map[string]any) change.Plan {
	s.t.Helper()
	got := s.call("POST", "/api/remediate/plan", body)
	require.Equal(s.t, 200, got.status, string(got.body))
	var p change.Plan
	got.into(s.t, &p)
	return p
}

// changes posts an apply or a rollback that is expected to go through.
func (s *system) changes(path string, body map[string]any) change.Execution {
	s.t.Helper()
	got := s.call("POST", "/api/remediate/"+path, body)
	require.Equal(s.t, 200, got.status, string(got.body))
	var o change.Execution
	got.into(s.t, &o)
	return o
}

func (s *system) refused(path string, body map[string]any, status int, code posture.Code) answer {
	s.t.Helper()
	got := s.call("POST", "/api/remediate/"+path, body)
	require.Equal(s.t, status, got.status, string(got.body))
	var p struct{ Code posture.Code }
	got.into(s.t, &p)
	require.Equal(s.t, code, p.Code, string(got.body))
	return got
}

func (s *system) state() string { return string(s.cloud.State(s.cloud.Accounts()[0])) }

func open(f posture.Finding) bool { return f.Result == posture.Fail || f.Result == posture.Warning }

// TestRemediation takes findings through plan, apply and rollback over HTTP.
func TestRemediation(t *testing.T) {
	t.Parallel()
	s := opened(t)
	before := s.state()
	a := s.assessed()
	plan := s.planned(map[string]any{})
	require.Equal(t, a.ID, plan.AssessmentID)
	require.Empty(t, s.cloud.Writes(), "a plan changes nothing")
	require.Equal(t, time.Hour, plan.ExpiresAt.Sub(plan.CreatedAt))
	zones := map[string]bool{}
	for _, c := range plan.Changes {
		if c.CheckID == "CFL-SSL-002" {
			zones[c.Resource.ZoneID] = true
			require.JSONEq(t, `{"value":"1.2"}`, string(c.After))
		}
	}
	require.Len(t, zones, 3, "one check that fails in three zones is three changes")
	require.Len(t, plan.Changes, 5)
	again := s.planned(map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-SSL-002"}})
	require.Len(t, again.Changes, 3)
	require.NotEqual(t, plan.Digest, again.Digest)
	require.Equal(t, again.Digest, s.planned(map[string]any{"checkIds": []string{"CFL-SSL-002"}}).Digest,
		"the same live values give the same digest")

	one := s.planned(map[string]any{"findingIds": []string{again.Changes[1].FindingID}})
	require.Len(t, one.Changes, 1, "a plan of one finding holds no other")
	require.Equal(t, again.Changes[1].FindingID, one.Changes[0].FindingID)

	checksIDs := []string{"CFL-SSL-001", "CFL-SSL-002", "CFL-WAF-009"}
	s.refused("apply", map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-ACC-001"}, "planId": one.ID, "token": editSecret}, 422,
		posture.CodeInvalid)
	unforced := s.planned(map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-SSL-001"}})
	for _, body := range []map[string]any{{"checkIds": []string{"CFL-SSL-001"}, "planId": unforced.ID},
		{"checkIds": []string{"CFL-TOK-001"}}} {
		body["assessmentId"], body["token"] = a.ID, editSecret
		left := s.post(200, "/api/remediate/apply", body)
		require.Contains(t, string(left.body), `"state":"nothing"`)
		require.Contains(t, string(left.body), `"pathsRemoved":[]`)
	}
	require.Empty(t, s.cloud.Writes())
	done := s.changes("apply", map[string]any{"assessmentId": a.ID, "checkIds": checksIDs, "planId": plan.ID, "token": editSecret})
	require.Equal(t, change.StatePartial, done.State, "the change of high risk was not forced")
	require.Equal(t, plan.ID, done.PlanID)
	byStatus := map[change.Status]int{}
	for _, r := range done.Results {
		byStatus[r.Status]++
		require.Equal(t, r.Status == change.Applied, r.Verified)
	}
	require.Equal(t, map[change.Status]int{change.Applied: 4, change.Skip: 1}, byStatus)

	after := s.assessed()
	require.False(t, slices.ContainsFunc(after.Findings, func(f posture.Finding) bool { return open(f) && f.CheckID == "CFL-SSL-002" }))
	forced := s.changes("apply", map[string]any{"assessmentId": after.ID, "checkIds": checksIDs, "token": editSecret, "force": true})
	require.Equal(t, change.StateApplied, forced.State)
	require.Len(t, forced.Results, 1)
	require.NotEmpty(t, s.cloud.Writes())

	var list struct{ Backups []change.Backup }
	s.get("/api/remediate/backups", &list)
	require.Len(t, list.Backups, 3)
	require.Equal(t, change.StateNothing, list.Backups[2].State)
	s.refused("rollback", map[string]any{"bundleId": list.Backups[2].ID, "token": editSecret}, 409, posture.CodeAlreadyRolledBack)
	require.Equal(t, forced.BundleID, list.Backups[0].ID, "newest first")
	require.Equal(t, change.Backup{ID: done.BundleID, CreatedAt: list.Backups[1].CreatedAt, AssessmentID: a.ID, Account: a.Account,
		State: change.StatePartial, Entries: 5, Applied: 4, Verified: 4}, list.Backups[1])

	require.Equal(t, change.StateRolledBack, s.changes("rollback", map[string]any{"bundleId": forced.BundleID, "token": editSecret}).State)
	require.Equal(t, change.StateRolledBack, s.changes("rollback", map[string]any{"bundleId": done.BundleID, "token": editSecret}).State)
	require.Equal(t, before, s.state(), "byte for byte as before")
	s.refused("rollback", map[string]any{"bundleId": done.BundleID, "token": editSecret}, 409, posture.CodeAlreadyRolledBack)
	for _, id := range []string{forced.BundleID, done.BundleID} {
		require.Equal(t, 200, s.call("GET", "/api/remediate/backups/"+id, nil).status)
	}
	require.Equal(t, 404, s.call("GET", "/api/remediate/backups/"+a.ID, nil).status)
}

// TestAcceptedRisksAreLeftAlone: an exception keeps changes from its findings, whatever names them but their own id, and
// also when it is made between a plan and its apply.
func TestAcceptedRisksAreLeftAlone(t *testing.T) {
	t.Parallel()
	s := opened(t)
	a := s.assessed()
	checks := []string{"CFL-SSL-002"}
	before := s.planned(map[string]any{"checkIds": checks})
	require.Len(t, before.Changes, 3)
	kept := before.Changes[0]
	s.post(201, "/api/exceptions", map[string]any{"match": map[string]any{"checkIds": checks, "resourceIds": []string{kept.Resource.ID}},
		"reason": "An old till", "owner": "ops"})
	plan := s.planned(map[string]any{"checkIds": checks})
	require.Len(t, plan.Changes, 2)
	require.Len(t, plan.Skipped, 1)
	require.Equal(t, kept.FindingID, plan.Skipped[0].FindingID)
	require.Contains(t, plan.Skipped[0].Reason, "An old till")
	one := s.planned(map[string]any{"findingIds": []string{kept.FindingID}})
	require.Len(t, one.Changes, 1)
	require.Contains(t, one.Changes[0].Exception, "An old till")
	body := map[string]any{"assessmentId": a.ID, "checkIds": checks, "token": editSecret}
	for _, planID := range []string{"", before.ID} {
		if body["planId"] = planID; planID == "" {
			delete(body, "planId")
		}
		done := s.changes("apply", body)
		for _, r := range done.Results {
			require.Equal(t, r.Resource.ID == kept.Resource.ID, r.Status == change.Skip, "%+v", r)
			if r.Status == change.Skip {
				require.Contains(t, r.Reason, "An old till")
			}
		}
		require.Equal(t, change.StateRolledBack, s.changes("rollback", map[string]any{"bundleId": done.BundleID, "token": editSecret}).State)
	}
	body["planId"] = one.ID
	require.Equal(t, change.StateApplied, s.changes("apply", body).State)
}

// TestMovedValuesAreLeftAlone changes live values between plan and apply, and
// between apply and rollback.
func TestMovedValuesAreLeftAlone(t *testing.T) {
	t.Parallel()
	s := opened(t)
	a := s.assessed()
	plan := s.planned(map[string]any{"checkIds": []string{"CFL-SSL-002"}})
	zone := plan.Changes[1].Resource.ZoneID
	wrote(t, s.cloud, s.cloud.Tokens()[0], "PATCH", "/zones/"+zone+"/settings/min_tls_version", `{"value":"1.1"}`)
	s.cloud.ResetWrites()
	body := map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-SSL-002"}, "planId": plan.ID, "token": editSecret}
	got := s.refused("apply", body, 409, posture.CodePlanStale)
	require.Contains(t, string(got.body), plan.Changes[1].ID)
	require.Empty(t, s.cloud.Writes(), "nothing of a stale plan is applied")

	done := s.changes("apply", map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-SSL-002"}, "token": editSecret})
	require.Equal(t, change.StateApplied, done.State)
	s.refused("apply", body, 409, posture.CodePlanStale)
	wrote(t, s.cloud, s.cloud.Tokens()[0], "PATCH", "/zones/"+zone+"/settings/min_tls_version", `{"value":"1.3"}`)
	s.cloud.ResetWrites()
	got = s.refused("rollback", map[string]any{"bundleId": done.BundleID, "token": editSecret}, 409, posture.CodeLiveValueChanged)
	require.Contains(t, string(got.body), "CFL-SSL-002")
	require.Empty(t, s.cloud.Writes(), "nothing is rolled back when one value is somebody else's")
	forced := s.changes("rollback", map[string]any{"bundleId": done.BundleID, "token": editSecret, "force": true})
	require.Equal(t, change.StateRolledBack, forced.State)
	require.Contains(t, s.state(), `"1.1"`)
}

// signed is a JWT with the edit scope, or one that lacks it.
func signed(t *testing.T, key, scope string, more ...jwt.MapClaims) string {
	t.Helper()
	claims := jwt.MapClaims{"sub": "ops", "scope": scope, "exp": time.Now().Add(time.Hour).Unix()}
	for _, m := range more {
		maps.Copy(claims, m)
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(key))
	require.NoError(t, err)
	return token
}

// TestGateOfRemediation runs all eight combinations of key, switch and scope on
// apply and rollback: only the full set writes, and nothing else ever does.
func TestGateOfRemediation(t *testing.T) {
	t.Parallel()
	const hmac = "hB3n-Xw8kR5vT2zL9mP4cJ7yG1dS6fK-hmac"
	for _, withSwitch := range []bool{false, true} {
		environ := []string{"SERVICE_API_KEY=" + apiKey, "SERVICE_EDIT_SCOPE=" + editSecret, "SERVICE_EDIT_SCOPE_JWT_SECRET=" + hmac}
		if withSwitch {
			environ = append(environ, "SERVICE_ALLOW_REMEDIATION=true")
		}
		s := embedded(t, fixable(), environ...)
		s.key = apiKey
		a := s.assessed()
		apply := map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-WAF-009"}}
		rollback := map[string]any{"bundleId": a.ID}
		if withSwitch { // there is something to roll back only where something can be applied
			apply["token"] = editSecret
			rollback["bundleId"] = s.changes("apply", apply).BundleID
			s.cloud.ResetWrites()
		}
		for _, withKey := range []bool{false, true} {
			edit := signed(t, hmac, "read edit") // each is of its second
			for _, token := range []any{nil, "", editSecret + "x", signed(t, hmac, "credit"), editSecret, edit} {
				full := token == editSecret || token == edit
				for path, body := range map[string]map[string]any{"apply": apply, "rollback": rollback} {
					body["token"] = token
					if token == nil {
						delete(body, "token")
					}
					s.key = ""
					if withKey {
						s.key = apiKey
					}
					switch {
					case !withKey:
						s.refused(path, body, 401, posture.CodeUnauthorized)
					case !withSwitch:
						s.refused(path, body, 403, posture.CodeRemediationDisabled)
					case !full:
						s.refused(path, body, 403, posture.CodeEditScopeDenied)
					}
				}
			}
		}
		require.Empty(t, s.cloud.Writes(), "switch %v: nothing was written", withSwitch)
		if withSwitch {
			s.key, rollback["token"] = apiKey, signed(t, hmac, "read edit")
			require.Equal(t, change.StateRolledBack, s.changes("rollback", rollback).State)
			require.Len(t, s.cloud.Writes(), 1)
		}
	}
}

// TestNumberedTokenAppliesOnce: a JWT with an id begins one apply, by whatever way it comes
// again; a rollback may still use it.
func TestNumberedTokenAppliesOnce(t *testing.T) {
	t.Parallel()
	const hmac = "hB3n-Xw8kR5vT2zL9mP4cJ7yG1dS6fK-hmac"
	s := embedded(t, fixable(), "SERVICE_ALLOW_REMEDIATION=true", "SERVICE_EDIT_SCOPE_JWT_SECRET="+hmac)
	a := s.assessed()
	apply := map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-WAF-009"},
		"token": signed(t, hmac, "edit", jwt.MapClaims{"jti": "1"})}
	done := s.changes("apply", apply)
	require.Len(t, s.cloud.Writes(), 1)
	s.refused("apply", apply, 403, posture.CodeEditScopeDenied)
	apply["checkIds"] = []string{"CFL-WAF-009", "CFL-SSL-002"}
	require.Contains(t, string(s.refused("apply", apply, 403, posture.CodeEditScopeDenied).body), "jti")
	require.Equal(t, change.StateRolledBack, s.changes("rollback", map[string]any{"bundleId": done.BundleID, "token": apply["token"]}).State)
	writes := len(s.cloud.Writes())
	s.refused("apply", apply, 403, posture.CodeEditScopeDenied)
	require.Len(t, s.cloud.Writes(), writes)
	apply["token"] = signed(t, hmac, "edit", jwt.MapClaims{"jti": "2"})
	s.changes("apply", apply)
}

// TestBadRemediation sends requests that must be refused with a clear reason.
func TestBadRemediation(t *testing.T) {
	s := opened(t)
	a := s.assessed()
	with := func(more ...any) map[string]any {
		body := map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-SSL-002"}, "token": editSecret}
		for i := 0; i+1 < len(more); i += 2 {
			body[more[i].(string)] = more[i+1]
		}
		return body
	}
	cases := []struct {
		path   string
		body   map[string]any
		status int
		code   posture.Code
		says   string
	}{
		{"plan", map[string]any{"checkIds": []string{"CFL-NONE-001"}}, 422, posture.CodeInvalid, "CFL-NONE-001"},
		{"plan", map[string]any{"pathIds": []string{"ap:nothing"}}, 422, posture.CodeInvalid, "ap:nothing"},
		{"plan", map[string]any{"findingIds": []string{"no-such-finding"}}, 422, posture.CodeInvalid, "no-such-finding"},
		{"plan", map[string]any{"inputs": map[string]any{"CFL-SSL-002": map[string]any{"value": "1.0"}}}, 422, posture.CodeInvalid, "takes no"},
		{"plan", map[string]any{"assessmentId": "01890000-0000-7000-8000-000000000000"}, 404, posture.CodeNotFound, "assessment"},
		{"plan", map[string]any{"tokenn": "x"}, 422, posture.CodeInvalid, "tokenn"},
		{"apply", with("checkIds", []string{}), 422, posture.CodeInvalid, "at least one check"},
		{"apply", with("assessmentId", ""), 422, posture.CodeInvalid, "assessment"},
		{"apply", with("planId", "nonsense"), 422, posture.CodeInvalid, "planId"},
		{"apply", with("planId", "01890000-0000-7000-8000-000000000000"), 404, posture.CodeNotFound, "plan"},
		{"apply", with("apiToken", "token-of-nobody"), 502, posture.CodeProvider, "apiToken"},
		{"rollback", map[string]any{"bundleId": "../../etc/passwd", "token": editSecret}, 422, posture.CodeInvalid, "bundleId"},
		{"rollback", map[string]any{"bundleId": a.ID, "token": editSecret}, 404, posture.CodeNotFound, "bundle"},
	}
	for _, tc := range cases {
		t.Run(tc.path+" "+tc.says, func(t *testing.T) {
			got := s.refused(tc.path, tc.body, tc.status, tc.code)
			require.Contains(t, string(got.body), tc.says)
			require.NotContains(t, string(got.body), editSecret)
		})
	}
	require.Empty(t, s.cloud.Writes())
}

// TestSecretsOfRemediationAreForgotten looks for what callers send in everything
// that is kept and answered.
func TestSecretsOfRemediationAreForgotten(t *testing.T) {
	t.Parallel()
	s := opened(t)
	a := s.assessed()
	s.changes("apply", map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-SSL-002"}, "token": editSecret,
		"apiToken": s.cloud.Tokens()[0].Secret})
	for _, path := range []string{"/api/jobs", "/api/remediate/backups", "/api/health"} {
		body := s.call("GET", path, nil).body
		require.False(t, bytes.Contains(body, []byte(editSecret)) || bytes.Contains(body, []byte(s.cloud.Tokens()[0].Secret)), path)
	}
	var jobs struct{ Items []json.RawMessage }
	s.get("/api/jobs", &jobs)
	require.NotEmpty(t, jobs.Items)
}

// TestPlannerOrdersAndNothingElse lets models of every kind look at a plan over
// one check that fails in three zones: the plan keeps its changes.
func TestPlannerOrdersAndNothingElse(t *testing.T) {
	var asked []byte
	reply := ""
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, _ = io.ReadAll(r.Body)
		if reply == "" {
			http.Error(w, "broken", http.StatusInternalServerError)
			return
		}
		content, _ := json.Marshal(reply)
		_, _ = fmt.Fprintf(w, `{"model":"m","message":{"role":"assistant","content":%s},"done":true}`, content)
	}))
	t.Cleanup(model.Close)
	s := opened(t, "SERVICE_AI_PROVIDER=local", "LOCAL_MODEL_HOST="+model.URL)
	s.assessed()
	rules := s.planned(map[string]any{})
	require.False(t, rules.AI.Used)
	require.Empty(t, asked, "nobody is asked unless the caller wants it")
	for _, tc := range []struct {
		name, reply string
		used        bool
	}{
		{"broken", "", false}, {"garbage", "<html>no</html>", false}, {"nested garbage", `{"order":[[["i1"]]]}`, false},
		{"invented", `{"order":["i99","drop table","i1"],"notes":[]}`, true},
		{"turned round", `{"order":["i5","i4","i3","i2","i1"],"notes":[{"item":"i5","note":"Quick to do."}]}`, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			reply = tc.reply
			p := s.planned(map[string]any{"ai": true})
			require.Equal(t, tc.used, p.AI.Used, p.AI.Note)
			require.Equal(t, rules.Digest, p.Digest)
			ids := func(p change.Plan) (out []string) {
				for _, c := range p.Changes {
					out = append(out, c.ID)
				}
				slices.Sort(out)
				return out
			}
			require.Equal(t, ids(rules), ids(p))
			zones := 0
			for _, c := range p.Changes {
				if c.CheckID == "CFL-SSL-002" {
					zones++
				}
			}
			require.Equal(t, 3, zones)
			require.JSONEq(t, string(asked), string(p.AI.Sent), "the caller sees what was sent")
			for _, c := range p.Changes {
				require.NotContains(t, string(asked), c.Resource.Name)
				require.NotContains(t, string(asked), c.Resource.ID)
			}
			if tc.name == "turned round" {
				require.Equal(t, rules.Changes[len(rules.Changes)-1].ID, p.Changes[0].ID)
				require.Equal(t, "Quick to do.", p.Changes[0].Rationale)
			}
		})
	}
	require.Empty(t, s.cloud.Writes())
}

// TestGuessesAtTheEditScope: after five wrong ones in a minute the right one is refused too,
// until the minute is over.
func TestGuessesAtTheEditScope(t *testing.T) {
	t.Parallel()
	var stands atomic.Pointer[time.Time] // while the guesses are made, which may take longer than they are held up
	var later atomic.Int64               // seconds
	cloud, url := simulate(t, fixable())
	s := &system{t: t, cloud: cloud}
	s.openAt([]string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret,
		"SERVICE_DNS_RESOLVER=off", "SERVICE_ALLOW_REMEDIATION=true", "SERVICE_EDIT_SCOPE=" + editSecret},
		func() time.Time {
			if at := stands.Load(); at != nil {
				return *at
			}
			return time.Now().Add(time.Duration(later.Load()) * time.Second)
		})
	a := s.assessed()
	now := time.Now()
	stands.Store(&now)
	body := map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-WAF-009"}}
	for i := range 1000 {
		body["token"] = fmt.Sprintf("%s%d", editSecret, i)
		got := s.call("POST", "/api/remediate/apply", body)
		want := 403
		if i >= 5 {
			want = 429
			require.NotEmpty(t, got.header.Get("Retry-After"))
		}
		require.Equal(t, want, got.status, string(got.body))
	}
	body["token"] = editSecret
	require.Equal(t, 429, s.call("POST", "/api/remediate/apply", body).status)
	require.Equal(t, 429, s.call("POST", "/api/remediate/rollback", map[string]any{"bundleId": a.ID, "token": editSecret}).status)
	require.Empty(t, s.cloud.Writes())
	later.Store(61)
	stands.Store(nil)
	require.Contains(t, []int{200, 202}, s.call("POST", "/api/remediate/apply", body).status)
}
