package assess_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
)

// kept is a run that has ended: its assessment, findings and what it read.
func kept(t *testing.T) (b *bench, p assess.Past, read []snapshot.Section) {
	t.Helper()
	b = newBench(t, shop(), 100_000)
	p, read = b.kept()
	return b, p, read
}

func (b *bench) kept() (p assess.Past, read []snapshot.Section) {
	t := b.t
	t.Helper()
	a, err := b.assess(b.cloud.Accounts()[0], b.cloud.Tokens()[0].Secret)
	require.NoError(t, err)
	findings := b.findings(a)
	read, err = b.store.Sections(t.Context(), a.JobID)
	require.NoError(t, err)
	return assess.Past{Assessment: a, Findings: func() ([]posture.Finding, error) { return findings, nil }}, read
}

// unanswering is a resolver that gives no answers.
type unanswering struct{}

func (unanswering) Lookup(context.Context, snapshot.Question) (snapshot.Lookup, error) {
	return snapshot.Lookup{}, errors.New("no answer")
}

// TestReplayOfLookups: what was looked up, or not, is judged as it was then, however names are looked up today.
func TestReplayOfLookups(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func(*bench) assess.Resolver{
		"off":       func(*bench) assess.Resolver { return nil },
		"on":        func(b *bench) assess.Resolver { return b.cloud },
		"no answer": func(*bench) assess.Resolver { return unanswering{} },
	} {
		for today, now := range map[string]func(*bench) assess.Resolver{
			"off": func(*bench) assess.Resolver { return nil },
			"on":  func(b *bench) assess.Resolver { return b.cloud },
		} {
			t.Run(name+", today "+today, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, shop(), 100_000)
				b.options.Resolver = func(bool) assess.Resolver { return then(b) }
				b.runner = assess.New(b.options)
				p, _ := b.kept()
				b.options.Resolver = func(bool) assess.Resolver { return now(b) }
				made, err := assess.New(b.options).Replay(t.Context(), p)
				require.NoError(t, err)
				was, err := p.Findings()
				require.NoError(t, err)
				require.Equal(t, sightings(was), sightings(made.Assessment.Findings))
			})
		}
	}
}

// sightings are what findings say, by their id.
func sightings(findings []posture.Finding) map[string]string {
	out := map[string]string{}
	for _, f := range findings {
		out[f.ID] = fmt.Sprint(f.CheckID, f.Result, f.Message, f.Reason, f.FirstSeen, f.LastSeen, f.Status)
	}
	return out
}

// TestReplayOfAnIncrementalRun: what was said of what it carried forward is said again.
func TestReplayOfAnIncrementalRun(t *testing.T) {
	t.Parallel()
	b, p, _ := kept(t)
	made, err := b.runner.Replay(t.Context(), p)
	require.NoError(t, err)
	require.Nil(t, made.Assessment.Carried)
	p.Assessment.Carried = &posture.Carried{Reason: "the log could not be read"}
	made, err = b.runner.Replay(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, "the log could not be read", made.Assessment.Carried.Reason)
}

// TestReplayIsTheSame: judged again, a run comes to what it came to then, and nothing is asked or stored.
func TestReplayIsTheSame(t *testing.T) {
	t.Parallel()
	b, p, read := kept(t)
	before := b.cloud.Requests().Total
	made, err := b.runner.Replay(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, before, b.cloud.Requests().Total)
	now, err := b.store.Sections(t.Context(), p.Assessment.JobID)
	require.NoError(t, err)
	require.Equal(t, read, now)
	was, err := p.Findings()
	require.NoError(t, err)
	require.Equal(t, sightings(was), sightings(made.Assessment.Findings))
	require.Equal(t, p.Assessment.SnapshotDigest, made.Assessment.SnapshotDigest)
	require.Equal(t, p.Assessment.Score, made.Assessment.Score)

	snap, err := b.runner.Snapshot(t.Context(), p)
	require.NoError(t, err)
	state, err := b.runner.Judge(p, snap)
	require.NoError(t, err)
	require.NotNil(t, state)
}

// TestReplayKeepsHistory: what a finding was before stays with it while its result is the same.
func TestReplayKeepsHistory(t *testing.T) {
	t.Parallel()
	b, p, _ := kept(t)
	was, err := p.Findings()
	require.NoError(t, err)
	fresh, err := b.runner.Replay(t.Context(), p)
	require.NoError(t, err)
	require.NotEmpty(t, fresh.Paths)
	onPath := fresh.Paths[0].FindingIDs[0]
	at := slices.IndexFunc(was, func(f posture.Finding) bool { return f.ID == onPath })
	was[0], was[at] = was[at], was[0]
	long := b.clock.Now().Add(-90 * 24 * time.Hour)
	accepted := new("an exception")
	same, other := &was[0], &was[1]
	same.FirstSeen, same.Exception, same.ExceptionNote = long, accepted, "until spring"
	other.FirstSeen, other.Exception, other.Result = long, accepted, posture.NotApplicable
	made, err := b.runner.Replay(t.Context(), p)
	require.NoError(t, err)
	found := 0
	for _, f := range made.Assessment.Findings {
		switch f.ID {
		case same.ID:
			require.Equal(t, long, f.FirstSeen)
			require.Equal(t, "until spring", f.ExceptionNote)
			require.Same(t, accepted, f.Exception)
			found++
		case other.ID:
			require.NotEqual(t, long, f.FirstSeen, "another result is another sighting")
			require.Nil(t, f.Exception)
			found++
		}
	}
	require.Equal(t, 2, found)
	require.Equal(t, []string{onPath}, made.Paths[0].AcceptedFindingIDs)

	broken := errors.New("the store is away")
	p.Findings = func() ([]posture.Finding, error) { return nil, broken }
	_, err = b.runner.Replay(t.Context(), p)
	require.ErrorIs(t, err, broken)
}

