package outbound

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inside lists addresses that are not the public internet: the ends of every
// network, and what clouds keep in them.
func inside() (all []netip.Addr) {
	for _, b := range blocks() {
		all = append(all, b.prefix.Addr(), lastOf(b.prefix))
	}
	for _, s := range []string{"10.1.2.3", "172.20.0.1", "192.168.1.1", "100.64.1.1", "255.255.255.255", "224.0.0.251", "fd12:3456::1",
		"fe80::1", "ff02::1", "::2", "4000::1", "e000::1",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1",
		"2002:7f00:1::", "2002:a00:1::1", "2001:0:7f00:1::1", "2001::53aa:64c:0:80ff:fffe", "2001:10::1", "2001:20::1"} {
		all = append(all, netip.MustParseAddr(s))
	}
	return all
}

func lastOf(p netip.Prefix) netip.Addr {
	raw := p.Addr().AsSlice()
	for i := range raw {
		for bit := range 8 {
			if i*8+bit >= p.Bits() {
				raw[i] |= 0x80 >> bit
			}
		}
	}
	a, _ := netip.AddrFromSlice(raw)
	return a
}

func bracketed(a netip.Addr) string {
	if a.Is6() {
		return "[" + a.String() + "]"
	}
	return a.String()
}

// disguises writes an IPv4 address in the forms some program somewhere takes.
func disguises(text string) []string {
	b := netip.MustParseAddr(text).As4()
	n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	out := []string{fmt.Sprint(n), fmt.Sprintf("0x%x", n), fmt.Sprintf("0X%X", n), fmt.Sprintf("0%o", n), fmt.Sprintf("0x%08x.", n),
		fmt.Sprint(uint64(n) + 1<<32), fmt.Sprintf("%d.%d", b[0], n&0xffffff), fmt.Sprintf("%d.%d.%d", b[0], b[1], n&0xffff),
		fmt.Sprintf("0x%x.0x%x", b[0], n&0xffffff),
		fmt.Sprintf("0%o.0%o.0%o.0%o", b[0], b[1], b[2], b[3]), fmt.Sprintf("0x%x.0x%x.0x%x.0x%x", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("%04o.%d.%d.%d", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("%d.%d.%d.0x%x", b[0], b[1], b[2], b[3]), fmt.Sprintf("%03d.%03d.%03d.%03d", b[0], b[1], b[2], b[3]), text + ".",
		text + "..", "." + text,
		fmt.Sprintf("%d.%d.%d.%d", int(b[0])+256, b[1], b[2], b[3]), strings.ReplaceAll(text, ".", "%2e"), "[" + text + "]", "[::ffff:" + text +
			"]", "[::" + text + "]", "[64:ff9b::" + text + "]",
		fmt.Sprintf("[::ffff:%x:%x]", n>>16, n&0xffff), fmt.Sprintf("[0:0:0:0:0:ffff:%s]", text)}
	for _, zero := range []rune{'０', '𝟎', '𝟘', '𝟢', '𝟬', '𝟶'} { // digits that are mapped to plain ones
		out = append(out, strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return zero + r - '0'
			}
			return r
		}, text))
	}
	for _, dot := range []string{"。", "．", "｡"} {
		out = append(out, strings.ReplaceAll(text, ".", dot))
	}
	return out
}

// hostile lists addresses by family; all of them mean a machine that must not
// be reached, or nothing at all. Every name in them leads to loopback.
func hostile(port uint16) map[string][]string {
	at := func(host string) string { return fmt.Sprintf("http://%s:%d/hook", host, port) }
	all := map[string][]string{}
	for i, a := range inside() {
		all["address"] = append(all["address"], at(bracketed(a)), strings.Replace(at(bracketed(a)), "http:", "https:", 1))
		if !a.Is4In6() {
			all["name"] = append(all["name"], at(fmt.Sprintf("inside%d.test", i)))
		}
	}
	for _, a := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.0.1"} {
		for _, host := range disguises(a) {
			all["disguise"] = append(all["disguise"], at(host))
		}
	}
	for _, host := range []string{"[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::]", "[::1%25lo]", "[::1%25]", "[fe80::1%25eth0]",
		"[fe80::1%251]", "[::ffff:7f00:1%25lo]", "[fd00:ec2::254]", "[v1.fe]", "[]", "[::1", "::1", "[127.0.0.1.]"} {
		all["IPv6"] = append(all["IPv6"], at(host))
	}
	for _, host := range []string{"localhost", "LOCALHOST", "localhost.", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "ｌｏｃａｌｈｏｓｔ", "metadata.google.internal",
		"127.0.0.1.nip.test", "7f000001.nip.test", "a.b.c.rebind.test", "xn--bcher-kva.test", "bücher.test",
		"a_b.test", "-a.test", "a-.test", "a..test", ".test", strings.Repeat("a", 64) + ".test", strings.Repeat("a.", 130) + "test",
		"xn--a.test", "\u200b.test", "a\u00adb..test", "ex ample.test", "*.test", "a,b.test", "a;b.test", "a!b"} {
		all["host"] = append(all["host"], at(host))
	}
	for _, u := range []string{"http://user@%s/", "http://user:hunter2@%s/", "http://@%s/", "http://:@%s/", "http://public.test@%s/",
		"http://public.test:80@%s/", "http://%s@%[1]s/", "http://public.test%%00@%s/", "http://public.test\\@%s/", "http://public.test%%23@%s/",
		"https://a:b@c@%s/"} {
		all["userinfo"] = append(all["userinfo"], fmt.Sprintf(u, fmt.Sprintf("127.0.0.1:%d", port)))
	}
	for _, s := range []string{"ftp", "ftps", "file", "gopher", "dict", "ldap", "ldaps", "tftp", "sftp", "ssh", "telnet", "smb", "unix",
		"http+unix", "httpx", "ws", "wss", "jar", "netdoc", "data", "javascript", "view-source", "h2", "h2c", "socks5", "", "//", " http",
		"http\n", "%68ttp"} {
		all["scheme"] = append(all["scheme"], fmt.Sprintf("%s://127.0.0.1:%d/", s, port), fmt.Sprintf("%s://localhost:%d/", s, port))
	}
	for _, c := range []string{"\r\n", "\r", "\n", "\t", "\x00", "\x7f", " ", "%0d%0a", "%00", "%20", "\\", "|", "^", "`", "{", "<", "\""} {
		all["control"] = append(all["control"], at("localhost"+c), at("127.0.0.1"+c+".test"), at("local"+c+"host"), at(c+"localhost"))
	}
	for _, p := range []string{":0", ":65536", ":-1", ":+80", ":80:80", ":", ":0x50", ":８０", ":99999999999", ":http"} {
		all["port"] = append(all["port"], "http://public.test"+p+"/", "http://127.0.0.1"+p+"/")
	}
	all["shape"] = []string{"http:127.0.0.1", "http:/127.0.0.1/", "http:///127.0.0.1/", "//127.0.0.1/", "127.0.0.1", "localhost:80",
		"http://", "http://?", "http://#", "", "/", "http:", "http://%"}
	return all
}

