package httpapi

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
)

// operation documents a row. All its errors share one schema.
func (s *Server) operation(r Route) huma.Operation {
	op := huma.Operation{Method: r.Method, Path: r.Path, Summary: r.Summary, Description: r.Description,
		Tags: []string{r.Tag}, Responses: map[string]*huma.Response{},
		OperationID: operationID(r), MaxBodyBytes: maxBody, SkipValidateBody: r.OwnRules}
	op.Security = []map[string][]string{} // no authentication
	if r.Caller != Anyone {
		op.Security = []map[string][]string{{"apiKey": {}}, {"bearer": {}}}
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
	codes := append(everyRoute(r), r.Errors...)
	byStatus := map[int][]posture.Code{}
	for _, c := range codes {
		byStatus[c.Status()] = append(byStatus[c.Status()], c)
	}
	for status, codes := range byStatus {
		op.Responses[strconv.Itoa(status)] = problemResponse(registry, codes...)
	}
	return op
}

// everyRoute returns the problems that a row can answer with because of its kind.
func everyRoute(r Route) []posture.Code {
	codes := []posture.Code{posture.CodeOriginDenied, posture.CodeInternal, posture.CodeUnavailable}
	if r.Caller != Anyone {
		codes = append(codes, posture.CodeUnauthorized, posture.CodeRateLimited)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodDelete {
		codes = append(codes, posture.CodeMalformed, posture.CodeTooLarge, posture.CodeEncoding)
	}
	if slices.Contains(r.Limits, limit.Jobs) { // such a call can answer with the problem of its failed job
		codes = append(codes, posture.CodeCancelled, posture.CodeProvider)
	}
	return codes
}

// pathParameters documents the parameters of a route that huma does not register.
func pathParameters(path string) []*huma.Param {
	var out []*huma.Param
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			out = append(out, &huma.Param{Name: strings.TrimSuffix(name, "}"), In: "path", Required: true,
				Schema: &huma.Schema{Type: huma.TypeString}})
		}
	}
	return out
}

// documentTools documents the tool server, whose messages have a specification of their own.
func (s *Server) documentTools() {
	op := s.operation(toolRoute())
	message := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true,
		Description: "A JSON-RPC 2.0 message of the Model Context Protocol; a batch is a list of them."}}
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": message}}
	op.Responses["200"].Content["application/json"] = &huma.MediaType{Schema: message.Schema}
	s.api.OpenAPI().AddOperation(&op)
}

// tags describes the tags, in the order in which they are shown.
func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: "assessments", Description: "Run assessments, read them, compare them."},
		{Name: "findings", Description: "Where findings and issues stand now, accepted risks, saved views."},
		{Name: "compliance", Description: "Controls of frameworks."},
		{Name: "posture", Description: "The resource graph and its attack paths."},
		{Name: "exports", Description: "Assessments as files."},
		{Name: "evidence", Description: "Signed evidence and its keys."},
		{Name: "jobs", Description: "Work that was accepted."},
		{Name: "delivery",
			Description: "Slack, Microsoft Teams, webhooks, Elasticsearch, OpenSearch, Splunk, AWS Security Hub, and what was sent."},
		{Name: "remediation", Description: "Plans, changes at Cloudflare, and taking them back."},
		{Name: "accounts", Description: "Cloudflare accounts and their tokens."},
		{Name: "schedules", Description: "Repeated runs."},
		{Name: "checks", Description: "The catalogue of checks."},
		{Name: "settings", Description: "What is configured."},
		{Name: "sessions", Description: "Who is signed in."},
		{Name: "access", Description: "People, teams and tokens of programs, and what each may do."},
		{Name: "tools", Description: "Tools for language models."},
		{Name: "service", Description: "Health and the audit log."},
	}
}

func (s *Server) humaConfig() huma.Config {
	c := huma.DefaultConfig("Edgeposture", s.o.Version)
	c.Info.Description = "Assess the security posture of Cloudflare accounts. Every error is application/problem+json (RFC 9457). " +
		"HEAD answers as GET without the body; a method that a path does not take is 405, a header over 16 KiB is 431, a query parameter " +
		"that a call with parameters does not know, or gets twice, is 422, and a change with If-Match is 412, because no ETag names what " +
		"can be changed: updatedAt and revision in bodies do."
	c.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	c.Servers = []*huma.Server{{URL: "/", Description: "The service this document comes from."}}
	c.Tags = tags()
	c.Formats = map[string]huma.Format{"application/json": jsonFormat(), "json": jsonFormat()}
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil // no $schema member in answers
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[posture.Channels](), reflect.TypeFor[channelNames]())
	c.Transformers = append(c.Transformers, s.reshape)
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"apiKey": {Type: "apiKey", In: "header", Name: "X-API-Key"},
		"bearer":  {Type: "http", Scheme: "bearer", Description: "A service token, or the API key."},
		"session": {Type: "apiKey", In: "cookie", Name: sessionCookie, Description: "For browsers; POST /api/session sets it."}}
	return c
}

// schemaName names the schema of a type. It prefixes the package name where a type name is
// ambiguous outside its package (Report, Change).
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

// finishDocument removes what huma adds by default and the contract does not have: a catch-all
// error, and null for arrays that are never null.
func (s *Server) finishDocument() {
	doc := s.api.OpenAPI()
	for _, item := range doc.Paths {
		for _, op := range operations(item) {
			delete(op.Responses, "default")
			checked(op, doc.Components.Schemas)
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
	delete(schemas, "ErrorModel") // huma's own error schemas, which reshape replaces
	delete(schemas, "ErrorDetail")
	s.examples()
	for _, schema := range schemas {
		notNull(schema)
	}
	// Properties are a sorted slice in Go and an object in JSON.
	schemas["GraphNode"].Properties["properties"] = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	delete(schemas, "GraphProperty")
}

// checked documents the 422 response of operations whose body or parameters are validated.
func checked(op *huma.Operation, registry huma.Registry) {
	rules := op.RequestBody != nil && op.Path != toolPath
	for _, p := range op.Parameters {
		s := p.Schema
		rules = rules || p.In == "query" && strings.HasPrefix(op.Path, "/api/")
		rules = rules || s.Type != huma.TypeString || s.Enum != nil || s.Pattern != "" || s.Format != "" || s.MaxLength != nil
	}
	if status := "422"; rules && op.Responses[status] == nil {
		op.Responses[status] = problemResponse(registry, posture.CodeInvalid)
	}
}

func problemResponse(registry huma.Registry, codes ...posture.Code) *huma.Response {
	names := make([]string, 0, len(codes))
	for _, c := range codes {
		names = append(names, string(c))
	}
	slices.Sort(names)
	return &huma.Response{Description: "Problem: " + strings.Join(slices.Compact(names), ", "), Content: map[string]*huma.MediaType{
		"application/problem+json": {Schema: registry.Schema(reflect.TypeFor[ProblemDetails](), true, "")}}}
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
