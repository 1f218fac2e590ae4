package httpapi

import (
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
)

// toolPath is where the tool server answers (MCP, streamable HTTP). It is not in Routes, because it
// carries JSON-RPC, of which OpenAPI describes only the envelope.
const toolPath = "/mcp"

// toolRoute is the row of the tool server for the access checks, the limits and the audit log.
// Tools call the API with the credential of their caller, which must be the API key or a service
// token.
func toolRoute() Route {
	return Route{Method: http.MethodPost, Path: toolPath, Tag: "tools",
		Summary: "Tools for language models: the Model Context Protocol over streamable HTTP, without sessions",
		Answers: map[int]any{200: map[string]any{}, 202: nil}, Caller: KeyHolder, Role: access.Viewer, Limits: []limit.Kind{limit.Tools},
		Action: audit.Tool}
}

// mountTools serves the tool server behind the same middleware as /api. It has no sessions and
// answers with JSON, so there is no stream (GET) and no session to end (DELETE).
func (s *Server) mountTools() {
	if s.o.Tools != nil {
		s.app.Post(toolPath, inProblems(adaptor.HTTPHandler(s.o.Tools)))
	}
}

// inProblems gives what the transport refuses in plain text the form of every error.
func inProblems(serve fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if err := serve(c); err != nil {
			return err
		}
		status, kind := c.Response().StatusCode(), string(c.Response().Header.ContentType())
		code := codeOf(status)
		if status < http.StatusBadRequest || code.Status() != status || !strings.HasPrefix(kind, fiber.MIMETextPlain) {
			return nil
		}
		return posture.Problemf(code, "This is no request of the Model Context Protocol: %s.",
			clip(strings.TrimRight(string(c.Response().Body()), ".\n")))
	}
}
