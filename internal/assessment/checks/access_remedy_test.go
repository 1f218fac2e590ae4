package checks

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

func TestAccessProposals(t *testing.T) {
	const app, groups, policies = "/accounts/acc/access/apps/r1", "/accounts/acc/access/groups", "/accounts/acc/access/policies"
	known := `[{"id":"staff","name":"Staff","include":[{"email_domain":{"domain":"shop.example"}}]},{"id":"all","name":"All",` +
		`"include":[{"everyone":{}}]},{"id":"mail","name":"Mail","include":[{"email_domain":{"domain":"gmail.com"}}]},` +
		`{"id":"empty","name":"Empty","include":[]}]`
	policy := func(decision, include, more string) string {
		return `{"id":"p1","name":"Door","decision":"` + decision + `","include":[` + include + `],"require":[],"exclude":[]` + more + `}`
	}
	attached := func(p string) map[string]string {
		live := map[string]string{app: `{"id":"r1","policies":[{"id":"p1"}]}`, groups: known, app + "/policies/p1": p, policies + "/p1": ""}
		if strings.Contains(p, "reusable") {
			live[policies+"/p1"] = p
		}
		return live
	}
	to := func(group string) map[string]string { return map[string]string{"group": group} }
	anyone := `{"everyone":{}}`
	besides := func(p string) map[string]string {
		live := attached(policy("allow", anyone, ""))
		live[app] = `{"id":"r1","policies":[{"id":"p1"},{"id":"p2"}]}`
		live[app+"/policies/p2"], live[policies+"/p2"] = strings.Replace(p, `"p1"`, `"p2"`, 1), ""
		return live
	}
	sixteenths := besides(policy("bypass", `{"ip":{"ip":"160.0.0.0/4"}}`, ""))
	sixteenths[app+"/policies/p1"] = policy("bypass", `{"ip":{"ip":"128.0.0.0/4"}}`, "")
	many, list := map[string]string{groups: known}, []string{}
	for i := range 20 {
		id := "m" + strconv.Itoa(i)
		list = append(list, `{"id":"`+id+`"}`)
		many[app+"/policies/"+id], many[policies+"/"+id] = policy("allow", anyone, ""), ""
	}
	many[app] = `{"id":"r1","policies":[` + strings.Join(list, ",") + `]}`
	checktest.Proposals(t, All(), "CFL-ZT-007", []checktest.Proposal{
		{Name: "a policy of its own", Live: attached(policy("allow", anyone, `,"precedence":2`)), Inputs: to(`"staff"`), Edits: 1,
			Sees: func(edits []change.Edit) {
				require.Equal(t, app+"/policies/p1", edits[0].Do.Path)
				require.JSONEq(t, `{"name":"Door","decision":"allow","include":[{"group":{"id":"staff"}}],"require":[],"exclude":[],"precedence":2}`,
					string(edits[0].Do.Body))
			}},
		{Name: "a reusable policy of this application alone", Live: attached(policy("allow", anyone, `,"reusable":true,"app_count":1`)),
			Inputs: to(`"staff"`), Edits: 1},
		{Name: "a reusable policy of two applications", Live: attached(policy("allow", anyone, `,"reusable":true,"app_count":2`)),
			Inputs: to(`"staff"`), Refuses: "serves other"},
		{Name: "a reusable policy of nobody knows how many", Live: attached(policy("allow", anyone, `,"reusable":true`)), Inputs: to(`"staff"`),
			Refuses: "serves other"},
		{Name: "through a group", Live: attached(policy("allow", `{"group":{"id":"all"}}`, "")), Inputs: to(`"staff"`), Edits: 1},
		{Name: "nobody chose", Live: attached(policy("allow", anyone, "")), Asks: "group"},
		{Name: "a group that is not there", Live: attached(policy("allow", anyone, "")), Inputs: to(`"gone"`), Refuses: "does not exist"},
		{Name: "a group of everyone", Live: attached(policy("allow", anyone, "")), Inputs: to(`"all"`), Refuses: "for certain"},
		{Name: "a group of anybody with a mailbox", Live: attached(policy("allow", anyone, "")), Inputs: to(`"mail"`), Refuses: "for certain"},
		{Name: "a group without rules", Live: attached(policy("allow", anyone, "")), Inputs: to(`"empty"`), Refuses: "for certain"},
		{Name: "a bypass", Live: attached(policy("bypass", anyone, "")), Inputs: to(`"staff"`), Refuses: "asks nobody"},
		{Name: "Service Auth for everyone", Live: attached(policy("non_identity", anyone, "")), Inputs: to(`"staff"`), Refuses: "asks nobody"},
		{Name: "Service Auth for a token", Live: attached(policy("non_identity", `{"service_token":{"token_id":"t1"}}`, ""))},
		{Name: "a bypass besides", Live: besides(policy("bypass", anyone, "")), Inputs: to(`"staff"`), Refuses: "asks nobody"},
		{Name: "a condition besides", Live: besides(strings.Replace(policy("allow", anyone, ""), `"require":[]`,
			`"require":[{"ip":{"ip":"45.0.0.0/8"}}]`, 1)), Inputs: to(`"staff"`), Refuses: "condition names nobody"},
		{Name: "an eighth of the internet by two policies", Inputs: to(`"staff"`), Live: sixteenths, Refuses: "asks nobody"},
		{Name: "a condition besides that names people", Live: besides(strings.Replace(policy("allow", anyone, ""), `"require":[]`,
			`"require":[{"email_domain":{"domain":"shop.example"}}]`, 1)), Inputs: to(`"staff"`), Edits: 1},
		{Name: "Service Auth for a named token besides", Live: besides(strings.Replace(policy("non_identity", anyone, ""), `"require":[]`,
			`"require":[{"service_token":{"token_id":"t1"}}]`, 1)), Inputs: to(`"staff"`), Edits: 1},
		{Name: "many policies", Live: many, Inputs: to(`"staff"`), Edits: 20},
		{Name: "narrowed by now", Live: attached(policy("allow", `{"group":{"id":"staff"}}`, ""))},
	})
}

