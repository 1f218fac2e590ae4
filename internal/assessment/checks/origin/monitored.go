package origin

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// monitored judges the pools to which balancers send traffic, however they refer to them.
func monitored() check.Check {
	return check.Check{
		ID: "CFL-LB-001", Title: "Every pool in use is monitored",
		Category: "loadbalancing", Severity: posture.Medium, Resource: posture.ResourceLoadBalancer, Scope: check.PerAccount,
		Why: "Without a monitor a load balancer sends traffic to servers that are down.",
		Fix: "Attach a monitor to the pool that asks for a page which only a healthy server can answer.",
		Words: posture.Words{
			Problem:   "Pool {name} has no monitor in this account",
			Impact:    "Visitors get errors whenever one server of the pool fails, until someone takes it out by hand.",
			Breaks:    "A monitor that asks for the wrong page marks healthy servers as down.",
			Dashboard: "Traffic › Load Balancing › Pools › {name} › Edit › Monitor.",
		},
		References: []string{docsBalancing},
		Controls: check.Controls{
			check.Supports("cis 12.2", "A balancer avoids servers that fail only when it monitors them."),
			check.Supports("soc2 A1.2", "Traffic moves to servers that work."),
			check.Supports("nist PR.IR-03", "The resilience that the pool promises is in force."),
		},
		Aliases: []string{"flareinspect:CFL-LB-001"},
		Remedy: &propose.Remedy{Operation: "PATCH /accounts/{account_id}/load_balancers/pools/{pool_id}", Risk: "medium", Reversible: true,
			Body:    `{"monitor": <monitor id the operator names>}`,
			Inverse: `PATCH {"monitor": <captured value>}`,
			Caution: "A wrong monitor marks healthy servers down; test with the preview operation first.",
			Inputs:  monitorInputs(),
			Propose: proposeMonitor},
		Needs: []snapshot.Named{snapshot.LBPools, snapshot.ZoneLoadBalancers, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			j, used := v.Judge(), users(v)
			for _, p := range check.Read(v, snapshot.LBPools) {
				switch {
				case !p.Enabled || len(used[p.ID]) == 0:
				case p.Monitor != "" || p.MonitorGroup != "":
					j.Pass()
				default:
					j.Fail(poolResource(p), "Nothing monitors the pool "+p.Name+" that these balancers use: "+list(used[p.ID])+".",
						check.Evidence(snapshot.LBPools, "/"+p.ID+"/monitor", "none", "a monitor or a monitor group"))
				}
			}
			return j.Done("Every pool in use is monitored.", "no balancer uses an enabled pool")
		},
	}
}

func monitoredExamples() []goodtest.Example {
	bare := goodPool(func(p *snapshot.Pool) { p.Monitor = "" })
	lb := snapshot.LoadBalancer{ID: "lb1", Name: "www." + goodtest.Domain, Enabled: true, Proxied: true, Pools: []string{"pool1"}}
	off := lb
	off.Enabled = false
	return []goodtest.Example{
		{Name: "monitored", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "not monitored", Want: posture.Fail, Resource: "pool1", Edit: bare},
		{Name: "a monitor group", Want: posture.Pass, Edit: goodPool(func(p *snapshot.Pool) { p.Monitor, p.MonitorGroup = "", "g1" })},
		{Name: "a disabled pool", Want: posture.NotApplicable, Edit: goodPool(func(p *snapshot.Pool) { p.Monitor, p.Enabled = "", false })},
		{Name: "no balancer uses it", Want: posture.NotApplicable, Edit: goodtest.Edits(bare, balancers())},
		{Name: "only a disabled balancer uses it", Want: posture.NotApplicable, Edit: goodtest.Edits(bare, balancers(off))},
		{Name: "only a balancer of a zone that moved away uses it", Want: posture.NotApplicable,
			Edit: goodtest.Edits(bare, goodtest.Status("moved"))},
		{Name: "only a balancer of a zone that is paused uses it", Want: posture.Fail,
			Edit: goodtest.Edits(bare, goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
		{Name: "no pool", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.LBPools, goodtest.Account,
				[]snapshot.Pool{})
		}},
		{Name: "load balancing is not in use", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.LBPools.Source(), snapshot.NotEntitled, "", "")
		}},
	}
}

func monitorInputs() []change.Input {
	return []change.Input{{Name: "monitor", Description: "Id of the monitor to attach to the pools; it must exist, and its preview must " +
		"find the servers healthy.", Example: "f1aba936b94213e5b8dca0c0dbf1f9cc"}}
}

// proposeMonitor attaches the monitor a person names.
func proposeMonitor(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/accounts/{account_id}/load_balancers/pools/{id}")
	if err != nil || live == nil || propose.Text(live, "monitor") != "" || propose.Text(live, "monitor_group") != "" {
		return nil, err
	}
	var id string
	if err := c.Input("monitor", &id); err != nil {
		return nil, err
	}
	monitors, err := c.List(c.Path("/accounts/{account_id}/load_balancers/monitors"))
	if err != nil {
		return nil, err
	}
	if id == "" || propose.ByID(monitors, id) == nil {
		return nil, propose.Refuse("The account has no monitor with the id of the input monitor; create one or name another.")
	}
	return []change.Edit{propose.Patch("PATCH", place, place.Path, live, map[string]any{"monitor": id})}, nil
}
