package queue

import (
	"fmt"
	"log/slog"
)

// quiet sends asynq's own log to slog.
type quiet struct{ log *slog.Logger }

func (q quiet) Debug(args ...any) { q.log.Debug(fmt.Sprint(args...)) }
func (q quiet) Info(args ...any)  { q.log.Debug(fmt.Sprint(args...)) }
func (q quiet) Warn(args ...any)  { q.log.Warn(fmt.Sprint(args...)) }
func (q quiet) Error(args ...any) { q.log.Error(fmt.Sprint(args...)) }

// Fatal is logged, not obeyed: the process decides when it ends.
func (q quiet) Fatal(args ...any) { q.log.Error(fmt.Sprint(args...)) }
