package gate

import (
	"context"
	"errors"

	"github.com/golang-jwt/jwt/v5"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Reason says in the audit log why a caller was refused. It is one of a closed
// list of words and holds nothing of the token.
type Reason string

// The reasons.
const (
	ReasonDisabled       Reason = "disabled"         // remediation is switched off
	ReasonNoToken        Reason = "no_token"         // no token was sent
	ReasonTooLong        Reason = "too_long"         // it is longer than MaxToken
	ReasonSecretWrong    Reason = "secret_wrong"     // it is no JWT and not the secret, or there is no secret
	ReasonNoKeys         Reason = "no_keys"          // it looks like a JWT and no key is configured
	ReasonMalformed      Reason = "malformed"        // it is no JWT in compact form, or its JSON is not plain
	ReasonHeader         Reason = "header_refused"   // a header parameter that must not be there, or of a wrong type
	ReasonAlgorithm      Reason = "algorithm"        // not an algorithm of the configured keys
	ReasonKeyUnknown     Reason = "key_unknown"      // no key of ours has its kid and is for its algorithm
	ReasonKeysUnreadable Reason = "keys_unreadable"  // the JWK set could not be read and none is kept
	ReasonInterrupted    Reason = "interrupted"      // the caller went away
	ReasonSignature      Reason = "signature"        // the signature does not verify
	ReasonClaim          Reason = "claim_malformed"  // a claim of a wrong type or out of range
	ReasonNoExpiry       Reason = "no_expiry"        // exp is missing
	ReasonExpired        Reason = "expired"          // exp has passed
	ReasonTooEarly       Reason = "not_yet_valid"    // nbf has not come
	ReasonFuture         Reason = "issued_in_future" // iat is further ahead than Leeway
	ReasonLifetime       Reason = "lifetime"         // good for longer than a token may be
	ReasonIssuer         Reason = "issuer"           // iss is not the required one
	ReasonAudience       Reason = "audience"         // aud does not name this service
	ReasonNotEdit        Reason = "not_edit"         // no claim gives the edit scope
)

// Reasons lists every reason there is.
func Reasons() []Reason {
	return []Reason{
		ReasonDisabled, ReasonNoToken, ReasonTooLong, ReasonSecretWrong, ReasonNoKeys, ReasonMalformed, ReasonHeader, ReasonAlgorithm,
		ReasonKeyUnknown,
		ReasonKeysUnreadable, ReasonInterrupted, ReasonSignature, ReasonClaim, ReasonNoExpiry, ReasonExpired, ReasonTooEarly, ReasonFuture,
		ReasonLifetime, ReasonIssuer, ReasonAudience, ReasonNotEdit,
	}
}

// Guess reports whether the refusal is one of a token that was looked at and is wrong, as
// that of somebody who tries one after the other.
func (r Reason) Guess() bool {
	switch r {
	case ReasonDisabled, ReasonNoToken, ReasonKeysUnreadable, ReasonInterrupted:
		return false
	default:
		return true
	}
}

// Refusal is the error of Admit. Show its sentence, log its reason and its cause.
type Refusal struct {
	Reason Reason
	// Cause is why the JWK set could not be read, when that may be why a key is
	// missing, else nil. It was made without the token and is for the log alone.
	Cause   error
	problem *posture.Problem
}

// Error gives the sentence for the caller, which tells nothing of the reason.
func (r *Refusal) Error() string { return r.problem.Detail }

// Unwrap gives the *posture.Problem to answer with.
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

// because is an error inside the package: a reason and nothing else.
type because Reason

// Error gives the word.
func (b because) Error() string { return string(b) }

// refuseFor makes the refusal of an error, with why keys may be missing.
func (g *Gate) refuseFor(err error) *Refusal {
	r := refuse(reasonOf(err))
	if g.ring != nil && (r.Reason == ReasonKeyUnknown || r.Reason == ReasonKeysUnreadable) {
		r.Cause = g.ring.trouble()
	}
	return r
}

// reasonOf finds the reason in an error of ours or of the JWT library. The order
// matters: the library joins several complaints about claims, and a claim that
// could not be read comes before what follows from it.
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
