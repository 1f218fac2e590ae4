package redact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

const (
	configured = `q7"canary/one+two three`
	database   = "postgres://app:canary%20pass%3Aword@db.internal:5432/app?sslmode=require"
)

func redactor() *Redactor {
	return New(secret.New(configured), secret.New(database), secret.New("abc"), secret.Text{},
		secret.New("first-canary-key,second-canary-key"), secret.New("canary-key"))
}

// token puts a credential together from halves, so that this file is no leak.
func token(halves ...string) string { return strings.Join(halves, "") }

func TestText(t *testing.T) {
	r := redactor()
	for name, c := range map[string]struct{ in, gone, stays string }{
		"plain":                   {"job 01a2 of account 7 failed: 404 Not Found", "", "job 01a2 of account 7 failed: 404 Not Found"},
		"configured":              {"said " + configured + " twice " + configured, "canary", "said "},
		"configured in an URL":    {"GET /x?y=" + url.QueryEscape(configured), "canary", "GET /x"},
		"configured in a path":    {"GET /" + url.PathEscape(configured), "canary", "GET /"},
		"configured in JSON":      {`{"x":"q7\"canary/one+two three"}`, "canary", `{"x":"`},
		"password of an address":  {"auth failed for canary pass:word", "canary", "auth failed"},
		"address":                 {"dial " + database, "canary", "dial "},
		"one of two keys":         {"got second-canary-key", "canary", "got "},
		"the longer of two":       {"got first-canary-key", "first", "got "},
		"too short to be a word":  {"abc stays", "", "abc stays"},
		"provider token":          {token("cf", "ut_") + strings.Repeat("a1B", 12), "a1Ba1B", dots},
		"chat webhook":            {token("https://hooks.", "slack.com/services/") + "T0/B0/canarycanarycanary", "canary", ""},
		"cloud key":               {"using " + token("AKIA", "Q7LEAKCANARYX2ZP"), "CANARY", "using "},
		"bearer":                  {"header authorization was Bearer canarycanary.canary", "canary", "header"},
		"pair":                    {"GET /x?token=canary&y=1", "canary", "y=1"},
		"pair in JSON":            {`{"apiToken": "canary", "y": 1}`, "canary", `"y": 1`},
		"pair with a scheme":      {"authorization: Basic canary0000", "canary", "authorization"},
		"cookie":                  {"Set-Cookie: session=canary", "canary", "Set-Cookie"},
		"private key":             {"x -----BEGIN RSA " + "PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY----- y", "canary", " y"},
		"half of a private key":   {"x -----BEGIN " + "PRIVATE KEY-----\ncanary", "canary", "x "},
		"JSON web token":          {"sent " + token("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiJjYW5hcnkifQ", ".c2lnbmF0dXJl"), "eyJ", "sent "},
		"address with a password": {"redis" + "://:canary@redis:6379", "canary", ""},
	} {
		got := r.Text(c.in)
		if c.gone != "" {
			require.NotContains(t, got, c.gone, name)
			require.Contains(t, got, dots, name)
		}
		require.Contains(t, got, c.stays, name)
	}
	require.Less(t, len(r.Text(strings.Repeat("long ", 100_000))), longest+10)
}

func TestNames(t *testing.T) {
	for _, n := range []string{"token", "apiToken", "API_KEY", "X-API-Key", "Authorization", "password", "passwd", "client_secret", "Cookie",
		"set-cookie", "jwt", "key", "privateKey", "webhookUrl", "DATABASE_URL", "dsn", "credentials"} {
		require.True(t, Name(n), n)
	}
	for _, n := range []string{"requestId", "jobId", "account", "reason", "attempt", "kind", "error", "traceId", "hash", "seq", "keys",
		"monkey", "phase"} {
		require.False(t, Name(n), n)
	}
}

type leaky struct{ Inner string }

func (leaky) LogValue() slog.Value {
	return slog.GroupValue(slog.String("password", "canary"), slog.String("note", configured))
}

type rude struct{ x *int }

func (r rude) String() string { return fmt.Sprint(*r.x) }

// TestHandler logs secrets in every way slog has, in both formats.
func TestHandler(t *testing.T) {
	for _, format := range []func(io.Writer) slog.Handler{
		func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
		func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
	} {
		var b bytes.Buffer
		type idKey struct{}
		log := slog.New(NewHandler(format(&b), redactor(), func(ctx context.Context) []slog.Attr {
			if id, ok := ctx.Value(idKey{}).(string); ok {
				return []slog.Attr{slog.String("traceId", id)}
			}
			return nil
		}))
		log.InfoContext(context.WithValue(t.Context(), idKey{}, "0af7"), "message "+configured, "token", "canary", "n", 7, "took", time.Second,
			"error", fmt.Errorf("wrapped: %w", errors.New("bad "+configured)), "leaky", leaky{"canary-key"}, "struct",
			struct{ A, B string }{configured, "canary-key"}, "map", map[string]string{"password": "canary"}, "bytes", []byte("canary"), "rude",
			rude{},
			"text", secret.New("canary"), slog.Group("headers", "Authorization", "canary", "x", configured), "nil", nil, configured,
			"under a name that is secret")
		log.With("secret", "canary", "jobId", "j1").WithGroup("credentials").Info("x", "user", "canary")
		log.WithGroup("request").With("cookie", "canary").Info("y", "requestId", "r1")
		got := strings.ReplaceAll(b.String(), "canary ", "canary")
		require.NotContains(t, strings.ReplaceAll(got, "canary •", ""), "canary", got)
		for _, want := range []string{"0af7", "j1", "r1", "wrapped", "6 bytes"} {
			require.Contains(t, got, want)
		}
	}
}

func TestHandlerIsWrappedOnce(t *testing.T) {
	h := NewHandler(slog.DiscardHandler, redactor(), nil)
	require.Same(t, h, NewHandler(h, New(), nil))
}

func FuzzText(f *testing.F) {
	r := redactor()
	f.Add("Bearer x", "token=", 3)
	f.Add("-----BEGIN PRIVATE KEY-----", "\x00\xff", 0)
	f.Add("postgres://a:b@c", "••••", 5)
	f.Fuzz(func(t *testing.T, before, after string, _ int) {
		defer fuzztest.Bound(t)()
		for _, s := range []string{configured, url.QueryEscape(configured), "second-canary-key"} {
			if len(before)+len(s)+len(after) < longest && strings.Contains(r.Text(before+s+after), s) {
				t.Fatalf("%q is still there", s)
			}
		}
		var b bytes.Buffer
		slog.New(NewHandler(slog.NewJSONHandler(&b, nil), r, nil)).Info(before+configured, after, configured)
		if bytes.Contains(b.Bytes(), []byte("canary/one")) || !json.Valid(b.Bytes()) {
			t.Fatalf("a line leaks or is broken: %s", b.String())
		}
	})
}

// BenchmarkLine is what one line of a job costs, with and without redaction.
func BenchmarkLine(b *testing.B) {
	plain := slog.DiscardHandler
	for name, h := range map[string]slog.Handler{"plain": plain, "redacted": NewHandler(plain, redactor(), nil)} {
		b.Run(name, func(b *testing.B) {
			log := slog.New(h)
			b.ReportAllocs()
			for b.Loop() {
				log.Warn("the job hit trouble of the service; it will be tried again", "jobId", "01a2028f-b064-7770-830f-d92a01e338b0", "attempt", 2,
					"kind", "assess", "error", errors.New("claim a job: the database server cannot be reached: dial tcp 10.0.0.7:5432: connect: "+
						"connection refused"))
			}
		})
	}
}
