package queue

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/redis/go-redis/v9"
)

// quiet sends asynq's own log to slog, with Info as Debug.
type quiet struct{ log *slog.Logger }

func (q quiet) Debug(args ...any) { q.log.Debug(fmt.Sprint(args...)) }
func (q quiet) Info(args ...any)  { q.log.Debug(fmt.Sprint(args...)) }
func (q quiet) Warn(args ...any)  { q.log.Warn(fmt.Sprint(args...)) }
func (q quiet) Error(args ...any) { q.log.Error(fmt.Sprint(args...)) }

// Fatal only logs: the process decides when it ends.
func (q quiet) Fatal(args ...any) { q.log.Error(fmt.Sprint(args...)) }

// Gather sends go-redis's own log, which has no levels, to a logger. The logger of go-redis is global,
// so call it at the start of a process.
func Gather(log *slog.Logger) { redis.SetLogger(printed{log}) }

type printed struct{ log *slog.Logger }

// Printf implements the logger of go-redis.
func (p printed) Printf(ctx context.Context, format string, v ...any) {
	p.log.WarnContext(ctx, strings.TrimSpace(fmt.Sprintf(format, v...)))
}
