package notify_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

const canary = "T0CANARY/B0CANARY/xoxcanary"

// wire is a Doer over a plain client that follows no redirect.
type wire struct{}

func (wire) Do(req *http.Request) (*outbound.Response, error) {
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	return &outbound.Response{Status: resp.StatusCode, Header: resp.Header, Body: body}, err
}

type doer func(*http.Request) (*outbound.Response, error)

func (d doer) Do(req *http.Request) (*outbound.Response, error) { return d(req) }

func now() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

func delivery() notify.Delivery {
	return notify.Delivery{ID: "0193f0c4-0000-7000-8000-000000000001", At: now()}
}

func target(address string) notify.Address {
	return notify.Address{URL: secret.New(address), Secret: secret.New("secret-canary")}
}

func TestOutcomes(t *testing.T) {
	type answer struct {
		status int
		header http.Header
	}
	after := func(v string) http.Header { return http.Header{"Retry-After": {v}} }
	for _, c := range []struct {
		answer answer
		state  notify.State
		wait   time.Duration
		reason string
	}{
		{answer{200, nil}, notify.Sent, 0, ""}, {answer{202, nil}, notify.Sent, 0, ""}, {answer{204, after("9")}, notify.Sent, 0, ""},
		{answer{429, after("7")}, notify.Retry, 7 * time.Second, "too many messages"}, {answer{429, nil}, notify.Retry, 0, "too many messages"},
		{answer{503, after("Sat, 21 Nov 2026 12:02:00 GMT")}, notify.Retry, 2 * time.Minute, "which may pass"},
		{answer{500, nil}, notify.Retry, 0, "which may pass"},
		{answer{502, after("soon")}, notify.Retry, 0, "which may pass"}, {answer{599, nil}, notify.Retry, 0, "which may pass"},
		{answer{408, nil}, notify.Retry, 0, "which may pass"},
		{answer{301, http.Header{"Location": {"https://evil.example/" + canary}}}, notify.Failed, 0, "a redirect, which is not followed"},
		{answer{304, nil}, notify.Failed, 0, "redirect"},
		{answer{400, nil}, notify.Failed, 0, "check that"}, {answer{401, nil}, notify.Failed, 0, "not accepted"},
		{answer{403, nil}, notify.Failed, 0, "not accepted"},
		{answer{404, nil}, notify.Failed, 0, "does not exist"}, {answer{410, after("5")}, notify.Failed, 0, "does not exist"},
		{answer{413, nil}, notify.Failed, 0, "check that"}, {answer{422, nil}, notify.Failed, 0, "check that"},
		{answer{0, nil}, notify.Failed, 0, "check that"},
	} {
		for _, ch := range notify.Channels() {
			got := ch.Send(t.Context(), doer(func(*http.Request) (*outbound.Response, error) {
				return &outbound.Response{Status: c.answer.status, Header: c.answer.header, Body: []byte("upstream says " + canary)}, nil
			}), target("https://hooks.example/services/"+canary), []byte("{}"), delivery())
			require.Equal(t, c.state, got.State, "%s %d", ch.Name, c.answer.status)
			require.Equal(t, c.answer.status, got.Status)
			require.Equal(t, c.wait, got.Wait)
			require.Contains(t, got.Reason, c.reason)
			quiet(t, got)
			if got.State != notify.Sent {
				require.Contains(t, got.Reason, fmt.Sprintf("%s did not take the message: it answered %d", ch.Title, c.answer.status))
			}
		}
	}
}

// TestSuccessThatIsNone: a chat that answers 200 with a page or with the error of another did not take the message. A webhook may
// answer what it likes.
func TestSuccessThatIsNone(t *testing.T) {
	for _, body := range []string{"\n<!doctype html><html>log in</html>",
		"Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x"} {
		for _, ch := range notify.Channels() {
			got := ch.Send(t.Context(), doer(func(*http.Request) (*outbound.Response, error) {
				return &outbound.Response{Status: 200, Body: []byte(body)}, nil
			}), target("https://hooks.example/services/"+canary), []byte("{}"), delivery())
			if ch.Name == "webhook" {
				require.Equal(t, notify.Sent, got.State)
				continue
			}
			require.Equal(t, notify.Retry, got.State, "%s %s", ch.Name, body)
			quiet(t, got)
		}
	}
}

// quiet holds that an outcome tells nothing that is secret or a stranger's.
func quiet(t *testing.T, o notify.SendOutcome) {
	t.Helper()
	said := fmt.Sprintf("%+v", o)
	require.NotContains(t, strings.ToLower(said), "canary")
	require.NotContains(t, said, "hooks.example")
	require.LessOrEqual(t, len(o.Reason), 320)
	if o.State != notify.Sent {
		require.Regexp(t, `^[A-Z].*[^.]\.$`, o.Reason, "one sentence")
	}
}

