package checks

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

// with adds one live value.
func with(live map[string]string, path, value string) map[string]string {
	live[path] = value
	return live
}

func TestDNSProposals(t *testing.T) {
	const signing, one, certificates = "/zones/z1/dnssec", "/zones/z1/dns_records/r1", "/zones/z1/ssl/certificate_packs?status=all"
	status := func(word string) map[string]string { return map[string]string{signing: `{"status":"` + word + `"}`} }
	checktest.Proposals(t, All(), "CFL-DNS-001", []checktest.Proposal{
		{Name: "off", Live: status("disabled"), Edits: 1, Sees: func(edits []change.Edit) {
			require.True(t, edits[0].Barred(map[string]any{"status": "active"}))
			require.False(t, edits[0].Barred(map[string]any{"status": "pending"}))
		}},
		{Name: "on", Live: status("active")},
		{Name: "pending", Live: status("pending"), Refuses: "registrar"}, {Name: "wrong DS", Live: status("error"), Refuses: "registrar"},
		{Name: "being turned off", Live: status("pending-disabled"), Refuses: "Somebody"}, {Name: "a new word", Live: status("odd"),
			Refuses: "no DNSSEC status"},
	})
	records := func(mx string) map[string]string {
		return map[string]string{one: `{"id":"r1","type":"A","name":"www.shop.example","content":"8.8.4.4","proxiable":true,"proxied":false,` +
			`"ttl":300}`,
			"/zones/z1/dns_records?type=MX": mx, "/zones/z1/dns_records?type=NS": "[]", "/zones/z1/dns_records?type=SRV": "[]",
			"/zones/z1/dns_records?type=TXT": "[]", "/zones?account.id=acc": `[{"id":"z1","name":"shop.example"}]`,
			certificates: `[{"status":"active","hosts":["shop.example","*.shop.example"]}]`}
	}
	confirmed := map[string]string{"confirmedNames": `["WWW.shop.example."]`}
	checktest.Proposals(t, All(), "CFL-DNS-002", []checktest.Proposal{
		{Name: "confirmed and covered", Live: records("[]"), Inputs: confirmed, Edits: 1, Sees: func(edits []change.Edit) {
			require.JSONEq(t, `{"proxied":false,"ttl":300}`, string(edits[0].Undo.Body))
		}},
		{Name: "not confirmed", Live: records("[]"), Asks: "confirmedNames"},
		{Name: "another name was confirmed", Live: records("[]"), Inputs: map[string]string{"confirmedNames": `["shop.example"]`},
			Refuses: "not among"},
		{Name: "mail arrives there", Live: records(`[{"type":"MX","content":"10 www.shop.example."}]`), Inputs: confirmed,
			Refuses: "own address"},
		{Name: "SPF admits it", Live: with(records("[]"), "/zones/z1/dns_records?type=TXT",
			`[{"type":"TXT","name":"shop.example","content":"\"v=spf1 a:www.shop.example -all\""}]`), Inputs: confirmed, Refuses: "own address"},
		{Name: "a name for file transfer", Live: with(records("[]"),
			one, `{"type":"A","name":"ftp.shop.example","content":"8.8.4.4","proxiable":true}`),
			Inputs: map[string]string{"confirmedNames": `["ftp.shop.example"]`}, Refuses: "file transfer"},
		{Name: "a support desk", Live: with(records("[]"),
			one, `{"type":"CNAME","name":"www.shop.example","content":"x.zendesk.com","proxiable":true}`),
			Inputs: confirmed, Refuses: "Zendesk"},
		{Name: "somebody else's", Live: with(records("[]"),
			one, `{"type":"CNAME","name":"www.shop.example","content":"x.agency.test","proxiable":true}`),
			Inputs: confirmed, Refuses: "not known to be yours"},
		{Name: "an own balancer", Live: with(records("[]"), one,
			`{"type":"CNAME","name":"www.shop.example","content":"lb.eu-west-1.elb.amazonaws.com","proxiable":true}`), Inputs: confirmed,
			Edits: 1},
		{Name: "no certificate", Live: with(records("[]"), certificates,
			`[{"status":"active","hosts":["shop.example"]},{"status":"pending","hosts":["www.shop.example"]}]`), Inputs: confirmed,
			Refuses: "certificate"},
		{Name: "on purpose", Live: records("[]"), Inputs: confirmed,
			Adjust: func(p *policy.Policy) { p.DNSOnlyNames = []string{"www.shop.example"} }, Refuses: "on purpose"},
		{Name: "cannot be", Live: with(records("[]"), one, `{"proxied":false,"proxiable":false}`), Refuses: "cannot proxy"},
		{Name: "is already", Live: with(records("[]"), one, `{"proxied":true,"proxiable":true}`)},
		{Name: "gone", Live: map[string]string{one: ""}},
	})
}

