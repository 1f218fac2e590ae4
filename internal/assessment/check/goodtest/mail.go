package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// goodMail adds mail: keys, transport, routing and a filter.
func goodMail(b *snapshot.Builder) {
	on, lookups := true, 2
	record := func(n, name, kind, content string) snapshot.DNSRecord {
		return snapshot.DNSRecord{ID: "1a00000000000000000000000000000" + n, Name: name + "." + Domain, Type: kind, Content: content, TTL: 1}
	}
	host := record("c", "mta-sts", "CNAME", Domain)
	host.Proxied, host.Proxiable = true, true
	snapshot.Edit(b, snapshot.ZoneDNSRecords, Zone, func(rs *[]snapshot.DNSRecord) {
		*rs = append(*rs, record("a", "s1._domainkey", "TXT", "v=DKIM1; k=rsa; p="+goodDKIM),
			record("b", "_mta-sts", "TXT", "v=STSv1; id=20260101"), host,
			record("d", "_smtp._tls", "TXT", "v=TLSRPTv1; rua=mailto:tls@shop.example"))
	})
	snapshot.Put(b, snapshot.ZoneSPFInspect, Zone, snapshot.SPFInspection{TotalLookups: &lookups})
	Answer("TXT", "_spf.mailhost.example", "NOERROR", "v=spf1 ip4:45.60.20.0/24 -all")(b)
	snapshot.Put(b, snapshot.ZoneEmailRouting, Zone, snapshot.EmailRouting{Enabled: &on, Status: "ready"})
	snapshot.Put(b, snapshot.ZoneEmailCatchAll, Zone, snapshot.CatchAll{Enabled: &on, Actions: []snapshot.MailForward{{Type: "drop"}}})
	inside := []snapshot.MailForward{{Type: "forward", Domains: []string{Domain}, Keys: []string{"k1"}}}
	snapshot.Put(b, snapshot.ZoneEmailRules, Zone, []snapshot.MailRule{{ID: "mr1", To: "s•••@shop.example", Enabled: &on, Actions: inside},
		{ID: "mr2", To: "postmaster@shop.example", Control: "postmaster@shop.example", Enabled: &on, Actions: inside}})
	snapshot.Put(b, snapshot.AccountEmailAddresses, Account, []snapshot.MailDestination{{ID: "md1", Address: "d•••@shop.example",
		Key: "k1", Verified: true}})
	snapshot.Put(b, snapshot.EmailSecurityDomains, Account, []snapshot.ProtectedDomain{{ID: "1", Domain: "filtered.example", Status: "active",
		Authorized: &on, DeliveryModes: []string{"DIRECT"}, Drops: []string{"MALICIOUS", "SPAM"}, RequiresTLSIn: &on}})
	snapshot.Put(b, snapshot.EmailSecurityAllow, Account, []snapshot.AllowPolicy{
		{ID: "2", Pattern: snapshot.MailPattern{Kind: "address", Text: "b•••@partner.test", Domain: "partner.test"}, VerifySender: &on},
		{ID: "3", Pattern: snapshot.MailPattern{Kind: "domain", Text: Domain, Domain: Domain}, VerifySender: &on}})
	snapshot.Put(b, snapshot.EmailSecurityTrusted, Account,
		[]snapshot.TrustedDomain{{ID: "4", Pattern: snapshot.MailPattern{Kind: "domain", Text: "partner.test", Domain: "partner.test"}}})
}

// goodDKIM is an RSA key of 2048 bits whose private half was discarded.
const goodDKIM = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApQ39LNnXcJqsnMjnw3taQTw2M5JIM87Fucu+WNbdOe5y7KcYGPJKstNxFVa8LtRI+8SwX56ad+" +
	"wKBHpwxwa/" +
	"46LldH7yyFVlqU/AMn8InKesPaqga7XjWVTGJUN8jJWAwJV6FsoIoHTkvs/1Jt4FYLgm6dsqeKCrJKRyqRCz7Ot1WwkpBqI/U/a7PoCzdWmgxhfeQWgJhDolBftjKrwNH+sTuA" +
	"KrlDlpk" +
	"/m2rF4A3tN7j9jbEHpRdmTzj4qA6Xby9bmbGmtuNwrbDPgl4rHld392lXrHFtwJOR2kB0JxsjkrovGKIHHbqRL0h/zydcD1x0lUvO41TpvolEkwVuGjywIDAQAB"
