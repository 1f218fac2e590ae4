package mailauth

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"v=spf1 -all": "v=spf1 -all", `"v=spf1 -all"`: "v=spf1 -all", `"a" "b"`: "ab", `"a\"b"`: `a"b`, `"open`: "open", "": "", ` "x" `: "x",
	} {
		require.Equal(t, want, Text(in), in)
	}
}

func TestTransportTexts(t *testing.T) {
	require.True(t, TransportPolicy("v=STSv1; id=1"))
	require.False(t, TransportPolicy("v=STSv1"), "without an id")
	require.False(t, TransportPolicy("v=STSv1; id="))
	require.False(t, TransportPolicy("v=STSv1; id=2026-03-01"), "an id is of letters and digits")
	require.False(t, TransportPolicy("v=STSv1; id="+strings.Repeat("1", 33)))
	require.True(t, TransportPolicy("v=STSv1; id="+strings.Repeat("a", 32)+";"))
	require.False(t, TransportPolicy("v=STSv2; id=1"))
	require.True(t, TransportReports("v=TLSRPTv1; rua=mailto:tls@acme.example"))
	require.False(t, TransportReports("v=TLSRPTv1; rua="))
	require.False(t, TransportReports("v=TLSRPTv1; rua=tls@acme.example"))
	require.True(t, TransportReports("v=TLSRPTv1; rua=tls@acme.example, https://acme.example/tls"))
	require.False(t, TransportReports("rua=mailto:tls@acme.example; v=TLSRPTv1"))
}

func TestReportDomains(t *testing.T) {
	for text, want := range map[string][]string{
		"rua=mailto:a@shop.example": nil, "rua=mailto:a@mail.shop.example.": nil, "": nil, "rua=,mailto:,mailto:@,https://b.test": nil,
		"rua=mailto:a@b.test!10m, MAILTO:c@B.TEST": {"b.test"}, "rua=mailto:a@c.test; ruf=mailto:a@b.test": {"b.test", "c.test"},
		"rua=mailto:a@notshop.example": {"notshop.example"}, "rua=mailto:a@shop.example.b.test": {"shop.example.b.test"},
	} {
		require.Equal(t, want, ParseDMARC("v=DMARC1; p=reject; "+text).ReportDomains("eu.shop.example"), text)
	}
	require.Equal(t, "shop.example._report._dmarc.b.test", ReportConsent("shop.example", "b.test"))
}

func TestDMARC(t *testing.T) {
	require.True(t, IsDMARC("v = DMARC1 ; p=none"))
	require.False(t, IsDMARC("p=none; v=DMARC1"))
	d := ParseDMARC("v=DMARC1; P=Reject; sp=none; p=none; pct=40; rua=mailto:D@acme.example; odd")
	require.Equal(t, DMARC{Policy: "reject", Subdomains: "none", Share: "40", Reports: "mailto:D@acme.example"}, d)
	for text, acts := range map[string]int{"p=reject": 2, "p=quarantine": 1, "p=none": 0, "": 0, "p=block": 0, "p=reject; sp=none": 2,
		"p=reject; sp=rejct": 0, "p=reject; np=off": 0, "p=reject; t=y": 1, "p=quarantine; t=y": 0, "p=reject; pct=0": 1,
		"p=reject; pct=most": 2} {
		require.Equal(t, acts, ParseDMARC("v=DMARC1; "+text).Acts(), text)
	}
	for text, refuses := range map[string]bool{"p=reject": true, "p=reject; sp=reject; np=reject": true, "p=reject; pct=100": true,
		"p=reject; sp=quarantine": false, "p=reject; np=none": false, "p=reject; pct=99": false, "p=reject; t=y": false, "sp=reject": false} {
		require.Equal(t, refuses, ParseDMARC("v=DMARC1; "+text).Refuses(), text)
	}
	for text, reported := range map[string]bool{"rua=mailto:a@b.test": true, "rua=a@b.test": false, "rua=https://b.test/": false,
		"rua=https://b.test/, MAILTO:a@b.test!10m": true, "rua=mailto:": false, "ruf=mailto:a@b.test": false} {
		require.Equal(t, reported, ParseDMARC("v=DMARC1; p=reject; "+text).Reported(), text)
	}
	require.Less(t, Strictness("none"), Strictness("quarantine"))
	require.Equal(t, -1, Strictness("block"))
	for share, want := range map[string]bool{"": true, "0": true, "100": true, "101": false, "-1": false, "most": false} {
		_, ok := DMARC{Share: share}.Percent()
		require.Equal(t, want, ok, share)
	}
}

