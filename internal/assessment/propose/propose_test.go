package propose_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestReplaceShowsWhatGoesAway: a member that is taken out is seen to be there
// before and gone after, in every depth.
func TestReplaceShowsWhatGoesAway(t *testing.T) {
	t.Parallel()
	read := func(text string) map[string]any {
		v, err := change.Decode(json.RawMessage(text))
		require.NoError(t, err)
		object, isObject := v.(map[string]any)
		require.True(t, isObject)
		return object
	}
	for _, tc := range []struct{ name, live, written, before, after string }{
		{"taken out", `{"p": {"id": 1, "o": {"action": "log", "x": 2}}}`, `{"p": {"id": 1, "o": {"x": 2}}}`, `{"p":{"o":{"action":"log"}}}`,
			`{"p":{"o":{"action":null}}}`},
		{"with all below it", `{"p": {"id": 1, "o": {"action": "log"}}}`, `{"p": {"id": 1}}`, `{"p":{"o":{"action":"log"}}}`, `{"p":{"o":null}}`},
		{"added", `{"p": {"id": 1}}`, `{"p": {"id": 1, "key": {"armor": true}}}`, `{"p":{"key":null}}`, `{"p":{"key":{"armor":true}}}`},
		{"a list is one value", `{"p": {"l": [{"a": 1}]}}`, `{"p": {"l": [{"a": 2}]}}`, `{"p":{"l":[{"a":1}]}}`, `{"p":{"l":[{"a":2}]}}`},
		{"changed", `{"p": false}`, `{"p": true}`, `{"p":false}`, `{"p":true}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			live, written := read(tc.live), read(tc.written)
			e := propose.Replace("PUT", change.Place{Path: "/x"}, "/x", live, written, live, "p")
			require.Equal(t, tc.before, string(e.Before))
			require.Equal(t, tc.after, string(e.After))
			require.True(t, e.Untouched(live))
			require.False(t, e.Landed(live), "what is there is not taken for the change")
			require.True(t, e.Landed(written))
			require.False(t, e.Untouched(written))
		})
	}
}

// TestFirstRuleIsTakenBackAlone: the first rule of a phase makes its entry point, and
// taking it back leaves what others added there since.
func TestFirstRuleIsTakenBackAlone(t *testing.T) {
	t.Parallel()
	c := &propose.Case{Finding: posture.Finding{CheckID: "CFL-WAF-003", Resource: posture.Resource{ZoneID: goodtest.Zone}},
		Facts: propose.NewFacts()}
	edits, err := c.AppendMarked("http_ratelimit", nil, map[string]any{"action": "block"})
	require.NoError(t, err)
	require.Len(t, edits, 1)
	e := edits[0]
	require.Equal(t, "POST /zones/"+goodtest.Zone+"/rulesets", e.Do.Method+" "+e.Do.Path, "a PUT would replace what others made meanwhile")
	require.JSONEq(t, `{"name":"default","kind":"zone","phase":"http_ratelimit","rules":[{"action":"block","ref":"`+c.Mark()+`"}]}`,
		string(e.Do.Body))
	after := map[string]any{"id": "made", "rules": []any{map[string]any{"id": "theirs", "ref": "t"},
		map[string]any{"id": "ours", "ref": c.Mark(), "action": "block"}}}
	require.True(t, e.Landed(e.Place.Find(after)))
	undo, _ := e.Undo.Filled(e.Place.Find(after), after)
	require.Equal(t, "DELETE /zones/"+goodtest.Zone+"/rulesets/made/rules/ours", undo.Method+" "+undo.Path)
	require.True(t, e.Restored(change.Encode(nil))(e.Place.Find(map[string]any{"id": "made",
		"rules": []any{map[string]any{"id": "theirs", "ref": "t"}}})))
}

// TestOwnAddresses: an address counts when it lies in a zone of the account or in a
// declared mail domain.
func TestOwnAddresses(t *testing.T) {
	t.Parallel()
	c := &propose.Case{Account: posture.AccountRef{ID: "a"}, Finding: posture.Finding{CheckID: "CFL-SSL-020",
		Resource: posture.Resource{Zone: goodtest.Domain}}, Facts: propose.NewFacts()}
	require.True(t, propose.Waits(c.OwnAddress("emails", "a@other.example")), "the zones are read first")
	require.Equal(t, []propose.Want{{Path: "/zones?account.id=a"}}, c.Unread())
	c.Facts.Learn(propose.Want{Path: "/zones?account.id=a"}, []any{map[string]any{"name": "other.example"}}, nil)
	c.Policy.OwnMailDomains = []string{"corp.test"}
	for address, own := range map[string]bool{"a@shop.example": true, "a@mail.shop.example": true, "a@other.example": true,
		"a@corp.test":   true,
		"a@stranger.io": false, "a@notshop.example": false, "shop.example": false, "A <a@shop.example>": false,
		"a@shop.example, b@stranger.io": false, "": false} {
		require.Equal(t, own, c.OwnAddress("emails", address) == nil, address)
	}
}
