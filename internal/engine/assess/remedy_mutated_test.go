package assess

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	admission "github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

// TestSweepRemediesOfMutatedAccounts takes the remedies of accounts that random edits changed, with members that no reduction keeps,
// through plan, apply and rollback, while one write of each goes wrong or ends the process. A plan of a new run never says that a
// value is right already, a bundle says what is in force, and in the end the provider is byte for byte as it was.
func TestSweepRemediesOfMutatedAccounts(t *testing.T) {
	t.Parallel()
	accounts, most := 10, 1000
	if testing.Short() {
		accounts, most = 1, 12
	}
	for seed := range accounts {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := &mutated{editor: newEditor(t, uint64(seed)+1000, rand.NewPCG(uint64(seed), 77))}
			m.snap, _ = m.w.assess()
			for range 30 {
				if c := pick(m.editor, m.draw, m.noise)(); c.Path != "" {
					m.w.tries(c)
				}
			}
			m.before = m.w.state()
			var findings []posture.Finding
			m.snap, findings = m.w.assess()
			inputs, tried := inputsOf(m.w), map[string]int{}
			for _, f := range findings {
				c, _ := byID(f.CheckID)
				if c.Remedy == nil || c.Remedy.Propose == nil || !c.Remedy.Reversible || len(tried) == most {
					continue
				}
				if tried[f.CheckID]++; tried[f.CheckID] < 4 {
					m.takes(f, m.w.request(m.snap, []posture.Finding{f}, inputs, f.CheckID))
				}
			}
			require.Greater(t, len(tried), 10)
		})
	}
}

// mutated is an account that somebody changed at random.
type mutated struct {
	*editor
	before string
}

// tries sends a call that the provider may refuse.
func (w *workshop) tries(c change.Call) {
	grant, err := w.engine.Admit(w.t.Context())
	require.NoError(w.t, err)
	_, _ = w.engine.Provider.Write(w.t.Context(), grant, c)
}

// noise draws an edit that adds to a rule or an application what nobody knows, or a wide entry that another scope may have, too.
func (m *mutated) noise() change.Call {
	zone := pick(m.editor, m.snap.Zones...)
	z, a := "/zones/"+zone.ID, "/accounts/"+m.account
	switch m.r.IntN(3) {
	case 0:
		c := m.oldRule(pick(m.editor, z, a))
		rule, _ := change.Decode(c.Body)
		if o, is := rule.(fields); is {
			o["x_future"] = fields{"a": []any{1, nil}}
			if p, is := o["action_parameters"].(fields); is {
				p["x_future"] = true
			}
			c.Body = change.Encode(o)
		}
		return c
	case 1:
		app := pick(m.editor, m.objects(a+"/access/apps?per_page=100")...)
		if app == nil {
			return change.Call{}
		}
		app["x_future"], app["http_only_cookie_attribute"] = fields{"a": 1}, false
		return call(http.MethodPut, a+"/access/apps/"+fmt.Sprint(app["id"]), app)
	default:
		return call(http.MethodPost, pick(m.editor, a, z)+"/firewall/access_rules/rules", fields{"mode": "whitelist", "notes": "",
			"configuration": fields{"target": "ip_range", "value": pick(m.editor, "203.0.112.0/20", "198.51.0.0/16")}})
	}
}

// takes one finding through plan, apply and rollback.
func (m *mutated) takes(f posture.Finding, r remedy.Request) {
	w, t := m.w, m.w.t
	kept, err := w.engine.Plan(t.Context(), r)
	require.NoError(t, err)
	for _, s := range kept.Plan.Skipped {
		require.False(t, s.Compliant && f.Result != posture.Pass, "%s says %q, and its plan that it is right", f.CheckID, f.Message)
	}
	if len(kept.Steps) == 0 {
		return
	}
	inner := w.engine.Provider
	b, name := change.Bundle{ID: "b", Account: r.Account, Entries: remedy.Entries(kept.Steps, true)}, f.CheckID+" "+f.Resource.Name
	for _, do := range []func() (change.Bundle, error){
		func() (change.Bundle, error) { return w.engine.Apply(t.Context(), r, b) },
		func() (change.Bundle, error) { return w.engine.Rollback(t.Context(), b, false) },
	} {
		wrong := &wrongOnce{Provider: inner, at: 1 + m.r.IntN(len(kept.Steps)), how: m.r.IntN(7)}
		name += fmt.Sprintf(", write %d goes wrong by %d", wrong.at, wrong.how)
		w.engine.Provider = wrong
		b, err = w.survives(do, b)
		w.engine.Provider = inner
		require.True(t, err == nil || b.Spent() != nil, "%s: %v", name, err)
		w.truthful(name, b)
	}
	for range 2 { // what nobody saw may be seen now
		if b.Spent() == nil {
			b, err = w.engine.Rollback(t.Context(), b, false)
			require.NoError(t, err, name)
		}
	}
	require.True(t, b.State.Undone(), "%s: %s", name, change.Encode(b.Results()))
	require.Equal(t, m.before, w.state(), name)
}

// died is what ends a process in the middle of a write.
type died struct{}

// wrongOnce is a provider whose write number at goes wrong.
type wrongOnce struct {
	remedy.Provider
	at, n, how int
}

func (p *wrongOnce) Write(ctx context.Context, g admission.Grant, c change.Call) (json.RawMessage, error) {
	if p.n++; p.n != p.at {
		return p.Provider.Write(ctx, g, c)
	}
	if p.how%2 == 0 { // it was made, and nobody hears of it
		if _, err := p.Provider.Write(ctx, g, c); err != nil {
			return nil, err
		}
	}
	switch p.how {
	case 0, 1:
		panic(died{})
	case 2, 3:
		return nil, context.DeadlineExceeded
	case 4, 5:
		return nil, &cloudflare.APIError{Status: http.StatusInternalServerError}
	default:
		return nil, &cloudflare.APIError{Status: http.StatusConflict}
	}
}

// survives does something that may end the process: another one then looks at the bundle that is left.
func (w *workshop) survives(do func() (change.Bundle, error), was change.Bundle) (b change.Bundle, err error) {
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case died:
			if b = was; len(w.kept) > 0 {
				b = w.kept[len(w.kept)-1]
			}
			b, err = w.engine.Look(w.t.Context(), b)
		default:
			panic(thrown)
		}
	}()
	return do()
}

// truthful holds what a bundle says of its changes against what the provider has.
func (w *workshop) truthful(name string, b change.Bundle) {
	for _, s := range b.Entries {
		place := s.Edit.Place
		if s.Edit.Again != nil {
			place = *s.Edit.Again
		}
		live, err := w.engine.Provider.Live(w.t.Context(), place.Path, place.Header)
		require.NoError(w.t, err)
		back := s.Edit.Restored(s.Captured)(place.Find(live))
		require.False(w.t, s.Status == change.Applied && back, "%s: said to be applied, and is not: %s", name, change.Encode(b.Results()))
		gone := slices.Contains([]change.Status{change.RolledBack, change.Restored, change.Failed}, s.Status)
		require.False(w.t, gone && len(s.Captured) > 0 && !back, "%s: said to be gone, and is there: %s", name, change.Encode(b.Results()))
	}
}
