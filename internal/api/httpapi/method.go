package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// head serves HEAD as GET without the body; all later handlers see a GET.
func head(c *fiber.Ctx) error {
	if c.Method() != fiber.MethodHead {
		return c.Next()
	}
	c.Method(fiber.MethodGet)
	c.Request().Header.SetMethod(fiber.MethodGet)
	err := c.RestartRouting() // HEAD matched other routes than GET
	answer := c.Response()
	answer.SkipBody = true
	if answer.IsBodyStream() && answer.Header.ContentLength() < 0 {
		_ = answer.CloseBodyStream() // otherwise a final chunk would be written although none began
	}
	return err
}

// allow sets the Allow header. The router has already listed the methods that have a route at this path.
func allow(c *fiber.Ctx) {
	methods := append(strings.Split(string(c.Response().Header.Peek("Allow")), ", "), http.MethodOptions)
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	c.Set("Allow", strings.Join(slices.Compact(methods), ", "))
}
