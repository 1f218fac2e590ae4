// Package span is how a piece of work says that it begins and ends, without
// knowing who listens: a hook of one function, nil when nobody does.
package span

import (
	"context"
	"log/slog"
)

// Begin is told that work begins, by one of a fixed few names and by what is known
// of it, and gives the context of the work. Neither ever holds a name, an address, a
// body or anything else that came from outside.
type Begin func(ctx context.Context, name string, about ...slog.Attr) (context.Context, End)

// End is told that the work is over, and what became known of it. It must be called
// once.
type End func(about ...slog.Attr)

// ErrorKey names the attribute that marks work as failed; its value is a word of ours.
const ErrorKey = "error.type"

// Start begins work; without a listener nothing happens.
func (b Begin) Start(ctx context.Context, name string, about ...slog.Attr) (context.Context, End) {
	if b == nil {
		return ctx, func(...slog.Attr) {}
	}
	return b(ctx, name, about...)
}

// Failed marks work as failed when there is an error, whose text stays where it is.
func Failed(err error) slog.Attr {
	if err == nil {
		return slog.Attr{}
	}
	return slog.String(ErrorKey, "failed")
}
