// Package span lets code report the beginning and end of a piece of work without knowing who
// listens: a hook of one function, nil when nobody does.
package span

import (
	"context"
	"log/slog"
)

// Begin is called when work begins, with one of a few fixed names and attributes, and returns the
// context of the work. Neither name nor attributes ever hold a name, an address, a body or any
// other data from outside.
type Begin func(ctx context.Context, name string, about ...slog.Attr) (context.Context, End)

// End is called when the work is over, with the attributes known by then. It must be called exactly
// once.
type End func(about ...slog.Attr)

// ErrorKey is the attribute that marks work as failed; its value is one of the service's own words.
const ErrorKey = "error.type"

// Start begins work; without a listener it does nothing.
func (b Begin) Start(ctx context.Context, name string, about ...slog.Attr) (context.Context, End) {
	if b == nil {
		return ctx, func(...slog.Attr) {}
	}
	return b(ctx, name, about...)
}

// Failed returns the attribute that marks work as failed when there is an error; it does not
// include the error's text.
func Failed(err error) slog.Attr {
	if err == nil {
		return slog.Attr{}
	}
	return slog.String(ErrorKey, "failed")
}
