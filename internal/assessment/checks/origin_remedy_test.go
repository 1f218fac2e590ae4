package checks

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
)

func TestOriginRemedies(t *testing.T) {
	const pool, monitors = "/accounts/{account}/load_balancers/pools/p1", "/accounts/{account}/load_balancers/monitors"
	const balancer, packs = "/zones/{zone}/load_balancers/lb1", "/zones/{zone}/ssl/certificate_packs?status=all"
	const apps, one = "/zones/{zone}/spectrum/apps", "/zones/{zone}/spectrum/apps/a1"
	pooled := func(p string) map[string]string { return map[string]string{pool: p, monitors: `[{"id": "m1"}]`} }
	direct := func(status, host string) map[string]string {
		return map[string]string{balancer: `{"id": "lb1", "name": "www.shop.example", "proxied": false}`, packs: `[{"id": "p", "status": "` +
			status + `", "hosts": ["` + host + `"]}]`}
	}
	app := func(id, protocol, firewall string) string {
		return `{"id": "` + id + `", "created_on": "2026-01-01T00:00:00Z", "protocol": "` + protocol +
			`", "dns": {"name": "a.shop.example"}, "ip_firewall": ` + firewall + `}`
	}
	checktest.Propose(t, All(), []checktest.Attempt{
		{Name: "the chosen monitor", CheckID: "CFL-LB-001", ID: "p1", Account: true, Live: pooled(`{"id": "p1"}`),
			Inputs: map[string]string{"monitor": `"m1"`}, Sends: []string{"PATCH " + pool + ` {"monitor":"m1"}`}},
		{Name: "nobody chose", CheckID: "CFL-LB-001", ID: "p1", Account: true, Live: pooled(`{"id": "p1"}`), Chooses: "monitor"},
		{Name: "no such monitor", CheckID: "CFL-LB-001", ID: "p1", Account: true, Live: pooled(`{"id": "p1"}`),
			Inputs: map[string]string{"monitor": `"m2"`}, Refused: "no monitor"},
		{Name: "an empty id", CheckID: "CFL-LB-001", ID: "p1", Account: true, Live: pooled(`{"id": "p1"}`),
			Inputs: map[string]string{"monitor": `""`}, Refused: "no monitor"},
		{Name: "a group by now", CheckID: "CFL-LB-001", ID: "p1", Account: true, Live: pooled(`{"id": "p1", "monitor_group": "g"}`)},
		{Name: "covered by a wildcard", CheckID: "CFL-LB-004", ID: "lb1", Live: direct("active", "*.shop.example"),
			Sends: []string{"PATCH " + balancer + ` {"proxied":true}`}},
		{Name: "covered by one that is being renewed", CheckID: "CFL-LB-004", ID: "lb1",
			Live: direct("pending_validation", `www.shop.example"], "certificates": [{"status": "active",
				"expires_on": "2999-01-01T00:00:00Z"}], "x": ["`),
			Sends: []string{"PATCH " + balancer + ` {"proxied":true}`}},
		{Name: "not covered", CheckID: "CFL-LB-004", ID: "lb1", Live: direct("active", "shop.example"), Refused: "covers www.shop.example"},
		{Name: "covered by nothing active", CheckID: "CFL-LB-004", ID: "lb1", Live: direct("expired", "www.shop.example"),
			Refused: "covers www.shop.example"},
		{Name: "gone", CheckID: "CFL-LB-004", ID: "lb1", Live: map[string]string{balancer: "null"}},
		{Name: "the whole application is sent", CheckID: "CFL-SPECTRUM-002", Live: map[string]string{apps: "[" + app("a1", "tcp/22", "false") +
			"," + app("a2", "udp/53", "false") + "," + app("a3", "tcp/443", "true") + "]", one: app("a1", "tcp/22", "false")},
			Sends: []string{"PUT " + one + ` {"dns":{"name":"a.shop.example"},"ip_firewall":true,"protocol":"tcp/22"}`}},
		{Name: "none is open by now", CheckID: "CFL-SPECTRUM-002", Live: map[string]string{apps: "[" + app("a1", "tcp/22", "true") + "]"}},
	})
}
