package checks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

func TestEmailProposals(t *testing.T) {
	const zone, records, routing = "/zones/z1", "/zones/z1/dns_records?", "/zones/z1/email/routing"
	const texts, hosts, at = records + "name=shop.example&type=TXT", "/zones/z1/dns_records", records + "name=_dmarc.shop.example"
	live := func(spf, mx, dmarc, routed string) map[string]string {
		return map[string]string{zone: `{"name":"shop.example","type":"full"}`, texts: spf, hosts: mx, at: dmarc, routing: routed,
			"/zones?account.id=acc": `[{"id":"z1","name":"shop.example"}]`}
	}
	text := func(content string) string {
		return `[{"type":"TXT","name":"shop.example","content":"` + content + `"}]`
	}
	off, mail, null := `{"enabled":false}`, `[{"type":"MX","content":"mx.shop.example"}]`, `[{"type":"MX","content":"."}]`
	one := func(kind, name, content string) string {
		return `[{"type":"` + kind + `","name":"` + name + `","content":"` + content + `"}]`
	}
	dkim, spf := "s1._domainkey.shop.example", "shop.example"
	checktest.Proposals(t, All(), "CFL-EMAIL-001", []checktest.Proposal{
		{Name: "no mail", Live: live("[]", "[]", "", off), Edits: 1, Sees: func(edits []change.Edit) {
			require.JSONEq(t, `{"type":"TXT","name":"shop.example","content":"\"v=spf1 -all\"","ttl":3600,"comment":"edgeposture-cfl-email-001"}`,
				string(edits[0].Do.Body))
		}},
		{Name: "a null MX", Live: live(text("hello"), null, "", ""), Edits: 1},
		{Name: "a mail host", Live: live("[]", mail, "", off), Refuses: "mail host"},
		{Name: "a DKIM key", Live: live("[]", one("TXT", dkim, "v=DKIM1; p=MIGf"), "", off), Refuses: "DKIM key"},
		{Name: "a DKIM key elsewhere", Live: live("[]", one("CNAME", dkim, "s1.mail.test"), "", off), Refuses: "DKIM key"},
		{Name: "a revoked DKIM key", Live: live("[]", one("TXT", dkim, "v=DKIM1; p="), "", off), Edits: 1},
		{Name: "Email Routing", Live: live("[]", "[]", "", `{"enabled":true}`), Refuses: "Email Routing"},
		{Name: "Email Routing is not told", Live: live("[]", "[]", "", `{}`), Refuses: "Email Routing"},
		{Name: "there is one", Live: live(text("v=spf1 ~all"), mail, "", off)},
		{Name: "there are two", Live: live(`[{"type":"TXT","name":"shop.example","content":"v=spf1 -all"},{"type":"TXT","name":"shop.example",`+
			`"content":"v=spf1 ~all"}]`, "[]", "", off), Refuses: "2 SPF"},
		{Name: "a partial zone", Live: map[string]string{zone: `{"name":"shop.example","type":"partial"}`}, Refuses: "apex"},
	})
	policy := func(want string) func([]change.Edit) {
		return func(edits []change.Edit) { require.Contains(t, string(edits[0].Do.Body), "p="+want+";") }
	}
	to := func(address string) map[string]string { return map[string]string{"reportAddress": address} }
	checktest.Proposals(t, All(), "CFL-EMAIL-003", []checktest.Proposal{
		{Name: "with mail", Live: live("[]", mail, "[]", off), Inputs: to(`"rua+1@shop.example"`), Edits: 1, Sees: func(edits []change.Edit) {
			require.Contains(t, string(edits[0].Do.Body), `v=DMARC1; p=none; rua=mailto:rua+1@shop.example`)
		}},
		{Name: "without mail", Live: live("[]", "[]", "[]", off), Inputs: to(`"a@shop.example"`), Edits: 1, Sees: func(edits []change.Edit) {
			require.Contains(t, string(edits[0].Do.Body), `p=reject`)
		}},
		{Name: "with senders", Live: live("[]", one("TXT", spf, "v=spf1 include:sendgrid.net ~all"), "[]", off),
			Inputs: to(`"a@shop.example"`), Edits: 1, Sees: policy("none")},
		{Name: "with senders alone", Live: live("[]", one("TXT", spf, "v=spf1 include:sendgrid.net -all"), "[]", off),
			Inputs: to(`"a@shop.example"`), Edits: 1, Sees: policy("none")},
		{Name: "senders are not refused", Live: live("[]", one("TXT", spf, "v=spf1 ~all"), "[]", off), Inputs: to(`"a@shop.example"`), Edits: 1,
			Sees: policy("none")},
		{Name: "with a DKIM key", Live: live("[]", one("TXT", dkim, "v=DKIM1; p=MIGf"), "[]", off), Inputs: to(`"a@shop.example"`), Edits: 1,
			Sees: policy("none")},
		{Name: "senders are refused", Live: live("[]", one("TXT", spf, "v=spf1 -all"), "[]", off), Inputs: to(`"a@shop.example"`), Edits: 1,
			Sees: policy("reject")},
		{Name: "nobody reads the reports", Live: live("[]", mail, "[]", off), Asks: "reportAddress"},
		{Name: "an address elsewhere", Live: live("[]", mail, "[]", off), Inputs: to(`"a@else.example"`), Refuses: "else.example"},
		{Name: "more than an address", Live: live("[]", mail, "[]", off), Inputs: to(`"a@shop.example; p=none"`), Refuses: "does not look like"},
		{Name: "two addresses", Live: live("[]", mail, "[]", off), Inputs: to(`"a@shop.example,b@shop.example"`), Refuses: "does not look like"},
		{Name: "a CNAME is there", Live: live("[]", mail, `[{"type":"CNAME","name":"_dmarc.shop.example","content":"x.test"}]`, off),
			Inputs: to(`"a@shop.example"`), Refuses: "already"},
		{Name: "another text is there", Live: live("[]", mail, `[{"type":"TXT","name":"_dmarc.shop.example","content":"hello"}]`, off),
			Inputs: to(`"a@shop.example"`), Refuses: "already"},
		{Name: "there is one", Live: live("[]", mail, `[{"type":"TXT","name":"_dmarc.shop.example","content":"v=DMARC1; p=none"}]`, off)},
		{Name: "the zone is named in Unicode", Inputs: to(`"a@shop.example"`), Live: map[string]string{
			zone: `{"name":"bücher.example","type":"full"}`, records + "name=xn--bcher-kva.example&type=TXT": "[]", hosts: mail, routing: off,
			records + "name=_dmarc.xn--bcher-kva.example": `[{"type":"TXT","name":"_dmarc.xn--bcher-kva.example","content":"v=DMARC1; p=reject"}]`,
			"/zones?account.id=acc":                       `[{"id":"z1","name":"bücher.example"},{"id":"z2","name":"shop.example"}]`}},
	})
}
