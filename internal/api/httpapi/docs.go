package httpapi

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
)

//go:embed apidocs
var apiDocs embed.FS

// docsPolicy is contentPolicy with inline styles, which the API browser needs.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// mountDocs serves the OpenAPI document and a browser for it. All files come from the binary, so it
// works offline. The page and its start script are our own, so that the page needs no inline
// script.
func (s *Server) mountDocs() {
	// Writing the document takes some 20 ms, so it is done on first use, not at every start.
	document := sync.OnceValue(func() []byte {
		document, err := s.api.OpenAPI().MarshalJSON()
		if err != nil {
			return []byte("{}")
		}
		return document
	})
	s.app.Get("/api-docs/openapi.json", func(c *fiber.Ctx) error {
		c.Set("Content-Type", "application/json")
		c.Set("Cache-Control", "no-cache")
		return c.Send(document())
	})
	own := func(name, kind string) fiber.Handler {
		body, err := fs.ReadFile(apiDocs, "apidocs/"+name)
		if err != nil {
			body = nil
		}
		return func(c *fiber.Ctx) error {
			c.Set("Content-Security-Policy", docsPolicy)
			c.Set("Content-Type", kind)
			c.Set("Cache-Control", "no-cache")
			return c.Send(body)
		}
	}
	page := own("index.html", "text/html; charset=utf-8")
	s.app.Get("/api-docs", page)
	s.app.Get("/api-docs/", page)
	s.app.Get("/api-docs/start.js", own("start.js", "text/javascript; charset=utf-8"))
	assets := http.StripPrefix("/api-docs", statigz.FileServer(static.FS))
	s.app.Get("/api-docs/*", func(c *fiber.Ctx) error {
		if name := c.Params("*"); !strings.HasPrefix(name, "swagger-ui") {
			return fiber.NewError(http.StatusNotFound)
		}
		return adaptor.HTTPHandler(assets)(c)
	})
}
