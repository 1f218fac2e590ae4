package checks

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
)

func TestDisclosureRemedies(t *testing.T) {
	const file, zones, end = "/zones/{zone}/security-center/securitytxt", "/zones?account.id={account}", "2027-01-26T00:00:00Z"
	live := func(f string) map[string]string {
		return map[string]string{file: f, zones: `[{"name": "shop.example"}, {"name": "other.example"}]`}
	}
	contact := func(c string) map[string]string { return map[string]string{"contact": `"` + c + `"`} }
	made := func(c string) []string {
		return []string{"PUT " + file + ` {"contact":["` + c + `"],"enabled":true,"expires":"` + end + `"}`}
	}
	attempts := []checktest.Attempt{
		{Name: "nobody chose", CheckID: "CFL-SEC-001", Live: live("{}"), Chooses: "contact"},
		{Name: "of the account", CheckID: "CFL-SEC-001", Live: live("null"), Inputs: contact("mailto:security@other.example"),
			Sends: made("mailto:security@other.example")},
		{Name: "a declared mail domain", CheckID: "CFL-SEC-001", Live: live("{}"), Inputs: contact("mailto:soc@corp.test"),
			Sends: made("mailto:soc@corp.test"), Policy: func(p *policy.Policy) { p.OwnMailDomains = []string{"corp.test"} }},
		{Name: "a page", CheckID: "CFL-SEC-001", Live: live("{}"), Inputs: contact("https://bounty.company.io/shop"),
			Sends: made("https://bounty.company.io/shop")},
		{Name: "a number", CheckID: "CFL-SEC-001", Live: live("{}"), Inputs: contact("tel:+49-30-123456"), Sends: made("tel:+49-30-123456")},
		{Name: "what is written stays", CheckID: "CFL-SEC-001",
			Live: live(`{"enabled": false, "contact": ["tel:1"], "expires": "2026-12-01T00:00:00Z", "policy": ["https://shop.example/p"]}`),
			Sends: []string{"PUT " + file + ` {"contact":["tel:1"],"enabled":true,"expires":"2026-12-01T00:00:00Z",` +
				`"policy":["https://shop.example/p"]}`}},
		{Name: "published by now", CheckID: "CFL-SEC-001", Live: live(`{"enabled": true, "contact": ["tel:1"]}`)},
		{Name: "renewed", CheckID: "CFL-SEC-002", Live: live(`{"enabled": true, "contact": ["tel:1"], "expires": "2026-01-01T00:00:00Z"}`),
			Sends: []string{"PUT " + file + ` {"contact":["tel:1"],"enabled":true,"expires":"` + end + `"}`}},
		{Name: "no usable contact", CheckID: "CFL-SEC-002",
			Live: live(`{"enabled": true, "contact": ["ask us"], "expires": "2026-01-01T00:00:00Z"}`), Refused: "never invented"},
		{Name: "far ahead", CheckID: "CFL-SEC-002", Live: live(`{"enabled": true, "contact": ["tel:1"], "expires": "2030-01-01T00:00:00Z"}`),
			Refused: "only ever extended"},
		{Name: "renewed by now", CheckID: "CFL-SEC-002",
			Live: live(`{"enabled": true, "contact": ["tel:1"], "expires": "2026-12-01T00:00:00Z"}`)},
		{Name: "gone", CheckID: "CFL-SEC-002", Live: live("{}")},
	}
	for _, bad := range []string{"security@shop.example", "mailto:security", "mailto:Team <security@shop.example>",
		"mailto:security@stranger.io", "mailto:a@shop.example,b@stranger.io",
		"mailto:a@notshop.example", "http://shop.example/", "https://", "https://user:pw@bounty.company.io/", "https://www.example.com/security",
		"https://localhost/", "tel:call", "tel:", ""} {
		attempts = append(attempts, checktest.Attempt{Name: "refused " + bad, CheckID: "CFL-SEC-001", Live: live("{}"), Inputs: contact(bad),
			Refused: "The input contact"})
	}
	checktest.Propose(t, All(), attempts)
}
