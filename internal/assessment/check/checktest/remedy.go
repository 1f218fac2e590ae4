package checktest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Proposal is what one remedy must answer to hand-made live values. The account is "acc", the zone
// "z1" with the name shop.example, the resource "r1"; now is [goodtest.Now].
type Proposal struct {
	Name    string
	Result  posture.Result            // of the finding, FAIL when empty
	Live    map[string]string         // JSON by path; "" is not found. Any other read fails the test
	Inputs  map[string]string         // JSON by name
	Answers map[string]string         // rcode by question, such as "A old.example"
	TokenID string                    // of the run
	Adjust  func(*policy.Policy)      // of the default policy
	Refuses string                    // part of the reason for the refusal; or:
	Asks    string                    // the input it waits for; or:
	Edits   int                       // number of changes it proposes
	Sees    func(edits []change.Edit) // further assertions on the edits
}

// Proposals tests the remedy of a check against proposals, answering its reads, look-ups included,
// one round at a time.
func Proposals(t *testing.T, checks []check.Check, id string, all []Proposal) {
	t.Helper()
	c := byID(t, checks, id)
	for _, p := range all {
		t.Run(c.ID+"/"+p.Name, func(t *testing.T) {
			edits, err := p.run(t, c)
			switch {
			case p.Refuses != "":
				var refused *propose.RefusedError
				require.ErrorAs(t, err, &refused)
				require.Contains(t, refused.Reason, p.Refuses)
				require.Regexp(t, `^[A-Z0-9].*\.$`, refused.Reason, "one sentence")
			case p.Asks != "":
				var choice *propose.ChoiceError
				require.ErrorAs(t, err, &choice)
				require.Equal(t, p.Asks, choice.Input)
			default:
				require.NoError(t, err)
				require.Len(t, edits, p.Edits)
			}
			if p.Sees != nil {
				p.Sees(edits)
			}
		})
	}
}

func (p Proposal) run(t *testing.T, c check.Check) ([]change.Edit, error) {
	t.Helper()
	policy := policy.Default()
	if p.Adjust != nil {
		p.Adjust(&policy)
	}
	one := &propose.Case{Account: posture.AccountRef{ID: "acc", Name: "Acme"}, Now: goodtest.Now(), TokenID: p.TokenID, Policy: policy,
		Facts: propose.NewFacts(), Finding: posture.Finding{CheckID: c.ID, Result: posture.Fail, Resource: posture.Resource{ID: "r1", Name: "r1",
			ZoneID: "z1", Zone: "shop.example"}},
		Inputs: map[string]json.RawMessage{}}
	if p.Result != "" {
		one.Finding.Result = p.Result
	}
	for name, raw := range p.Inputs {
		one.Inputs[name] = json.RawMessage(raw)
	}
	for round := 0; ; round++ {
		edits, err := c.Remedy.Propose(one)
		unread := one.Unread()
		if !propose.Waits(err) {
			return edits, err
		}
		require.NotEmpty(t, unread, "it waits for nothing")
		require.Less(t, round, 12, "it never has what it wants")
		for _, w := range unread {
			p.tell(t, one.Facts, w)
		}
	}
}

// tell answers one read from the proposal.
func (p Proposal) tell(t *testing.T, facts *propose.Facts, w propose.Want) {
	t.Helper()
	if w.Question != nil {
		rcode, known := p.Answers[w.Question.Scope()]
		require.True(t, known, "an unexpected question: %s", w.Question.Scope())
		facts.Heard(w, snapshot.Lookup{Rcode: rcode}, nil)
		return
	}
	path := w.Path
	for _, v := range w.Header {
		path += " " + v
	}
	raw, known := p.Live[path]
	require.True(t, known, "an unexpected read: %s", path)
	value, err := change.Decode(json.RawMessage(raw))
	require.NoError(t, err)
	facts.Learn(w, value, nil)
}
