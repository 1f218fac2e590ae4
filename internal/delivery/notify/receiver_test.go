package notify_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// receiver is the webhook program of Debian, which runs a command when the
// signature over the body is right. Its hook appends each body to a file.
type receiver struct {
	url string
	dir string
}

// startReceiver runs the program on a free loopback port until the test ends.
// Without one installed the test is skipped, but fails when CI is set.
func startReceiver(t *testing.T) receiver {
	t.Helper()
	binary, err := exec.LookPath("webhook")
	if err != nil {
		const how = "the webhook receiver is not installed; run make deps"
		require.Empty(t, os.Getenv("CI"), how)
		t.Skip(how)
	}
	hooks, err := filepath.Abs("testdata/webhook-hooks.json")
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	cmd := exec.Command(binary, "-hooks", hooks, "-ip", "127.0.0.1", "-port", port)
	cmd.Dir = t.TempDir()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	r := receiver{url: "http://127.0.0.1:" + port + "/hooks/findings", dir: cmd.Dir}
	require.Eventually(t, func() bool {
		conn, err := net.DialTimeout("tcp", "127.0.0.1:"+port, time.Second)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}, 10*time.Second, 10*time.Millisecond, "the receiver does not listen")
	return r
}

// stored gives the bodies the command was run with.
func (r receiver) stored(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.dir, "received.ndjson"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

func TestRealReceiverVerifiesTheSignature(t *testing.T) {
	r, ch := startReceiver(t), channel(t, "webhook")
	right := notify.Address{URL: secret.New(r.url), Secret: secret.New("topsecret")}
	for i, name := range []string{"full", "first", "clean", "hostile"} {
		body := build(t, "webhook", examples(t)[name])
		require.Equal(t, notify.SendOutcome{State: notify.Sent, Status: 200}, ch.Send(t.Context(), wire{}, right, body, delivery()))
		stored := r.stored(t)
		require.Len(t, stored, i+1)
		require.JSONEq(t, string(body), stored[i], "the receiver hands the same values to its command")
	}
	body, before := build(t, "webhook", examples(t)["full"]), len(r.stored(t))

	wrong := right
	wrong.Secret = secret.New("topsecret ")
	got := ch.Send(t.Context(), wire{}, wrong, body, delivery())
	require.Equal(t, notify.Retry, got.State, "this receiver answers 500 to a wrong signature")
	require.Equal(t, http.StatusInternalServerError, got.Status)

	changed := doer(func(req *http.Request) (*outbound.Response, error) {
		other := bytes.Replace(body, []byte(`"new":27`), []byte(`"new":26`), 1)
		require.NotEqual(t, body, other)
		again, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url, bytes.NewReader(other))
		require.NoError(t, err)
		again.Header = req.Header
		return wire{}.Do(again)
	})
	require.Equal(t, http.StatusInternalServerError, ch.Send(t.Context(), changed, right, body, delivery()).Status)

	bare := doer(func(req *http.Request) (*outbound.Response, error) {
		req.Header.Del(notify.HeaderSignature)
		return wire{}.Do(req)
	})
	require.Equal(t, http.StatusUnauthorized, ch.Send(t.Context(), bare, right, body, delivery()).Status)
	require.Len(t, r.stored(t), before, "the command ran for nothing but the right signature")
}

// attempt gives the headers and the body of one delivery.
func attempt(t *testing.T, sign string, at time.Time) (http.Header, []byte) {
	t.Helper()
	var header http.Header
	body := build(t, "webhook", examples(t)["hostile"])
	out := channel(t, "webhook").Send(t.Context(), doer(func(req *http.Request) (*outbound.Response, error) {
		header = req.Header.Clone()
		return &outbound.Response{Status: 200}, nil
	}), notify.Address{URL: secret.New("https://hooks.example/"), Secret: secret.New(sign)}, body, notify.Delivery{ID: delivery().ID, At: at})
	require.Equal(t, notify.Sent, out.State)
	return header, body
}

// TestStandardWebhooksLibraryVerifies holds the second set of headers against
// the reference library, for a secret of its own form and for one of any form.
func TestStandardWebhooksLibraryVerifies(t *testing.T) {
	for _, sign := range []string{"whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef01234567")), "any text, ünïcode too"} {
		verifier, err := standardwebhooks.NewWebhookRaw([]byte(sign))
		if strings.HasPrefix(sign, "whsec_") {
			verifier, err = standardwebhooks.NewWebhook(sign)
		}
		require.NoError(t, err)
		at := time.Now()
		header, body := attempt(t, sign, at)
		require.NoError(t, verifier.Verify(body, header))
		require.Error(t, verifier.Verify(append([]byte(" "), body...), header), "a changed body")
		other := header.Clone()
		other.Set("webhook-id", "another")
		require.Error(t, verifier.Verify(body, other), "another id")
		other = header.Clone()
		other.Set("webhook-timestamp", fmt.Sprint(at.Unix()-1))
		require.Error(t, verifier.Verify(body, other), "another time")
		stranger, err := standardwebhooks.NewWebhookRaw([]byte("wrong"))
		require.NoError(t, err)
		require.Error(t, stranger.Verify(body, header), "another secret")
		old, _ := attempt(t, sign, at.Add(-10*time.Minute))
		require.ErrorIs(t, verifier.Verify(body, old), standardwebhooks.ErrMessageTooOld)
		require.Equal(t, header.Get("X-Service-Delivery"), header.Get("webhook-id"))
		require.Equal(t, header.Get("X-Service-Timestamp"), header.Get("webhook-timestamp"))
	}
}

// TestOpenSSLComputesTheSameSignatures runs the commands of docs/delivery.md.
func TestOpenSSLComputesTheSameSignatures(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		require.Empty(t, os.Getenv("CI"), "openssl is not installed; run make deps")
		t.Skip("openssl is not installed")
	}
	const sign = "top secret"
	header, body := attempt(t, sign, now())
	require.NoError(t, json.Unmarshal(body, &map[string]any{}))
	digest := func(text string) string {
		cmd := exec.CommandContext(t.Context(), "openssl", "dgst", "-sha256", "-hmac", sign, "-hex")
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.Output()
		require.NoError(t, err)
		fields := strings.Fields(string(out))
		return "sha256=" + fields[len(fields)-1]
	}
	require.Equal(t, digest(string(body)), header.Get("X-Service-Signature"))
	require.Equal(t, "1795262400", header.Get("X-Service-Timestamp"))
	require.Equal(t, digest("1795262400."+string(body)), header.Get("X-Service-Signature-V2"))
	require.Equal(t, "assessment.summary", header.Get("X-Service-Event"))
	require.Equal(t, delivery().ID, header.Get("X-Service-Delivery"))
	require.NotEqual(t, header.Get("X-Service-Signature"), digest(string(body)+" "), "one space more is another body")
}
