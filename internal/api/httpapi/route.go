package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
)

// Route is one row of the API. Adding an endpoint is one row and its handler.
type Route struct {
	Method  string
	Path    string
	Summary string
	Tag     string
	Errors  []posture.Code
	// Answers overrides the documented type of a status; nil documents none.
	Answers map[int]any
	// Media documents further forms of the answer, by media type.
	Media map[string]any
	// Parameters describes those whose words come from a list, by name.
	Parameters map[string]string
	// OwnRules tells that the handler holds the body against its rules itself; the
	// schema then only documents it.
	OwnRules bool
	// Caller is who may call.
	Caller Caller
	// Role is what a caller needs on the accounts that the call is about; what is foreign to them is not found. Rows that anyone may
	// call have none.
	Role access.Role
	// Whole tells that the role must hold for all accounts: the call is about the service, or about none that is there so far.
	Whole bool
	// Page tells that a person may follow a link to it from another site.
	Page bool
	// Always lets a call through when the service is full.
	Always bool
	// Limits are what a call may take of its caller's share, besides that of requests.
	Limits []limit.Kind
	// Action is what the audit log calls it, whatever became of it; a read only when it handed
	// something out. Empty: nothing is changed or handed out.
	Action audit.Action
	// Object is the kind of object it is about, unless the handler says more.
	Object string
	// Unpacked marks an answer that is written while it is made: a compressor would hold it
	// back, and end what broke off as if it were whole.
	Unpacked bool
	// Stream is a plain fiber handler that huma cannot carry. Its answer is unpacked.
	Stream func(*Server) fiber.Handler
	mount  func(*Server, huma.Operation)
}

// Caller is who may call a route.
type Caller int

// Callers of routes.
const (
	SignedIn  Caller = iota // with a session, a service token or the API key
	KeyHolder               // with a service token or the API key itself
	SigningIn               // with the API key, or nothing so far
	Anyone
)

// call makes the typed handler of a row. Every error a handler returns becomes
// a problem; what is no problem is logged and answered as internal.
func call[I, O any](h func(*Server, context.Context, *I) (*O, error)) func(*Server, huma.Operation) {
	return func(s *Server, op huma.Operation) {
		huma.Register(s.api, op, func(ctx context.Context, in *I) (*O, error) {
			out, err := h(s, ctx, in)
			if err == nil {
				return out, nil
			}
			id, _ := ctx.Value(requestIDKey).(string)
			d := detailsOf(s.problem(ctx, id, op.OperationID, err), id)
			callOf(ctx).entry.Code = string(d.Code)
			if d.retryAfter > 0 {
				return nil, huma.ErrorWithHeaders(d, http.Header{"Retry-After": {itoa(d.retryAfter)}})
			}
			return nil, d
		})
	}
}

// markRows lets the router say which row takes a request, before the fences look at it.
func (s *Server) markRows() {
	rows := Routes()
	if s.o.Tools != nil {
		rows = append(rows, toolRoute())
	}
	for _, r := range rows {
		if r.Caller != Anyone {
			s.private[r.Path] = true
		}
		s.app.Add(r.Method, fiberPath(r.Path), func(c *fiber.Ctx) error {
			if n := callIn(c); n.row == nil {
				n.row = &r
				if names := c.Route().Params; len(names) > 0 {
					n.object = c.Params(names[len(names)-1])
				}
				c.Locals(callKey, n)
			}
			return c.Next()
		})
	}
}

// unpacked reports whether the answer must be left as it is written.
func unpacked(c *fiber.Ctx) bool {
	r := callIn(c).row
	return r != nil && (r.Unpacked || r.Stream != nil)
}

// mount registers every row, then the documents, the tools and the dashboard.
func (s *Server) mount() {
	for _, r := range Routes() {
		op := s.operation(r)
		if r.Stream != nil {
			s.app.Add(r.Method, fiberPath(r.Path), r.Stream(s))
			op.Parameters = pathParameters(r.Path)
			s.api.OpenAPI().AddOperation(&op)
			continue
		}
		r.mount(s, op)
	}
	s.documentTools()
	s.finishDocument()
	s.mountDocs()
	s.mountTools()
	s.mountDashboard()
}

func fiberPath(path string) string {
	out := []byte{}
	for i := range len(path) {
		switch path[i] {
		case '{':
			out = append(out, ':')
		case '}':
		default:
			out = append(out, path[i])
		}
	}
	return string(out)
}
