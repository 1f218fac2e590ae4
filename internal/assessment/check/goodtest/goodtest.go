// Package goodtest holds the good snapshot, on which every check passes or does not apply, and the
// edits from which the examples of checks are made. In check files only the functions named
// ...Examples and ...Good, and their helpers, call it; nothing in a built program calls those.
package goodtest

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Ids of the minimal good snapshot that examples edit.
const (
	Account = "0a000000000000000000000000000001"
	Zone    = "0b000000000000000000000000000001"
	Domain  = "shop.example"
	Tunnel  = "0c000000-0000-4000-8000-000000000001"
	Worker  = "storefront"
	Bucket  = "assets"
	App     = "0d000000-0000-4000-8000-000000000001"
	Policy  = "0e000000-0000-4000-8000-000000000001"
	Token   = "0f000000000000000000000000000001"
	Record  = "1a000000000000000000000000000001" // the proxied apex A record
)

// Now is the time at which the minimal good snapshot was taken.
func Now() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }

// Snapshot is the minimal snapshot on which every check passes or does not apply:
// one enterprise zone with one of everything, configured well.
func Snapshot() *snapshot.Builder {
	b := snapshot.NewBuilder(snapshot.AccountRef{ID: Account, Name: "Example Shop"}, Now())
	goodAccount(b)
	goodAccess(b)
	goodDeveloper(b)
	goodZone(b)
	goodZtna(b)
	goodFirewall(b)
	goodDelivery(b)
	goodPlatform(b)
	goodName(b)
	goodTLS(b)
	goodMail(b)
	return b
}

// Example is a small edit of the good snapshot and the verdict the check must then give
// on the named resource; an empty Resource means some finding of the check, an empty Severity any.
type Example struct {
	Name     string
	Edit     func(*snapshot.Builder)
	Policy   func(*policy.Policy)
	Want     posture.Result
	Severity posture.Severity
	Resource string
	ByHand   bool // the call of the check does not close it
}

// Case is a check with its examples and the function that extends the good snapshot for it, or nil.
type Case struct {
	Check    check.Check
	Examples []Example
	Good     func(*snapshot.Builder)
}

func goodAccount(b *snapshot.Builder) {
	self := snapshot.Token{ID: Token, Name: "assessor", Status: "active", IssuedOn: InDays(-30), LastUsedOn: InDays(0), ExpiresOn: InDays(200),
		SourceIPs: []string{"8.8.4.4/32"},
		Policies: []snapshot.TokenPolicy{{Effect: "allow", Groups: []string{"Zone Read", "DNS Read"},
			Resources: []string{"com.cloudflare.api.account." + Account}}}}
	snapshot.Put(b, snapshot.UserTokenVerify, snapshot.UserScope, snapshot.TokenVerify{ID: Token, Status: "active", ExpiresOn: InDays(200)})
	snapshot.Put(b, snapshot.UserTokenSelf, snapshot.UserScope, self)
	snapshot.Put(b, snapshot.UserTokens, snapshot.UserScope, []snapshot.Token{self})
	b.Set(snapshot.Section{Source: snapshot.AccountTokenVerify.Source(), Scope: Account, Status: snapshot.Skipped,
		Reason: "the token belongs to a user"})
	b.Set(snapshot.Section{Source: snapshot.AccountTokenSelf.Source(), Scope: Account, Status: snapshot.Skipped,
		Reason: "the token belongs to a user"})
	snapshot.Put(b, snapshot.AccountTokens, Account, []snapshot.Token{})
	snapshot.Put(b, snapshot.AccountList, Account, []snapshot.Account{{ID: Account, Name: "Example Shop", Type: "enterprise",
		EnforceTwoFactor: true, AbuseContact: true}})
	snapshot.Put(b, snapshot.AccountMembers, Account, []snapshot.Member{
		{ID: "m1", Email: "a•••@shop.example", EmailDomain: "shop.example", Status: "accepted", HasUser: true, TwoFactor: true,
			Roles: []string{"Administrator"}},
		{ID: "m2", Email: "b•••@shop.example", EmailDomain: "shop.example", Status: "accepted", HasUser: true, TwoFactor: true,
			Roles: []string{"Administrator Read Only"}}})
	snapshot.Put(b, snapshot.AccountSSOConnectors, Account, []snapshot.SSOConnector{})
	snapshot.Put(b, snapshot.AccountIPAccessRules, Account, []snapshot.IPAccessRule{})
	snapshot.Put(b, snapshot.AccountLists, Account, []snapshot.List{})
	snapshot.Put(b, snapshot.AccountRulesets, Account, []snapshot.RulesetInfo{})
	for _, k := range []snapshot.Key[snapshot.Ruleset]{snapshot.AccountPhaseCustom, snapshot.AccountPhaseManaged, snapshot.AccountPhaseRate} {
		b.Set(snapshot.Section{Source: k.Source(), Scope: Account, Status: snapshot.Skipped,
			Reason: "the account has no entry point for this phase"})
	}
	snapshot.Put(b, snapshot.AccountLogpushJobs, Account, []snapshot.LogpushJob{
		{ID: 1, Name: "audit", Dataset: "audit_logs", Enabled: true, LastComplete: snapshot.At(Now().Add(-time.Hour)), SampleRate: 1,
			Destination: "https://logs.shop.example"}})
	goodAlerts(b)
}

