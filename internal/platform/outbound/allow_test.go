package outbound

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// TestAllowList: what an operator lists is reached, and nothing beside it.
func TestAllowList(t *testing.T) {
	for _, tc := range []struct {
		allow, host, address string
		port                 uint16
		reached              bool
	}{
		{"", "search.internal", "10.1.2.3", 9200, false},
		{"10.1.0.0/16", "search.internal", "10.1.2.3", 9200, true},
		{"10.1.0.0/16", "search.internal", "10.2.2.3", 9200, false},
		{"10.1.2.3", "search.internal", "10.1.2.3", 9200, true},
		{"10.1.2.3", "search.internal", "10.1.2.4", 9200, false},
		{"127.0.0.0/8", "localhost", "127.0.0.1", 80, true},
		{"127.0.0.0/8", "localhost", "::1", 80, false},
		{"127.0.0.0/8, ::1", "localhost", "::1", 80, true},
		{"10.0.0.0/8", "wrapped.test", "64:ff9b::a01:203", 80, false},
		{"fd00::/8", "six.internal", "fd12::1", 443, true},
		{"fd00::/8", "six.internal", "fe80::1", 443, false},
		{"192.168.0.0/16,100.64.0.0/10", "shared.internal", "100.64.9.9", 443, true},
		{"10.1.2.3:9200", "search.internal", "10.1.2.3", 9200, true},
		{"10.1.2.3:9200", "search.internal", "10.1.2.3", 22, false},
		{"search.internal:9200", "search.internal", "10.1.2.3", 9200, true},
		{"SEARCH.internal:9200", "search.internal", "10.1.2.3", 9201, false},
		{"search.internal:9200", "other.internal", "10.1.2.3", 9200, false},
		{"search.internal:9200", "search.internal", "169.254.169.254", 9200, false},
		{"search.internal:9200", "search.internal", "fd00:ec2::254", 9200, false},
		{"169.254.169.254", "metadata.test", "169.254.169.254", 80, true},
		{"[::1]:8088", "localhost", "::1", 8088, true},
		{"[::1]:8088", "localhost", "::1", 8089, false},
		{"", "public.test", "93.184.215.14", 443, true},
		{"", "public.test", "2606:2800:21f::1", 443, true},
	} {
		prefixes, pairs, err := ParseAllow(tc.allow)
		require.NoError(t, err, tc.allow)
		reason := newGuard(prefixes, pairs).refuses(tc.host, netip.AddrPortFrom(netip.MustParseAddr(tc.address), tc.port), false)
		require.Equal(t, tc.reached, reason == "", "%q: %s at %s:%d: %s", tc.allow, tc.host, tc.address, tc.port, reason)
	}
}

func TestParseAllowRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"0.0.0.0/0": "so wide", "::/0": "so wide", "0.0.0.0/1": "so wide", "8.0.0.0/7": "so wide", "2000::/3": "so wide",
		"10.0.0.0/8,": "empty part", ",": "empty part", "10.0.0.0/33": "no network", "10.0.0/8": "no network", "10.1.2.3/8": "write 10.0.0.0/8",
		"fe80::1%eth0": "zone", "::ffff:10.0.0.1": "inside an IPv6", "::ffff:10.0.0.0/104": "inside an IPv6",
		"10.0.0.0/8 10.1.0.0/16": "no network",
		"search.internal":        "host:port", "search.internal:0": "host:port", "search.internal:http": "host:port",
		"http://search.internal:9200": "no network",
		"*":                           "host:port", "0177.0.0.1:80": "host:port", "2130706433:80": "host:port", "user@host:80": "host:port",
		":80": "host:port", "[::1%lo]:80": "host:port", "010.1.2.3": "host:port",
		strings.Repeat("x", 500): "host:port",
	} {
		_, _, err := ParseAllow(text)
		require.ErrorContains(t, err, says, text)
		require.Less(t, len(err.Error()), 300)
	}
	prefixes, pairs, err := ParseAllow("  ")
	require.NoError(t, err)
	require.Empty(t, prefixes)
	require.Empty(t, pairs)
}

