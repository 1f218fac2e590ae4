// The receiver runs OpenTelemetry's receiver for the Splunk HEC protocol with a token check, on the
// loopback address in its first argument with the token in its second. It prints each accepted event as
// one line of JSON. The third argument is how many requests it answers with an error first. It ends
// when its input does.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/bearertokenauthextension"
	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/splunkhecreceiver"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configauth"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// host provides the extension that checks tokens.
type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

func run(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return errors.New("usage: receiver <address> <token> <errors>")
	}
	failures, err := strconv.Atoi(args[2])
	if err != nil {
		return fmt.Errorf("read the number of errors: %w", err)
	}
	settings, id := componenttest.NewNopTelemetrySettings(), component.MustNewID("bearertokenauth")
	tokens := bearertokenauthextension.NewFactory()
	config := tokens.CreateDefaultConfig().(*bearertokenauthextension.Config)
	config.Scheme, config.BearerToken = "Splunk", configopaque.String(args[1])
	check, err := tokens.CreateExtension(ctx, extension.Settings{ID: id, TelemetrySettings: settings}, config)
	if err != nil {
		return fmt.Errorf("make the token check: %w", err)
	}
	h := host{id: check}
	if err := check.Start(ctx, h); err != nil {
		return fmt.Errorf("start the token check: %w", err)
	}
	out := &printer{out: bufio.NewWriter(os.Stdout), failures: failures}
	next, err := consumer.NewLogs(out.print)
	if err != nil {
		return fmt.Errorf("make the printer: %w", err)
	}
	f := splunkhecreceiver.NewFactory()
	settingsOf := f.CreateDefaultConfig().(*splunkhecreceiver.Config)
	settingsOf.Endpoint = args[0]
	settingsOf.Auth = &confighttp.AuthConfig{Authentication: configauth.Authentication{AuthenticatorID: id}}
	r, err := f.CreateLogs(ctx, receiver.Settings{ID: component.NewID(f.Type()), TelemetrySettings: settings}, settingsOf, next)
	if err != nil {
		return fmt.Errorf("make the receiver: %w", err)
	}
	if err := r.Start(ctx, h); err != nil {
		return fmt.Errorf("start the receiver: %w", err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return errors.Join(r.Shutdown(ctx), check.Shutdown(ctx))
}

// printer writes events as lines.
type printer struct {
	mu       sync.Mutex
	out      *bufio.Writer
	failures int
}

func (p *printer) print(_ context.Context, logs plog.Logs) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failures > 0 {
		p.failures--
		return errors.New("told to fail")
	}
	for i := range logs.ResourceLogs().Len() {
		resource := logs.ResourceLogs().At(i)
		for j := range resource.ScopeLogs().Len() {
			records := resource.ScopeLogs().At(j).LogRecords()
			for k := range records.Len() {
				v := records.At(k)
				line, err := json.Marshal(map[string]any{
					"time": v.Timestamp().AsTime().UnixMilli(), "event": v.Body().AsRaw(), "fields": v.Attributes().AsRaw(),
					"resource": resource.Resource().Attributes().AsRaw(),
				})
				if err != nil {
					return fmt.Errorf("encode an event: %w", err)
				}
				_, _ = p.out.Write(append(line, '\n'))
			}
		}
	}
	return p.out.Flush()
}
