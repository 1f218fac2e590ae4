// Package command is the command line. Every command is a thin client of the HTTP API: of the
// service that --server names, or of the system that it opens in its own process. Text is for
// people, JSON is for programs, and the exit code reports the outcome.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/config"
)

// The exit codes, as documented by `edgeposture help exit-codes`.
const (
	exitFine        = 0
	exitError       = 1
	exitUsage       = 2
	exitFindings    = 3
	exitGaps        = 4
	exitRefused     = 5
	exitStale       = 6
	exitDelivery    = 7
	exitInterrupted = 130
)

// ended ends the program with an exit code. An empty text prints nothing.
type ended struct {
	code int
	text string
}

// Error returns the sentence.
func (e *ended) Error() string { return e.text }

func ending(code int, format string, args ...any) error {
	return &ended{code: code, text: fmt.Sprintf(format, args...)}
}

// usage returns an error for a mistake of the caller.
func usage(format string, args ...any) error { return ending(exitUsage, format, args...) }

var errInterrupted = errors.New("interrupted")

// Main runs one command and returns its exit code. The first interrupt or SIGTERM cancels the
// running job; an interrupt after it ends the process at once. Another SIGTERM does not: whatever stops services may send
// several, and the jobs are still being handed back.
func Main(environ, args []string, stdin, stdout, stderr *os.File) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM) // for good: one that comes while the process ends must not change its exit code
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-signals:
			cancel(errInterrupted)
		case <-done:
			return
		}
		for {
			select {
			case again := <-signals:
				if again == os.Interrupt {
					os.Exit(exitInterrupted)
				}
			case <-done:
				return
			}
		}
	}()
	dumb := slices.Contains(environ, "TERM=dumb")
	p := &program{environ: environ, tool: config.LoadTool(environ), in: stdin, out: &output{WriteCloser: stdout}, errs: stderr,
		terminal: isTerminal(stderr) && !dumb, asks: isTerminal(stdin) && isTerminal(stderr), colours: isTerminal(stdout) && !dumb,
		shown: isTerminal(stdout)}
	return p.run(ctx, args)
}

// output remembers that a write failed. Tables and sentences are written without looking at each
// error, and a list that a full disk cut off must not pass for a whole one.
type output struct {
	io.WriteCloser
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.WriteCloser.Write(b)
	if err != nil && o.err == nil {
		o.err = ending(exitError, "the output broke off: %s", reason(err))
	}
	return n, err //nolint:wrapcheck // as the writer behind it says it
}

// run executes the arguments and prints an error as one sentence.
func (p *program) run(ctx context.Context, args []string) int {
	root := p.root() //nolint:contextcheck // cobra carries the context to the commands
	// without these two, cobra adds its own commands when sayMisuse has gone through them
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	sayMisuse(root)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = p.out.err
	}
	if err == nil {
		return exitFine
	}
	if text := err.Error(); text != "" {
		_, _ = fmt.Fprintln(p.errs, "edgeposture: "+oneLine(p.worded(err)))
	}
	return codeOf(err, p.started)
}

// oneLine turns text of any origin into a single clean line.
func oneLine(s string) string { return clean(strings.Join(strings.Fields(s), " ")) }

// codeOf returns the exit code of an error. An error before a command starts is a mistake in its arguments.
func codeOf(err error, started bool) int {
	var own *ended
	var problem *posture.Problem
	switch {
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &own):
		return own.code
	case errors.As(err, &problem):
		return codeOfProblem(problem.Code)
	case !started:
		return exitUsage
	default:
		return exitError
	}
}

func codeOfProblem(c posture.Code) int {
	switch c {
	case posture.CodeMalformed, posture.CodeInvalid, posture.CodeNotFound, posture.CodeUnknownFramework, posture.CodeNoAssessment,
		posture.CodeNotAssessed, posture.CodeMethodNotAllowed, posture.CodeTooLarge:
		return exitUsage
	case posture.CodeUnauthorized, posture.CodeRemediationDisabled, posture.CodeEditScopeDenied, posture.CodeOriginDenied,
		posture.CodeForbidden, posture.CodeApprovalRequired:
		return exitRefused
	case posture.CodePlanStale, posture.CodeLiveValueChanged, posture.CodeAlreadyRolledBack:
		return exitStale
	case posture.CodeDelivery, posture.CodeOutboundDenied:
		return exitDelivery
	default:
		return exitError
	}
}
