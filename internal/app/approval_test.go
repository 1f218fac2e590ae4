package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
)

const secondKey = "a second api key of the tests"

func byTwo() []string {
	return []string{"SERVICE_API_KEY=" + apiKey + "," + secondKey, "SERVICE_REMEDIATION_APPROVALS=1", "SERVICE_ALLOW_REMEDIATION=true",
		"SERVICE_EDIT_SCOPE=" + editSecret}
}

// approved has the other key approve a plan.
func (s *system) approved(plan change.Plan, body object, headers ...string) answer {
	return s.call("POST", "/api/remediate/plans/"+plan.ID+"/approve", body, append([]string{"X-API-Key", secondKey}, headers...)...)
}

func (s *system) plan(id string) (p httpapi.PlanDetail) {
	s.get("/api/remediate/plans/"+id, &p)
	return p
}

func applyOf(p change.Plan) object {
	checks := map[string]bool{}
	ids := []string{}
	for _, c := range p.Changes {
		if !checks[c.CheckID] {
			ids = append(ids, c.CheckID)
		}
		checks[c.CheckID] = true
	}
	return object{"assessmentId": p.AssessmentID, "checkIds": ids, "planId": p.ID, "token": editSecret}
}

func with(body object, name string, value any) object {
	out := object{name: value}
	for k, v := range body {
		if k != name {
			out[k] = v
		}
	}
	return out
}

// someone is a person who may do what a role says, signed in: the headers of their calls.
func (s *system) someone(name, role string) []string {
	s.t.Helper()
	s.post(201, "/api/users", object{"name": name, "email": name + "@example.com", "password": "a sentence nobody guesses",
		"grants": []any{object{"role": role}}})
	return s.signedIn(name)
}

func (s *system) signedIn(name string) []string {
	s.t.Helper()
	got := s.post(200, "/api/session", object{"email": name + "@example.com", "password": "a sentence nobody guesses"}, "X-API-Key", "")
	set, err := http.ParseSetCookie(got.header.Get("Set-Cookie"))
	require.NoError(s.t, err)
	return []string{"X-API-Key", "", "Cookie", sessionCookie + "=" + set.Value, "Origin", s.url}
}

