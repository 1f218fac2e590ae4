package httpapi

import (
	"net/http"

	"github.com/gofiber/fiber/v2/middleware/adaptor"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
)

// toolPath is where the tool server answers (MCP, streamable HTTP). It is no row
// of the API: what it carries is JSON-RPC, of which OpenAPI describes only the outside.
const toolPath = "/mcp"

// toolRoute is what the fences, the shares and the audit log must know of it. A tool calls the
// API with what its caller sent, which must be the key.
func toolRoute() Route {
	return Route{Method: http.MethodPost, Path: toolPath, Tag: "tools",
		Summary: "Tools for language models: the Model Context Protocol over streamable HTTP, without sessions",
		Answers: map[int]any{200: map[string]any{}, 202: nil}, Caller: KeyHolder, Role: access.Viewer, Limits: []limit.Kind{limit.Tools},
		Action: audit.Tool}
}

// mountTools puts the tool server behind the fences of /api. It keeps no
// sessions and answers JSON, so a stream to listen on (GET) and a session to end
// (DELETE) are not there.
func (s *Server) mountTools() {
	if s.o.Tools != nil {
		s.app.Post(toolPath, adaptor.HTTPHandler(s.o.Tools))
	}
}
