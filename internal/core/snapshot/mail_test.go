package snapshot

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMailIsReadOnlyWhereItIsNeeded(t *testing.T) {
	zone := SourceScope{AccountID: "a", Zone: Zone{ID: "z", Name: "acme.example"}}
	records := func(rs ...DNSRecord) *Known {
		return knows(section(t, ZoneDNSRecords, "z", rs))
	}
	spf := func(id, text string) DNSRecord {
		return DNSRecord{ID: id, Type: "TXT", Name: "ACME.example", Content: text}
	}
	needed := records(spf("r1", `"v=spf1 include:_spf.mail.test -all"`))
	require.Empty(t, SourceOf(ZoneSPFInspect).Skip(needed, zone))
	require.Equal(t, map[string]string{"record_id": "r1"}, SourceOf(ZoneSPFInspect).Fill(needed, zone))
	require.NotEmpty(t, SourceOf(ZoneSPFInspect).Skip(records(spf("r1", "v=spf1 ip4:45.60.1.1 -all")), zone))
	require.NotEmpty(t, SourceOf(ZoneSPFInspect).Skip(records(spf("r1", "v=spf1 mx -all"), spf("r2", "v=spf1 mx -all")), zone))
	require.NotEmpty(t, SourceOf(ZoneSPFInspect).Skip(records(), zone))

	require.Empty(t, SourceOf(ZoneEmailRouting).Skip(records(DNSRecord{Type: "MX", Content: "Route1.mx.cloudflare.net."}), zone))
	require.NotEmpty(t, SourceOf(ZoneEmailRouting).Skip(records(DNSRecord{Type: "MX", Content: "mail.acme.example"}), zone))
	require.Empty(t, SourceOf(ZoneEmailRouting).Skip(knows(), zone), "without the records nobody knows")

	on, off := true, false
	for status, want := range map[Status]bool{Skipped: true, Absent: true, NotEntitled: true, Denied: false, Failed: false} {
		known := knows(Section{Source: ZoneEmailRouting.Source(), Scope: "z", Status: status})
		require.Equal(t, want, SourceOf(ZoneEmailCatchAll).Skip(known, zone) != "", status)
	}
	require.Empty(t, SourceOf(ZoneEmailCatchAll).Skip(knows(section(t, ZoneEmailRouting, "z", EmailRouting{Enabled: &on})), zone))
	require.NotEmpty(t, SourceOf(ZoneEmailCatchAll).Skip(knows(section(t, ZoneEmailRouting, "z", EmailRouting{Enabled: &off})), zone))

	require.NotEmpty(t, SourceOf(EmailSecurityAllow).Skip(knows(section(t, EmailSecurityDomains, "a", []ProtectedDomain{})), zone))
	require.NotEmpty(t, SourceOf(EmailSecurityTrusted).Skip(knows(Section{Source: EmailSecurityDomains.Source(), Scope: "a",
		Status: NotEntitled}), zone))
	require.Empty(t, SourceOf(EmailSecurityAllow).Skip(knows(Section{Source: EmailSecurityDomains.Source(), Scope: "a", Status: Denied}),
		zone))
}

func TestMailPatternsAreReduced(t *testing.T) {
	got, err := SourceOf(EmailSecurityAllow).Decode(json.RawMessage(`[
		{"id":1,"pattern":"ann@Acme.example","verify_sender":true},{"id":"b","pattern":"@acme.example","is_exempt_recipient":true},
		{"id":3,"pattern":"45.60.0.0/16"},{"id":4,"pattern":".*@gmail\\.com","is_regex":true},{"id":5,"pattern":"ann and bob"},
		{"id":6,"pattern":"ann@acme.example","is_acceptable_sender":true,"is_trusted_sender":false},
		{"id":7,"pattern":"ann@acme.example","is_acceptable_sender":true,"is_trusted_sender":true},
		{"id":8,"pattern":"ann@acme.example","is_spoof":true,"is_sender":false},
		{"id":9,"pattern":"ann@acme.example","is_acceptable_sender":true,"is_recipient":true}]`))
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"id":"1","pattern":{"kind":"address","text":"a•••@acme.example","domain":"acme.example"},"verify_sender":true},
		{"id":"3","pattern":{"kind":"network","text":"45.60.0.0/16"}},{"id":"4","pattern":{"kind":"expression","breadth":"public"}},
		{"id":"5","pattern":{"kind":"unclear"}},
		{"id":"6","pattern":{"kind":"address","text":"a•••@acme.example","domain":"acme.example"},"only_accepts":true},
		{"id":"7","pattern":{"kind":"address","text":"a•••@acme.example","domain":"acme.example"}},
		{"id":"8","pattern":{"kind":"address","text":"a•••@acme.example","domain":"acme.example"},"only_accepts":true},
		{"id":"9","pattern":{"kind":"address","text":"a•••@acme.example","domain":"acme.example"},"is_exempt_recipient":true},
		{"id":"b","pattern":{"kind":"domain","text":"@acme.example","domain":"acme.example"},"is_exempt_recipient":true}]`, string(got))

	got, err = SourceOf(EmailSecurityTrusted).Decode(json.RawMessage(`[{"id":1,"pattern":"\\.com$","is_regex":true}]`))
	require.NoError(t, err)
	require.JSONEq(t, `[{"id":"1","pattern":{"kind":"expression","breadth":"anyone"}}]`, string(got))
}

func TestCatchAllKeepsDomains(t *testing.T) {
	got, err := SourceOf(ZoneEmailCatchAll).Decode(json.RawMessage(`{"enabled":true,"actions":[{"type":"forward","value":["ann@b.example",` +
		`"bob@A.example","eve@b.example"]},{"type":"worker","value":["sorter"]}]}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"enabled":true,"actions":[{"type":"forward","domains":["a.example","b.example"],
		"keys":["25f06a6e","8bd35a9b","8ff94cc2"]},{"type":"worker","workers":["sorter"]}]}`, string(got))
}

func TestProtectedDomainsWithoutAuthorisation(t *testing.T) {
	got, err := SourceOf(EmailSecurityDomains).Decode(json.RawMessage(`[{"id":7,"domain":"acme.example","status":null,"authorization":null,` +
		`"allowed_delivery_modes":null,"drop_dispositions":["SPAM","MALICIOUS"]}]`))
	require.NoError(t, err)
	require.JSONEq(t, `[{"id":"7","domain":"acme.example","allowed_delivery_modes":[],"dispositions":["MALICIOUS","SPAM"]}]`, string(got))
}