// TestApproval takes a plan through the hands of two: who asked may not approve, who approved let one apply through.
func TestApproval(t *testing.T) {
	t.Parallel()
	s := embedded(t, fixable(), byTwo()...)
	s.key = apiKey
	a := s.assessed()
	ann, ben, viewer := s.someone("ann", "remediator"), s.someone("ben", "remediator"), s.someone("vic", "operator")
	var token httpapi.ServiceToken
	s.post(201, "/api/service-tokens", object{"name": "pipeline", "role": "administrator"}).into(t, &token)
	program := []string{"X-API-Key", token.Token}
	asked := func(who ...string) (p change.Plan) {
		s.post(200, "/api/remediate/plan", object{"assessmentId": a.ID}, who...).into(t, &p)
		return p
	}
	refuses := func(p change.Plan, says string, who ...string) {
		t.Helper()
		got := s.approved(p, object{}, who...)
		require.Equal(t, 403, got.status, string(got.body))
		require.Contains(t, problem(t, got).Detail, says)
		require.Nil(t, s.plan(p.ID).Approval.By)
	}
	of := asked(ann...)
	require.Equal(t, access.User, of.RequestedBy.Kind)
	require.Equal(t, "user:ann@example.com", of.RequestedBy.Actor)
	refuses(of, "yourself", ann...)
	refuses(of, "service token", program...)
	refuses(of, "role remediator", viewer...)
	require.Equal(t, 200, s.approved(of, object{}).status, "root by an API key")
	require.Equal(t, 200, s.approved(of, object{}, ben...).status, "the later one stays until it is used")
	require.Equal(t, "user:ben@example.com", s.plan(of.ID).Approval.By.Actor)

	root := asked()
	refuses(root, "yourself", "X-API-Key", apiKey)
	session := s.post(200, "/api/session", object{})
	set, err := http.ParseSetCookie(session.header.Get("Set-Cookie"))
	require.NoError(t, err)
	refuses(root, "yourself", "X-API-Key", "", "Cookie", sessionCookie+"="+set.Value, "Origin", s.url)
	require.Equal(t, 200, s.approved(root, object{}).status, "another key in force is somebody else")
	byRoot := asked(program...)
	require.Equal(t, 200, s.approved(byRoot, object{}, ann...).status)
	require.Equal(t, 200, s.approved(byRoot, object{}).status, "another key than the one that made the token")
	refuses(asked(program...), "yourself", "X-API-Key", apiKey)
	eve := s.someone("eve", "administrator")
	made := func(name string, by ...string) (t httpapi.ServiceToken) {
		s.post(201, "/api/service-tokens", object{"name": name, "role": "administrator"}, by...).into(s.t, &t)
		return t
	}
	own := made("own", eve...)
	second := made("second", "X-API-Key", own.Token)
	for _, t := range []httpapi.ServiceToken{own, second} {
		p := asked("X-API-Key", t.Token)
		refuses(p, "made the token", eve...)
		require.Equal(s.t, 200, s.approved(p, object{}, ben...).status)
	}
	bySecond := asked("X-API-Key", second.Token)
	require.Equal(t, 204, s.call("DELETE", "/api/service-tokens/"+own.ID, nil).status)
	refuses(bySecond, "not known who", eve...)

	plan := asked()
	require.Equal(t, 422, s.approved(plan, object{"note": strings.Repeat("x", 1001)}).status)
	require.Equal(t, 422, s.approved(plan, object{"note": "use ghp_" + strings.Repeat("aB3d", 9)}).status)
	require.Equal(t, 404, s.call("POST", "/api/remediate/plans/"+unknownID+"/approve", object{}).status)
	body := applyOf(plan)
	s.refused("apply", body, 403, posture.CodeApprovalRequired)
	require.Contains(t, string(s.refused("apply", object{"assessmentId": a.ID, "checkIds": body["checkIds"], "token": editSecret}, 403,
		posture.CodeApprovalRequired).body), "make a plan")
	require.Equal(t, 200, s.approved(plan, object{"note": "as discussed"}, ben...).status)
	shown := s.plan(plan.ID).Approval
	require.True(t, shown.Required)
	require.Equal(t, "as discussed", shown.Note)
	require.Equal(t, plan.ExpiresAt, *shown.ExpiresAt, "it does not outlast the plan")
	require.Empty(t, shown.UsedByJob)
	require.Contains(t, string(s.refused("apply", with(body, "force", true), 403, posture.CodeApprovalRequired).body), "without force")
	require.Empty(t, s.cloud.Writes())

	first := s.post(200, "/api/remediate/apply", body, "Idempotency-Key", "one")
	again := s.post(200, "/api/remediate/apply", body, "Idempotency-Key", "one")
	require.Equal(t, string(first.body), string(again.body), "the same call is the same job")
	require.Len(t, s.cloud.Writes(), 4)
	require.Contains(t, string(s.refused("apply", body, 403, posture.CodeApprovalRequired).body), "has used the approval")
	require.Equal(t, 409, s.approved(plan, object{}).status)
	var done change.Execution
	first.into(t, &done)
	var bundle httpapi.BackupDetail
	s.get("/api/remediate/backups/"+done.BundleID, &bundle)
	require.Equal(t, bundle.JobID, s.plan(plan.ID).Approval.UsedByJob)
	s.changes("rollback", object{"bundleId": done.BundleID, "token": editSecret}) // needs nobody

	part := s.planned(object{"assessmentId": a.ID})
	require.Equal(t, 200, s.approved(part, object{"force": true}).status)
	s.cloud.ResetWrites()
	s.changes("apply", with(with(applyOf(part), "force", true), "changeIds", []string{part.Changes[0].ID}))
	require.Len(t, s.cloud.Writes(), 1, "less than was approved")
	s.refused("apply", with(applyOf(part), "changeIds", []string{part.Changes[1].ID}), 403, posture.CodeApprovalRequired)
	// Who approved a plan counts until it is applied.
	s.cloud.ResetWrites()
	for _, change := range []object{{"disabled": true}, {"disabled": false, "grants": []any{object{"role": "operator"}}}} {
		late := s.planned(object{"assessmentId": a.ID})
		require.Equal(t, 200, s.approved(late, object{}, ben...).status)
		id := s.plan(late.ID).Approval.By.ID
		require.Equal(t, 200, s.call("PATCH", "/api/users/"+id, change).status)
		require.Contains(t, string(s.refused("apply", applyOf(late), 403, posture.CodeApprovalRequired).body), "may no longer change")
		require.Equal(t, 200, s.call("PATCH", "/api/users/"+id,
			object{"disabled": false, "grants": []any{object{"role": "remediator"}}}).status)
		ben = s.signedIn("ben")
	}
	require.Empty(t, s.cloud.Writes())
	var log struct{ Items []audit.Entry }
	s.get("/api/audit?action=remediate.approve&limit=1000", &log)
	told := map[string]bool{}
	for _, e := range log.Items {
		if e.Outcome == audit.Succeeded {
			told[e.Actor+" "+e.Target.Type+" "+e.Target.ID] = true
		}
	}
	require.True(t, told["user:ben@example.com plans "+plan.ID], "%v", told)
}

