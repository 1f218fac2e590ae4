package command

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/core/clock"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/config"
)

// session is an open connection to a service.
type session struct {
	*program
	api *client.Client
}

// with opens the service, runs the action, and closes what it opened. A system in this process
// processes jobs only for a command that creates some, because a command that only reads must not
// start a job that it will not wait for.
func (p *program) with(ctx context.Context, works bool, act action) error {
	if p.server != "" {
		return p.remote(ctx, act)
	}
	return p.embedded(ctx, works, act)
}

func (p *program) remote(ctx context.Context, act action) error {
	key := p.tool.APIKey
	if p.keyFile != "" {
		var err error
		if key, err = secretFile(p.keyFile); err != nil {
			return err
		}
	}
	if !p.credential.IsZero() {
		key = p.credential
	}
	if key.IsZero() {
		kept, err := p.credentials()
		if err != nil {
			return err
		}
		key = secret.New(kept[p.server])
	}
	doer := client.NewDoer(http.ProxyFromEnvironment)
	defer doer.CloseIdleConnections()
	api, err := client.New(client.Options{URL: p.server, Key: key, HTTP: doer, Pause: clock.Sleep})
	if err != nil {
		return usage("--server: %s", err)
	}
	return act(ctx, &session{program: p, api: api})
}

// maxSecret bounds a file with a key or token, in bytes.
const maxSecret = 64 << 10

func secretFile(path string) (secret.Text, error) {
	raw, err := readFile(path, maxSecret)
	if err != nil {
		return secret.Text{}, err
	}
	return oneSecret(string(raw), path)
}

// secretOf is secretFile; - is stdin.
func (p *program) secretOf(path string) (secret.Text, error) {
	raw, name, err := p.read(path, maxSecret)
	if err != nil {
		return secret.Text{}, err
	}
	return oneSecret(string(raw), name)
}

// oneSecret returns the only line of a file; errors do not repeat it.
func oneSecret(raw, from string) (secret.Text, error) {
	value := strings.TrimSpace(raw)
	if value == "" || strings.ContainsAny(value, "\r\n\x00") {
		return secret.Text{}, usage("%s does not hold one line with a value; put the secret there and nothing else", from)
	}
	return secret.New(value), nil
}

// drainWithin bounds how long closing the in-process system takes.
const drainWithin = 24 * time.Second

// embedded opens the whole system in this process. It listens on loopback with a port and a key of
// its own, so that no other user of the machine can use it.
func (p *program) embedded(ctx context.Context, works bool, act action) (err error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return fmt.Errorf("read randomness: %w", err)
	}
	cfg, err := config.Load(embeddedEnviron(p.environ))
	if err != nil {
		return usage("%s", err)
	}
	cfg.APIKeys = secret.New(hex.EncodeToString(key))
	log := app.NewLog(cfg, p.errs)
	app.Gather(log)
	a, err := app.Open(context.WithoutCancel(ctx), cfg, app.Role{API: true, Worker: works && cfg.Embedded()},
		app.Options{Version: app.Version(), Log: log, Now: time.Now, Random: rand.Reader, NoFirstLook: true, Recorder: p.recorder})
	if busy, ok := errors.AsType[*app.InUseError](err); ok {
		return ending(exitError, "a running service uses DATA_DIR %s; name it with --server (or EDGEPOSTURE_SERVER), or choose another DATA_DIR",
			busy.Dir)
	}
	if err != nil {
		return fmt.Errorf("the service cannot be opened in this process: %w", err)
	}
	served := make(chan error, 1)
	go func() { served <- a.Serve() }()
	defer func() {
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWithin)
		defer cancel()
		if closing := errors.Join(a.Close(drain), <-served); closing != nil && err == nil {
			err = fmt.Errorf("the service did not close cleanly: %w", closing)
		}
	}()
	doer := client.NewDoer(nil)
	defer doer.CloseIdleConnections()
	api, err := client.New(client.Options{URL: "http://" + a.Addr(), Own: true, Key: cfg.APIKeys, HTTP: doer, Pause: clock.Sleep})
	if err != nil {
		return err
	}
	if a.Demo() {
		p.say("no CLOUDFLARE_API_TOKEN is set: this is the built-in demo account (a simulated account)")
	}
	s := &session{program: p, api: api}
	err = act(ctx, s)
	if works && cfg.Embedded() && !errors.Is(err, errInterrupted) {
		s.settle(ctx)
	}
	return err
}

// embeddedEnviron returns the environment without the variables that say how to reach a service. The
// log is for people and holds errors only, unless the environment asks for more.
func embeddedEnviron(environ []string) []string {
	out := append(make([]string, 0, len(environ)+2), "SERVICE_LOG_LEVEL=error", "SERVICE_LOG_FORMAT=text")
	for _, kv := range environ {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "HOST", "PORT", "SERVICE_API_KEY":
		default:
			out = append(out, kv)
		}
	}
	return out
}

// settleWithin bounds how long a finishing command waits for the jobs that follow a run.
const settleWithin = 30 * time.Second

// settle waits for the jobs that the command queued. Unfinished jobs are kept and continue when the
// data directory is opened again.
func (s *session) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	for {
		jobs, err := s.api.Jobs(ctx, url.Values{"state": {string(posture.JobQueued) + "," + string(posture.JobRunning)}})
		if err == nil && len(jobs.Value.Items) == 0 {
			return
		}
		if err != nil || clock.Sleep(ctx, 100*time.Millisecond) != nil {
			s.say("%d jobs are not done yet; they are kept and go on when a service or the next command opens this data", len(jobs.Value.Items))
			return
		}
	}
}