func TestAccessProposalsForCookiesAndTokens(t *testing.T) {
	const app, groups, policies, apps = "/accounts/acc/access/apps/r1", "/accounts/acc/access/groups", "/accounts/acc/access/policies",
		"/accounts/acc/access/apps"
	checktest.Proposals(t, All(), "CFL-ZT-014", []checktest.Proposal{
		{Name: "readable", Live: map[string]string{app: `{"id":"r1","uid":"u","aud":"a","name":"n","http_only_cookie_attribute":false,` +
			`"created_at":"x","policies":[{"id":"p1","precedence":1,"include":[]}]}`}, Edits: 1, Sees: func(edits []change.Edit) {
			require.JSONEq(t, `{"name":"n","http_only_cookie_attribute":true,"policies":[{"id":"p1","precedence":1}]}`, string(edits[0].Do.Body))
			require.JSONEq(t, `{"name":"n","http_only_cookie_attribute":false,"policies":[{"id":"p1","precedence":1}]}`, string(edits[0].Undo.Body))
		}},
		{Name: "hidden", Live: map[string]string{app: `{"http_only_cookie_attribute":true}`}, Refuses: "people to choose"},
		{Name: "with a credential nobody sees", Live: map[string]string{app: `{"http_only_cookie_attribute":false,` +
			`"scim_config":{"authentication":{"scheme":"oauthbearertoken"}}}`}, Refuses: "whole"},
		{Name: "with stars", Live: map[string]string{app: `{"http_only_cookie_attribute":false,"custom":{"key":"******"}}`}, Refuses: "whole"},
	})
	const token = "/accounts/acc/access/service_tokens/r1"
	machine := func(days int, more, include string) map[string]string {
		return map[string]string{token: `{"id":"r1","expires_at":"` + goodtest.Now().AddDate(0, 0, days).Format(time.RFC3339) + `"` + more + `}`,
			apps:     `[{"id":"a","type":"self_hosted","policies":[{"id":"p1","decision":"non_identity","include":[` + include + `]}]}]`,
			policies: "[]", groups: "[]"}
	}
	mine, asked := `{"service_token":{"token_id":"r1"}}`, map[string]string{"tokens": `["r1"]`}
	checktest.Proposals(t, All(), "CFL-ZT-012", []checktest.Proposal{
		{Name: "ends soon", Live: machine(5, "", mine), Inputs: asked, Edits: 1, Sees: func(edits []change.Edit) {
			require.Nil(t, edits[0].Undo)
			require.True(t, edits[0].Moved)
		}},
		{Name: "nobody asked", Live: machine(5, "", mine), Asks: "tokens"},
		{Name: "the owner of another asked", Live: machine(5, "", mine), Inputs: map[string]string{"tokens": `["r2"]`}, Refuses: "owner"},
		{Name: "switched off", Live: machine(5, `,"enabled":false`, mine), Inputs: asked, Refuses: "switched off"},
		{Name: "named nowhere", Live: machine(5, "", `{"service_token":{"token_id":"r2"}}`), Inputs: asked, Refuses: "No policy"},
		{Name: "any valid one, and it is over", Live: machine(-1, "", `{"any_valid_service_token":{}}`), Inputs: asked, Refuses: "No policy"},
		{Name: "refreshed by now", Live: machine(300, "", mine)},
	})
}

