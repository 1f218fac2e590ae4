package exposure

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func TestDirectLines(t *testing.T) {
	for line := range strings.Lines(directLines) {
		if !strings.HasPrefix(line, "#") {
			require.Regexp(t, `^[a-z0-9]+\t[a-z -]+\thttps://\S+\n$`, line)
		}
	}
}

func TestDirectRecord(t *testing.T) {
	const no, ask, must = "no", "ask", "must"
	needed := DirectTargets([]snapshot.DNSRecord{{Type: "MX", Name: "shop.example", Content: "10 Post.shop.example."},
		{Type: "SRV", Content: "5 443 chat.shop.example"}, {Type: "NS", Content: "zone1.shop.example"}, {Type: "MX", Content: ""},
		{Type: "TXT", Name: "shop.example", Content: `"v=spf1 a a:sender.shop.example/24 -a:" "old.shop.example ?a:news.shop.example -all"`},
		{Type: "TXT", Name: "x.shop.example", Content: "a:www.shop.example"}})
	for name, want := range map[string]string{
		"post.shop.example": must, "chat.shop.example": must, "ZONE1.shop.example": must, "sender.shop.example": must, "shop.example": ask,
		"old.shop.example": no, "news.shop.example": no, "www.shop.example": no,
		"ftp.shop.example": must, "FTP2.shop.example": must, "mx01.eu.shop.example": must, "smtp-eu.shop.example": ask,
		"autodiscover.shop.example": must, "ts3.shop.example": must, "webmail.shop.example": no, "mailing.shop.example": no,
		"www.ftp.shop.example": no, "sshop.shop.example": no, "*.shop.example": no, "1.shop.example": no, "-.shop.example": no, "": no, "#.x": no,
		"s1._domainkey.shop.example": must, "_acme-challenge.shop.example": must,
	} {
		d, ok := DirectRecord(snapshot.DNSRecord{Name: name, Type: "A", Content: "45.60.10.1"}, needed, false)
		require.Equal(t, want, map[bool]string{false: no, true: map[bool]string{false: ask, true: must}[d.Sure]}[ok], name)
	}
	for target, want := range map[string]string{
		"shop.zendesk.com": must, "u1.wl.sendgrid.net": must, "shops.myshopify.com": must, "ext-cust.squarespace.com": must,
		"enterpriseregistration.windows.net": must, "autodiscover.outlook.com": must, "x.acm-validations.aws": must,
		"team.github.io": ask, "shop.netlify.app": ask, "b.s3.amazonaws.com": ask, "host.partner.test": ask, "zendesk.com.evil.test": ask,
		"shop.azurewebsites.net": no, "lb-1.us-east-1.elb.amazonaws.com": no, "Shop.HerokuApp.com.": no,
	} {
		d, ok := DirectRecord(snapshot.DNSRecord{Name: "www.shop.example", Type: "CNAME", Content: target}, needed, false)
		require.Equal(t, want, map[bool]string{false: no, true: map[bool]string{false: ask, true: must}[d.Sure]}[ok], target)
	}
	_, ok := DirectRecord(snapshot.DNSRecord{Name: "www.shop.example", Type: "CNAME", Content: "app.shop.example"}, needed, true)
	require.False(t, ok)
	d, ok := DirectRecord(snapshot.DNSRecord{Name: "portal.shop.example", Type: "CNAME", Content: "post.shop.example"}, needed, true)
	require.True(t, ok && !d.Sure)
}
