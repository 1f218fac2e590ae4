package httpapi

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
)

// Route is one row of the API. An endpoint is one row and its handler.
type Route struct {
	Method  string
	Path    string
	Summary string
	// Description has what the summary and the descriptions of fields have no room for.
	Description string
	Tag         string
	Errors      []posture.Code
	// Answers overrides the documented type of a status; nil documents none.
	Answers map[int]any
	// Media documents further representations of the response, by media type.
	Media map[string]any
	// Parameters holds the descriptions of parameters that are long or generated from a list, by name.
	Parameters map[string]string
	// OwnRules means that the handler validates the body itself; the schema only documents it.
	OwnRules bool
	// Caller says who may call the route.
	Caller Caller
	// Role is the role that a caller needs on the accounts of the call; other accounts are not found
	// for them. Rows without a role expose nothing about accounts.
	Role access.Role
	// Whole requires the role for all accounts: the call is about the service, or about an account
	// that does not exist yet.
	Whole bool
	// Page allows a person to follow a link to it from another site.
	Page bool
	// Always serves the call even when the service is full.
	Always bool
	// Limits are the limits, besides that of requests, that a call may take from its caller's share.
	Limits []limit.Kind
	// Action is the name of the call in the audit log, whatever its outcome; a read is recorded only
	// when it handed something out. It is empty when the call neither changes nor hands out anything.
	Action audit.Action
	// Object is the type of the call's object, unless the handler sets a more specific one.
	Object string
	// Unpacked marks a response that is streamed while it is produced. A compressor would delay it,
	// and would end a truncated one as if it were complete.
	Unpacked bool
	// Stream is a plain fiber handler for what huma cannot serve. Its response is not compressed.
	Stream func(*Server) fiber.Handler
	mount  func(*Server, huma.Operation)
}

// Caller is who may call a route.
type Caller int

// Callers of routes.
const (
	SignedIn  Caller = iota // with a session, a service token or the API key
	KeyHolder               // with a service token or the API key itself
	SigningIn               // with the API key, or with no credential yet
	Anyone
)

// call adapts a typed handler to a row. Every error becomes a problem; an error that is not one
// already is logged and reported as internal.
func call[I, O any](h func(*Server, context.Context, *I) (*O, error)) func(*Server, huma.Operation) {
	return func(s *Server, op huma.Operation) {
		s.queryRules(&op, reflect.TypeFor[I]())
		s.emptyBody(&op, reflect.TypeFor[I]())
		huma.Register(s.api, op, func(ctx context.Context, in *I) (*O, error) {
			out, err := h(s, ctx, in)
			if err == nil {
				return out, nil
			}
			id, _ := ctx.Value(requestIDKey).(string)
			d := detailsOf(s.problem(ctx, id, op.OperationID, err), id)
			callOf(ctx).entry.Code = string(d.Code)
			return nil, huma.ErrorWithHeaders(d, d.headers())
		})
	}
}

// queryRules refuses query parameters that an operation does not know, and a second value of one that has a single
// one: a filter with a typing error must not answer as if there were none. Operations that take no parameter, and
// addresses that people follow, are not so strict.
func (s *Server) queryRules(op *huma.Operation, in reflect.Type) {
	repeats := map[string]bool{}
	for _, f := range reflect.VisibleFields(in) {
		if name, options, _ := strings.Cut(f.Tag.Get("query"), ","); name != "" {
			repeats[name] = options == "explode"
		}
	}
	if len(repeats) == 0 || !strings.HasPrefix(op.Path, "/api/") {
		return
	}
	known := strings.Join(slices.Sorted(maps.Keys(repeats)), ", ")
	op.Middlewares = append(op.Middlewares, func(ctx huma.Context, next func(huma.Context)) {
		var wrong []error
		u := ctx.URL()
		query := u.Query()
		for _, name := range slices.Sorted(maps.Keys(query)) {
			switch repeated, is := repeats[name]; {
			case !is:
				wrong = append(wrong, &huma.ErrorDetail{Location: "query." + clip(name), Message: "unknown; the parameters are " + known})
			case !repeated && len(query[name]) > 1:
				wrong = append(wrong, &huma.ErrorDetail{Location: "query." + name,
					Message: "given more than once; give it once, with commas between values"})
			}
		}
		if len(wrong) == 0 {
			next(ctx)
			return
		}
		_ = huma.WriteErr(s.api, ctx, http.StatusUnprocessableEntity, "", wrong...) // it fails when the caller has gone
	})
}

// emptyBody refuses what is sent to a call that takes nothing: whoever sends it expects that it counts.
func (s *Server) emptyBody(op *huma.Operation, in reflect.Type) {
	if _, takes := in.FieldByName("Body"); takes || op.Method != http.MethodPost {
		return
	}
	op.Middlewares = append(op.Middlewares, func(ctx huma.Context, next func(huma.Context)) {
		var sent map[string]json.RawMessage
		if err := json.NewDecoder(ctx.BodyReader()).Decode(&sent); err == nil && len(sent) == 0 {
			next(ctx)
			return
		}
		_ = huma.WriteErr(s.api, ctx, http.StatusUnprocessableEntity, "", &huma.ErrorDetail{Location: "body", // it fails when the caller has gone
			Message: "this call takes nothing; send {} or no body"})
	})
}

// markRows lets the router record which row handles a request, before the middleware runs.
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
					n.object = unescaped(c.Params(names[len(names)-1]))
				}
				c.Locals(callKey, n)
			}
			return c.Next()
		})
	}
}

// unpacked reports whether the response must not be compressed.
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
