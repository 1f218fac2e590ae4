package simcloud

// Values that no client may store.
const (
	canaryMailTenant  = "leakcanary-mail-tenant"
	canaryMailComment = "leakcanary-mail-comment"
	canaryMailSender  = "leakcanary.sender"
)

// mailAccount is the account state of Email Security and of destination addresses.
type mailAccount struct {
	mailDomains []obj
	mailAllow   []obj
	mailTrusted []obj
	mailboxes   []obj // destinations mail may be forwarded to
}

// mailZone is the mail state of a zone other than its records.
type mailZone struct {
	routing  bool
	catchAll obj
	rules    []obj
}

// filtersMail reports whether the account has Email Security.
func (a *account) filtersMail() bool {
	return a.bestPlan() == "enterprise" && !a.spec.Plain && a.zoneCount > 0
}

// makeMail protects one domain and allows a few senders.
func (a *account) makeMail() {
	a.addMailbox(a.deskAddress(), true)
	if !a.filtersMail() {
		return
	}
	a.addMailDomain("corp." + a.zoneName(0))
	a.addMailAllow(canaryMailSender+"@billing-partner.test", "EMAIL")
	a.addMailAllow(a.zoneName(0), "DOMAIN")
	a.addMailTrusted("billing-partner.test")
}

// addMailDomain onboards a domain, see
// https://developers.cloudflare.com/api/resources/email_security/subresources/settings/subresources/domains/.
func (a *account) addMailDomain(name string) obj {
	created, modified := stampedPair(a.cloud, 300*day, 20*day)
	d := obj{
		"id": a.next("mail domain").uuid(), "domain": name, "status": "ACTIVE", "created_at": created, "last_modified": modified,
		"authorization":          obj{"authorized": true, "status_message": "", "timestamp": created},
		"allowed_delivery_modes": []string{"DIRECT"}, "drop_dispositions": []string{"MALICIOUS", "SPAM"}, "require_tls_inbound": true,
		"require_tls_outbound": true,
		"spf_status":           "good", "dmarc_status": "good", "ip_restrictions": []string{}, "lookback_hops": 1, "regions": []string{"GLOBAL"},
		"folder": nil, "inbox_provider": "Microsoft",
		"transport": canaryMailTenant + ".mail.test", "o365_tenant_id": canaryMailTenant, "integration_id": canaryMailTenant,
	}
	a.mailDomains = append(a.mailDomains, d)
	return d
}

func (a *account) addMailAllow(pattern, kind string) obj {
	created, modified := stampedPair(a.cloud, 200*day, 20*day)
	p := obj{
		"id": a.next("mail allow").uuid(), "pattern": pattern, "pattern_type": kind, "is_regex": false, "is_sender": true, "is_recipient": false,
		"is_spoof":          false,
		"is_trusted_sender": true, "is_acceptable_sender": false, "is_exempt_recipient": false, "verify_sender": true,
		"comments": canaryMailComment, "created_at": created, "last_modified": modified,
	}
	a.mailAllow = append(a.mailAllow, p)
	return p
}

func (a *account) addMailTrusted(pattern string) obj {
	created, modified := stampedPair(a.cloud, 200*day, 20*day)
	d := obj{
		"id": a.next("mail trusted").uuid(), "pattern": pattern, "is_regex": false, "is_recent": true, "is_similarity": false,
		"comments": canaryMailComment, "created_at": created, "last_modified": modified,
	}
	a.mailTrusted = append(a.mailTrusted, d)
	return d
}

// routedBy returns the mail hosts of Email Routing.
func routedBy() []string {
	return []string{"route1.mx.cloudflare.net", "route2.mx.cloudflare.net", "route3.mx.cloudflare.net"}
}

// makeMail publishes MTA-STS, and lets Email Routing receive the mail of a subdomain. A plain zone
// lists its senders by address, so that its SPF record needs no lookups.
func (z *zone) makeMail() {
	z.announceTransport()
	z.catchAll = obj{
		"id": z.next("catch-all").hex32(), "tag": z.next("catch-all").hex32(), "name": "", "enabled": false,
		"matchers": []obj{{"type": "all"}}, "actions": []obj{{"type": "drop"}},
	}
	if z.acct.spec.Plain {
		z.apexText("v=spf1").Content = `"v=spf1 ip4:` + z.mailIP(25) + ` -all"`
		return
	}
	if z.plan == "free" {
		return
	}
	z.routing = true
	z.addMailRule("sales", obj{"type": "forward", "value": []string{z.acct.deskAddress()}})
	z.addMailRule("postmaster", obj{"type": "forward", "value": []string{z.acct.deskAddress()}})
	z.catchAll["enabled"] = true
	for i, host := range routedBy() {
		priority := 10 * (i + 1)
		z.plant("MX", "inbox."+z.name, host, false).Priority = &priority
	}
}

// deskAddress returns the mailbox that mail is forwarded to.
func (a *account) deskAddress() string { return canaryMailSender + ".desk@" + a.zoneName(0) }

// addMailbox adds a destination address, see
// https://developers.cloudflare.com/api/resources/email_routing/subresources/addresses/.
func (a *account) addMailbox(address string, verified bool) {
	box := obj{"id": a.next("mailbox").hex32(), "email": address, "verified": nil, "created": a.cloud.ago(200 * day),
		"modified": a.cloud.ago(200 * day)}
	box["tag"] = box["id"]
	if verified {
		box["verified"] = a.cloud.ago(199 * day)
	}
	a.mailboxes = append(a.mailboxes, box)
}

// addMailRule adds a routing rule, see
// https://developers.cloudflare.com/api/resources/email_routing/subresources/rules/.
func (z *zone) addMailRule(local string, action obj) obj {
	r := obj{"id": z.next("mail-rule").hex32(), "name": "Rule for " + local, "enabled": true, "priority": 0,
		"matchers": []obj{{"type": "literal", "field": "to", "value": local + "@" + z.name}}, "actions": []obj{action}}
	r["tag"] = r["id"]
	z.rules = append(z.rules, r)
	return r
}

// announceTransport adds the records that tell senders to use TLS.
func (z *zone) announceTransport() {
	z.plant("TXT", "_mta-sts."+z.name, `"v=STSv1; id=20260101000000"`, false)
	z.plant("TXT", "_smtp._tls."+z.name, `"v=TLSRPTv1; rua=mailto:tls@`+z.name+`"`, false)
	z.plant("CNAME", "mta-sts."+z.name, z.name, true)
}

// mailCanaries returns values no client may store.
func mailCanaries() []string {
	return []string{canaryMailTenant, canaryMailComment, canaryMailSender}
}
