package checks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

func TestStorageProposals(t *testing.T) {
	const bucket = "/accounts/acc/r2/buckets/r1"
	live := func(locks string) map[string]string {
		out := map[string]string{bucket + "/lock": `{"rules":` + locks + `}`}
		for _, elsewhere := range []string{" eu", " us", " fedramp", " fedramp-high"} {
			out[bucket+"/lock"+elsewhere] = ""
		}
		return out
	}
	lock := func(id, prefix, days string) string {
		return `{"id":"` + id + `","enabled":true,"prefix":"` + prefix + `","condition":{"type":"Age","maxAgeSeconds":` + days + `}}`
	}
	days := func(n string) map[string]string { return map[string]string{"days": n} }
	checktest.Proposals(t, All(), "CFL-R2-006", []checktest.Proposal{
		{Name: "beside a rule for a part", Live: live("[" + lock("a", "2024/", "9999999") + "]"), Inputs: days("45"), Edits: 1,
			Sees: func(edits []change.Edit) {
				require.JSONEq(t, `{"rules":[`+lock("a", "2024/", "9999999")+","+lock("edgeposture-cfl-r2-006", "", "3888000")+`]}`,
					string(edits[0].Do.Body))
				require.JSONEq(t, `{"rules":[`+lock("a", "2024/", "9999999")+`]}`, string(edits[0].Undo.Body))
			}},
		{Name: "nobody chose", Live: live("[]"), Asks: "days"},
		{Name: "too short", Live: live("[]"), Inputs: days("29"), Refuses: "between 30"},
		{Name: "a slip of the pen", Live: live("[]"), Inputs: days("36500"), Refuses: "3650"},
		{Name: "half a day", Live: live("[]"), Inputs: days("30.5"), Refuses: "type"},
		{Name: "long enough", Live: live("[" + lock("a", "", "2592000") + "]")},
		{Name: "ours was changed", Live: live("[" + lock("edgeposture-cfl-r2-006", "", "60") + "]"), Inputs: days("45"),
			Refuses: "exists already"},
	})
	hosts := func(list string) map[string]string {
		return map[string]string{bucket + "/domains/custom": `{"domains":` + list + `}`, bucket + "/domains/custom eu": "",
			bucket + "/domains/custom fedramp": "", bucket + "/domains/custom us": "", bucket + "/domains/custom fedramp-high": ""}
	}
	checktest.Proposals(t, All(), "CFL-R2-007", []checktest.Proposal{
		{Name: "each that is in use", Live: hosts(`[{"domain":"a.test","enabled":true,"minTLS":"1.0","ciphers":["X"]},{"domain":"b.test",` +
			`"enabled":true},{"domain":"c.test","enabled":false,"minTLS":"1.0"},{"domain":"d.test","enabled":true,"minTLS":"1.3"}]`), Edits: 2,
			Sees: func(edits []change.Edit) {
				require.JSONEq(t, `{"minTLS":"1.2","enabled":true,"ciphers":["X"]}`, string(edits[0].Do.Body))
				require.JSONEq(t, `{"minTLS":"1.0","enabled":true,"ciphers":["X"]}`, string(edits[0].Undo.Body))
			}},
		{Name: "a version nobody knows", Live: hosts(`[{"domain":"a.test","enabled":true,"minTLS":"2.0"}]`), Refuses: "a.test"},
	})
}
