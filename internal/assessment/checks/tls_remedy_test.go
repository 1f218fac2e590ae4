package checks

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestTLSRemedies(t *testing.T) {
	t.Run("header and redirect", func(t *testing.T) { checktest.Propose(t, All(), headerAttempts()) })
	t.Run("certificates", func(t *testing.T) { checktest.Propose(t, All(), certificateAttempts()) })
}

func headerAttempts() []checktest.Attempt {
	const hsts, ssl, packs, https = "/zones/{zone}/settings/security_header", "/zones/{zone}/settings/ssl",
		"/zones/{zone}/ssl/certificate_packs?status=all", "/zones/{zone}/settings/always_use_https"
	live := func(path, value, mode, status string) map[string]string {
		return map[string]string{path: `{"value": ` + value + `}`, ssl: `{"value": "` + mode + `"}`, packs: `[{"status": "` + status +
			`", "hosts": []}]`}
	}
	header := func(h string) string { return `{"strict_transport_security": ` + h + `}` }
	off := header(`{"enabled": false, "max_age": 0, "include_subdomains": true, "preload": false, "nosniff": true}`)
	return []checktest.Attempt{
		{Name: "the other members stay", CheckID: "CFL-SSL-004", Live: live(hsts, off, "full", "active"),
			Sends: []string{"PATCH " + hsts + ` {"value":{"strict_transport_security":{"enabled":true,"include_subdomains":true,` +
				`"max_age":15552000,"nosniff":true,"preload":false}}}`}},
		{Name: "a longer life stays", CheckID: "CFL-SSL-004", Live: live(hsts, header(`{"enabled": false, "max_age": 31536000}`), "full",
			"active"), Sends: []string{"PATCH " + hsts + ` {"value":{"strict_transport_security":{"enabled":true,"max_age":31536000}}}`}},
		{Name: "no TLS", CheckID: "CFL-SSL-004", Live: live(hsts, off, "off", "active"), Refused: "is off"},
		{Name: "no certificate", CheckID: "CFL-SSL-004", Live: live(hsts, off, "full", "initializing"), Refused: "certificate"},
		{Name: "not returned", CheckID: "CFL-SSL-004", Live: live(hsts, "null", "full", "active"), Refused: "does not return"},
		{Name: "on and short", CheckID: "CFL-SSL-004", Live: live(hsts, header(`{"enabled": true, "max_age": 300}`), "full", "active"),
			Sends: []string{"PATCH " + hsts + ` {"value":{"strict_transport_security":{"enabled":true,"max_age":15552000}}}`}},
		{Name: "on by now", CheckID: "CFL-SSL-004", Live: live(hsts, header(`{"enabled": true, "max_age": 15552000}`), "full", "active")},
		{Name: "only the life changes", CheckID: "CFL-SSL-009",
			Live:  map[string]string{hsts: `{"value": ` + header(`{"enabled": true, "max_age": 300, "preload": true}`) + `}`},
			Sends: []string{"PATCH " + hsts + ` {"value":{"strict_transport_security":{"enabled":true,"max_age":31536000,"preload":true}}}`}},
		{Name: "off by now", CheckID: "CFL-SSL-009", Live: map[string]string{hsts: `{"value": ` + off + `}`}, Refused: "is off"},
		{Name: "long by now", CheckID: "CFL-SSL-009", Live: map[string]string{hsts: `{"value": ` +
			header(`{"enabled": true, "max_age": 63072000}`) + `}`}},
		{Name: "a configuration rule lowers the mode", CheckID: "CFL-SSL-001", Live: live(hsts, off, "strict", "active"),
			Evidence: []posture.Evidence{{Source: "zone/ruleset/http_config_settings", Pointer: "/rules/c1"}},
			Refused:  "(id c1) overrides the setting"},
		{Name: "a page rule lowers the mode", CheckID: "CFL-SSL-001", Live: live(hsts, off, "flexible", "active"),
			Evidence: []posture.Evidence{{Source: "zone/page_rules", Pointer: "/p1"}}, Refused: "(id p1) overrides the setting"},
		{Name: "a rule and the setting", CheckID: "CFL-SSL-001", Live: live(hsts, off, "flexible", "active"),
			Evidence: []posture.Evidence{{Source: "zone/page_rules", Pointer: "/p1"}, {Source: "zone/settings", Pointer: "/ssl"}},
			Sends:    []string{"PATCH " + ssl + ` {"value":"strict"}`}},
		{Name: "a response rule removes the header", CheckID: "CFL-SSL-004", Live: live(hsts, off, "full", "active"),
			Evidence: []posture.Evidence{{Source: "zone/ruleset/http_response_headers_transform", Pointer: "/rules/t1"}},
			Refused:  "(id t1) overrides the setting"},
		{Name: "on", CheckID: "CFL-SSL-005", Live: live(https, `"off"`, "full", "active"), Sends: []string{"PATCH " + https + ` {"value":"on"}`}},
		{Name: "mode off", CheckID: "CFL-SSL-005", Live: live(https, `"off"`, "off", "active"), Refused: "is off"},
		{Name: "mode flexible", CheckID: "CFL-SSL-005", Live: live(https, `"off"`, "flexible", "active"), Refused: "is flexible"},
		{Name: "no certificate", CheckID: "CFL-SSL-005", Live: live(https, `"off"`, "full", "expired"), Refused: "certificate"},
	}
}

