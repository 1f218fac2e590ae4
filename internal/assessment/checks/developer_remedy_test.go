package checks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestDeveloperProposals(t *testing.T) {
	const project, managed = "/accounts/acc/pages/projects/r1", "/accounts/acc/r2/buckets/r1/domains/managed"
	site := func(functions, open string) map[string]string {
		return map[string]string{project: `{"uses_functions":` + functions + `,"deployment_configs":{"production":{"fail_open":` + open +
			`,"env_vars":{"KEY":{"type":"secret_text","value":""}}}}}`}
	}
	checktest.Proposals(t, All(), "CFL-PAGE-004", []checktest.Proposal{
		{Name: "open", Live: site("true", "true"), Edits: 1, Sees: func(edits []change.Edit) {
			require.JSONEq(t, `{"deployment_configs":{"production":{"fail_open":false}}}`, string(edits[0].Do.Body), "no variable is sent")
		}},
		{Name: "closed", Live: site("true", "false")}, {Name: "no functions", Live: site("false", "true")},
		{Name: "gone", Live: map[string]string{project: ""}},
	})
	bucket := func(here, eu string, us ...string) map[string]string {
		return map[string]string{managed: here, managed + " eu": eu, managed + " fedramp": "", managed + " us": strings.Join(us, ""),
			managed + " fedramp-high": ""}
	}
	checktest.Proposals(t, All(), "CFL-R2-004", []checktest.Proposal{
		{Name: "in another jurisdiction", Live: bucket("", `{"enabled":true}`), Edits: 1, Sees: func(edits []change.Edit) {
			require.Equal(t, map[string]string{"Cf-R2-Jurisdiction": "eu"}, edits[0].Do.Header)
			require.Equal(t, edits[0].Do.Header, edits[0].Undo.Header)
		}},
		{Name: "two of one name", Live: bucket("", `{"enabled":true}`, `{"enabled":true}`), Refuses: "different jurisdictions"},
		{Name: "a name alone is that in the default jurisdiction", Live: bucket(`{"enabled":true}`, `{"enabled":true}`), Edits: 1,
			Sees: func(edits []change.Edit) { require.Empty(t, edits[0].Do.Header) }},
		{Name: "closed", Live: bucket(`{"enabled":false}`, "")},
	})
	const switches, scripts = "/accounts/acc/workers/scripts/r1/subdomain", "/accounts/acc/workers/scripts"
	script := func(live, records, bindings string) map[string]string {
		return map[string]string{switches: live, scripts: `[{"id":"r1"},{"id":"other"}]`, scripts + "/other/settings": `{"bindings":` +
			bindings + `}`, "/zones?account.id=acc": `[{"id":"z1","name":"shop.example"}]`, "/zones/z1/dns_records?type=CNAME": records}
	}
	on, previews := `{"enabled":true,"previews_enabled":true}`, `{"enabled":false,"previews_enabled":true}`
	alias := func(target string) string {
		return `[{"type":"CNAME","name":"api.shop.example","content":"` + target + `"}]`
	}
	checktest.Proposals(t, All(), "CFL-WORK-005", []checktest.Proposal{
		{Name: "nobody calls it", Live: script(on, alias("xr1.acme.workers.dev"), `[{"type":"plain_text","text":"r1.example"}]`), Edits: 1},
		{Name: "a record names it", Live: script(on, alias("R1.acme.workers.dev."), "[]"), Refuses: "api.shop.example"},
		{Name: "a script names it", Live: script(on, "[]", `[{"type":"plain_text","text":"https://r1.acme.workers.dev/x"}]`), Refuses: "other"},
		{Name: "it is the only address", Result: posture.Warning, Live: script(on, "[]", "[]"), Refuses: "no other address"},
		{Name: "only versions", Result: posture.Warning, Live: script(previews, "[]", "[]"), Edits: 1},
		{Name: "closed", Live: script(`{"enabled":false,"previews_enabled":false}`, "[]", "[]")},
	})
}
