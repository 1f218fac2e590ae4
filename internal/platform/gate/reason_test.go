package gate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// Every reason of the list is given for what it names, and no caller can tell one
// from another but for the switch.
func TestEveryReasonIsGiven(t *testing.T) {
	full, s := fullGate(t), signersOnce()
	hs := func(payload string) string { return sign(t, "HS256", head("HS256", ""), payload, []byte(hmacKey)) }
	now := noon().Unix()
	in := func(more string) string {
		return hs(fmt.Sprintf(`{"iss":%q,"permission":"edit"%s}`, issuer, more))
	}
	later := fmt.Sprintf(`,"exp":%d`, now+60)
	off := fullGate(t)
	off.allowed = false
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	waiting := make(chan struct{})
	defer close(waiting)
	slow := mustGate(t, Options{Keys: fetcherFunc(func(context.Context) ([]byte, error) { <-waiting; return nil, errors.New("late") })})
	given, sentences := map[Reason]bool{}, map[string]bool{}
	for _, c := range []struct {
		want  Reason
		gate  *Gate
		ctx   context.Context
		token string
	}{
		{ReasonDisabled, off, t.Context(), hs(edit())},
		{ReasonNoToken, full, t.Context(), ""},
		{ReasonTooLong, full, t.Context(), strings.Repeat("a.", MaxToken)},
		{ReasonSecretWrong, full, t.Context(), opaque + "x"},
		{ReasonNoKeys, mustGate(t, Options{Secret: secret.New(opaque)}), t.Context(), hs(edit())},
		{ReasonMalformed, full, t.Context(), "a.b.c"},
		{ReasonMalformed, full, t.Context(), hs(payload(`,"permission":"read","permission":"edit"`))},
		{ReasonHeader, full, t.Context(), sign(t, "HS256", head("HS256", `,"crit":["exp"]`), edit(), []byte(hmacKey))},
		{ReasonAlgorithm, full, t.Context(), encode(head("none", "")) + "." + encode(edit()) + "." + encode("x")},
		{ReasonKeyUnknown, full, t.Context(), sign(t, "RS256", head("RS256", kid("other")), edit(), s.rsa)},
		{ReasonKeysUnreadable, mustGate(t, Options{Keys: &publisher{err: errors.New("down")}}), t.Context(),
			sign(t, "RS256", head("RS256", kid("r1")), edit(), s.rsa)},
		{ReasonInterrupted, slow, gone, sign(t, "RS256", head("RS256", kid("r1")), edit(), s.rsa)},
		{ReasonSignature, full, t.Context(), sign(t, "RS256", head("RS256", kid("r1")), edit(), s.attacker)},
		{ReasonClaim, full, t.Context(), in(later + `,"nbf":"0"`)},
		{ReasonNoExpiry, full, t.Context(), in("")},
		{ReasonExpired, full, t.Context(), in(fmt.Sprintf(`,"exp":%d`, now))},
		{ReasonTooEarly, full, t.Context(), in(later + fmt.Sprintf(`,"nbf":%d`, now+1))},
		{ReasonFuture, full, t.Context(), in(later + fmt.Sprintf(`,"iat":%d`, now+31))},
		{ReasonLifetime, full, t.Context(), in(fmt.Sprintf(`,"exp":%d`, now+3631))},
		{ReasonIssuer, full, t.Context(), hs(`{"permission":"edit"` + later + `}`)},
		{ReasonIssuer, full, t.Context(), hs(`{"permission":"edit","iss":"other"` + later + `}`)},
		{ReasonAudience, full, t.Context(), in(later + `,"aud":"other"`)},
		{ReasonNotEdit, full, t.Context(), payloadOnly(t, `,"scope":"credit"`)},
	} {
		grant, err := c.gate.Admit(c.ctx, secret.New(c.token))
		var r *Refusal
		require.ErrorAs(t, err, &r, c.want)
		require.Equal(t, c.want, r.Reason)
		require.Error(t, grant.Valid())
		given[r.Reason] = true
		if c.want != ReasonDisabled {
			require.Equal(t, posture.CodeEditScopeDenied, posture.AsProblem(err).Code)
			sentences[err.Error()] = true
		}
	}
	require.Len(t, sentences, 1)
	for _, r := range Reasons() {
		require.True(t, given[r], "%s is in the list and was not given", r)
	}
}

func payloadOnly(t testing.TB, more string) string {
	t.Helper()
	return sign(t, "HS256", head("HS256", ""), payload(more), []byte(hmacKey))
}
