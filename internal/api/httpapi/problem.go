package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/gofiber/fiber/v2"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// ProblemDetails is the body of every error (RFC 9457).
type ProblemDetails struct {
	Type      string               `json:"type" doc:"Always about:blank; code tells problems apart."`
	Title     string               `json:"title"`
	Status    int                  `json:"status"`
	Detail    string               `json:"detail" doc:"One sentence: what failed, why, what to do."`
	Code      posture.Code         `json:"code"`
	RequestID string               `json:"requestId"`
	Errors    []posture.FieldError `json:"errors,omitempty"`
	BundleID  string               `json:"bundleId,omitempty" doc:"The bundle of an apply that stopped after it had changed something."`

	retryAfter int
}

// Error returns the detail. With the methods below, huma writes the problem unchanged.
func (p *ProblemDetails) Error() string { return p.Detail }

// GetStatus returns the HTTP status.
func (p *ProblemDetails) GetStatus() int { return p.Status }

// ContentType returns the media type of RFC 9457.
func (p *ProblemDetails) ContentType(string) string { return "application/problem+json" }

// headers returns the response headers that belong to the problem.
func (p *ProblemDetails) headers() http.Header {
	out := http.Header{}
	if p.retryAfter > 0 {
		out.Set("Retry-After", itoa(p.retryAfter))
	}
	if p.Status == http.StatusUnauthorized { // RFC 9110, 11.6.1
		out.Set("WWW-Authenticate", "Bearer")
	}
	return out
}

func detailsOf(p *posture.Problem, requestID string) *ProblemDetails {
	status, errs := p.Code.Status(), p.Errors
	if more := len(errs) - maxErrors; more > 0 {
		errs = append(slices.Clone(errs[:maxErrors]), posture.FieldError{Location: "body", Message: fmt.Sprintf("and %d more", more)})
	}
	return &ProblemDetails{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: p.Detail, Code: p.Code,
		RequestID: requestID, Errors: errs, BundleID: p.BundleID, retryAfter: p.RetryAfterSeconds}
}

// known turns an error into a problem. An unavailable store is described in it, because an operator
// can fix that.
func known(err error) *posture.Problem {
	if down, ok := errors.AsType[*store.UnavailableError](err); ok {
		then := "Nothing was changed; try again after that."
		if down.Unsure {
			then = "Its answer was lost, so the change may have been made; look after that, or repeat the call with its Idempotency-Key."
		}
		return posture.Problemf(posture.CodeUnavailable, "The store cannot be used now: %s. %s", down.Reason, then)
	}
	return posture.AsProblem(err)
}

// codeOf returns the problem code of a bare status, for errors that fiber and huma create.
func codeOf(status int) posture.Code {
	codes := map[int]posture.Code{
		http.StatusBadRequest:                  posture.CodeMalformed,
		http.StatusUnsupportedMediaType:        posture.CodeMalformed,
		http.StatusRequestTimeout:              posture.CodeMalformed,
		http.StatusUnprocessableEntity:         posture.CodeInvalid,
		http.StatusUnauthorized:                posture.CodeUnauthorized,
		http.StatusNotFound:                    posture.CodeNotFound,
		http.StatusMethodNotAllowed:            posture.CodeMethodNotAllowed,
		http.StatusRequestEntityTooLarge:       posture.CodeTooLarge,
		http.StatusRequestHeaderFieldsTooLarge: posture.CodeHeadersTooLarge,
		http.StatusTooManyRequests:             posture.CodeRateLimited,
	}
	return cmp.Or(codes[status], posture.CodeInternal)
}

// reshape turns huma's own errors into problems of the contract. Values that may be credentials are
// not echoed.
func (s *Server) reshape(ctx huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	p := &posture.Problem{Code: codeOf(m.Status), Detail: m.Detail}
	for _, e := range m.Errors {
		f := posture.FieldError{Location: e.Location, Message: expected(e.Message)}
		if member, rest, ok := strings.Cut(e.Message, ": expected "); ok && e.Location == "body" { // of jsonFormat
			f.Location, f.Message = "body."+member, "expected "+rest
		}
		if echoable(e.Location, e.Value) {
			f.Value = e.Value
		}
		p.Errors = append(p.Errors, f)
	}
	slices.SortStableFunc(p.Errors, func(a, b posture.FieldError) int { // huma validates the members of a map in any order
		return cmp.Or(cmp.Compare(a.Location, b.Location), cmp.Compare(a.Message, b.Message))
	})
	if len(p.Errors) > 0 {
		p.Detail = p.Errors[0].Location + ": " + p.Errors[0].Message
	}
	callOf(ctx.Context()).entry.Code = string(p.Code)
	return detailsOf(p, requestID(humaCtx(ctx))), nil
}