func goodAlerts(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.AlertWebhooks, Account, []snapshot.AlertWebhook{{ID: "w1", Name: "chat", Type: "generic",
		URL: "https://chat.shop.example", LastSuccess: InDays(-1), LastFailure: InDays(-20)}})
	var types []snapshot.AlertType
	var policies []snapshot.AlertPolicy
	for _, t := range []string{"clickhouse_alert_fw_ent_anomaly", "clickhouse_alert_fw_anomaly", "universal_ssl_event_type",
		"dedicated_ssl_certificate_event_type", "custom_ssl_certificate_event_type", "dos_attack_l7", "advanced_http_alert_error",
		"security_insights_alert"} {
		types = append(types, snapshot.AlertType{Product: "Product", Type: t, Name: t})
		policies = append(policies, snapshot.AlertPolicy{ID: "p-" + t, Name: t, Enabled: true, AlertType: t, Emails: 2,
			EmailKeys: []string{"k1", "k2"}, Webhooks: []string{"w1"}})
	}
	snapshot.Put(b, snapshot.AlertAvailable, Account, types)
	snapshot.Put(b, snapshot.AlertPolicies, Account, policies)
}

func goodAccess(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.AccessOrg, Account, snapshot.AccessOrganization{AuthDomain: "shop.cloudflareaccess.com", SessionDuration: "8h",
		DenyUnmatched: true})
	policy := snapshot.AccessPolicy{ID: Policy, Name: "Staff", Decision: "allow",
		Include: []snapshot.AccessRule{{Kind: "email_domain", Value: "shop.example"}}}
	snapshot.Put(b, snapshot.AccessPolicies, Account, []snapshot.AccessPolicy{policy})
	snapshot.Put(b, snapshot.AccessGroups, Account, []snapshot.AccessGroup{})
	snapshot.Put(b, snapshot.AccessApps, Account, []snapshot.AccessApp{{ID: App, Name: "Admin", Type: "self_hosted", Domain: "admin." + Domain,
		Domains: []string{"admin." + Domain}, SessionDuration: "8h", Policies: []snapshot.AccessPolicy{policy}}})
	snapshot.Put(b, snapshot.Tunnels, Account, []snapshot.Tunnel{{ID: Tunnel, Name: "office", Status: "healthy", ConfigSrc: "cloudflare"}})
	snapshot.Put(b, snapshot.TunnelConfig, Tunnel, snapshot.TunnelSettings{Version: 1, Ingress: []snapshot.Ingress{
		{Hostname: "admin." + Domain, Service: "https://10.0.0.5:8443"}, {Service: "http_status:404"}}})
}

func goodDeveloper(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.Workers, Account, []snapshot.Worker{{ID: Worker, Handlers: []string{"fetch"}, Logpush: true}})
	snapshot.Put(b, snapshot.WorkerSettings, Worker, snapshot.WorkerConfig{Bindings: []snapshot.Binding{
		{Name: "API_KEY", Type: "secret_text"}, {Name: "REGION", Type: "plain_text", Length: 9}}})
	snapshot.Put(b, snapshot.R2Buckets, Account, []snapshot.Bucket{{Name: Bucket, Jurisdiction: "default"}})
	snapshot.Put(b, snapshot.R2ManagedDomain, Bucket, snapshot.R2ManagedAddress{Domain: "pub-1.r2.dev"})
}

