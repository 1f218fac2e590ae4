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
			},
		}},
		Tokens: []Token{
			{Secret: "edgeposture-demo-read", Name: "Edgeposture (read only)", User: "demo"},
			{Secret: "edgeposture-demo-write", Name: "Edgeposture remediation", User: "demo", CanWrite: true},
		},
	}
}