// unapproved are ways to apply what nobody else approved for this very apply. Each gives the body of the apply.
type unapproved struct {
	*system
	mu      sync.Mutex
	through atomic.Int64
	tried   atomic.Int64
	codes   map[posture.Code]int
	used    change.Plan // its approval went to an apply of its first change
	ended   []change.Plan
}

func (u *unapproved) asked() change.Plan {
	return u.planned(object{"checkIds": []string{"CFL-SSL-001", "CFL-SSL-002", "CFL-WAF-009"}})
}

// ways names them; ended and used need what was prepared.
func (u *unapproved) ways() []func(i int) object {
	ok := func(p change.Plan, body object) change.Plan {
		require.Equal(u.t, 200, u.approved(p, body).status)
		return p
	}
	return []func(i int) object{
		func(int) object { return applyOf(u.asked()) },
		func(int) object {
			p := u.asked()
			require.Equal(u.t, 403, u.approved(p, object{}, "X-API-Key", apiKey).status)
			return applyOf(p)
		},
		func(i int) object { return second(u.ended[i%len(u.ended)], i) },
		func(i int) object { return second(u.used, i) },
		func(int) object {
			another, same := ok(u.asked(), object{}), u.asked()
			require.Equal(u.t, another.Digest, same.Digest)
			return applyOf(same)
		},
		func(int) object { return with(applyOf(ok(u.asked(), object{})), "force", true) },
		func(int) object { return with(applyOf(u.asked()), "planId", "") },
	}
}

// second is of changes whose values are still those of the plan.
func second(p change.Plan, i int) object {
	return with(applyOf(p), "changeIds", []string{p.Changes[1+i%3].ID})
}

// apply sends one that must not go through.
func (u *unapproved) apply(body object) {
	got := u.call("POST", "/api/remediate/apply", body, "Prefer", "wait=300")
	u.tried.Add(1)
	if got.status < 300 {
		u.through.Add(1)
		return
	}
	u.mu.Lock()
	u.codes[problem(u.t.(*testing.T), got).Code]++
	u.mu.Unlock()
}

// prepare makes one plan that is used, which makes one change, and some whose approval end sees to that it has ended.
func (u *unapproved) prepare(end func(ids []string)) {
	u.codes = map[posture.Code]int{}
	var ids []string
	for range 3 {
		p := u.asked()
		require.Equal(u.t, 200, u.approved(p, object{}).status)
		u.ended, ids = append(u.ended, p), append(ids, p.ID)
	}
	end(ids)
	u.used = u.asked()
	require.Equal(u.t, 200, u.approved(u.used, object{}).status)
	u.changes("apply", with(applyOf(u.used), "changeIds", []string{u.used.Changes[0].ID}))
	require.Len(u.t, u.cloud.Writes(), 1)
	u.cloud.ResetWrites()
}

// nothing holds that none went through and that Cloudflare was sent nothing.
func (u *unapproved) nothing(before string) {
	u.t.Helper()
	u.t.Logf("%d tried, %d through, %d writes; refused: %v", u.tried.Load(), u.through.Load(), len(u.cloud.Writes()), u.codes)
	require.Zero(u.t, u.through.Load())
	require.Empty(u.t, u.cloud.Writes())
	require.Equal(u.t, before, u.state())
}

// TestSweepUnapprovedApplies tries 200 times, one after the other.
func TestSweepUnapprovedApplies(t *testing.T) {
	t.Parallel()
	var later atomic.Int64 // minutes
	cloud, url := simulate(t, fixable())
	u := &unapproved{system: &system{t: t, cloud: cloud, key: apiKey}}
	u.openAt(append(byTwo(), "DATA_DIR="+t.TempDir(), "CLOUDFLARE_BASE_URL="+url, "CLOUDFLARE_API_TOKEN="+cloud.Tokens()[0].Secret,
		"SERVICE_DNS_RESOLVER=off", "CLOUDFLARE_REQUESTS_PER_5M=1000000"),
		func() time.Time { return time.Now().Add(time.Duration(later.Load()) * time.Minute) })
	u.assessed()
	u.prepare(func([]string) { later.Store(61) })
	before, ways := u.state(), u.ways()
	tries := 190
	if testing.Short() {
		tries = 38
	}
	for i := range tries {
		u.apply(ways[i%len(ways)](i))
	}
	for i := range 10 { // what was approved is no longer what is there
		p := u.asked()
		c := p.Changes[0]
		for _, other := range p.Changes {
			if other.CheckID == "CFL-SSL-002" {
				c = other
			}
		}
		require.Equal(t, 200, u.approved(p, object{}).status)
		setting := "/zones/" + c.Resource.ZoneID + "/settings/min_tls_version"
		was := `{"value":"1.0"}`
		if strings.Contains(string(c.Before), "1.1") {
			was = `{"value":"1.1"}`
		}
		wrote(t, cloud, cloud.Tokens()[0], "PATCH", setting, fmt.Sprintf(`{"value":"1.%d"}`, 1-strings.Count(was, "1.1")))
		cloud.ResetWrites()
		u.apply(applyOf(p))
		require.Empty(t, cloud.Writes(), "attempt %d", i)
		wrote(t, cloud, cloud.Tokens()[0], "PATCH", setting, was)
		cloud.ResetWrites()
	}
	require.Equal(t, 10, u.codes[posture.CodePlanStale])
	u.nothing(before)
}

