package cloudflare

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func TestMailIsReadOnlyWhereItIsNeeded(t *testing.T) {
	zone := Target{AccountID: "a", Zone: snapshot.Zone{ID: "z", Name: "acme.example"}}
	records := func(rs ...snapshot.DNSRecord) *Known { return knows(section(t, snapshot.ZoneDNSRecords, "z", rs)) }
	spf := func(id, text string) snapshot.DNSRecord {
		return snapshot.DNSRecord{ID: id, Type: "TXT", Name: "ACME.example", Content: text}
	}
	needed := records(spf("r1", `"v=spf1 include:_spf.mail.test -all"`))
	require.Empty(t, zoneSPFInspect().Skip(needed, zone))
	require.Equal(t, map[string]string{"record_id": "r1"}, zoneSPFInspect().Fill(needed, zone))
	require.NotEmpty(t, zoneSPFInspect().Skip(records(spf("r1", "v=spf1 ip4:45.60.1.1 -all")), zone))
	require.NotEmpty(t, zoneSPFInspect().Skip(records(spf("r1", "v=spf1 mx -all"), spf("r2", "v=spf1 mx -all")), zone))
	require.NotEmpty(t, zoneSPFInspect().Skip(records(), zone))

	require.Empty(t, zoneEmailRouting().Skip(records(snapshot.DNSRecord{Type: "MX", Content: "Route1.mx.cloudflare.net."}), zone))
	require.NotEmpty(t, zoneEmailRouting().Skip(records(snapshot.DNSRecord{Type: "MX", Content: "mail.acme.example"}), zone))
	require.Empty(t, zoneEmailRouting().Skip(knows(), zone), "without the records nobody knows")

	on, off := true, false
	for status, want := range map[snapshot.Status]bool{snapshot.Skipped: true, snapshot.Absent: true, snapshot.NotEntitled: true, snapshot.Denied: false, snapshot.Failed: false} {
		known := knows(snapshot.Section{Source: snapshot.ZoneEmailRouting.Source(), Scope: "z", Status: status})
		require.Equal(t, want, zoneEmailCatchAll().Skip(known, zone) != "", status)
	}
	require.Empty(t, zoneEmailCatchAll().Skip(knows(section(t, snapshot.ZoneEmailRouting, "z", snapshot.EmailRouting{Enabled: &on})), zone))
	require.NotEmpty(t, zoneEmailCatchAll().Skip(knows(section(t, snapshot.ZoneEmailRouting, "z", snapshot.EmailRouting{Enabled: &off})), zone))

	require.NotEmpty(t, emailSecurityAllow().Skip(knows(section(t, snapshot.EmailSecurityDomains, "a", []snapshot.ProtectedDomain{})), zone))
	require.NotEmpty(t, emailSecurityTrusted().Skip(knows(snapshot.Section{Source: snapshot.EmailSecurityDomains.Source(), Scope: "a", Status: snapshot.NotEntitled}), zone))
	require.Empty(t, emailSecurityAllow().Skip(knows(snapshot.Section{Source: snapshot.EmailSecurityDomains.Source(), Scope: "a", Status: snapshot.Denied}), zone))
}

func TestMailPatternsAreReduced(t *testing.T) {
	got, err := emailSecurityAllow().Decode(json.RawMessage(`[
		{"id":1,"pattern":"ann@Acme.example","verify_sender":true},{"id":"b","pattern":"@acme.example","is_exempt_recipient":true},
		{"id":3,"pattern":"45.60.0.0/16"},{"id":4,"pattern":".*@gmail\\.com","is_regex":true},{"id":5,"pattern":"ann and bob"}]`))
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"id":"1","pattern":{"kind":"address","text":"a•••@acme.example","domain":"acme.example"},"verify_sender":true},
		{"id":"3","pattern":{"kind":"network","text":"45.60.0.0/16"}},{"id":"4","pattern":{"kind":"expression","breadth":"public"}},
		{"id":"5","pattern":{"kind":"unclear"}},{"id":"b","pattern":{"kind":"domain","text":"@acme.example","domain":"acme.example"},"is_exempt_recipient":true}]`, string(got))

	got, err = emailSecurityTrusted().Decode(json.RawMessage(`[{"id":1,"pattern":"\\.com$","is_regex":true}]`))
	require.NoError(t, err)
	require.JSONEq(t, `[{"id":"1","pattern":{"kind":"expression","breadth":"anyone"}}]`, string(got))
}

func TestCatchAllKeepsDomains(t *testing.T) {
	got, err := zoneEmailCatchAll().Decode(json.RawMessage(`{"enabled":true,"actions":[{"type":"forward","value":["ann@b.example","bob@A.example","eve@b.example"]},{"type":"worker","value":["sorter"]}]}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"enabled":true,"actions":[{"type":"forward","domains":["a.example","b.example"]},{"type":"worker"}]}`, string(got))
}

func TestProtectedDomainsWithoutAuthorisation(t *testing.T) {
	got, err := emailSecurityDomains().Decode(json.RawMessage(`[{"id":7,"domain":"acme.example","status":null,"authorization":null,"allowed_delivery_modes":null,"drop_dispositions":["SPAM","MALICIOUS"]}]`))
	require.NoError(t, err)
	require.JSONEq(t, `[{"id":"7","domain":"acme.example","allowed_delivery_modes":[],"dispositions":["MALICIOUS","SPAM"]}]`, string(got))
}
