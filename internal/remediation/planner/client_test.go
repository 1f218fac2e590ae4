package planner

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

// here resolves every name to loopback.
type here struct{}

func (here) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// TestWhoNamedTheHost: a host of the environment is reached where it is, one that
// was saved only where anything may be.
func TestWhoNamedTheHost(t *testing.T) {
	server := httptest.NewServer(says(http.StatusOK, envelope(local, `{"order":["i3"],"notes":[]}`)))
	defer server.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	other := httptest.NewServer(says(http.StatusOK, "{}"))
	defer other.Close()
	key, err := secret.NewKey(rand.Reader)
	require.NoError(t, err)
	pair := []outbound.Pair{{Host: "127.0.0.1", Port: netip.MustParseAddrPort(strings.TrimPrefix(server.URL, "http://")).Port()}}
	for name, tc := range map[string]struct {
		environment, saved string
		base               outbound.Options
		says               string
	}{
		"of the environment":             {server.URL, "", outbound.Options{}, ""},
		"of the environment, by a name":  {"http://localhost:" + port, "", outbound.Options{}, ""},
		"of the environment, with slash": {server.URL + "/", "", outbound.Options{}, ""},
		"saved":                          {"", server.URL, outbound.Options{}, "SERVICE_OUTBOUND_ALLOW"},
		"saved, by a name":               {"", "http://localhost:" + port, outbound.Options{}, "SERVICE_OUTBOUND_ALLOW"},
		"saved and listed":               {"", server.URL, outbound.Options{AllowPairs: pair}, ""},
		"saved over the environment":     {server.URL, server.URL, outbound.Options{}, "SERVICE_OUTBOUND_ALLOW"},
		"saved, others are not let in":   {server.URL, other.URL, outbound.Options{}, "SERVICE_OUTBOUND_ALLOW"},
	} {
		t.Run(name, func(t *testing.T) {
			env := setting.Environment{setting.AIProvider: secret.New(local)}
			if tc.environment != "" {
				env[setting.LocalModelHost] = secret.New(tc.environment)
			}
			overlay := setting.New(setting.Options{Path: filepath.Join(t.TempDir(), "settings.json"), Key: key, Environment: env,
				Random: rand.Reader, Numbers: unnumbered{}})
			if tc.saved != "" {
				_, err := overlay.Change(t.Context(), encode(map[string]string{string(setting.LocalModelHost): tc.saved}))
				require.NoError(t, err)
			}
			values, err := overlay.Read(t.Context())
			require.NoError(t, err)
			tc.base.Resolver = here{}
			_, environment := hostOf(values)
			require.Equal(t, tc.saved == "", environment)
			p := FromSettings(values, tc.base)
			defer p.Close()
			a := p.Advise(t.Context(), sample())
			holds(t, sample(), a)
			require.Equal(t, tc.says == "", a.Used, a.Note)
			require.Contains(t, a.Note, tc.says)
		})
	}
}

// TestTheEnvironmentPermitsOneHostAndPort and nothing beside it.
func TestTheEnvironmentPermitsOneHostAndPort(t *testing.T) {
	other := httptest.NewServer(says(http.StatusOK, "{}"))
	defer other.Close()
	base := outbound.Options{AllowPairs: make([]outbound.Pair, 0, 4), Resolver: here{}}
	client, err := NewClient(base, setting.DefaultLocalModelHost, true)
	require.NoError(t, err)
	defer client.Close()
	require.Empty(t, base.AllowPairs[:cap(base.AllowPairs)][0].Host, "the caller's list is left alone")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, other.URL, nil)
	require.NoError(t, err)
	_, err = client.Do(req)
	var denied *outbound.DeniedError
	require.ErrorAs(t, err, &denied)
	for _, bad := range []string{"", "localhost:11434", "ftp://localhost", "http://user:" + canaryKey + "@localhost", "http://0x7f.1:80",
		"http://localhost:0"} {
		_, err := NewClient(outbound.Options{}, bad, true)
		require.ErrorContains(t, err, setting.DefaultLocalModelHost)
		require.NotContains(t, err.Error(), canaryKey)
	}
}

// TestFromSettings takes what the settings say, and its notes say what is missing.
func TestFromSettings(t *testing.T) {
	for name, tc := range map[string]struct {
		env         setting.Environment
		host, model string
		ready       bool
	}{
		none:        {nil, "", "", false},
		"said none": {setting.Environment{setting.AIProvider: secret.New(none)}, "", "", false},
		hostedA: {setting.Environment{setting.AIProvider: secret.New(hostedA), setting.HostedAAPIKey: secret.New(canaryKey)},
			"https://api.anthropic.com", DefaultModelHostedA, true},
		hostedB: {setting.Environment{setting.AIProvider: secret.New(hostedB), setting.HostedBAPIKey: secret.New(canaryKey),
			setting.AIModel: secret.New("gpt-x")}, "https://api.openai.com", "gpt-x", true},
		"the other's key": {setting.Environment{setting.AIProvider: secret.New(hostedB), setting.HostedAAPIKey: secret.New(canaryKey)},
			"https://api.openai.com", DefaultModelHostedB, false},
		local: {setting.Environment{setting.AIProvider: secret.New(local), setting.HostedAAPIKey: secret.New(canaryKey)},
			setting.DefaultLocalModelHost, DefaultModelLocal, true},
		"a host of no use": {setting.Environment{setting.AIProvider: secret.New(local), setting.LocalModelHost: secret.New("http://user@host")},
			"http://user@host", DefaultModelLocal, false},
	} {
		t.Run(name, func(t *testing.T) {
			overlay := setting.New(setting.Options{Path: filepath.Join(t.TempDir(), "settings.json"), Environment: tc.env, Random: rand.Reader,
				Numbers: unnumbered{}})
			values, err := overlay.Read(t.Context())
			require.NoError(t, err)
			host, environment := hostOf(values)
			require.True(t, environment, "nothing is saved")
			if tc.env[setting.LocalModelHost].IsZero() {
				require.Equal(t, setting.DefaultLocalModelHost, host)
			}
			p := FromSettings(values, outbound.Options{})
			defer p.Close()
			require.Equal(t, tc.host, p.o.Host)
			require.Equal(t, tc.model, p.o.Model)
			require.Equal(t, tc.ready, p.Preview(sample()) != nil)
			if p.protocol == nil || p.protocol.keys() == "" {
				require.True(t, p.o.Key.IsZero(), "a key goes to its provider only")
			}
			if !tc.ready {
				a := p.Advise(t.Context(), sample())
				holds(t, sample(), a)
				require.False(t, a.Used)
			}
		})
	}
}

// unnumbered takes any settings file.
type unnumbered struct{}

func (unnumbered) SettingsNumber(context.Context) (int64, error)   { return 0, nil }
func (unnumbered) NoteSettingsNumber(context.Context, int64) error { return nil }
