package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Edgeposture</title>
<main><h1>The dashboard is not built</h1><p>Run <code>make web</code> and start the service again.
The API works without it: see <a href="/api-docs">/api-docs</a>.</p></main></html>`

// mountDashboard serves the built web application. Assets carry a digest in their name and may be
// cached forever; a missing asset is a 404, never a page. Every other path serves the application
// itself.
func (s *Server) mountDashboard() {
	s.app.Get("/assets/*", s.asset)
	s.app.Use(func(c *fiber.Ctx) error {
		p := c.Path()
		if s.guarded(p) || strings.EqualFold(strings.TrimRight(p, "/"), "/api") || strings.HasPrefix(p, "/api-docs") ||
			strings.HasPrefix(p, "/assets/") {
			return c.Next() // 404, or 405 if the path exists with another method
		}
		if c.Method() != http.MethodGet {
			c.Set("Allow", http.MethodGet)
			return fiber.NewError(http.StatusMethodNotAllowed)
		}
		if name := strings.TrimPrefix(p, "/"); path.Ext(name) != "" {
			if body, err := fs.ReadFile(s.o.Dashboard, path.Clean(name)); err == nil {
				return s.page(c, body, mime.TypeByExtension(path.Ext(name)))
			}
			// Files are only at the top level; further down, a dot is part of a name, as in the address
			// of an attack path.
			if !strings.Contains(name, "/") {
				return fiber.NewError(http.StatusNotFound)
			}
		}
		body, err := fs.ReadFile(s.o.Dashboard, "index.html")
		if err != nil {
			body = []byte(notBuilt)
		}
		return s.page(c, body, "text/html; charset=utf-8")
	})
}

// page serves content that changes with each build, so it is revalidated by an ETag.
func (s *Server) page(c *fiber.Ctx, body []byte, kind string) error {
	sum := sha256.Sum256(body)
	etag := `"` + hex.EncodeToString(sum[:8]) + `"`
	c.Set("ETag", etag)
	c.Set("Cache-Control", "no-cache")
	if matchesETag(c.Get("If-None-Match"), etag) {
		return c.SendStatus(http.StatusNotModified)
	}
	c.Set("Content-Type", kind)
	return c.Send(body)
}

// asset serves a file of the build. What can be compressed lies there only compressed, by brotli and by gzip: the program would be
// a megabyte and a half larger with the files themselves.
func (s *Server) asset(c *fiber.Ctx) error {
	name := "assets/" + path.Clean("/" + c.Params("*"))[1:]
	accept := c.Get("Accept-Encoding")
	for _, v := range []struct{ suffix, encoding string }{{".br", "br"}, {"", ""}, {".gz", "gzip"}} {
		if v.encoding == "br" && !strings.Contains(accept, "br") {
			continue
		}
		body, err := fs.ReadFile(s.o.Dashboard, name+v.suffix)
		if err != nil {
			continue
		}
		c.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		c.Set("Cache-Control", "public, max-age=31536000, immutable")
		c.Set("Vary", "Accept-Encoding")
		switch {
		case v.encoding == "gzip" && !strings.Contains(accept, "gzip"):
			if body, err = fasthttp.AppendGunzipBytes(nil, body); err != nil {
				return fmt.Errorf("decompress %s: %w", name, err)
			}
		case v.encoding != "":
			c.Set("Content-Encoding", v.encoding)
		}
		return c.Send(body)
	}
	return fiber.NewError(http.StatusNotFound)
}