// TestReplayOfWhatIsGone: a run whose reads are no longer kept, thresholds nobody can use and checks that
// are unknown are said, and not judged.
func TestReplayOfWhatIsGone(t *testing.T) {
	t.Parallel()
	b, p, _ := kept(t)
	gone := p
	gone.Assessment.JobID = newID()
	_, err := b.runner.Replay(t.Context(), gone)
	require.Equal(t, posture.CodeConflict, problemOf(t, err).Code)
	_, err = b.runner.Snapshot(t.Context(), gone)
	require.Equal(t, posture.CodeConflict, problemOf(t, err).Code)

	snap, err := b.runner.Snapshot(t.Context(), p)
	require.NoError(t, err)
	wrong := p
	wrong.Policy = json.RawMessage(`{"noSuchThreshold":1}`)
	_, err = b.runner.Replay(t.Context(), wrong)
	require.Contains(t, problemOf(t, err).Detail, "thresholds of the account cannot be used")
	_, err = b.runner.Judge(wrong, snap)
	require.Contains(t, problemOf(t, err).Detail, "thresholds of the account cannot be used")

	unknown := p
	unknown.Request.Checks = []string{"CFL-NONE-001"}
	_, err = b.runner.Replay(t.Context(), unknown)
	require.Equal(t, posture.CodeInvalid, problemOf(t, err).Code)
	_, err = b.runner.Judge(unknown, snap)
	require.Equal(t, posture.CodeInvalid, problemOf(t, err).Code)
}

// under puts sections under a job that is being worked on, and gives its run.
func under(b *bench, sections []snapshot.Section) assess.Run {
	b.t.Helper()
	ctx := b.t.Context()
	row, err := b.store.Claim(ctx, enqueued(b.t, b.store, b.clock.Now()), "test", b.clock.Now(), time.Hour)
	require.NoError(b.t, err)
	require.NoError(b.t, b.store.PutSections(ctx, row.ID, row.Attempt, sections))
	return assess.Run{Job: row, Account: posture.AccountRef{ID: b.cloud.Accounts()[0]}, Token: secret.New(b.cloud.Tokens()[0].Secret)}
}

// TestSoFar: what a run has read so far is judged as the whole run judges it, and what it has not read is
// no issue.
func TestSoFar(t *testing.T) {
	t.Parallel()
	b, p, read := kept(t)
	before := b.cloud.Requests().Total
	all, err := b.runner.SoFar(t.Context(), under(b, read))
	require.NoError(t, err)
	require.Equal(t, []int{4, 4}, []int{all.Judged, all.Zones})
	wrong := map[string]bool{}
	was, err := p.Findings()
	require.NoError(t, err)
	for _, f := range was {
		if f.Result == posture.Fail || f.Result == posture.Warning {
			wrong[f.CheckID] = true
		}
	}
	require.Len(t, all.Issues, len(wrong))

	var list snapshot.Section
	zones := map[string][]snapshot.Section{}
	for _, s := range read {
		if s.Source == snapshot.ZoneList.Source() {
			list = s
		}
	}
	for _, z := range p.Assessment.Zones {
		for _, s := range read {
			if s.Scope == z.ID {
				zones[z.ID] = append(zones[z.ID], s)
			}
		}
	}
	one := p.Assessment.Zones[1].ID
	failed := zones[p.Assessment.Zones[2].ID][0]
	failed.Status, failed.Value, failed.Reason = snapshot.Failed, nil, "no answer"
	some, err := b.runner.SoFar(t.Context(), under(b, append(append([]snapshot.Section{list}, zones[one]...), failed)))
	require.NoError(t, err)
	require.Equal(t, []int{1, 4}, []int{some.Judged, some.Zones}, "a zone of which a read failed is not looked at yet")
	require.NotEmpty(t, some.Issues)
	require.Less(t, len(some.Issues), len(all.Issues))
	for _, i := range some.Issues {
		// What verifies the token was not read, of which the contract makes a warning.
		require.True(t, wrong[i.CheckID] || i.CheckID == "CFL-TOK-001", i.CheckID)
	}

	listed, err := b.runner.SoFar(t.Context(), under(b, []snapshot.Section{list}))
	require.NoError(t, err)
	require.Equal(t, []int{0, 4, 0}, []int{listed.Judged, listed.Zones, len(listed.Issues)})
	nothing, err := b.runner.SoFar(t.Context(), under(b, nil))
	require.NoError(t, err)
	require.Equal(t, []int{0, 0}, []int{nothing.Judged, nothing.Zones})
	require.NotNil(t, nothing.Issues, "a list in JSON")
	require.Equal(t, before, b.cloud.Requests().Total)

	run := under(b, read)
	for name, change := range map[string]func(*assess.Run){
		"the account is not known yet": func(r *assess.Run) { r.Account.ID = "" },
		"it has not begun":             func(r *assess.Run) { r.Job.StartedAt = nil },
	} {
		early := run
		change(&early)
		got, err := b.runner.SoFar(t.Context(), early)
		require.NoError(t, err, name)
		require.Zero(t, got.Judged, name)
	}
	run.Policy = json.RawMessage(`{"noSuchThreshold":1}`)
	_, err = b.runner.SoFar(t.Context(), run)
	require.Equal(t, posture.CodeInvalid, problemOf(t, err).Code)
	run.Policy, run.Request.Zones = nil, []string{"nowhere.example"}
	_, err = b.runner.SoFar(t.Context(), run)
	require.Equal(t, posture.CodeInvalid, problemOf(t, err).Code)
}