func TestSPF(t *testing.T) {
	require.True(t, IsSPF("V=SPF1 -all"))
	require.False(t, IsSPF("v=spf10 -all"))
	s := ParseSPF("v=spf1 a mx:mail.acme.example/24 INCLUDE:_spf.mail.test ip4:45.60.0.0/16 ip6:2a01::1 exists:%{i}.x.test " +
		"exp=why.acme.example ~all ptr redirect=x.test")
	require.Empty(t, s.Broken)
	require.Equal(t, byte('~'), s.All())
	require.Equal(t, 4, s.Lookups(), "what stands behind all is not counted")
	require.Equal(t, []string{"_spf.mail.test"}, s.Nested())
	require.False(t, s.Uses("ptr"))
	require.Empty(t, s.Redirect())

	s = ParseSPF("v=spf1 ?ptr redirect=_spf.mail.test")
	require.True(t, s.Uses("ptr"))
	require.Zero(t, s.All())
	require.Equal(t, "_spf.mail.test", s.Redirect())
	require.Equal(t, 2, s.Lookups())
	require.Equal(t, []string{"_spf.mail.test"}, s.Nested())

	for text, broken := range map[string]string{
		"v=spf1 ip4:45.60.1.300 -all": "ip4:45.60.1.300", "v=spf1 ip4:2a01::1 -all": "ip4:2a01::1",
		"v=spf1 ipv4:45.60.1.1 -all": "ipv4:45.60.1.1",
		"v=spf1 include: -all":       "include:", "v=spf1 -all:x": "-all:x", "v=spf1 -": "-", "v=spf1 redirect=": "redirect=", "v=spf1": "",
		"v=spf1 all": "", "": "", "v=spf1 a: -all": "a:", "v=spf1 a/33": "a/33", "v=spf1 mx/x": "mx/x", "v=spf1 a:/24": "a:/24",
		"v=spf1 a/24/64": "a/24/64", "v=spf1 a/": "a/", "v=spf1 a//129": "a//129", "v=spf1 a/024": "a/024", "v=spf1 ptr/24": "ptr/24",
		"v=spf1 a:45.60.1.1": "a:45.60.1.1", "v=spf1 include:localhost": "include:localhost",
		"v=spf1 include:a.test/24": "include:a.test/24", "v=spf1 exists:%(i).a.test": "exists:%(i).a.test",
		"v=spf1 exists:%{z}.a.test":              "exists:%{z}.a.test",
		"v=spf1 redirect=a.test redirect=b.test": "redirect=b.test", "v=spf1 exp=a.test exp=b.test -all": "exp=b.test",
		"v=spf1 a/24 a//64 mx:%{d/}.a.test/24//64 exists:%{l1r-}.%{d} include:%{d2}._spf.a.test": "",
		"v=spf1 include:_spf.a.test. exists:%%.%{D} ptr:a.test":                                  "",
	} {
		require.Equal(t, broken, ParseSPF(text).Broken, text)
	}
	require.Equal(t, byte('+'), ParseSPF("v=spf1 all").All())
	require.True(t, Macro("%{d}.x.test"))
}

const (
	rsa1024 = "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC91+uDT+NPewHyMLFxcub7SIKtSekRHNY1g8SLrpIBeM33PEwZaysNR074haEKNb4SbNlKCFy7ji2LTKYHpqnH" +
		"xFP9ESzWuEapg5XcX7MKESfFS2yIi7y7Kiv3K7MHMwAw4nCmsEp7Tkc3eomDiktxJzoIxDm54RT4/bFzoku2owIDAQAB"
	edKey = "13SW8TtimvJzbN03npgDazz0Gm4OcV1MiMqaZPZEKaI="
)

