package propose

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMailAddresses(t *testing.T) {
	for address, good := range map[string]bool{
		"a@shop.example": true, "rua+x.y_z-1@mail.shop.example": true, "a@b": false, "@shop.example": false, "a@@shop.example": false,
		"a b@shop.example":              false,
		"a@shop.example,b@shop.example": false, "a@shop.example;p=none": false, "a@shop.example\n": false, `"a"@shop.example`: false,
		"a@-shop.example": false, "a!10m@shop.example": false,
		"a@shop.example.": false, "ä@shop.example": false, "": false,
	} {
		require.Equal(t, good, mailAddress().MatchString(address), "%q", address)
	}
}

func TestBlankedTexts(t *testing.T) {
	for text, blank := range map[string]bool{"***": true, "••••": true, "sk-****1234": true, "[redacted]": true, "<REDACTED>": true,
		"*": false, "*.shop.example": false, "": false, "redacted by law": false} {
		require.Equal(t, blank, Blanked(map[string]any{"list": []any{map[string]any{"member": text}}}), text)
	}
}

func TestRecordsPathEscapesNames(t *testing.T) {
	require.Equal(t, "/zones/z1/dns_records", RecordsPath("z1", "", ""))
	require.Equal(t, "/zones/z1/dns_records?name=%2A.a.test%26type%3Da&type=TXT", RecordsPath("z1", "TXT", "*.a.test&type=A"))
	require.Equal(t, "/zones/z1/dns_records?name=_dmarc.xn--bcher-kva.example", RecordsPath("z1", "", "_dmarc.Bücher.example"))
}
