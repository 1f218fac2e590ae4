// Package clienttest provides a small fake of the service's remediation endpoints, following the
// API contract, for tests of its callers.
package clienttest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// The ids and the edit token that the fake knows.
const (
	AssessmentID = "0198c5b2-1f6e-7c3a-9d2e-5a1b2c3d4e5f"
	PlanID       = "0198c5b2-1f6e-7c3a-9d2e-000000000001"
	BundleID     = "0198c5b2-1f6e-7c3a-9d2e-000000000002"
	EditToken    = "canary-edit-token-0123456789"
)

// Call is a request that the fake received.
type Call struct {
	Method, Path string
	Key          string
	Body         map[string]any
}

// Fake is the fake service. Set its fields before use.
type Fake struct {
	URL string
	// Refuse answers gated calls with this code.
	Refuse posture.Code
	// Unverified leaves the change unverified, Echo repeats the whole request in the result, Damaged
	// reports the backup as not verified, and Changes is the number of changes in a plan.
	Unverified, Echo, Damaged bool
	Changes                   int

	mu    sync.Mutex
	calls []Call
	jobs  map[string]*job
}

type job struct {
	posture.Job
	looks int
}

// New starts a fake that runs until the test ends.
func New(t *testing.T) *Fake {
	t.Helper()
	f := &Fake{jobs: map[string]*job{}, Changes: 1}
	s := httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(s.Close)
	f.URL = s.URL
	return f
}

// Calls returns the received requests in order.
func (f *Fake) Calls() []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Call(nil), f.calls...)
}

func (f *Fake) serve(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	c := Call{Method: r.Method, Path: r.URL.Path, Key: r.Header.Get("X-API-Key"), Body: map[string]any{}}
	_ = json.Unmarshal(raw, &c.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, c)
	last := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	switch {
	case r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/api/remediate/"):
		f.remediate(w, r, last, c.Body, string(raw))
	case r.URL.Path == "/api/remediate/plans/"+PlanID:
		write(w, 200, f.plan())
	case r.URL.Path == "/api/remediate/backups":
		write(w, 200, map[string]any{"backups": []any{f.backup()}, "nextCursor": ""})
	case r.URL.Path == "/api/remediate/backups/"+BundleID:
		write(w, 200, f.backup())
	case strings.HasPrefix(r.URL.Path, "/api/jobs/") && f.jobs[last] != nil:
		j := f.jobs[last]
		if j.looks++; j.looks > 1 {
			j.State = posture.JobSucceeded
			write(w, 200, j.Job)
			return
		}
		running := j.Job
		running.Result = nil
		write(w, 200, running)
	default:
		refuse(w, posture.CodeNotFound, "There is nothing here.")
	}
}

func (f *Fake) backup() map[string]any {
	verified := 1
	if f.Damaged {
		verified = 0
	}
	return map[string]any{"id": BundleID, "createdAt": "2026-01-02T03:04:05Z", "assessmentId": AssessmentID,
		"account": map[string]any{"id": "a", "name": "a"}, "state": "applied", "entries": 1, "applied": 1, "verified": verified}
}

func zone() map[string]any { return map[string]any{"type": "zone", "id": "z", "name": "one.example"} }

func (f *Fake) plan() map[string]any {
	changes := []any{}
	for range f.Changes {
		changes = append(changes, map[string]any{"id": "c0", "checkId": "CFL-SSL-001", "resource": zone(), "operation": "set",
			"before": "flexible", "after": "strict", "risk": "low", "reversible": true})
	}
	return map[string]any{"id": PlanID, "assessmentId": AssessmentID, "createdAt": "2026-01-02T03:04:05Z",
		"expiresAt": "2026-01-02T04:04:05Z", "digest": "d", "changes": changes, "manual": []any{}, "skipped": []any{}, "pathsRemoved": []any{},
		"extra": "kept"}
}

func (f *Fake) remediate(w http.ResponseWriter, r *http.Request, what string, body map[string]any, raw string) {
	if what != "plan" {
		switch {
		case f.Refuse != "":
			refuse(w, f.Refuse, "Refused by the stand-in.")
			return
		case body["token"] != EditToken:
			refuse(w, posture.CodeEditScopeDenied, "The edit token is not accepted.")
			return
		}
	}
	state := map[string]string{"apply": "applied", "rollback": "rolled_back"}[what]
	if f.Unverified {
		state = "partial"
	}
	result := map[string]any{"bundleId": BundleID, "state": state, "results": []any{map[string]any{"changeId": "c0", "checkId": "CFL-SSL-001",
		"resource": zone(), "operation": "set", "status": "applied", "verified": !f.Unverified}}}
	if f.Echo {
		result["echo"] = raw
	}
	if what == "plan" {
		result = f.plan()
	}
	if r.Header.Get("Prefer") != "respond-async" {
		write(w, 200, result)
		return
	}
	out, _ := json.Marshal(result)
	j := &job{Job: posture.Job{ID: uuid.NewString(), Kind: posture.JobKind(what), State: posture.JobRunning, Result: out}}
	f.jobs[j.ID] = j
	write(w, 202, posture.Job{ID: j.ID, Kind: j.Kind, State: posture.JobQueued})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func refuse(w http.ResponseWriter, code posture.Code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(code.Status())
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "about:blank", "status": code.Status(), "code": code, "detail": detail,
		"requestId": "r"})
}
