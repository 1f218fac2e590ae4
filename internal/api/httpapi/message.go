package httpapi

import (
	"bytes"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// message rejects requests that two readers could understand differently (RFC 9112, sections 3.2,
// 5.1, 5.2 and 6.3), and encoded bodies: the body limit applies to the bytes received, and a small
// compressed body may expand to any size.
func (s *Server) message(c *fiber.Ctx) error {
	seen := fieldsIn(c.Request().Header.RawHeaders())
	switch {
	case seen[""] > 0:
		return s.hangUp(c, "A header field has white space before its colon or goes on in a second line, which proxies read differently; send "+
			"it in one line, without the white space.")
	case seen["host"] > 1:
		return s.hangUp(c, "The request names its host more than once; send one Host header.")
	case seen["content-length"] > 1:
		return s.hangUp(c, "The request tells the length of its body more than once; send one Content-Length header.")
	case seen["content-length"] > 0 && seen["transfer-encoding"] > 0:
		return s.hangUp(c, "The request has both Content-Length and Transfer-Encoding, so its end is not certain; send one of them.")
	}
	for _, encoding := range c.Request().Header.PeekAll(fiber.HeaderContentEncoding) {
		if e := strings.TrimSpace(string(encoding)); e != "" && !strings.EqualFold(e, "identity") {
			c.Request().ResetBody()
			return s.fence(c, posture.Problemf(posture.CodeEncoding,
				"The body is encoded, and only plain bodies are read here; send it without Content-Encoding."))
		}
	}
	c.Request().Header.Del(fiber.HeaderContentEncoding)
	return c.Next()
}

// hangUp refuses a request and closes its connection, because it is unknown where the next request begins.
func (s *Server) hangUp(c *fiber.Ctx, detail string) error {
	c.Context().SetConnectionClose()
	return s.fence(c, posture.Problemf(posture.CodeMalformed, "%s", detail))
}

// fieldsIn counts the fields of a raw header by lower-case name; "" counts those with white space before the colon
// and the lines that continue others.
func fieldsIn(raw []byte) map[string]int {
	n := map[string]int{}
	for line := range bytes.Lines(raw) {
		name, _, isField := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.ContainsAny(line[:1], " \t"), isField && bytes.ContainsAny(name, " \t"):
			n[""]++
		case isField:
			n[strings.ToLower(string(name))]++
		}
	}
	return n
}