func TestDNSProposalsForTargetsAndDomains(t *testing.T) {
	const one, zones = "/zones/z1/dns_records/r1", "/zones?account.id=acc"
	to := func(kind, content string) map[string]string {
		return map[string]string{one: `{"id":"r1","type":"` + kind + `","name":"a.shop.example","content":"` + content +
			`","ttl":1,"proxied":true,"comment":null,"tags":[]}`,
			zones: `[{"id":"z1","name":"shop.example","status":"active"},{"id":"z2","name":"moved.test","status":"moved"}]`}
	}
	say := func(a, aaaa string) map[string]string { return map[string]string{"A x.test": a, "AAAA x.test": aaaa} }
	checktest.Proposals(t, All(), "CFL-DNS-006", []checktest.Proposal{
		{Name: "gone", Live: to("CNAME", "x.test"), Answers: say("NXDOMAIN", "NXDOMAIN"), Edits: 1, Sees: func(edits []change.Edit) {
			require.JSONEq(t, `{"type":"CNAME","name":"a.shop.example","content":"x.test","ttl":1,"proxied":true,"tags":[]}`,
				string(edits[0].Undo.Body))
		}},
		{Name: "gone, in a zone that moved away", Live: to("CNAME", "x.moved.test"),
			Answers: map[string]string{"A x.moved.test": "NXDOMAIN", "AAAA x.moved.test": "NXDOMAIN"}, Edits: 1},
		{Name: "there again", Live: to("CNAME", "x.test"), Answers: say("NOERROR", ""), Refuses: "exists now"},
		{Name: "two answers", Live: to("CNAME", "x.test"), Answers: say("NXDOMAIN", "NOERROR"), Refuses: "exists now"},
		{Name: "no answer", Live: to("MX", "x.test"), Answers: say("SERVFAIL", ""), Refuses: "no clear answer"},
		{Name: "a delegation", Live: to("NS", "x.test"), Refuses: "delegates"},
		{Name: "inside by now", Live: to("CNAME", "b.shop.example")}, {Name: "another type by now", Live: to("A", "8.8.4.4")},
	})
	const projects, tunnels = "/accounts/acc/pages/projects", "/accounts/acc/cfd_tunnel?is_deleted=false"
	checktest.Proposals(t, All(), "CFL-DNS-007", []checktest.Proposal{
		{Name: "no such project", Live: with(to("CNAME", "x.pages.dev"), projects, `[{"subdomain":"y.pages.dev"},{}]`), Edits: 1},
		{Name: "a project by now", Live: with(to("CNAME", "x.pages.dev"), projects, `[{"subdomain":"x.pages.dev"}]`)},
		{Name: "no list", Live: with(to("CNAME", "x.pages.dev"), projects, ``), Refuses: "no list"},
		{Name: "no such tunnel", Live: with(to("CNAME", "t1.cfargotunnel.com"), tunnels, `[]`), Edits: 1},
		{Name: "a trusted account", Live: to("CNAME", "x.pages.dev"),
			Adjust: func(p *policy.Policy) { p.TrustedTargets = []string{"x.pages.dev"} }, Refuses: "trusted"},
		{Name: "elsewhere by now", Live: to("CNAME", "x.test")},
	})
	const domains = "/accounts/acc/registrar/registrations"
	domain := func(name string, in int, renew string) string {
		return `{"domain_name":"` + name + `","expires_at":"` + goodtest.Now().AddDate(0, 0, in).Format(time.RFC3339) + `","auto_renew":` +
			renew + `}`
	}
	checktest.Proposals(t, All(), "CFL-REG-002", []checktest.Proposal{
		{Name: "those that would lapse", Live: map[string]string{domains: "[" + domain("a", 5, "false") + "," + domain("b", 80,
			"false") + "," +
			domain("c", 5, "true") + "," + domain("d", 200, "false") + "," + domain("e", -3, "false") + "]"}, Edits: 2},
		{Name: "lapsed", Live: map[string]string{domains: "[" + domain("e", -3, "false") + "]"}, Refuses: "lapsed"},
	})
}