// expected rewords those of huma's messages that only a programmer understands.
func expected(message string) string {
	before, after, _ := strings.Cut(validation.MsgExpectedOneOf, "%s")
	if values, ok := strings.CutPrefix(message, before); ok {
		return "expected one of " + strings.TrimSuffix(values, after)
	}
	switch {
	case strings.HasPrefix(message, "invalid date/time"), message == validation.MsgExpectedRFC3339DateTime:
		return "expected a time such as 2027-01-31T00:00:00Z"
	case message == validation.MsgExpectedRFC3339Date:
		return "expected a day such as 2027-01-31"
	case message == "invalid integer":
		return "expected a whole number"
	case message == "invalid boolean":
		return "expected true or false"
	default:
		return message
	}
}

func echoable(location string, v any) bool {
	if location == "body" { // as it came, secrets included
		return false
	}
	l := strings.ToLower(location)
	for _, w := range []string{"token", "secret", "password", "key"} {
		if strings.Contains(l, w) {
			return false
		}
	}
	switch t := v.(type) {
	case string:
		return len(t) <= 200
	case float64, bool, int:
		return true
	default:
		return false
	}
}

// fiberError answers requests that no route handled: unknown paths, wrong methods, bodies over the
// limit, panics.
func (s *Server) fiberError(c *fiber.Ctx, err error) error {
	if requestID(c) == "" { // an unreadable request never reaches identify
		s.label(c)
	}
	var fe *fiber.Error
	if errors.As(err, &fe) && fe.Code < 500 {
		if conn, ok := c.Context().Conn().(*lingering); ok {
			conn.unread = true
		}
		if fe.Code == http.StatusMethodNotAllowed {
			if allow(c); c.Method() == http.MethodOptions {
				return c.SendStatus(http.StatusNoContent)
			}
		}
		detail := map[int]string{
			http.StatusNotFound:                    "There is nothing at " + c.Method() + " " + clip(c.Path()) + "; /api-docs lists what there is.",
			http.StatusMethodNotAllowed:            "This method is not possible at " + clip(c.Path()) + "; /api-docs lists what is.",
			http.StatusRequestEntityTooLarge:       "The body is larger than 1 MiB; send less.",
			http.StatusRequestHeaderFieldsTooLarge: "The header of the request is larger than 16 KiB; send less of it.",
			http.StatusRequestTimeout:              "The request did not arrive within 30 s; send it again.",
		}[fe.Code]
		if detail == "" {
			detail = "The request could not be understood: " + fe.Message + "."
		}
		return s.refuse(c, &posture.Problem{Code: codeOf(fe.Code), Detail: detail})
	}
	return s.refuse(c, s.problem(c.UserContext(), requestID(c), c.Method()+" "+clip(c.Path()), err))
}

// problem turns an error into the problem for the caller and logs what must not be shown. Refusals
// of the provider or of a receiver are in the response in full and are not logged.
func (s *Server) problem(ctx context.Context, requestID, operation string, err error) *posture.Problem {
	p := known(err)
	if p.Code.Status() >= 500 && p.Code.Status() != http.StatusBadGateway {
		s.o.Log.ErrorContext(ctx, "a request failed", "requestId", requestID, "operation", operation, "error", err)
	}
	return p
}

// refuse writes a problem outside a huma handler.
func (s *Server) refuse(c *fiber.Ctx, p *posture.Problem) error {
	callIn(c).entry.Code = string(p.Code)
	d := detailsOf(p, requestID(c))
	for name, value := range d.headers() {
		c.Set(name, value[0])
	}
	c.Status(d.Status)
	if err := c.JSON(d); err != nil {
		return err
	}
	c.Set("Content-Type", "application/problem+json")
	return nil
}

func clip(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}
