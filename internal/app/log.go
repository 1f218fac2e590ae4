package app

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/edgeposture/edgeposture/internal/engine/queue"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/platform/redact"
	"github.com/edgeposture/edgeposture/internal/platform/trace"
)

// NewLog makes the log of a process, which writes to w.
func NewLog(cfg config.Config, w io.Writer) *slog.Logger {
	var level slog.Level
	if level.UnmarshalText([]byte(cfg.LogLevel)) != nil {
		level = slog.LevelInfo
	}
	o := &slog.HandlerOptions{Level: level}
	if cfg.LogFormat == "text" || cfg.LogFormat == "" && terminal(w) {
		return redacted(cfg, slog.NewTextHandler(w, o))
	}
	return redacted(cfg, slog.NewJSONHandler(w, o))
}

// redacted returns the logger of a process, which removes secrets from everything that is logged.
func redacted(cfg config.Config, h slog.Handler) *slog.Logger {
	return slog.New(redact.NewHandler(h, redact.New(cfg.Secrets()...), trace.Fields))
}

// Gather redirects what libraries write to stderr into the log of the process. Call it at process
// start, because the loggers of libraries are global.
func Gather(log *slog.Logger) {
	slog.SetDefault(log) // also covers package log, which net/http uses
	queue.Gather(log)
	trace.Gather(log)
}

func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// complain prints why a process ends, on one line because drivers tend to write several. It logs
// the line if the log format is JSON.
func complain(cfg config.Config, stderr io.Writer, err error) {
	why := strings.Join(strings.Fields(err.Error()), " ")
	if cfg.LogFormat == "json" {
		NewLog(cfg, stderr).Error(why)
		return
	}
	_, _ = fmt.Fprintln(stderr, "edgeposture:", why)
}