func TestAccessProposalsForPublishedHosts(t *testing.T) {
	app := func(domain, policy string) string {
		return `[{"id":"a","name":"Old","type":"self_hosted","domain":"` + domain + `","policies":[` + policy + `]}]`
	}
	const base = "/accounts/acc/access/"
	config := func(rules string) string {
		return `{"config":{"ingress":[` + rules + `,{"service":"http_status:404"}]}}`
	}
	rule := func(host, service, more string) string {
		return `{"hostname":"` + host + `","service":"` + service + `"` + more + `}`
	}
	only := func(id, kind, member, value string) string {
		return `{"id":"` + id + `","name":"` + id + `","decision":"allow","include":[{"everyone":{}}],"require":[{"` + kind + `":{"` + member +
			`":"` + value + `"}}]},`
	}
	live := func(ingress, applications, records string) map[string]string {
		return map[string]string{"/accounts/acc/cfd_tunnel/r1/configurations": config(ingress), base + "apps": applications,
			base + "groups": "[]", base + "policies": `[{"id":"good","decision":"allow","include":[{"email_domain":{"domain":"shop.example"}}]},` +
				`{"id":"open","name":"Open","decision":"allow","include":[{"everyone":{}}]},{"id":"by","name":"By","decision":"bypass",` +
				`"include":[{"ip":{"ip":"8.8.4.0/24"}}]},` + only("device", "device_posture", "integration_uid", "disk") +
				only("warp", "device_posture", "integration_uid", "warp") + only("office", "ip_list", "id", "l1") +
				only("lost", "ip_list", "id", "l3") + only("all", "ip_list", "id", "l2") +
				`{"id":"mail","name":"Mail","decision":"allow","include":[{"email_domain":{"domain":"gmail.com"}}]},` +
				`{"id":"token","name":"Token","decision":"non_identity","include":[{"any_valid_service_token":{}}]},` +
				`{"id":"login","name":"Login","decision":"allow","include":[{"login_method":{"id":"code"}}]},` +
				`{"id":"directory","decision":"allow","include":[{"login_method":{"id":"okta"}}]},` +
				`{"id":"staff","decision":"allow","include":[{"email":{"email":"a@shop.example"}}]}]`,
			"/accounts/acc/devices/posture":        `[{"id":"disk","type":"disk_encryption"},{"id":"warp","type":"warp"}]`,
			base + "identity_providers":            `[{"id":"code","type":"onetimepin"},{"id":"okta","type":"okta"}]`,
			"/accounts/acc/gateway/lists/l1/items": `[{"value":"198.51.100.7"}]`,
			"/accounts/acc/gateway/lists/l3/items": "",
			"/accounts/acc/gateway/lists/l2/items": `[{"value":"0.0.0.0/1"},{"value":"128.0.0.0/1"}]`,
			"/zones?account.id=acc":                `[{"id":"z1","name":"shop.example"}]`, "/zones/z1/dns_records?name=a.shop.example": records,
			"/zones/z1/dns_records?name=%2A.shop.example": "[]",
			"/zones/z1/dns_records?name=b.shop.example":   `[{"type":"CNAME","name":"b.shop.example"}]`}
	}
	there, with := `[{"type":"CNAME","name":"a.shop.example"}]`, func(id string) map[string]string { return map[string]string{"policy": id} }
	private := rule("a.shop.example", "http://10.0.0.1:9443", "")
	crowd, rules := live(private, "[]", there), []string{}
	for i := range 20 {
		host := "h" + strconv.Itoa(i) + ".shop.example"
		rules = append(rules, rule(host, "http://10.0.0.1:9443", ""))
		crowd["/zones/z1/dns_records?name="+host] = `[{"type":"A","name":"` + host + `"}]`
	}
	crowd["/accounts/acc/cfd_tunnel/r1/configurations"] = config(strings.Join(rules, ","))
	checktest.Proposals(t, All(), "CFL-ZT-015", []checktest.Proposal{
		{Name: "each host once", Live: live(private+","+private+","+rule("b.shop.example", "ssh://10.0.0.2:22", ""), "[]", there),
			Inputs: with(`"good"`), Edits: 2, Sees: func(edits []change.Edit) {
				require.JSONEq(t, `{"type":"self_hosted","name":"a.shop.example (edgeposture-cfl-zt-015)","domain":"a.shop.example",`+
					`"session_duration":"24h","policies":["good"]}`, string(edits[0].Do.Body))
				require.Equal(t, "b.shop.example", edits[1].Label)
			}},
		{Name: "many hosts", Live: crowd, Inputs: with(`"good"`), Edits: 20},
		{Name: "nobody chose", Live: live(private, "[]", there), Asks: "policy"},
		{Name: "a policy that is not there", Live: live(private, "[]", there), Inputs: with(`"gone"`), Refuses: "not among"},
		{Name: "a policy for everyone", Live: live(private, "[]", there), Inputs: with(`"open"`), Refuses: "keep strangers out"},
		{Name: "a policy for anybody with a mailbox", Live: live(private, "[]", there), Inputs: with(`"mail"`), Refuses: "keep strangers out"},
		{Name: "a policy for any service token", Live: live(private, "[]", there), Inputs: with(`"token"`), Refuses: "keep strangers out"},
		{Name: "a policy for a mailed code", Live: live(private, "[]", there), Inputs: with(`"login"`), Refuses: "keep strangers out"},
		{Name: "a policy for the company's login", Live: live(private, "[]", there), Inputs: with(`"directory"`), Edits: 1},
		{Name: "a bypass", Live: live(private, "[]", there), Inputs: with(`"by"`), Refuses: "keep strangers out"},
		{Name: "a policy for healthy devices", Live: live(private, "[]", there), Inputs: with(`"device"`), Edits: 1},
		{Name: "a policy for the client anybody has", Live: live(private, "[]", there), Inputs: with(`"warp"`), Refuses: "keep strangers out"},
		{Name: "a policy for the addresses of a list", Live: live(private, "[]", there), Inputs: with(`"office"`), Edits: 1},
		{Name: "a policy for a list that is not there", Live: live(private, "[]", there), Inputs: with(`"lost"`), Refuses: "keep strangers out"},
		{Name: "a policy for a list of all addresses", Live: live(private, "[]", there), Inputs: with(`"all"`), Refuses: "keep strangers out"},
		{Name: "covered by now", Live: live(private, app("a.shop.example", `{"id":"good"}`), there)},
		{Name: "an application lets everyone in there", Live: live(private, app("a.shop.example",
			`{"id":"x","decision":"bypass","include":[{"everyone":{}}]}`), there), Inputs: with(`"good"`), Refuses: "already covers"},
		{Name: "a path is covered", Live: live(private, app("a.shop.example/admin", `{"id":"good"}`), there),
			Inputs: with(`"good"`), Edits: 1},
		{Name: "a public site beside a console", Live: live(private+","+rule("www.shop.example", "http://10.0.0.1", ""), "[]", there),
			Inputs: with(`"good"`), Edits: 1},
		{Name: "only a public site", Live: live(rule("www.shop.example", "http://10.0.0.1", ""), "[]", there)},
		{Name: "nobody can tell whether it is public", Live: live(rule("a.shop.example", "http://10.0.0.1", ""), "[]", there),
			Inputs: with(`"good"`), Refuses: "public on purpose"},
		{Name: "the tunnel asks itself", Live: live(rule("a.shop.example", "http://10.0.0.1:9443",
			`,"originRequest":{"access":{"required":true}}`), "[]", there)},
		{Name: "without a record", Live: live(private, "[]", "[]")},
		{Name: "outside the account", Live: live(rule("a.else.test", "http://10.0.0.1:9443", ""), "[]", there), Refuses: "a.else.test"},
		{Name: "public on purpose", Live: live(private, "[]", there),
			Adjust: func(p *policy.Policy) { p.PublicHosts = []string{"a.shop.example"} }},
	})
}