// insideNames resolves inside<n>.test to the n-th address and all else to loopback.
func insideNames(name string, six bool) netip.Addr {
	var n int
	if _, err := fmt.Sscanf(name, "inside%d.test.", &n); err == nil {
		if a := inside()[n]; a.Is6() == six {
			return a
		}
		return netip.Addr{}
	}
	if six {
		return netip.IPv6Loopback()
	}
	return netip.MustParseAddr("127.0.0.1")
}

// send tries one address; parsed tells that it came past net/url.
func send(t *testing.T, do func(*http.Request) error, raw string) (parsed bool, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, raw, strings.NewReader("{}"))
	if err != nil {
		return false, err
	}
	return true, do(req)
}

// TestHostileAddresses holds the client against hostile addresses, and then the
// same addresses against a client without each half of the guard: the test
// would see what gets through.
func TestHostileAddresses(t *testing.T) {
	trap := listen(t)
	o := Options{Resolver: names(t, insideNames)}
	client := leading(t, o, trap.address)
	total := 0
	for family, all := range hostile(trap.address.Port()) {
		for _, raw := range all {
			total++
			parsed, err := send(t, func(r *http.Request) error { _, err := client.Do(r); return err }, raw)
			require.Error(t, err, "%s: %q", family, raw)
			if parsed {
				var denied *DeniedError
				require.ErrorAs(t, err, &denied, "%s: %q", family, raw)
				require.NotContains(t, err.Error(), "/hook")
				require.NotContains(t, err.Error(), "hunter2")
				require.NotContains(t, err.Error(), "\n")
			}
		}
	}
	require.Greater(t, total, 300)
	require.Zero(t, trap.came.Load(), "connections")
	t.Logf("%d addresses, %d connections", total, trap.came.Load())

	t.Run("without the list of addresses", func(t *testing.T) {
		open := leading(t, o, trap.address, withoutBlocks)
		require.Greater(t, reached(t, trap, func(r *http.Request) error { _, err := open.Do(r); return err }), int64(150))
	})
	t.Run("without the rules of form", func(t *testing.T) {
		plain := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return connect(ctx, trap.address) }}
		defer plain.CloseIdleConnections()
		n := reached(t, trap, func(r *http.Request) error {
			resp, err := plain.RoundTrip(r)
			if err == nil {
				_ = resp.Body.Close()
			}
			return err
		}, "disguise", "userinfo", "host", "control")
		require.Greater(t, n, int64(60))
	})
}

// reached counts the connections some families of hostile addresses make.
func reached(t *testing.T, trap *counter, do func(*http.Request) error, families ...string) int64 {
	t.Helper()
	before := trap.came.Load()
	for family, all := range hostile(trap.address.Port()) {
		for _, raw := range all {
			if len(families) == 0 || strings.Contains(strings.Join(families, " "), family) {
				_, err := send(t, do, raw)
				require.Error(t, err, "the trap hangs up")
			}
		}
	}
	return trap.came.Load() - before
}

// TestRequestsBuiltByHand skip net/url's parser.
func TestRequestsBuiltByHand(t *testing.T) {
	trap := listen(t)
	client := leading(t, Options{Resolver: names(t, insideNames)}, trap.address)
	for name, change := range map[string]func(*http.Request){
		"no URL":            func(r *http.Request) { r.URL = nil },
		"opaque":            func(r *http.Request) { r.URL = &url.URL{Scheme: "http", Opaque: "//127.0.0.1/x"} },
		"host with a slash": func(r *http.Request) { r.URL.Host = "public.test/@127.0.0.1" },
		"host with CRLF":    func(r *http.Request) { r.URL.Host = "public.test\r\nX: y" },
		"query with CRLF":   func(r *http.Request) { r.URL.RawQuery = "a=b\r\nX: y" },
		"zone":              func(r *http.Request) { r.URL.Host = "[fe80::1%eth0]" },
		"other Host header": func(r *http.Request) { r.Host = "inside.test" },
		"tunnel":            func(r *http.Request) { r.Method = http.MethodConnect },
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://8.8.8.8/", nil)
		require.NoError(t, err)
		change(req)
		_, err = client.Do(req)
		var denied *DeniedError
		require.ErrorAs(t, err, &denied, name)
	}
	require.Zero(t, trap.came.Load())
}
