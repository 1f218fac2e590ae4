package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

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
	SignedIn  Caller = iota // with the API key or a session
	KeyHolder               // with the API key itself
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
			s.api.OpenAPI().AddOperation(&op)
			continue
		}
		r.mount(s, op)
	}
	s.finishDocument()
	s.mountDocs()
	s.mountTools()
	s.mountDashboard()
}

// operation documents a row: its errors share one schema.
func (s *Server) operation(r Route) huma.Operation {
	op := huma.Operation{Method: r.Method, Path: r.Path, Summary: r.Summary, Tags: []string{r.Tag}, Responses: map[string]*huma.Response{},
		OperationID: operationID(r), MaxBodyBytes: maxBody, SkipValidateBody: r.OwnRules}
	if r.Caller != Anyone {
		op.Security = []map[string][]string{{"apiKey": {}}}
		if r.Caller != KeyHolder {
			op.Security = append(op.Security, map[string][]string{"session": {}})
		}
	}
	registry := s.api.OpenAPI().Components.Schemas
	for status, v := range r.Answers {
		resp := &huma.Response{Description: http.StatusText(status)}
		document := func(kind string, v any) {
			if resp.Content == nil {
				resp.Content = map[string]*huma.MediaType{}
			}
			resp.Content[kind] = &huma.MediaType{Schema: registry.Schema(reflect.TypeOf(v), true, "")}
		}
		if v != nil {
			document("application/json", v)
		}
		for kind, v := range r.Media {
			if status == http.StatusOK {
				document(kind, v)
			}
		}
		op.Responses[strconv.Itoa(status)] = resp
	}
	codes := append([]posture.Code{posture.CodeOriginDenied, posture.CodeInternal, posture.CodeUnavailable}, r.Errors...)
	if op.Security != nil {
		codes = append(codes, posture.CodeUnauthorized, posture.CodeRateLimited)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodDelete {
		codes = append(codes, posture.CodeEncoding)
	}
	byStatus := map[int][]string{}
	for _, c := range codes {
		byStatus[c.Status()] = append(byStatus[c.Status()], string(c))
	}
	problem := registry.Schema(reflect.TypeFor[ProblemDetails](), true, "")
	for status, names := range byStatus {
		slices.Sort(names)
		op.Responses[strconv.Itoa(status)] = &huma.Response{Description: "Problem: " + join(names),
			Content: map[string]*huma.MediaType{"application/problem+json": {Schema: problem}}}
	}
	return op
}

func (s *Server) humaConfig() huma.Config {
	c := huma.DefaultConfig("Edgeposture", s.o.Version)
	c.Info.Description = "Assess the security posture of Cloudflare accounts. Every error is application/problem+json (RFC 9457)."
	c.Formats = map[string]huma.Format{"application/json": jsonFormat(), "json": jsonFormat()}
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil // no $schema member in answers
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[posture.Channels](), reflect.TypeFor[channelNames]())
	c.Transformers = append(c.Transformers, s.reshape)
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"apiKey": {Type: "apiKey", In: "header", Name: "X-API-Key"},
		"session": {Type: "apiKey", In: "cookie", Name: sessionCookie, Description: "For browsers; POST /api/session sets it."}}
	return c
}

// schemaName names the schema of a type. Types of packages whose names mean
// something only within their package (Report, Change) get its name in front.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for pkg, prefix := range map[string]string{"internal/assessment/compliance": "Compliance", "internal/assessment/drift": "Drift",
		"internal/assessment/graph": "Graph"} {
		if strings.HasSuffix(t.PkgPath(), pkg) && !strings.HasPrefix(name, prefix) {
			return prefix + name
		}
	}
	return name
}

// finishDocument drops what huma adds by default and the contract does not say:
// a catch-all error, and null where a list is always a list.
func (s *Server) finishDocument() {
	doc := s.api.OpenAPI()
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				delete(op.Responses, "default")
			}
		}
	}
	for _, r := range Routes() {
		for name, words := range r.Parameters {
			all := doc.Paths[r.Path].Get.Parameters
			p := all[slices.IndexFunc(all, func(p *huma.Param) bool { return p.Name == name })]
			p.Description, p.Schema.Description = words, words
		}
	}
	schemas := doc.Components.Schemas.Map()
	for _, schema := range schemas {
		notNull(schema)
	}
	// Properties are a sorted list in Go and an object in JSON.
	schemas["GraphNode"].Properties["properties"] = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	delete(schemas, "GraphProperty")
}

func notNull(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.Type == huma.TypeArray {
		s.Nullable = false
		notNull(s.Items)
	}
	for _, p := range s.Properties {
		notNull(p)
	}
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

func operationID(r Route) string {
	out := []byte(map[string]string{"GET": "get", "POST": "post", "PUT": "put", "PATCH": "patch", "DELETE": "delete"}[r.Method])
	for _, b := range []byte(r.Path) {
		if b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' {
			out = append(out, b)
		} else if b == '/' || b == '-' {
			out = append(out, '-')
		}
	}
	return string(out)
}

func join(names []string) string {
	out := ""
	for i, n := range slices.Compact(names) {
		if i > 0 {
			out += ", "
		}
		out += n
	}
	return out
}