// TestEveryBlockIsRefused and the addresses right beside the blocks are not,
// unless another block has them.
func TestEveryBlockIsRefused(t *testing.T) {
	g := newGuard(nil, nil)
	for _, a := range inside() {
		require.NotEmpty(t, g.refuses("x.test", netip.AddrPortFrom(a, 80), false), a)
	}
	for _, public := range []string{"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
		"128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
		"192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111",
		"2001:4860:4860::8888", "2a00:1450::1", "2003::1", "2001:200::1"} {
		require.Empty(t, g.refuses("x.test", netip.AddrPortFrom(netip.MustParseAddr(public), 80), false), public)
	}
}

func TestOrigin(t *testing.T) {
	for raw, want := range map[string]string{
		"https://Search.Example":            "https://search.example:443",
		"HTTP://search.example/a/b?c=d#e":   "http://search.example:80",
		"https://search.example:443":        "https://search.example:443",
		"https://search.example:9200/":      "https://search.example:9200",
		"https://bücher.example":            "https://xn--bcher-kva.example:443",
		"https://BÜCHER.example":            "https://xn--bcher-kva.example:443",
		"http://[2606:4700:0:0::1111]:8080": "http://[2606:4700::1111]:8080",
		"http://127.0.0.1:8088":             "http://127.0.0.1:8088",
		"http://search.example.":            "http://search.example.:80",
	} {
		got, err := Origin(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, got)
	}
	for _, raw := range []string{"", "search.example", "ftp://search.example", "https://user:hunter2@search.example",
		"https://search.example/\r\nX", " https://search.example", "https://search.example/a b", "http://0x7f.1", "http://[::1%25lo]",
		"https:search.example", "https://:443", "https://%zz"} {
		_, err := Origin(raw)
		var denied *DeniedError
		require.ErrorAs(t, err, &denied, raw)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

// FuzzOrigin: an origin is its own origin, and its host is plain.
func FuzzOrigin(f *testing.F) {
	for _, all := range hostile(80) {
		for _, raw := range all {
			f.Add(raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw string) {
		defer fuzztest.Bound(t)()
		origin, err := Origin(raw)
		if err != nil {
			return
		}
		again, err := Origin(origin)
		require.NoError(t, err, origin)
		require.Equal(t, origin, again)
		for i := range len(origin) {
			require.True(t, origin[i] > ' ' && origin[i] < 0x7f && !strings.ContainsRune(`@\%?#`, rune(origin[i])), origin)
		}
	})
}

func FuzzParseAllow(f *testing.F) {
	f.Add("10.0.0.0/8, search.internal:9200,[::1]:80")
	f.Add("::ffff:1.2.3.4/120")
	f.Fuzz(func(t *testing.T, text string) {
		defer fuzztest.Bound(t)()
		prefixes, pairs, err := ParseAllow(text)
		if err != nil {
			require.Empty(t, prefixes)
			return
		}
		for _, p := range prefixes {
			require.Equal(t, p, p.Masked())
			require.GreaterOrEqual(t, p.Bits(), widest6)
		}
		for _, p := range pairs {
			require.NotZero(t, p.Port)
			require.NotEmpty(t, p.Host)
		}
	})
}

// TestPlainHTTPIsAskedFor: what is not encrypted goes only where somebody said that it may.
func TestPlainHTTPIsAskedFor(t *testing.T) {
	served := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer served.Close()
	for _, c := range []struct {
		url   string
		pairs []Pair
		plain bool
		sent  bool
	}{
		{"http://public.test/hook", nil, false, false},
		{"http://public.test:8088/hook", []Pair{{"public.test", 80}}, false, false},
		{"http://public.test/hook", []Pair{{"public.test", 80}}, false, true},
		{"http://public.test/hook", nil, true, true},
	} {
		client := leading(t, Options{Resolver: addresses("93.184.215.14"), AllowPairs: c.pairs},
			netip.MustParseAddrPort(served.Listener.Addr().String()))
		client.plain = c.plain
		_, err := get(t, client, c.url)
		if c.sent {
			require.NoError(t, err, c)
			continue
		}
		var denied *DeniedError
		require.ErrorAs(t, err, &denied, c)
		require.Contains(t, denied.Error(), "use https")
		require.Contains(t, denied.Error(), "SERVICE_OUTBOUND_ALLOW")
	}
}
