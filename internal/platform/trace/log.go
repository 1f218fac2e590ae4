package trace

import (
	"log/slog"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
)

// Gather has what the SDK writes of its own accord go to a log. Its logger is global,
// so it is for the start of a process.
func Gather(log *slog.Logger) { otel.SetLogger(logr.FromSlogHandler(log.Handler())) }
