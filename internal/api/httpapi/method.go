package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// head answers HEAD as GET, without the body: whatever comes after it sees a GET.
func head(c *fiber.Ctx) error {
	if c.Method() != fiber.MethodHead {
		return c.Next()
	}
	c.Method(fiber.MethodGet)
	c.Request().Header.SetMethod(fiber.MethodGet)
	err := c.RestartRouting() // the routes of GET are others
	answer := c.Response()
	answer.SkipBody = true
	if answer.IsBodyStream() && answer.Header.ContentLength() < 0 {
		_ = answer.CloseBodyStream() // chunks would end with a line although none began
	}
	return err
}

// allow says what can be done at a path. The router has named the methods with a row there.
func allow(c *fiber.Ctx) {
	methods := append(strings.Split(string(c.Response().Header.Peek("Allow")), ", "), http.MethodOptions)
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	c.Set("Allow", strings.Join(slices.Compact(methods), ", "))
}