// TestSweepUnapprovedAppliesAtOnce tries from four sides at once with four workers on PostgreSQL and Redis. A service whose API asks for no
// approval queues jobs for them too. Of many who take one approval at once, one gets it.
func TestSweepUnapprovedAppliesAtOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	cloud, url := simulate(t, fixable())
	environ := append(shared(t, cloud, url, redistest.Start(t)), byTwo()...)
	u := &unapproved{system: &system{t: t, cloud: cloud, key: apiKey}}
	u.url = spawn(t, "serve", append(environ, onLoopback)...).says(t, "listening on ")
	for range 4 {
		spawn(t, "worker", environ...).says(t, "worker ready")
	}
	careless := *u.system
	careless.url = spawn(t, "serve", append(environ, onLoopback, "SERVICE_REMEDIATION_APPROVALS=0")...).says(t, "listening on ")
	u.assessed()
	u.prepare(func(ids []string) {
		conn := connected(t, environ)
		_, err := conn.Exec(t.Context(), "UPDATE plan_approval SET expires_at = at WHERE plan_id = ANY($1)", ids)
		require.NoError(t, err)
	})
	before, ways := u.state(), u.ways()
	var sides sync.WaitGroup
	for side := range 4 {
		sides.Go(func() {
			for i := range 50 {
				u.apply(ways[(side+i)%len(ways)](i))
			}
		})
	}
	sides.Wait()
	u.nothing(before)
	for i, body := range []object{applyOf(u.asked()), with(applyOf(u.asked()), "planId", ""),
		second(u.used, 0), second(u.ended[0], 0)} {
		got := careless.call("POST", "/api/remediate/apply", body, "Prefer", "wait=300")
		require.Equal(t, posture.CodeApprovalRequired, problem(t, got).Code, "%d: %s", i, got.body)
	}
	u.nothing(before)

	plan := u.asked()
	require.Equal(t, 200, u.approved(plan, object{}).status)
	may := slices.DeleteFunc(slices.Clone(plan.Changes), func(c change.Change) bool { return c.Risk == change.High }) // those take force
	var one atomic.Int64
	for i := range 32 {
		sides.Go(func() {
			body := with(applyOf(plan), "changeIds", []string{may[i%len(may)].ID, unknownID + fmt.Sprint(i)}) // each is a job of its own
			if got := u.call("POST", "/api/remediate/apply", body, "Prefer", "wait=300"); got.status == 200 {
				one.Add(1)
			}
		})
	}
	sides.Wait()
	require.EqualValues(t, 1, one.Load())
	require.Len(t, cloud.Writes(), 1)
}

// TestSweepApprovedApplyIsKilled kills the process in the middle of an approved apply: the job goes on with its approval.
func TestSweepApprovedApplyIsKilled(t *testing.T) {
	t.Parallel()
	b, url := newBreaker(t)
	b.key = apiKey
	environ := append(byTwo(), "DATA_DIR="+t.TempDir(), "CLOUDFLARE_BASE_URL="+url, "CLOUDFLARE_API_TOKEN="+b.cloud.Tokens()[0].Secret,
		names(t, b.cloud), "CLOUDFLARE_REQUESTS_PER_5M=1000000")
	var p *process
	boot := func() {
		p = spawn(t, "serve", environ...)
		b.url = p.says(t, "listening on ")
	}
	boot()
	clean := b.state()
	b.assessed()
	for _, n := range []int{3, 12, 18} {
		plan := b.planned(object{"checkIds": []string{"CFL-SSL-002"}})
		require.Equal(t, 200, b.approved(plan, object{}).status)
		jobID, where := b.killed("apply", applyOf(plan), n, func() { p.kill() }, boot)
		j := b.ended(jobID)
		require.Equal(t, posture.JobSucceeded, j.State, "%s: %+v", where, j.Error)
		require.Greater(t, j.Attempt, 1, where)
		require.Equal(t, jobID, b.plan(plan.ID).Approval.UsedByJob)
		b.refused("apply", with(applyOf(plan), "force", true), 403, posture.CodeApprovalRequired)
		bundle, _ := b.bundleOf(jobID)
		b.changes("rollback", object{"bundleId": bundle, "token": editSecret})
		require.Equal(t, clean, b.state())
	}
}
