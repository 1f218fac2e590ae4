package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

const key = "canary-key-0123456789"

func at(t *testing.T, handler http.HandlerFunc, pause func(context.Context, time.Duration) error) *client.Client {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	c, err := client.New(client.Options{URL: s.URL + "/", Key: secret.New(key), HTTP: client.NewDoer(nil), Pause: pause})
	require.NoError(t, err)
	return c
}

func TestAddresses(t *testing.T) {
	for address, good := range map[string]bool{"http://127.0.0.1:80": true, "http://localhost/x/": true, "https://posture.example.com": true,
		"http://posture.example.com": false,
		"":                           false, "posture.example.com": false, "ftp://x": false, "https://user:canary@x": false,
		"https://x/?key=canary": false, "https://x/#canary": false, "http://[::1]:8": true} {
		_, err := client.New(client.Options{URL: address})
		require.Equal(t, good, err == nil, address)
		if err != nil {
			require.NotContains(t, err.Error(), "canary")
		}
	}
	_, err := client.New(client.Options{URL: "http://10.0.0.5:8080", Own: true})
	require.NoError(t, err)
}

// TestAnswersOfOthers: what is no answer of the service is an error, is not
// repeated, and gets no key a second time.
func TestAnswersOfOthers(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	t.Cleanup(other.Close)
	for name, handler := range map[string]http.HandlerFunc{
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) },
		"page": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "<h1>canary-page</h1>")
		},
		"empty": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"half problem": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"code":"not_f`)
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "canary-page") },
	} {
		_, err := at(t, handler, nil).Checks(t.Context())
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "canary", name)
	}
	require.Zero(t, elsewhere, "a redirect was followed")
}

func TestPagesInPlaceOfAnswers(t *testing.T) {
	c := at(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<h1>Sign in to canary</h1>")
	}, nil)
	var file strings.Builder
	_, download := c.Download(t.Context(), "html", "", "", nil, &file)
	_, evidence := c.Evidence(t.Context(), "0198c5b2-1f6e-7c3a-9d2e-5a1b2c3d4e5f", &file)
	_, list := c.Ask(t.Context(), http.MethodGet, "/api/issues", nil, nil)
	for _, err := range []error{download, evidence, list} {
		require.ErrorContains(t, err, "check that the address is that of the service")
	}
	require.Empty(t, file.String(), "a page of somebody else is no export")
}

func TestProblems(t *testing.T) {
	got := ""
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("X-API-Key")
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"code":"internal","detail":"It failed.","requestId":"r-1"}`)
	}, nil)
	_, err := c.Checks(t.Context())
	var p *posture.Problem
	require.ErrorAs(t, err, &p)
	require.Equal(t, "It failed (request r-1).", p.Detail)
	require.Equal(t, 7, p.RetryAfterSeconds)
	require.Equal(t, key, got)
}

// TestWatchWaitsForAServiceThatIsGone for a while, and not for ever.
func TestWatchWaitsForAServiceThatIsGone(t *testing.T) {
	looks := 0
	answer := func(back int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if looks++; looks < back {
				w.Header().Set("Content-Type", "application/problem+json")
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = io.WriteString(w, `{"code":"unavailable","detail":"Not now."}`)
				return
			}
			_, _ = fmt.Fprint(w, `{"id":"j","state":"succeeded"}`)
		}
	}
	waited := time.Duration(0)
	pause := func(_ context.Context, d time.Duration) error { waited += d; return nil }
	job, err := at(t, answer(20), pause).Watch(t.Context(), "j", nil)
	require.NoError(t, err)
	require.Equal(t, posture.JobSucceeded, job.State)
	looks, waited = 0, 0
	_, err = at(t, answer(1<<30), pause).Watch(t.Context(), "j", nil)
	require.Error(t, err)
	require.Equal(t, 90*time.Second, waited)
	waited = 0
	_, err = at(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Retry-After", "9223372036854775807")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"code":"unavailable","detail":"Not now."}`)
	}, pause).Watch(t.Context(), "j", nil)
	require.Error(t, err)
	require.Equal(t, 90*time.Second, waited)
	stop := errors.New("stop")
	looks = 0
	_, err = at(t, answer(1<<30), func(context.Context, time.Duration) error { return stop }).Watch(t.Context(), "j", nil)
	require.ErrorIs(t, err, stop)
}

// TestTokensAreNowhereButInTheBody of the request that needs them.
func TestTokensAreNowhereButInTheBody(t *testing.T) {
	r := client.ApplyRequest{Token: secret.New("canary-edit"), APIToken: secret.New("canary-api")}
	w := client.Apply(r)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v %v %+v %#v", r, r, r, w, w, w), "canary")
	sent, address := "", ""
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		sent = string(raw)
		address = r.URL.String()
		_, _ = io.WriteString(w, "{}")
	}, nil)
	_, err := c.Submit(t.Context(), w, time.Minute, "k")
	require.NoError(t, err)
	require.True(t, strings.Contains(sent, "canary-edit") && strings.Contains(sent, "canary-api"), sent)
	require.NotContains(t, address, "canary")
	gone, err := client.New(client.Options{URL: "http://127.0.0.1:1", Key: secret.New(key), HTTP: client.NewDoer(nil)})
	require.NoError(t, err)
	_, err = gone.Submit(t.Context(), w, 0, "")
	require.ErrorContains(t, err, "connection refused")
	require.NotContains(t, err.Error(), "canary")
}
