package tunnel

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// warp judges connectors, which join whole networks, including forgotten ones: their token can
// still join a network.
func warp() check.Check {
	return check.Check{
		ID: "CFL-TUNNEL-011", Title: "WARP Connectors are healthy or deleted",
		Category: "tunnels", Severity: posture.Low, Resource: posture.ResourceTunnel, Scope: check.PerAccount,
		Why: "A WARP Connector joins a network to the account. One that is down leaves its routes without an answer, and the token of one " +
			"that nobody uses still joins a host as that site.",
		Fix: "Start the connector again, or delete it with its routes when the site is gone.",
		Words: posture.Words{
			Problem: "WARP Connector {name} is not connected",
			Impact: "The site behind it cannot be reached; someone who finds its token in a backup joins a host of their own in its place " +
				"and receives its traffic.",
			Breaks:    "Deleting a connector ends its token and its routes.",
			Dashboard: "Zero Trust › Networks › Connectors › {name}: check the host, or delete the connector.",
		},
		References: []string{
			"https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-mesh/"},
		Controls: check.Controls{
			check.Supports("cis 12.2", "What joins the network is known and in use."),
			check.Supports("soc2 A1.2", "Connectors of sites are watched."),
			check.Supports("nist ID.AM-03", "Connections of sites are those that exist."),
		},
		Needs:    []snapshot.Named{snapshot.WARPConnectors},
		Evaluate: evaluateWARP,
	}
}

// forgottenAfter is how long a connector must be disconnected to count as forgotten.
const forgottenAfter = 30 * 24 * time.Hour

func warpGood(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.WARPConnectors, goodtest.Account, []snapshot.WARPConnector{{ID: "w1", Name: "branch", Status: "healthy",
		CreatedAt: goodtest.InDays(-200)}})
}

func warpExamples() []goodtest.Example {
	state := func(status string, created, inactive int) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			c := snapshot.WARPConnector{ID: "w1", Name: "branch", Status: status, CreatedAt: goodtest.InDays(created)}
			if inactive != 0 {
				c.InactiveSince = goodtest.InDays(inactive)
			}
			snapshot.Put(b, snapshot.WARPConnectors, goodtest.Account, []snapshot.WARPConnector{c})
		}
	}
	return []goodtest.Example{
		{Name: "healthy", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "made this week and not yet connected", Want: posture.Pass, Edit: state("inactive", -3, 0)},
		{Name: "degraded", Want: posture.Warning, Resource: "w1", Edit: state("degraded", -200, 0)},
		{Name: "down since yesterday", Want: posture.Warning, Resource: "w1", Edit: state("down", -200, -1)},
		{Name: "down for two months", Want: posture.Fail, Resource: "w1", Edit: state("down", -200, -60)},
		{Name: "never connected", Want: posture.Fail, Resource: "w1", Edit: state("inactive", -200, 0)},
		{Name: "a state nobody knows", Want: posture.Unknown, Resource: "w1", Edit: state("paused", -200, 0)},
		{Name: "no connector", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.WARPConnectors, goodtest.Account, []snapshot.WARPConnector{})
		}},
		{Name: "Zero Trust is not in use", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.WARPConnectors.Source(), snapshot.Skipped, "", "Access is not in use")
		}},
	}
}

func evaluateWARP(v *check.View) check.Outcome {
	j := v.Judge()
	for _, c := range check.Read(v, snapshot.WARPConnectors) {
		r := posture.Resource{Type: posture.ResourceTunnel, ID: c.ID, Name: c.Name}
		seen := check.Evidence(snapshot.WARPConnectors, "/"+c.ID+"/status", c.Status, "healthy")
		since := c.InactiveSince
		if since.IsZero() {
			since = c.CreatedAt
		}
		idle := v.Now().Sub(since.Time)
		switch c.Status {
		case "healthy":
			j.Pass()
		case "degraded":
			j.Warn(r, "The WARP Connector "+c.Name+" has lost some of its connections.", seen)
			j.As(posture.Words{Problem: "WARP Connector {name} has lost connections"})
		case "down", "inactive":
			switch {
			case !since.IsZero() && idle > forgottenAfter:
				j.Fail(r, "The WARP Connector "+c.Name+" has not been connected for "+check.Lasting(idle.Truncate(24*time.Hour))+".", seen)
			case c.Status == "inactive" && !since.IsZero():
				j.Pass()
			default:
				j.Warn(r, "The WARP Connector "+c.Name+" is not connected.", seen)
			}
		default:
			j.Unclear(r, "Cloudflare returned a state of the connector this check does not know")
		}
	}
	return j.Done("Every WARP Connector is connected.", "the account has no WARP Connector")
}
