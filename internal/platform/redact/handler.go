package redact

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// Handler is a slog.Handler that redacts records before it passes them on.
type Handler struct {
	next slog.Handler
	r    *Redactor
	hide bool // within a group with a secret-sounding name
	// ids returns attributes of a context, such as its trace id.
	ids func(context.Context) []slog.Attr
}

// NewHandler wraps a handler. ids may be nil. A handler that already redacts is returned unchanged.
func NewHandler(next slog.Handler, r *Redactor, ids func(context.Context) []slog.Attr) slog.Handler {
	if h, ok := next.(*Handler); ok {
		return h
	}
	return &Handler{next: next, r: r, ids: ids}
}

// Enabled implements slog.Handler.
func (h *Handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *Handler) Handle(ctx context.Context, record slog.Record) error {
	clean := slog.NewRecord(record.Time, record.Level, h.r.Text(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	if h.ids != nil {
		clean.AddAttrs(h.ids(ctx)...)
	}
	return h.next.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make([]slog.Attr, 0, len(attrs))
	for _, a := range attrs {
		out = append(out, h.attr(a))
	}
	return &Handler{next: h.next.WithAttrs(out), r: h.r, hide: h.hide, ids: h.ids}
}

// WithGroup implements slog.Handler.
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{next: h.next.WithGroup(name), r: h.r, hide: h.hide || Name(name), ids: h.ids}
}

func (h *Handler) attr(a slog.Attr) slog.Attr {
	if a.Equal(slog.Attr{}) {
		return a
	}
	v := a.Value.Resolve()
	key := h.r.Text(a.Key)
	switch {
	case h.hide || Name(a.Key):
		return slog.String(key, dots)
	case v.Kind() == slog.KindGroup:
		inner := make([]slog.Attr, 0, len(v.Group()))
		for _, i := range v.Group() {
			inner = append(inner, h.attr(i))
		}
		return slog.Attr{Key: key, Value: slog.GroupValue(inner...)}
	case v.Kind() == slog.KindString:
		return slog.String(key, h.r.Text(v.String()))
	case v.Kind() == slog.KindAny:
		return slog.String(key, h.r.Text(text(v.Any())))
	default: // numbers, instants, durations, booleans
		return slog.Attr{Key: key, Value: v}
	}
}

// text returns the text of a value of any type, "?" for one that panics while it is formatted.
func text(v any) (s string) {
	defer func() {
		if recover() != nil {
			s = "?"
		}
	}()
	switch t := v.(type) {
	case nil:
		return "<nil>"
	case error:
		return t.Error()
	case time.Time:
		return t.Format(time.RFC3339Nano)
	case []byte:
		return fmt.Sprintf("%d bytes", len(t))
	default:
		return fmt.Sprintf("%+v", v)
	}
}
