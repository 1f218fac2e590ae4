package credential

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func TestKind(t *testing.T) {
	m := New()
	random := strings.Repeat("aB3dE5fG7hJ9", 4)
	for _, tc := range []struct{ value, want string }{
		{"AKIA" + "IOSFODNN7EXAMPLE", "aws-access-key"},
		{"ghp_" + random[:36], "github-token"},
		{"sk_live_" + random[:24], "stripe-key"},
		{"xoxb-" + "123456789012-" + random[:20], "slack-token"},
		{"-----BEGIN RSA " + "PRIVATE KEY-----\nabc", "private-key"},
		{"postgres://app:" + "hunter22@db.internal:5432/x", "connection-string"},
		{"eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "json-web-token"},
		{"https://example.test/path", ""},
		{"production", ""},
		{"v=spf1 include:_spf.example.test -all", ""},
		{"", ""},
	} {
		require.Equal(t, tc.want, m.Kind(tc.value), tc.value)
	}
}

func TestNamesAndEntropy(t *testing.T) {
	require.True(t, SecretName("API_KEY"))
	require.True(t, SecretName("DbPassword"))
	require.False(t, SecretName("REGION"))
	require.True(t, HighEntropy("9fK2mQ8xZ1vB7nL4cT6w"))
	require.False(t, HighEntropy("aaaaaaaaaaaaaaaaaaaaaaaa"))
	require.False(t, HighEntropy("short"))
	require.Zero(t, Entropy(""))
}

func FuzzKind(f *testing.F) {
	m := New()
	f.Add("AKIAIOSFODNN7EXAMPLE")
	f.Add("\x00\xff")
	f.Fuzz(func(t *testing.T, v string) {
		defer fuzztest.Bound(t)()
		kind := m.Kind(v)
		if kind != "" && len(v) > 40 && strings.Contains(kind, v) {
			t.Fatal("a kind holds the value")
		}
	})
}

// TestHintsAreOfTheirShapes: a hint that a shape does not always have would let its
// values through.
func TestHintsAreOfTheirShapes(t *testing.T) {
	m := New()
	if n := len(hints()); n != len(m.patterns) { //nolint:staticcheck // SA4017: its length is the question
		t.Fatalf("%d hints for %d shapes", n, len(m.patterns))
	}
	long := strings.Repeat("a1B2c3D4", 8)
	for kind, value := range map[string]string{
		"aws-access-key": "ASIA" + strings.Repeat("A1", 8), "github-token": "gho_" + long, "github-fine-grained-token": "github_" + "pat_" +
			long, "gitlab-token": "glpat-" + long,
		"stripe-key": "rk_" + "test_" + long, "slack-token": "xoxb-" + long, "slack-webhook": "https://hooks." + "slack.com/workflows/" + long,
		"google-api-key": "AIza" + long[:35],
		"sendgrid-key":   "SG." + long + "." + long, "npm-token": "npm_" + long[:36], "openai-key": "sk-" + long, "twilio-key": "SK" +
			strings.Repeat("0f", 16), "cloudflare-token": "cfat_" + long,
		"private-key": "-----BEGIN EC " + "PRIVATE KEY-----", "json-web-token": "eyJ" + long + ".eyJ" + long + "." + long,
		"connection-string": "mongodb+srv" + "://a:bcd@host",
	} {
		if got := m.Kind(value); got != kind {
			t.Errorf("%s is taken for %q", kind, got)
		}
		if got := m.Hide("x "+value+" y", "-"); got != "x - y" {
			t.Errorf("%s: %q is left", kind, got)
		}
	}
}
