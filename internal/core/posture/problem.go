package posture

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is the machine-readable word of a problem (RFC 9457 extension member).
type Code string

// The codes of the contract, with the HTTP status of each.
const (
	CodeMalformed           Code = "malformed"            // 400
	CodeInvalid             Code = "invalid_request"      // 422
	CodeUnauthorized        Code = "unauthorized"         // 401
	CodeRemediationDisabled Code = "remediation_disabled" // 403
	CodeEditScopeDenied     Code = "edit_scope_denied"    // 403
	CodeOutboundDenied      Code = "outbound_denied"      // 403
	CodeOriginDenied        Code = "origin_denied"        // 403
	CodeForbidden           Code = "forbidden"            // 403: the caller's role does not include it
	CodeApprovalRequired    Code = "approval_required"    // 403: someone else must approve the plan
	CodeNotFound            Code = "not_found"            // 404
	CodeUnknownFramework    Code = "unknown_framework"    // 404
	CodeNoAssessment        Code = "no_assessment"        // 404
	CodeNotAssessed         Code = "not_assessed"         // 404
	CodeMethodNotAllowed    Code = "method_not_allowed"   // 405
	CodeJobRunning          Code = "job_running"          // 409
	CodeConflict            Code = "conflict"             // 409
	CodeIdempotencyConflict Code = "idempotency_conflict" // 409
	CodePlanStale           Code = "plan_stale"           // 409
	CodeAlreadyRolledBack   Code = "already_rolled_back"  // 409
	CodeLiveValueChanged    Code = "live_value_changed"   // 409
	CodePrecondition        Code = "precondition_failed"  // 412
	CodeTooLarge            Code = "too_large"            // 413
	CodeEncoding            Code = "unsupported_encoding" // 415
	CodeHeadersTooLarge     Code = "headers_too_large"    // 431
	CodeRateLimited         Code = "rate_limited"         // 429
	CodeInternal            Code = "internal"             // 500
	CodeProvider            Code = "provider_error"       // 502
	CodeDelivery            Code = "delivery_failed"      // 502
	CodeUnavailable         Code = "unavailable"          // 503
	CodeCancelled           Code = "cancelled"            // 409
)

// Status returns the HTTP status of a code.
func (c Code) Status() int {
	switch c {
	case CodeMalformed:
		return 400
	case CodeInvalid:
		return 422
	case CodeUnauthorized:
		return 401
	case CodeRemediationDisabled, CodeEditScopeDenied, CodeOutboundDenied, CodeOriginDenied, CodeForbidden,
		CodeApprovalRequired:
		return 403
	case CodeNotFound, CodeUnknownFramework, CodeNoAssessment, CodeNotAssessed:
		return 404
	case CodeMethodNotAllowed:
		return 405
	case CodeJobRunning, CodeConflict, CodeIdempotencyConflict, CodePlanStale, CodeAlreadyRolledBack,
		CodeLiveValueChanged, CodeCancelled:
		return 409
	case CodePrecondition:
		return 412
	case CodeTooLarge:
		return 413
	case CodeEncoding:
		return 415
	case CodeHeadersTooLarge:
		return 431
	case CodeRateLimited:
		return 429
	case CodeProvider, CodeDelivery:
		return 502
	case CodeUnavailable:
		return 503
	default:
		return 500
	}
}

// FieldError names one invalid field of a request.
type FieldError struct {
	Location string `json:"location"`
	Message  string `json:"message"`
	Value    any    `json:"value,omitempty"`
}

// Problem is an error that may be shown to a person: one sentence that says what failed, why, and
// what to do. Any other error is internal: it is logged, never shown.
type Problem struct {
	Code              Code         `json:"code"`
	Detail            string       `json:"detail"`
	Errors            []FieldError `json:"errors,omitempty"`
	RetryAfterSeconds int          `json:"retryAfterSeconds,omitempty"`
	BundleID          string       `json:"bundleId,omitempty" doc:"The bundle of an apply that stopped after it had changed something."`
}

// Error returns the sentence.
func (p *Problem) Error() string { return p.Detail }

// Problemf returns a problem with a formatted sentence.
func Problemf(code Code, format string, args ...any) *Problem {
	return &Problem{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Invalid returns a 422 problem for one field of a request.
func Invalid(location, message string, value any) *Problem {
	return &Problem{Code: CodeInvalid, Detail: message, Errors: []FieldError{{Location: location, Message: message, Value: value}}}
}

// AsProblem returns the Problem in an error chain, or an internal one that reveals nothing about
// the cause.
func AsProblem(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	return &Problem{Code: CodeInternal, Detail: "The service failed unexpectedly; the request id finds the cause in its log."}
}

// LaterError returns a job to the queue to run again at a given time: what it waits for is not
// ready, and no worker should be blocked meanwhile.
type LaterError struct {
	At  time.Time
	Err error
}

// Error returns the time and the reason.
func (e *LaterError) Error() string {
	return "try again at " + e.At.UTC().Format(time.RFC3339) + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *LaterError) Unwrap() error { return e.Err }

// Clip shortens untrusted text to at most the given number of bytes, at a character boundary, for a
// message.
func Clip(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	return strings.ToValidUTF8(s[:bytes], "") + "…"
}