func certificateAttempts() []checktest.Attempt {
	const hosts, floor, universal, caa = "/zones/{zone}/hostnames/settings/min_tls_version", "/zones/{zone}/settings/min_tls_version",
		"/zones/{zone}/ssl/universal/settings", "/zones/{zone}/dns_records?type=CAA"
	const alert, zones, all = "/zones/{zone}/ct/alerting", "/zones?account.id={account}", `["soc@shop.example"]`
	host := func(value, zone string) map[string]string {
		return map[string]string{hosts: `[{"hostname": "old.shop.example", "value": "` + value + `"}]`, floor: `{"value": "` + zone + `"}`}
	}
	issuer := func(content string) map[string]string {
		return map[string]string{universal: `{"enabled": false}`,
			caa: `[{"name": "shop.example", "content": "0 iodef \"mailto:a@shop.example\""}` + content + `]`}
	}
	alerts := func(enabled, emails string) map[string]string {
		return map[string]string{alert: `{"enabled": ` + enabled + `, "emails": ` + emails + `}`, zones: `[{"name": "shop.example"}]`}
	}
	const old = "old.shop.example"
	return []checktest.Attempt{
		{Name: "deleted", CheckID: "CFL-SSL-013", ID: old, Live: host("1.0", "1.2"), Sends: []string{"DELETE " + hosts + "/" + old}},
		{Name: "below the zone", CheckID: "CFL-SSL-013", ID: old, Live: host("1.2", "1.3"), Sends: []string{"DELETE " + hosts + "/" + old}},
		{Name: "the zone is weaker", CheckID: "CFL-SSL-013", ID: old, Live: host("1.1", "1.0"), Refused: "raise the zone first"},
		{Name: "a value nobody knows", CheckID: "CFL-SSL-013", ID: old, Live: host("2.0", "1.2"), Refused: "does not know"},
		{Name: "raised by now", CheckID: "CFL-SSL-013", ID: old, Live: host("1.2", "1.2")},
		{Name: "gone", CheckID: "CFL-SSL-013", ID: "new.shop.example", Live: host("1.0", "1.2")},
		{Name: "no CAA", CheckID: "CFL-SSL-015", Live: issuer(""), Sends: []string{"PATCH " + universal + ` {"enabled":true}`}},
		{Name: "CAA admits one", CheckID: "CFL-SSL-015",
			Live: issuer(`, {"name": "shop.example", "content": "0 issue \"other.ca\""}, {"name": "shop.example", "content": "0 issue \"pki.goog;` +
				` cansignhttpexchanges=yes\""}`),
			Sends: []string{"PATCH " + universal + ` {"enabled":true}`}},
		{Name: "CAA shuts all out", CheckID: "CFL-SSL-015", Live: issuer(`, {"name": "shop.example", "content": "0 issue \"other.ca\""}`),
			Refused: "admit one of them first"},
		{Name: "on", CheckID: "CFL-SSL-020", Live: alerts("false", all), Sends: []string{"PATCH " + alert + ` {"enabled":true}`}},
		{Name: "the owner is told", CheckID: "CFL-SSL-020", Plan: "free", Live: alerts("false", "[]"),
			Sends: []string{"PATCH " + alert + ` {"enabled":true}`}},
		{Name: "nobody is told", CheckID: "CFL-SSL-020", Live: alerts("true", "[]"), Chooses: "emails"},
		{Name: "chosen", CheckID: "CFL-SSL-020", Live: alerts("true", "[]"), Inputs: map[string]string{"emails": all},
			Sends: []string{"PATCH " + alert + ` {"emails":["soc@shop.example"],"enabled":true}`}},
		{Name: "a stranger", CheckID: "CFL-SSL-020", Live: alerts("true", "[]"),
			Inputs: map[string]string{"emails": `["soc@shop.example", "soc@stranger.io"]`}, Refused: "no domain of the account"},
		{Name: "no address", CheckID: "CFL-SSL-020", Live: alerts("true", "[]"), Inputs: map[string]string{"emails": `["soc"]`},
			Refused: "a mail address"},
		{Name: "none", CheckID: "CFL-SSL-020", Live: alerts("true", "[]"), Inputs: map[string]string{"emails": `[]`},
			Refused: "between 1 and 10"},
	}
}
