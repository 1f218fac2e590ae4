package cloudflare

import (
	"context"
	"strings"
)

type sourceKey struct{}

// reading marks the requests of a context as belonging to a source.
func reading(ctx context.Context, source string) context.Context {
	return context.WithValue(ctx, sourceKey{}, source)
}

// Family returns the family of the source that a request belongs to, such as zone or
// account_access, or "other" for a request without a source.
func Family(ctx context.Context) string {
	source, ok := ctx.Value(sourceKey{}).(string)
	if !ok {
		return "other"
	}
	parts := strings.FieldsFunc(source, func(r rune) bool { return r == '.' || r == '_' || r == '/' || r == '-' })
	return strings.Join(parts[:min(len(parts), 2)], "_")
}