func TestDKIM(t *testing.T) {
	for text, want := range map[string]Key{
		"v=DKIM1; k=rsa; p=" + rsa1024:                   {Kind: "rsa", Bits: 1024},
		"p=" + rsa1024[:40] + " " + rsa1024[40:]:         {Kind: "rsa", Bits: 1024},
		"v=DKIM1; p=MEgCQQDW9DpZJwF2LDnPzXdx4ZgUqZ2P93s": {},
		"v=DKIM1; k=ed25519; t=s:Y; p=" + edKey:          {Kind: "ed25519", Testing: true},
		"v=DKIM1; k=ed25519; p=" + rsa1024:               {},
		"v=DKIM1; p=":                                    {Revoked: true},
		"v=DKIM1; k=ed25519; s=tlsrpt; p=" + edKey:       {Kind: "ed25519", NotMail: true},
		"v=DKIM1; k=ed25519; s=x: Email ; p=" + edKey:    {Kind: "ed25519"},
		"v=DKIM1; k=ed25519; s=*; p=" + edKey:            {Kind: "ed25519"},
		"v=DKIM1; k=lattice; p=" + edKey:                 {},
		"v=DKIM2; p=" + rsa1024:                          {},
		"hello":                                          {},
		"v=DKIM1; p=!!!":                                 {},
		"":                                               {},
	} {
		require.Equal(t, want, ParseKey(text), text)
	}
	require.True(t, HasKey("p=abc"))
	require.False(t, HasKey("v=DKIM1; p= "))
	for name, want := range map[string]bool{
		"s1._domainkey.acme.example": true, "S1._DomainKey.news.acme.example": true, "_domainkey.acme.example": false,
		"_adsp._domainkey.acme.example": false,
		"domainkey.acme.example":        false, "": false,
	} {
		require.Equal(t, want, Selector(name), name)
	}
}

func TestPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		"ann@acme.example": PatternAddress, "acme.example": PatternDomain, "@acme.example": PatternDomain, "45.60.1.1": PatternHost,
		"45.60.1.1/32": PatternHost,
		"45.60.0.0/16": PatternNetwork, "2a01::/32": PatternNetwork, "ann": PatternUnclear, "ann@": PatternUnclear,
		"a b.example": PatternUnclear, "": PatternUnclear,
		"*.acme.example": PatternUnclear, "größe.example": PatternDomain,
	} {
		require.Equal(t, want, PatternKind(pattern), pattern)
	}
	for expression, want := range map[string]string{
		".*": BreadthAnyone, "": BreadthAnyone, `@.+\.com$`: BreadthAnyone, `[a-z]+`: BreadthAnyone, `.*@gmail\.com`: BreadthPublic,
		`@(acme|hotmail)\.`: BreadthPublic,
		`ann@gmail\.com`:    BreadthNarrow, `.*@acme\.example`: BreadthNarrow, `(?=x)`: BreadthUnreadable, `(`: BreadthUnreadable,
	} {
		require.Equal(t, want, ExpressionBreadth(expression, false), expression)
	}
	require.Equal(t, BreadthUnreadable, ExpressionBreadth(strings.Repeat("(a?){9}", 200), false), "too long to compile")
	require.Equal(t, BreadthAnyone, ExpressionBreadth(`\.com$`, true))
	require.Equal(t, BreadthPublic, ExpressionBreadth(`^gmx\.`, true))
	require.Equal(t, BreadthNarrow, ExpressionBreadth(`^acme-[a-z]+\.example$`, true))
	require.True(t, PublicDomain("GMail.com."))
	require.False(t, PublicDomain("acme.example"))
}

func FuzzTexts(f *testing.F) {
	for _, s := range []string{"v=spf1 a:x/24//64 -all", "v=DKIM1; k=rsa; p=" + rsa1024, "v=DMARC1; p=reject; pct=1", `"a" "b`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		defer fuzztest.Bound(t)()
		text := Text(s)
		spf := ParseSPF(text)
		if spf.Lookups() < len(spf.Nested()) {
			t.Fatal("a nested record that costs nothing")
		}
		if k := ParseKey(text); k.Kind != "" && k.Revoked {
			t.Fatal("a key that is there and revoked")
		}
		ParseDMARC(text)
		if PatternKind(s) == PatternAddress && !strings.Contains(s, "@") {
			t.Fatal("an address without a sign")
		}
	})
}