func goodZone(b *snapshot.Builder) {
	zone := snapshot.Zone{ID: Zone, Name: Domain, Status: "active", Type: "full", Plan: "enterprise",
		NameServers: []string{"a.ns.cloudflare.com", "b.ns.cloudflare.com"}}
	b.Zones = []snapshot.Zone{zone}
	snapshot.Put(b, snapshot.ZoneList, Account, b.Zones)
	settings := snapshot.Settings{}
	for _, s := range []struct{ id, value string }{{"always_online", "off"}, {"always_use_https", "on"}, {"automatic_https_rewrites", "on"},
		{"browser_check", "on"}, {"development_mode", "off"}, {"email_obfuscation", "on"}, {"min_tls_version", "1.2"},
		{"opportunistic_encryption", "on"},
		{"security_level", "medium"}, {"ssl", "strict"}, {"tls_1_3", "on"}, {"tls_client_auth", "on"}, {"0rtt", "off"}} {
		settings = settings.With(s.id, s.value)
	}
	settings = settings.With("security_header", map[string]snapshot.HSTS{"strict_transport_security": {Enabled: true, MaxAge: 31536000,
		IncludeSubdomains: true, Preload: true}})
	snapshot.Put(b, snapshot.ZoneSettings, Zone, settings)
	goodRecords(b)
	snapshot.Put(b, snapshot.ZoneDNSSEC, Zone, snapshot.DNSSEC{Status: "active"})
	snapshot.Put(b, snapshot.ZonePageRules, Zone, []snapshot.PageRule{})
	snapshot.Put(b, snapshot.ZoneOriginCA, Zone, []snapshot.OriginCert{{ID: "c1", Hostnames: []string{Domain, "*." + Domain},
		ExpiresOn: InDays(365), Validity: 5475}})
	snapshot.Put(b, snapshot.ZoneIPAccessRules, Zone, []snapshot.IPAccessRule{})
	on := true
	snapshot.Put(b, snapshot.ZoneBotManagement, Zone, snapshot.BotManagement{EnableJS: &on, DefinitelyAutomated: "block",
		LikelyAutomated: "managed_challenge", VerifiedBots: "allow", AIBots: "block"})
	complete := snapshot.At(Now().Add(-time.Hour))
	snapshot.Put(b, snapshot.ZoneLogpushJobs, Zone, []snapshot.LogpushJob{
		{ID: 2, Dataset: "http_requests", Enabled: true, LastComplete: complete, SampleRate: 1, Destination: "https://logs.shop.example"},
		{ID: 3, Dataset: "firewall_events", Enabled: true, LastComplete: complete, SampleRate: 1, Destination: "https://logs.shop.example"}})
	goodRules(b)
}

func goodRecords(b *snapshot.Builder) {
	record := func(n, name, kind, content string, proxied bool) snapshot.DNSRecord {
		return snapshot.DNSRecord{ID: "1a00000000000000000000000000000" + n, Name: name, Type: kind, Content: content,
			Proxied: proxied, Proxiable: kind == "A" || kind == "AAAA" || kind == "CNAME", TTL: 1}
	}
	snapshot.Put(b, snapshot.ZoneDNSRecords, Zone, []snapshot.DNSRecord{
		record("1", Domain, "A", "45.60.10.1", true),
		record("2", "www."+Domain, "CNAME", Domain, true),
		record("3", "admin."+Domain, "CNAME", Tunnel+".cfargotunnel.com", true),
		record("4", Domain, "MX", "mail.mailhost.example", false),
		record("5", Domain, "TXT", "v=spf1 include:_spf.mailhost.example -all", false),
		record("6", "_dmarc."+Domain, "TXT", "v=DMARC1; p=reject; rua=mailto:dmarc@shop.example", false),
		record("7", Domain, "CAA", `0 issue "letsencrypt.org"`, false),
		record("8", Domain, "CAA", `0 iodef "mailto:security@shop.example"`, false),
	})
}

func goodRules(b *snapshot.Builder) {
	infos := []snapshot.RulesetInfo{}
	put := func(k snapshot.Key[snapshot.Ruleset], id, phase string, rules ...snapshot.Rule) {
		infos = append(infos, snapshot.RulesetInfo{ID: id, Kind: "zone", Phase: phase, Name: "default"})
		snapshot.Put(b, k, Zone, snapshot.Ruleset{ID: id, Kind: "zone", Phase: phase, Rules: rules})
	}
	put(snapshot.ZonePhaseCustom, "r1", "http_request_firewall_custom",
		snapshot.Rule{ID: "r1a", Enabled: true, Action: "block", Expression: `http.request.uri.path contains "/.env"`},
		snapshot.Rule{ID: "r1b", Enabled: true, Action: "managed_challenge", Expression: "cf.bot_management.score lt 30"})
	put(snapshot.ZonePhaseManaged, "r2", "http_request_firewall_managed",
		snapshot.Rule{ID: "r2a", Enabled: true, Action: "execute", Expression: "true",
			Params: snapshot.RuleParams{ExecuteID: snapshot.ManagedRulesetID}})
	put(snapshot.ZonePhaseRate, "r3", "http_ratelimit",
		snapshot.Rule{ID: "r3a", Enabled: true, Action: "block", Expression: `http.request.uri.path eq "/login"`})
	infos = append(infos, snapshot.RulesetInfo{ID: snapshot.ManagedRulesetID, Kind: "managed", Phase: "http_request_firewall_managed",
		Name: "Cloudflare Managed Ruleset"})
	snapshot.Put(b, snapshot.ZoneRulesets, Zone, infos)
	for _, k := range []snapshot.Key[snapshot.Ruleset]{snapshot.ZonePhaseRedirect, snapshot.ZonePhaseResponse} {
		b.Set(snapshot.Section{Source: k.Source(), Scope: Zone, Status: snapshot.Skipped, Reason: "the zone has no entry point for this phase"})
	}
}
