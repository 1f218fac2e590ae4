package checks

import (
	"testing"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
)

func TestTokenProposals(t *testing.T) {
	const one = "/accounts/acc/tokens/r1"
	token := func(last string) string {
		return `{"id":"r1","name":"job","status":"active","issued_on":"2020-01-01T00:00:00Z","last_used_on":` + last + `,"policies":[{"id":"p"}]}`
	}
	checktest.Proposals(t, All(), "CFL-TOK-003", []checktest.Proposal{
		{Name: "unused", TokenID: "other", Live: map[string]string{one: token("null")}, Edits: 1},
		{Name: "the token of the run", TokenID: "r1", Refuses: "made with"},
		{Name: "the token of the run is not known", Refuses: "not known"},
		{Name: "a token of a person", TokenID: "other", Live: map[string]string{one: ""}, Refuses: "person"},
		{Name: "used meanwhile", TokenID: "other", Live: map[string]string{one: token(`"` + goodtest.InDays(-1).Format(time.RFC3339) + `"`)}},
		{Name: "without its policies", TokenID: "other",
			Live: map[string]string{one: `{"id":"r1","status":"active","issued_on":"2020-01-01T00:00:00Z"}`}, Refuses: "whole token"},
		{Name: "never dated", TokenID: "other", Live: map[string]string{one: `{"id":"r1","status":"active"}`}, Refuses: "neither when"},
	})
}
