package simcloud

// Demo returns the options of the built-in demo account: twelve zones of mixed
// plans with a believable mix of good and bad configuration.
func Demo() Options {
	at := func(check, variant string, zones ...int) PlantRule {
		return PlantRule{CheckID: check, Variant: variant, Zones: zones}
	}
	return Options{
		Seed: 20260101,
		Accounts: []AccountSpec{{
			Name: "Acme Demo", Zones: 12, RecordsPerZone: 40, Pending: 1,
			ZoneNames: []string{
				"acme-shop.example", "acme-api.example", "acme-corp.example", "acme-careers.example", "acme-blog.example", "acme-cdn.example",
				"acme-pay.example", "acme-labs.example", "acme-status.example", "acme-partners.example", "acme-events.example", "acme-future.example",
			},
			Plans:   []string{"enterprise", "business", "pro", "free"},
			Members: 14, Workers: 5, Tunnels: 3, Apps: 6, Buckets: 4, Namespaces: 3, Databases: 2, Queues: 2, Lists: 2, ListItems: 12,
			Plants: []PlantRule{
				at("CFL-TOK-002", ""), at("CFL-ACC-001", "not-enforced"), at("CFL-ACC-009", "no-job"), at("CFL-ACC-010", "no-factor"), at("CFL-ACC-010", "invited"),
				at("CFL-DNS-001", "disabled", 2, 3, 7), at("CFL-DNS-001", "pending", 8), at("CFL-DNS-002", "unproxied-a", 0, 3, 9), at("CFL-DNS-002", "unproxied-cname", 4),
				at("CFL-DNS-003", "outside-target", 7), at("CFL-DNS-003", "proxied", 10), at("CFL-DNS-004", "no-issue", 3, 4, 9), at("CFL-DNS-004", "no-iodef", 1),
				at("CFL-DNS-008", "private", 1, 7), at("CFL-DNS-009", "same-address", 6), at("CFL-DNS-009", "mail-host", 2), at("CFL-ZONE-001", "", 9),
				at("CFL-SSL-001", "flexible", 4, 7), at("CFL-SSL-001", "full", 2, 3), at("CFL-SSL-002", "tls-1.0", 5, 7), at("CFL-SSL-004", "off", 3, 4, 7),
				at("CFL-SSL-004", "part-of-traffic", 1), at("CFL-SSL-005", "off", 7), at("CFL-SSL-005", "one-path", 4), at("CFL-SSL-006", "off", 10),
				at("CFL-SSL-009", "one-day", 5), at("CFL-SSL-009", "half-year", 8), at("CFL-ORIGCERT-001", "soon", 6), at("CFL-ORIGCERT-001", "expired", 4),
				at("CFL-WAF-001", "essentially-off", 7), at("CFL-WAF-001", "low", 4), at("CFL-WAF-002", "log-only", 5), at("CFL-WAF-002", "none", 3, 7),
				at("CFL-WAF-003", "none", 2, 3, 7), at("CFL-WAF-003", "log-only", 9), at("CFL-WAF-005", "not-deployed", 2, 6), at("CFL-WAF-005", "one-path", 1),
				at("CFL-WAF-010", "always", 0), at("CFL-WAF-010", "wide-range", 6), at("CFL-WAF-010", "no-path", 10), at("CFL-WAF-011", "wide-range", 1),
				at("CFL-WAF-011", "forgotten", 8), at("CFL-BOT-001", "fight-mode-off", 3, 7), at("CFL-BOT-001", "allow", 2), at("CFL-BOT-001", "log-rule", 4),
				at("CFL-BOT-002", "off", 5, 6), at("CFL-EMAIL-001", "missing", 7), at("CFL-EMAIL-001", "two", 9), at("CFL-EMAIL-003", "missing", 3, 8),
				at("CFL-EMAIL-005", "policy-none", 0, 4), at("CFL-EMAIL-005", "no-reports", 10), at("CFL-ZT-007", "everyone"), at("CFL-ZT-007", "everyone-with-require"),
				at("CFL-ZT-008", "month"), at("CFL-ZT-015", "private-http"), at("CFL-ZT-015", "other-service"), at("CFL-ZT-026", "wide-range"),
				at("CFL-WORK-003", "aws"), at("CFL-WORK-003", "placeholder"), at("CFL-R2-004", "public"), at("CFL-LOG-001", "one", 4), at("CFL-LOG-001", "none", 8),
				at("CFL-LOG-002", "failing"), at("CFL-ALERT-001", "no-policy"), at("CFL-ALERT-004", "some-zones"), at("CFL-ALERT-005", "no-mechanism"), at("CFL-ALERT-012", "used"),
				at("CFL-DNS-006", "azure", 5), at("CFL-DNS-006", "gone", 2), at("CFL-DNS-006", "lame", 9), at("CFL-DNS-007", "pages", 7), at("CFL-DNS-010", "not-allowed", 5),
				at("CFL-DNS-011", "forgotten", 9), at("CFL-DNS-013", "one-of-two", 6), at("CFL-DNS-016", "key", 7), at("CFL-REG-001", "unlocked"), at("CFL-REG-002", "later"),
				at("CFL-SSL-003", "late", 1), at("CFL-SSL-010", "soon", 8), at("CFL-SSL-013", "tls-1.1", 4), at("CFL-SSL-014", "legacy", 9), at("CFL-SSL-015", "uploaded-only", 0),
				at("CFL-SSL-018", "no-preload", 2, 6), at("CFL-SSL-019", "deep", 3), at("CFL-SSL-020", "off", 7), at("CFL-EMAIL-004", "soft", 2), at("CFL-EMAIL-006", "short", 3),
				at("CFL-EMAIL-009", "neither", 5, 8), at("CFL-WAF-006", "one-host", 10), at("CFL-WAF-008", "zone-long", 9), at("CFL-WAF-013", "category-off", 5),
				at("CFL-WAF-015", "another-path", 1, 10), at("CFL-WAF-020", "rfc3986", 6), at("CFL-WAF-021", "week", 3), at("CFL-LEAK-001", "off", 7, 10),
				at("CFL-LEAK-002", "unused", 5), at("CFL-WAF-025", "off", 4), at("CFL-HOLD-001", "no-subdomains", 8), at("CFL-DDOS-001", "medium", 6), at("CFL-ACCTWAF-001", "another-zone"),
				at("CFL-CFRULE-001", "flexible", 9), at("CFL-CFRULE-001", "low", 2), at("CFL-RULES-001", "query", 1), at("CFL-RULES-002", "waf-off", 3), at("CFL-RULES-003", "gone", 4),
				at("CFL-TXRULE-001", "a-path", 0), at("CFL-TXRULE-002", "none", 3, 7), at("CFL-BOT-003", "disabled", 7), at("CFL-CDA-001", "api-override", 8), at("CFL-SEC-001", "never-set-up", 3, 6, 10),
				at("CFL-SEC-002", "expired", 2), at("CFL-PAGESHIELD-001", "off", 6), at("CFL-PAGESHIELD-003", "none", 8), at("CFL-ZARAZ-001", "no-consent", 2), at("CFL-SNIPPET-001", "key", 10),
				at("CFL-API-003", "log", 4), at("CFL-API-004", "sensitive", 8), at("CFL-LB-001", "no-monitor"), at("CFL-LB-004", "public"), at("CFL-SPECTRUM-002", "ssh", 4), at("CFL-CH-001", "pending", 5),
				at("CFL-MTLS-004", "off", 3), at("CFL-TURN-002", "localhost"), at("CFL-TOK-003", "unused"), at("CFL-TOK-004", "six-on-zones"), at("CFL-TOK-008", "old"), at("CFL-ACC-003", "administrators"),
				at("CFL-ACC-011", "recent"), at("CFL-INSIGHT-001", "critical"), at("CFL-INSIGHT-004", "moderate"), at("CFL-ASM-001", "dangling"), at("CFL-ALERT-002", "some-zones"), at("CFL-ALERT-011", "month"),
				at("CFL-WORK-005", "beside-route"), at("CFL-WORK-011", "bucket"), at("CFL-PAGE-001", "shape"), at("CFL-PAGE-003", "all-branches"), at("CFL-R2-001", "backup-open"), at("CFL-R2-005", "cors-put"),
				at("CFL-R2-006", "backup-unlocked"), at("CFL-STORE-003", "no-dead-letters"), at("CFL-AIGW-001", "open"), at("CFL-ZT-009", "no-factor"), at("CFL-ZT-011", "public-mail"), at("CFL-ZT-012", "unused"),
				at("CFL-ZT-014", "readable"), at("CFL-ZT-006", "forever"), at("CFL-TUNNEL-001", "down"), at("CFL-TUNNEL-003", "old"), at("CFL-TUNNEL-002", "unchecked"), at("CFL-GW-002", "no-scan"),
				at("CFL-GW-004", "no-http"), at("CFL-DEVICE-002", "may-leave"), at("CFL-POSTURE-001", "no-firewall"), at("CFL-CASB-001", "high"), at("CFL-MAGIC-002", "old-key"), at("CFL-DNS-005", "no-limit"),
				at("CFL-EMAILSEC-002", "public"), at("CFL-LOG-004", "no-browsing"), at("CFL-DLP-001", "watched"),
			},
		}},
		Tokens: []Token{
			{Secret: "edgeposture-demo-read", Name: "Edgeposture (read only)", User: "demo"},
			{Secret: "edgeposture-demo-write", Name: "Edgeposture remediation", User: "demo", CanWrite: true},
		},
	}
}
