package exposure

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlatformLines holds the form of the list: a line that is not read would be a platform nobody knows.
func TestPlatformLines(t *testing.T) {
	lines := 0
	for line := range strings.Lines(platformLines) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		lines++
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, f, 6, line)
		require.Regexp(t, `^[a-z0-9-]+(\.[a-z0-9-]+)+$`, f[0])
		require.Contains(t, []string{"anyone", "nobody"}, f[2], line)
		require.Contains(t, []string{"held", "nothing"}, f[3], line)
		require.Contains(t, []Served{ServedServer, ServedApp, ServedPages, ServedService, ServedZones}, Served(f[4]), line)
		require.Regexp(t, `^https://`, f[5])
		require.Equal(t, 1, strings.Count(platformLines, "\n"+f[0]+"\t"), line)
	}
	require.Greater(t, lines, 250)
}

func TestPlatformOf(t *testing.T) {
	for host, want := range map[string]string{
		"team.github.io": "GitHub Pages", "Team.GitHub.io.": "GitHub Pages", "a.b.github.io": "GitHub Pages", "github.io": "",
		"bucket.s3.amazonaws.com": "Amazon S3", "bucket.s3-website.eu-central-1.amazonaws.com": "Amazon S3",
		"lb-1.us-east-1.elb.amazonaws.com": "AWS", "notgithub.io": "", "evil.github.io.shop.example": "", "": "", ".": "",
		"ns1-01.azure-dns.com": "",
	} {
		p, there := PlatformOf(host)
		require.Equal(t, want, p.Name, host)
		require.Equal(t, want != "", there, host)
	}
	p, there := NameServersOf("ns1-01.azure-dns.com")
	require.True(t, there && p.Free)
	_, there = NameServersOf("team.github.io")
	require.False(t, there)
}

func TestRegistrable(t *testing.T) {
	for host, want := range map[string]string{
		"www.shop.co.uk": "shop.co.uk", "a.b.shop.com": "shop.com", "team.github.io": "github.io", "b.s3.amazonaws.com": "amazonaws.com",
		"Shop.COM.": "shop.com", "app.closed.test": "closed.test", "closed.example": "closed.example",
		"db.internal": "", "printer.local": "", "com": "", "co.uk": "", "": "", ".": "", "1.0.0.10.in-addr.arpa": "",
		"host.home.arpa": "", "test": "",
	} {
		got, ok := Registrable(host)
		require.Equal(t, want, got, host)
		require.Equal(t, want != "", ok, host)
	}
	suffix, shared := SharedSuffix("x.up.railway.app")
	require.True(t, shared)
	require.Equal(t, "up.railway.app", suffix)
	for _, host := range []string{"www.shop.co.uk", "shop.com", "github.io", "app.closed.test", ""} {
		_, shared = SharedSuffix(host)
		require.False(t, shared, host)
	}
}
