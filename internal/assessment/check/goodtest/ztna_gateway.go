package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// Ids of the Gateway part of the minimal good snapshot.
const (
	DNSRule     = "0d400000-0000-4000-8000-000000000001"
	DLPRule     = "0d400000-0000-4000-8000-000000000002"
	IsolateRule = "0d400000-0000-4000-8000-000000000003"
	NetworkRule = "0d400000-0000-4000-8000-000000000004" // the final block of private ranges
	DeviceRule  = "0d400000-0000-4000-8000-000000000005"
	DLPProfile  = "0d500000-0000-4000-8000-000000000001"
	Posture     = "0d600000-0000-4000-8000-000000000001"
)

// goodGateway adds rules of every filter and what they refer to.
func goodGateway(b *snapshot.Builder) {
	on := true
	block := &snapshot.LogDepth{Blocks: true}
	snapshot.Put(b, snapshot.GatewayRules, Account, []snapshot.GatewayRule{
		{ID: DNSRule, Name: "Security threats", Action: "block", Enabled: true, Filters: []string{"dns"}, Precedence: 1000,
			Traffic: "any(dns.security_category[*] in {68 80 83 117 131 176})"},
		{ID: DLPRule, Name: "Card numbers", Action: "block", Enabled: true, Filters: []string{"http"}, Precedence: 2000,
			Traffic: `any(dlp.profiles[*] in {"` + DLPProfile + `"})`},
		{ID: IsolateRule, Name: "Risky sites", Action: "isolate", Enabled: true, Filters: []string{"http"}, Precedence: 3000,
			Traffic: "any(http.request.uri.security_category[*] in {32 169 177})", Restricts: []string{"download", "upload"}},
		{ID: DeviceRule, Name: "Healthy devices", Action: "allow", Enabled: true, Filters: []string{"l4"}, Precedence: 4000,
			Traffic: "net.dst.ip in {10.0.0.0/16}", DevicePosture: `any(device_posture.checks.passed[*] in {"` + Posture + `"})`},
		{ID: NetworkRule, Name: "Everything else", Action: "block", Enabled: true, Filters: []string{"l4"}, Precedence: 9000,
			Traffic: "net.dst.ip in {10.0.0.0/8 172.16.0.0/12}"},
	})
	snapshot.Put(b, snapshot.GatewayConfig, Account, snapshot.GatewaySettings{TLSDecrypt: &on, ActivityLog: &on,
		Antivirus: &snapshot.GatewayAntivirus{Download: true, Upload: true, FailClosed: true}, Isolation: &snapshot.GatewayIsolation{URL: true}})
	snapshot.Put(b, snapshot.GatewayLogging, Account, snapshot.GatewayLog{RedactPII: &on, DNS: block, HTTP: block, L4: block})
	snapshot.Put(b, snapshot.DLPProfiles, Account, []snapshot.DLPProfile{{ID: DLPProfile, Name: "Financial information", Type: "predefined"}})
	snapshot.Put(b, snapshot.CASBIntegrations, Account, []snapshot.CASBIntegration{{ID: "i1", Name: "Office suite", Status: "Healthy",
		Created: InDays(-200)}})
	snapshot.Put(b, snapshot.CASBFindings, Account, []snapshot.CASBFinding{{ID: "f1", Name: "Old share", Severity: "Low", Active: 3,
		LatestAffliction: InDays(-10), Integration: "Office suite", CredentialHealth: "Healthy"}})
}
