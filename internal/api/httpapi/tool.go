package httpapi

import (
	"net/http"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
)

// toolPath is where the tool server answers (MCP, streamable HTTP). It is no row
// of the route table: what it carries is JSON-RPC, which OpenAPI cannot describe.
const toolPath = "/mcp"

// mountTools puts the tool server behind the fences of /api. It keeps no
// sessions and answers JSON, so a stream to listen on (GET) and a session to end
// (DELETE) are not there.
func (s *Server) mountTools() {
	if s.o.Tools == nil {
		return
	}
	s.app.Post(toolPath, adaptor.HTTPHandler(s.o.Tools))
	s.app.All(toolPath, func(c *fiber.Ctx) error {
		c.Set("Allow", http.MethodPost)
		return fiber.NewError(http.StatusMethodNotAllowed)
	})
}
