package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func remediationCases() []testCase {
	return []testCase{
		{"plan is kept, and forgotten a day after its end", planKept},
		{"an approval goes to one job that does no more than was approved", approvalTaken},
		{"one of many jobs that take an approval at once gets it", approvalRace},
		{"an approval is replaced until a job takes it, and goes with its plan", approvalKept},
		{"bundle is kept and replaced by the holder of a job only", bundleFenced},
		{"bundle is found by id and by its job", bundleFound},
		{"bundles are listed by account, newest first, and paged", bundleList},
	}
}

func planOf(t testing.TB, after time.Duration) store.PlanRow {
	at := kept(noon().Add(after))
	return store.PlanRow{ID: newID(t), AssessmentID: "assessment", AccountID: providerAccount, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
		Sealed: []byte("sealed\\x00")}
}

func planKept(t *testing.T, s store.Store) {
	first := planOf(t, 0)
	require.NoError(t, s.KeepPlan(t.Context(), first))
	got, err := s.Plan(t.Context(), first.ID)
	require.NoError(t, err)
	require.Equal(t, first, got)
	require.Error(t, s.KeepPlan(t.Context(), first), "an id is used once")
	require.NoError(t, s.KeepPlan(t.Context(), planOf(t, 25*time.Hour)))
	_, err = s.Plan(t.Context(), first.ID)
	require.NoError(t, err, "a day has not passed since its end")
	require.NoError(t, s.KeepPlan(t.Context(), planOf(t, 26*time.Hour)))
	_, err = s.Plan(t.Context(), first.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
}

func approvalOf(t testing.TB, s store.Store) store.ApprovalRow {
	t.Helper()
	p := planOf(t, 0)
	require.NoError(t, s.KeepPlan(t.Context(), p))
	return store.ApprovalRow{Approval: store.Approval{PlanID: p.ID, Digest: "digest"}, By: access.Party{Kind: access.User, ID: "u1",
		Actor: "user:ann@example.com"}, Note: "Seen\u2028", At: kept(noon()), ExpiresAt: kept(noon().Add(time.Hour))}
}

func applyJob(t testing.TB, a store.Approval, after time.Duration) store.NewJob {
	return with(newJob(t), func(n *store.NewJob) { n.Kind, n.Approval, n.CreatedAt = posture.JobApply, &a, noon().Add(after) })
}

func approvalTaken(t *testing.T, s store.Store) {
	a := approvalOf(t, s)
	require.NoError(t, s.Approve(t.Context(), a))
	other := approvalOf(t, s)
	for name, c := range map[string]struct {
		take  store.Approval
		after time.Duration
	}{
		"changed since":             {store.Approval{PlanID: a.PlanID, Digest: "another"}, 0},
		"another plan":              {store.Approval{PlanID: other.PlanID, Digest: "digest"}, 0},
		"no plan":                   {store.Approval{PlanID: "none", Digest: "digest"}, 0},
		"more than was approved":    {store.Approval{PlanID: a.PlanID, Digest: "digest", Force: true}, 0},
		"at the instant it ends at": {a.Approval, time.Hour},
	} {
		n := applyJob(t, c.take, c.after)
		n.Idempotency = &store.Idempotency{Key: "key", Route: "/api/remediate/apply", BodyHash: n.BodyHash}
		_, err := s.Enqueue(t.Context(), n)
		require.ErrorIs(t, err, store.ErrNotApproved, name)
		_, err = s.Job(t.Context(), n.ID)
		require.ErrorIs(t, err, store.ErrNotFound, "%s: nothing is left of it", name)
	}
	n := applyJob(t, a.Approval, time.Minute)
	n.Idempotency = &store.Idempotency{Key: "key", Route: "/api/remediate/apply", BodyHash: n.BodyHash}
	enqueue(t, s, n)
	a.UsedBy, a.UsedAt = n.ID, kept(n.CreatedAt)
	got, err := s.PlanApproval(t.Context(), a.PlanID)
	require.NoError(t, err)
	require.Equal(t, a, got)
	again := applyJob(t, a.Approval, time.Minute)
	_, err = s.Enqueue(t.Context(), again)
	require.ErrorIs(t, err, store.ErrNotApproved)
	again.Idempotency = n.Idempotency
	joined, err := s.Enqueue(t.Context(), again)
	require.NoError(t, err, "the same call is the same job")
	require.Equal(t, n.ID, joined.Job.ID)
	require.ErrorIs(t, s.Approve(t.Context(), a), store.ErrUsed)
}

func approvalRace(t *testing.T, s store.Store) {
	a := approvalOf(t, s)
	require.NoError(t, s.Approve(t.Context(), a))
	jobs := make([]store.NewJob, callers)
	for i := range jobs {
		jobs[i] = applyJob(t, a.Approval, 0)
	}
	_, errs := together(callers, func(i int) (store.Enqueued, error) { return s.Enqueue(t.Context(), jobs[i]) })
	got, err := s.PlanApproval(t.Context(), a.PlanID)
	require.NoError(t, err)
	for i, err := range errs {
		if jobs[i].ID == got.UsedBy {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, store.ErrNotApproved)
	}
	require.NotEmpty(t, got.UsedBy)
}

func approvalKept(t *testing.T, s store.Store) {
	a := approvalOf(t, s)
	_, err := s.PlanApproval(t.Context(), a.PlanID)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NoError(t, s.Approve(t.Context(), a))
	a.By, a.Force, a.Note, a.Digest = access.Party{Kind: access.Root, Actor: "local"}, true, "", "new"
	require.NoError(t, s.Approve(t.Context(), a))
	got, err := s.PlanApproval(t.Context(), a.PlanID)
	require.NoError(t, err)
	require.Equal(t, a, got)
	require.NoError(t, s.KeepPlan(t.Context(), planOf(t, 26*time.Hour)))
	_, err = s.PlanApproval(t.Context(), a.PlanID)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.ErrorIs(t, s.Approve(t.Context(), a), store.ErrNotFound)
}

func bundleOf(t testing.TB, jobID, account string, after time.Duration) store.BundleRow {
	return store.BundleRow{JobID: jobID, Sealed: []byte{0, 1, 2}, Mac: []byte{3, 4}, Backup: change.Backup{ID: newID(t),
		CreatedAt: kept(noon().Add(after)), AssessmentID: "assessment", Account: posture.AccountRef{ID: account, Name: "Main\u2028"},
		State: change.StateOpen, Entries: 3, Applied: 1, Verified: 1}}
}

func bundleFenced(t *testing.T, s store.Store) {
	row := running(t, s)
	b := bundleOf(t, row.ID, providerAccount, 0)
	for _, attempt := range []int{row.Attempt - 1, row.Attempt + 1} {
		require.ErrorIs(t, s.KeepBundle(t.Context(), b, row.ID, attempt), store.ErrFenced)
	}
	_, err := s.Bundle(t.Context(), b.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NoError(t, s.KeepBundle(t.Context(), b, row.ID, row.Attempt))
	other := running(t, s)
	b.State, b.Applied, b.Verified, b.Sealed, b.Mac = change.StatePartial, 2, 2, []byte("new"), []byte("mac")
	require.NoError(t, s.KeepBundle(t.Context(), b, other.ID, other.Attempt), "the job that rolls it back")
	got, err := s.Bundle(t.Context(), b.ID)
	require.NoError(t, err)
	require.Equal(t, b, got)
	require.NoError(t, s.Release(t.Context(), row.ID, row.Attempt, noon()))
	require.ErrorIs(t, s.KeepBundle(t.Context(), b, row.ID, row.Attempt), store.ErrFenced)
}

func bundleFound(t *testing.T, s store.Store) {
	row := running(t, s)
	_, err := s.BundleOfJob(t.Context(), row.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	b := bundleOf(t, row.ID, providerAccount, 0)
	require.NoError(t, s.KeepBundle(t.Context(), b, row.ID, row.Attempt))
	got, err := s.BundleOfJob(t.Context(), row.ID)
	require.NoError(t, err)
	require.Equal(t, b, got)
}

func bundleList(t *testing.T, s store.Store) {
	var want []string
	for i := range 5 {
		row := running(t, s)
		b := bundleOf(t, row.ID, []string{providerAccount, "other"}[i%2], time.Duration(i)*time.Minute)
		require.NoError(t, s.KeepBundle(t.Context(), b, row.ID, row.Attempt))
		if i%2 == 0 {
			want = append([]string{b.ID}, want...)
		}
	}
	var got []string
	for page := (store.Page{Limit: 2}); ; {
		rows, next, err := s.Bundles(t.Context(), []string{providerAccount}, page)
		require.NoError(t, err)
		for _, r := range rows {
			require.Empty(t, r.Sealed, "a list has no secrets in it")
			got = append(got, r.ID)
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	require.Equal(t, want, got)
	all, _, err := s.Bundles(t.Context(), nil, store.Page{})
	require.NoError(t, err)
	require.Len(t, all, 5)
}
