package exposure

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAudienceLines(t *testing.T) {
	for line := range strings.Lines(audienceLines) {
		if !strings.HasPrefix(line, "#") {
			require.Regexp(t, `^[a-z0-9]+\t(everyone|few)\thttps://\S+\n$`, line)
			require.Equal(t, 1, strings.Count(audienceLines, "\n"+line[:strings.IndexByte(line, '\t')+1]), line)
		}
	}
}

func TestAudienceOf(t *testing.T) {
	for _, tc := range []struct {
		host, path, service string
		want                Audience
	}{
		{"www.shop.example", "", "http://10.0.0.5:8080", Everyone}, {"shop.example", "", "http://10.0.0.5", Everyone},
		{"Docs.shop.example.", "", "http://docs:3000", Everyone}, {"status2.eu.shop.example", "", "http://localhost", Everyone},
		{"www.shop.co.uk", "", "https://10.0.0.5", Everyone},
		{"admin.shop.example", "", "http://10.0.0.5", Few}, {"www.admin.shop.example", "", "http://10.0.0.5", Few},
		{"shop-admin.shop.example", "", "http://10.0.0.5", Few}, {"grafana2.shop.example", "", "http://10.0.0.5", Few},
		{"www.shop.example", "^/admin", "http://10.0.0.5", Few}, {"www.shop.example", "", "http://10.0.0.5:9443", Few},
		{"www.shop.example", "", "http://grafana:3000", Few}, {"www.shop.example", "", "ssh://10.0.0.5:22", Few},
		{"www.shop.example", "", "RDP://10.0.0.5", Few}, {"www.shop.example", "", "tcp+tls://10.0.0.5:443", Few},
		{"portal.shop.example", "", "http://10.0.0.5", AudienceUnknown}, {"wwwadmins.shop.example", "", "http://10.0.0.5", AudienceUnknown},
		{"admins.www.shop.example", "", "unix:/run/app.sock", AudienceUnknown}, {"x", "", "", AudienceUnknown}, {"#.shop.example", "",
			"::", AudienceUnknown},
		{"admin", "", "", Few}, {"www.admin.example", "", "http://10.0.0.5", Everyone},
	} {
		require.Equal(t, tc.want, AudienceOf(tc.host, tc.path, tc.service), tc)
	}
}
