package gate

import (
	"context"
	"errors"

	"github.com/golang-jwt/jwt/v5"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Reason says in the audit log why a caller was refused. It comes from a closed list of words and
// contains no part of the token.
type Reason string

// The reasons.
const (
	ReasonDisabled       Reason = "disabled"         // remediation is disabled
	ReasonNoToken        Reason = "no_token"         // no token was sent
	ReasonTooLong        Reason = "too_long"         // longer than MaxToken
	ReasonSecretWrong    Reason = "secret_wrong"     // neither a JWT nor the secret, or no secret is set
	ReasonNoKeys         Reason = "no_keys"          // looks like a JWT, but no key is configured
	ReasonMalformed      Reason = "malformed"        // not a compact JWT, or ambiguous JSON
	ReasonHeader         Reason = "header_refused"   // a forbidden header parameter, or one of a wrong type
	ReasonAlgorithm      Reason = "algorithm"        // not an algorithm of the configured keys
	ReasonKeyUnknown     Reason = "key_unknown"      // no key for its kid and algorithm
	ReasonKeysUnreadable Reason = "keys_unreadable"  // the JWK set could not be read and none is cached
	ReasonInterrupted    Reason = "interrupted"      // the caller went away
	ReasonSignature      Reason = "signature"        // the signature does not verify
	ReasonClaim          Reason = "claim_malformed"  // a claim of a wrong type or out of range
	ReasonNoExpiry       Reason = "no_expiry"        // exp is missing
	ReasonExpired        Reason = "expired"          // exp has passed
	ReasonTooEarly       Reason = "not_yet_valid"    // nbf is in the future
	ReasonFuture         Reason = "issued_in_future" // iat is further ahead than Leeway
	ReasonLifetime       Reason = "lifetime"         // valid for longer than allowed
	ReasonIssuer         Reason = "issuer"           // iss is not the required one
	ReasonAudience       Reason = "audience"         // aud does not name this service
	ReasonNotEdit        Reason = "not_edit"         // no claim grants the edit scope
)

// Reasons returns every reason.
func Reasons() []Reason {
	return []Reason{
		ReasonDisabled, ReasonNoToken, ReasonTooLong, ReasonSecretWrong, ReasonNoKeys, ReasonMalformed, ReasonHeader, ReasonAlgorithm,
		ReasonKeyUnknown,
		ReasonKeysUnreadable, ReasonInterrupted, ReasonSignature, ReasonClaim, ReasonNoExpiry, ReasonExpired, ReasonTooEarly, ReasonFuture,
		ReasonLifetime, ReasonIssuer, ReasonAudience, ReasonNotEdit,
	}
}

// Guess reports whether the refusal is about a token that was examined and is wrong, as when
// somebody tries one after the other.
func (r Reason) Guess() bool {
	switch r {
	case ReasonDisabled, ReasonNoToken, ReasonKeysUnreadable, ReasonInterrupted:
		return false
	default:
		return true
	}
}

// Refusal is the error of Admit. Show its sentence; log its reason and its cause.
type Refusal struct {
	Reason Reason
	// Cause is why the JWK set could not be read, when that may be why a key is missing, and
	// otherwise nil. It was made without the token, and is only for the log.
	Cause   error
	problem *posture.Problem
}

// Error returns the sentence for the caller, which does not reveal the reason.
func (r *Refusal) Error() string { return r.problem.Detail }

// Unwrap returns the *posture.Problem to answer with.
func (r *Refusal) Unwrap() error { return r.problem }

func refuse(reason Reason) *Refusal {
	if reason == ReasonDisabled {
		return &Refusal{Reason: reason, problem: posture.Problemf(posture.CodeRemediationDisabled,
			"The change was not made, because changes are switched off here; set SERVICE_ALLOW_REMEDIATION to true to allow them.")}
	}
	return &Refusal{Reason: reason, problem: posture.Problemf(posture.CodeEditScopeDenied,
		"The change was not made, because the token was not accepted; send the edit secret, or a JWT from the issuer this service trusts that "+
			"has not expired and has the edit scope.")}
}

// because is an error inside the package that carries only a reason.
type because Reason

// Error returns the reason.
func (b because) Error() string { return string(b) }

// refuseFor returns the refusal for an error, with the cause of a failed key fetch.
func (g *Gate) refuseFor(err error) *Refusal {
	r := refuse(reasonOf(err))
	if g.ring != nil && (r.Reason == ReasonKeyUnknown || r.Reason == ReasonKeysUnreadable) {
		r.Cause = g.ring.trouble()
	}
	return r
}

// reasonOf finds the reason in an error of ours or of the JWT library. The order matters: the
// library joins several errors about claims, and an unreadable claim comes before what follows from
// it.
func reasonOf(err error) Reason {
	if own, ok := errors.AsType[because](err); ok {
		return Reason(own)
	}
	for _, known := range []struct {
		is     error
		reason Reason
	}{
		{context.Canceled, ReasonInterrupted}, {context.DeadlineExceeded, ReasonInterrupted},
		{jwt.ErrTokenMalformed, ReasonMalformed}, {jwt.ErrTokenSignatureInvalid, ReasonSignature},
		{jwt.ErrTokenRequiredClaimMissing, ReasonNoExpiry}, {jwt.ErrTokenExpired, ReasonExpired},
		{jwt.ErrTokenNotValidYet, ReasonTooEarly}, {jwt.ErrTokenInvalidIssuer, ReasonIssuer},
	} {
		if errors.Is(err, known.is) {
			return known.reason
		}
	}
	return ReasonMalformed
}
