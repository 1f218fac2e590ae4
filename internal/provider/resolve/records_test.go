package resolve

import (
	"net"
	"testing"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"
)

// A record may come without its data.
func TestAddressRecordsWithoutAnAddress(t *testing.T) {
	header := dns.RR_Header{Name: "a.example.", Rrtype: dns.TypeA}
	require.Empty(t, texts([]dns.RR{&dns.A{Hdr: header}}, "a.example.", dns.TypeA))
	require.Equal(t, []string{"192.0.2.1"}, texts([]dns.RR{&dns.A{Hdr: header}, &dns.A{Hdr: header, A: net.IPv4(192, 0, 2, 1)}}, "a.example.",
		dns.TypeA))
}
