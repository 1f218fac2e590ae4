package exposure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func TestServiceNameKeepsNoSecret(t *testing.T) {
	require.Equal(t, "http://10.0.0.5:80", exposure.ServiceName("http://user:hidden@10.0.0.5:80/hidden?hidden"))
	require.Equal(t, "unix", exposure.ServiceName("unix:/hidden"))
}

func TestWhatIsPrivate(t *testing.T) {
	for service, want := range map[string]bool{
		"http://10.0.0.5": true, "https://wiki": true, "http://localhost:3000": true, "http://[::1]:8080": true, "ws://10.0.0.5": true,
		"http://100.64.0.7": true, "http://0.0.0.0:80": true, "http://wiki.internal": true, "http://web.default.svc.cluster.local": true,
		"http://nas.home.arpa": true, "unix:/run/app.sock": true, "unix+tls:/run/app.sock": true,
		"ssh://db.shop.com": true, "VNC://10.0.0.5:5900": true, "tcp+tls://db.shop.com:443": true, "bastion": true, "socks-proxy": true,
		"https://www.shop.com": false, "http://45.60.10.7": false, "http_status:404": false, "hello_world": false, "": false, "http://%": false,
	} {
		require.Equal(t, want, exposure.PrivateService(service), service)
	}
	for service, want := range map[string]bool{"http_status:200": true, "hello_world": true, "hello-world": true, "helloworld": true,
		"http://hello_world": false, "bastion": false} {
		require.Equal(t, want, exposure.AnswersItself(service), service)
	}
}

// TestTheFirstIngressRuleTakes: a rule behind one for the same hosts is never reached.
func TestTheFirstIngressRuleTakes(t *testing.T) {
	rules := []snapshot.Ingress{{Hostname: "a.shop.example", Path: "^/api"}, {Hostname: "*.Shop.example"}, {Hostname: "b.shop.example"},
		{Path: "^/x"}, {Path: "^/x"}, {Hostname: "*"}}
	for host, want := range map[string][]int{
		"a.shop.example": {0, 1}, "A.shop.example.": {0, 1}, "b.shop.example": {1}, "c.d.shop.example": {1}, "*.shop.example": {1},
		"*.d.shop.example": {1}, "shop.example": {3, 5}, "myshop.example": {3, 5}, "*.example": {3, 5},
	} {
		var got []int
		for i := range rules {
			if exposure.Reaches(rules, i, host) {
				got = append(got, i)
			}
		}
		require.Equal(t, want, got, host)
	}
}
