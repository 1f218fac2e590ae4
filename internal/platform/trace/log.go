package trace

import (
	"log/slog"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
)

// Gather redirects the SDK's own messages to a log. Call it at process start, because the SDK's
// logger is global.
func Gather(log *slog.Logger) { otel.SetLogger(logr.FromSlogHandler(log.Handler())) }
