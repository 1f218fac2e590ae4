package checktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Attempt is one finding to be fixed, what the provider holds about it, and the expected result.
// The resource is the good zone unless stated otherwise.
type Attempt struct {
	Name, CheckID string
	Plan          string         // of the zone; enterprise unless given
	Result        posture.Result // of the finding; FAIL unless given
	ID            string         // of the resource
	Account       bool           // the resource is in no zone
	Evidence      []posture.Evidence
	Inputs        map[string]string
	Policy        func(*policy.Policy)
	// Live holds the responses as JSON by path below the API; {zone} and {account} stand for the
	// good ones. null is "not found".
	Live map[string]string

	// One of these is expected: part of the reason of a refusal, the input that is missing, or the
	// requests, each as "METHOD path body". If all are empty, the live values are already right.
	Refused, Chooses string
	Sends            []string
}

// Now is the time at which attempts run.
func Now() time.Time { return time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC) }

// place replaces the placeholders with the ids of the good zone and account.
func place() *strings.Replacer {
	return strings.NewReplacer("{zone}", goodtest.Zone, "{account}", goodtest.Account)
}

// Propose asks the remedies for edits. An edit must tell its own before and after apart in the live
// values, and a failed read must be returned unchanged.
func Propose(t *testing.T, checks []check.Check, attempts []Attempt) {
	t.Helper()
	for _, a := range attempts {
		t.Run(a.CheckID+"/"+a.Name, func(t *testing.T) {
			c := byID(t, checks, a.CheckID)
			facts := a.facts(t, "", nil)
			edits, err := a.propose(t, c, facts)
			a.judge(t, edits, err)
			for _, e := range edits {
				a.distinct(t, e, facts)
			}
			for path := range a.Live {
				broken := fmt.Errorf("no answer to %s", path)
				got, failed := a.propose(t, c, a.facts(t, path, broken))
				if failed == nil || !errors.Is(failed, broken) { // the read was not needed
					require.Equal(t, fmt.Sprint(err), fmt.Sprint(failed), path)
					require.Len(t, got, len(edits), path)
					continue
				}
				require.Empty(t, got, path)
			}
		})
	}
}

func (a Attempt) facts(t *testing.T, broken string, failure error) *propose.Facts {
	facts := propose.NewFacts()
	for path, text := range a.Live {
		value, err := change.Decode(json.RawMessage(place().Replace(text)))
		require.NoError(t, err, path)
		if path == broken {
			err = failure
		}
		facts.Learn(propose.Want{Path: place().Replace(path)}, value, err)
	}
	return facts
}

func (a Attempt) propose(t *testing.T, c check.Check, facts *propose.Facts) ([]change.Edit, error) {
	t.Helper()
	f := posture.Finding{CheckID: c.ID, Result: posture.Fail, Resource: posture.Resource{ID: goodtest.Zone, Name: goodtest.Domain,
		ZoneID: goodtest.Zone, Zone: goodtest.Domain}}
	f.Evidence = a.Evidence
	if a.Result != "" {
		f.Result = a.Result
	}
	if a.ID != "" {
		f.Resource.ID = a.ID
	}
	if a.Account {
		f.Resource.ZoneID, f.Resource.Zone = "", ""
	}
	subject := &propose.Case{Account: posture.AccountRef{ID: goodtest.Account}, Finding: f, ZonePlan: "enterprise", Now: Now(),
		Inputs: map[string]json.RawMessage{}, Policy: policy.Default(), Facts: facts}
	if a.Plan != "" {
		subject.ZonePlan = a.Plan
	}
	if a.Policy != nil {
		a.Policy(&subject.Policy)
	}
	for name, value := range a.Inputs {
		subject.Inputs[name] = json.RawMessage(value)
	}
	require.NotNil(t, c.Remedy)
	require.NotNil(t, c.Remedy.Propose)
	edits, err := c.Remedy.Propose(subject)
	require.Empty(t, subject.Unread(), "asks for what the attempt does not say")
	return edits, err
}

func (a Attempt) judge(t *testing.T, edits []change.Edit, err error) {
	t.Helper()
	var refused *propose.RefusedError
	var choice *propose.ChoiceError
	switch {
	case a.Refused != "":
		require.ErrorAs(t, err, &refused)
		require.Contains(t, refused.Reason, a.Refused)
		require.Regexp(t, `^[A-Z].*\.$`, refused.Reason, "one sentence")
		require.Empty(t, edits)
	case a.Chooses != "":
		require.ErrorAs(t, err, &choice)
		require.Equal(t, a.Chooses, choice.Input)
		require.Empty(t, edits)
	default:
		require.NoError(t, err)
		var sent []string
		for _, e := range edits {
			sent = append(sent, strings.TrimSpace(e.Do.Method+" "+e.Do.Path+" "+string(e.Do.Body)))
		}
		var want []string
		for _, s := range a.Sends {
			want = append(want, place().Replace(s))
		}
		require.Equal(t, want, sent)
	}
}

// distinct asserts that an edit recognises the object it found and would notice if it had not been
// applied.
func (a Attempt) distinct(t *testing.T, e change.Edit, facts *propose.Facts) {
	t.Helper()
	c := propose.Case{Facts: facts}
	result, err := c.ReadWith(e.Place.Path, e.Place.Header)
	require.NoError(t, err, "what is changed was read")
	live := e.Place.Find(result)
	require.True(t, e.Untouched(live), "before: %s", e.Before)
	require.False(t, e.Landed(live), "after: %s", e.After)
}

func byID(t *testing.T, checks []check.Check, id string) check.Check {
	t.Helper()
	i := slices.IndexFunc(checks, func(c check.Check) bool { return c.ID == id })
	require.GreaterOrEqual(t, i, 0, "no such check: %s", id)
	return checks[i]
}