func TestTroubleOnTheWay(t *testing.T) {
	address := "https://hooks.example/services/" + canary
	wrap := func(err error) error { return &url.Error{Op: "Post", URL: address, Err: err} }
	denied := func(code posture.Code, say string) error { return wrap(posture.Problemf(code, "%s", say)) }
	for _, c := range []struct {
		err    error
		state  notify.State
		reason string
	}{
		{wrap(context.DeadlineExceeded), notify.Retry, "did not answer in time"},
		{wrap(&net.DNSError{Err: "no such host", Name: "canary", IsNotFound: true}), notify.Retry, "could not be resolved"},
		{wrap(&net.DNSError{Err: "timeout", Name: "canary", IsTimeout: true}), notify.Retry, "did not answer in time"},
		{wrap(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), notify.Retry, "refused the connection"},
		{wrap(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), notify.Retry, "broke the connection"},
		{wrap(&tls.CertificateVerificationError{Err: errors.New("canary")}), notify.Retry, "certificate is not trusted"},
		{wrap(io.ErrUnexpectedEOF), notify.Retry, "the connection failed"},
		{errors.New(address), notify.Retry, "the connection failed"},
		{nil, notify.Retry, "the connection failed"}, // neither an answer nor an error
		{denied(posture.CodeOutboundDenied, "The address is private; list it in SERVICE_OUTBOUND_ALLOW."), notify.Failed,
			"list it in SERVICE_OUTBOUND_ALLOW"},
		{denied(posture.CodeInvalid, "The address has a user name; leave it out."), notify.Failed, "user name"},
		{denied(posture.CodeOutboundDenied, "The address "+address+" is private."), notify.Failed, "may not be sent to at this address"},
		{denied(posture.CodeOutboundDenied, "The path xoxcanary is odd."), notify.Failed, "may not be sent to at this address"},
		{denied(posture.CodeOutboundDenied, "The secret secret-canary is odd."), notify.Failed, "may not be sent to at this address"},
		{denied(posture.CodeUnavailable, "Busy with "+canary+"."), notify.Retry, "the connection failed"},
	} {
		for _, ch := range notify.Channels() {
			got := ch.Send(t.Context(), doer(func(*http.Request) (*outbound.Response, error) { return nil, c.err }), target(address), []byte("{}"),
				delivery())
			require.Equal(t, c.state, got.State, "%v", c.err)
			require.Contains(t, got.Reason, c.reason)
			require.Zero(t, got.Status)
			quiet(t, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := channel(t, "chat_a").Send(ctx, wire{}, target("http://127.0.0.1:9/"), []byte("{}"), delivery())
	require.Equal(t, notify.Retry, got.State, "a stopped attempt is not lost")
	require.Contains(t, got.Reason, "was stopped")
}

func TestCheckNamesTheSetting(t *testing.T) {
	for _, c := range []struct{ channel, url, secret, location, say string }{
		{"chat_a", "", "", "body.chatAWebhook", "has no address"}, {"chat_b", "", "", "body.chatBWebhook", "has no address"},
		{"webhook", "", "s", "body.webhookUrl", "has no address"},
		{"chat_a", "hooks.example/canary", "", "body.chatAWebhook", "not an http or https URL"}, {"chat_b", "ftp://hooks.example/canary", "",
			"body.chatBWebhook", "not an http"},
		{"webhook", "https:///canary", "s", "body.webhookUrl", "not an http"}, {"webhook", "https://hooks.example/\x7fcanary", "s",
			"body.webhookUrl", "not an http"},
		{"webhook", "https://hooks.example/canary", "", "body.webhookSecret", "nothing is sent unsigned"},
		{"webhook", "https://hooks.example/canary", "whsec_not base64 canary", "body.webhookSecret", "standard base64"},
		{"webhook", "https://hooks.example/canary", "whsec_", "body.webhookSecret", "standard base64"},
	} {
		ch, to := channel(t, c.channel), notify.Address{URL: secret.New(c.url), Secret: secret.New(c.secret)}
		p := posture.AsProblem(ch.Check(to))
		require.Equal(t, posture.CodeInvalid, p.Code)
		require.Equal(t, c.location, p.Errors[0].Location)
		require.Contains(t, p.Detail, c.say)
		got := ch.Send(t.Context(), doer(func(*http.Request) (*outbound.Response, error) {
			require.Fail(t, "nothing may be sent")
			return nil, io.EOF
		}), to, []byte("{}"), delivery())
		require.Equal(t, notify.SendOutcome{State: notify.Failed, Reason: p.Detail}, got)
		quiet(t, got)
	}
	for _, id := range []string{"", "a.b", "a\r\nX-Evil: 1", "ä", strings.Repeat("a", 201), "a b"} {
		got := channel(t, "webhook").Send(t.Context(), wire{}, target("https://hooks.example/"), nil, notify.Delivery{ID: id, At: now()})
		require.Equal(t, notify.Failed, got.State)
		require.Contains(t, got.Reason, "no usable id")
	}
}

// TestWhatArrives sends every channel over a real connection and looks at what
// the receiver gets.
func TestWhatArrives(t *testing.T) {
	type arrival struct {
		header http.Header
		body   []byte
		path   string
	}
	var got []arrival
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, arrival{r.Header.Clone(), body, r.Method + " " + r.URL.Path})
		if strings.HasSuffix(r.URL.Path, "moved") {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}
	}))
	defer server.Close()
	s := examples(t)["full"]
	for _, ch := range notify.Channels() {
		got = nil
		body := build(t, ch.Name, s)
		require.Equal(t, notify.SendOutcome{State: notify.Sent, Status: 200}, ch.Send(t.Context(), wire{}, target(server.URL+"/in/x"), body,
			delivery()))
		require.Len(t, got, 1)
		require.Equal(t, "POST /in/x", got[0].path)
		require.True(t, bytes.Equal(body, got[0].body), "the exact body arrives")
		require.Equal(t, "application/json; charset=utf-8", got[0].header.Get("Content-Type"))
		require.Equal(t, ch.SecretKey != "", got[0].header.Get("X-Service-Signature") != "", "only the webhook is signed")
		require.NotContains(t, fmt.Sprint(got[0].header), "secret-canary")
		got = nil
		require.Equal(t, notify.Failed, ch.Send(t.Context(), wire{}, target(server.URL+"/moved"), body, delivery()).State)
		require.Len(t, got, 1, "a redirect is not followed")
	}
}
