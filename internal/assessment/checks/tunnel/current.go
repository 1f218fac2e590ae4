package tunnel

import (
	"strconv"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// current judges the connectors of a tunnel. The tunnel list includes them for most tunnels; for
// the others they are read separately.
func current() check.Check {
	return check.Check{
		ID: "CFL-TUNNEL-003", Title: "Connectors are current and redundant",
		Category: "tunnels", Severity: posture.Medium, Resource: posture.ResourceTunnel, Scope: check.PerTunnel,
		Why: "Cloudflare supports a release of cloudflared for a year, and old versions have known bugs. With one " +
			"connector a tunnel stops when its machine does.",
		Fix: "Update cloudflared on every host, then run a second replica on another machine.",
		Words: posture.Words{
			Problem: "Tunnel {name} runs an outdated connector",
			Impact:  "Someone who can reach the connector may use a hole that a newer version has closed, and support ends.",
			Breaks:  "The connector restarts, and open connections through it end.",
			Dashboard: "Zero Trust › Networks › Connectors › Cloudflare Tunnels › {name}: compare the versions, then update " +
				"cloudflared on each host.",
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/"},
		Controls: check.Controls{
			check.Supports("cis 7.7", "Old connectors with known weaknesses are replaced."),
			check.Supports("soc2 A1.2", "A second connector takes over when one fails."),
			check.Supports("pci 6.3.3", "Connectors are kept at current versions; other software is not seen."),
			check.Supports("nist PR.PS-02", "The software of connectors is maintained."),
		},
		Aliases:  []string{"union:cloudflared-version"},
		Needs:    []snapshot.Named{snapshot.Tunnels, snapshot.TunnelConnections},
		Evaluate: evaluateCurrent,
	}
}

func currentExamples() []goodtest.Example {
	connectors := func(versions ...string) func(*snapshot.Builder) {
		return editTunnel(func(t *snapshot.Tunnel) {
			t.Connectors = nil
			for i, version := range versions {
				t.Connectors = append(t.Connectors, snapshot.Connector{ID: strconv.Itoa(i), Version: version})
			}
		})
	}
	read := func(versions ...string) func(*snapshot.Builder) {
		return goodtest.Edits(connectors(), func(b *snapshot.Builder) {
			all := []snapshot.Connector{}
			for i, version := range versions {
				all = append(all, snapshot.Connector{ID: strconv.Itoa(i), Version: version})
			}
			snapshot.Put(b, snapshot.TunnelConnections, goodtest.Tunnel, all)
		})
	}
	status := func(s string) func(*snapshot.Builder) {
		return editTunnel(func(t *snapshot.Tunnel) { t.Status = s })
	}
	return []goodtest.Example{
		{Name: "two current connectors", Want: posture.Pass, Resource: goodtest.Tunnel},
		{Name: "two that were read on their own", Want: posture.Pass, Edit: read("2026.1.0", "2026.2.1")},
		{Name: "five months old", Want: posture.Pass, Edit: connectors("2025.10.1", "2025.10.1")},
		{Name: "thirteen months old", Want: posture.Fail, Resource: goodtest.Tunnel, Edit: connectors("2026.2.0", "2025.2.0")},
		{Name: "months are compared as numbers", Want: posture.Fail, Edit: connectors("2026.2.0", "2024.11.1")},
		{Name: "an old one that was read on its own", Want: posture.Fail, Edit: read("2024.9.0", "2024.9.0")},
		{Name: "exactly twelve months old", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: connectors("2026.2.0", "2025.3.0")},
		{Name: "six months old", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: connectors("2025.9.0", "2026.2.0")},
		{Name: "one connector", Want: posture.Warning, Resource: goodtest.Tunnel, Edit: connectors("2026.2.0")},
		{Name: "a version that is no date", Want: posture.Unknown, Resource: goodtest.Tunnel, Edit: connectors("DEV", "2026.2.0")},
		{Name: "healthy without any connector", Want: posture.Unknown, Resource: goodtest.Tunnel, Edit: read()},
		{Name: "down", Want: posture.NotApplicable, Edit: goodtest.Edits(status("down"), connectors("2020.1.0"))},
		{Name: "inactive", Want: posture.NotApplicable, Edit: goodtest.Edits(status("inactive"), connectors())},
		{Name: "no tunnel", Want: posture.NotApplicable, Edit: without},
	}
}

func evaluateCurrent(v *check.View) check.Outcome {
	t := self(v)
	if t.Status == "inactive" || t.Status == "down" {
		return v.NotApplicable("the tunnel is " + t.Status + ", which CFL-TUNNEL-001 judges")
	}
	all, source := t.Connectors, snapshot.Named(snapshot.Tunnels)
	if len(all) == 0 {
		all, source = check.Read(v, snapshot.TunnelConnections), snapshot.TunnelConnections
	}
	var old, aging []posture.Evidence
	odd := len(all) == 0
	for _, c := range all {
		months, ok := age(c.Version, v.Now())
		seen := check.Evidence(source, "/"+c.ID+"/version", c.Version, "less than "+strconv.Itoa(v.Policy.ConnectorWarnMonths)+" months old")
		switch {
		case !ok:
			odd = true
		case months > v.Policy.ConnectorFailMonths:
			old = append(old, seen)
		case months >= v.Policy.ConnectorWarnMonths:
			aging = append(aging, seen)
		}
	}
	switch {
	case len(old) > 0:
		return v.Fail("The tunnel "+t.Name+" runs "+check.Count(len(old), "connector", "")+" of a release more than "+
			check.Count(v.Policy.ConnectorFailMonths, "month", "")+" old.", append(old, aging...)...)
	case len(all) == 1:
		return v.Warn("The tunnel "+t.Name+" has a single connector.",
			append(aging, check.Evidence(source, "", "1 connector", "at least 2"))...).As(posture.Words{
			Problem:   "Tunnel {name} has a single connector",
			Impact:    "When its machine stops or restarts, users get an error 1033 at every hostname of the tunnel.",
			Breaks:    "Nothing; Cloudflare spreads the requests over both replicas.",
			Dashboard: "Zero Trust › Networks › Connectors › Cloudflare Tunnels › {name} › Add a replica: run the command on a second machine."})
	case len(aging) > 0:
		return v.Warn("The tunnel "+t.Name+" runs "+check.Count(len(aging), "connector", "")+" of a release at least "+
			check.Count(v.Policy.ConnectorWarnMonths, "month", "")+" old.", aging...).As(posture.Words{
			Problem: "Tunnel {name} runs a connector that should be updated"})
	case odd:
		return v.Unknown("Cloudflare returned no connector, or a version that is no date")
	}
	return v.Pass("The tunnel runs %d current connectors.", len(all))
}

// age returns how many months ago a version of the form year.month.patch was released.
func age(version string, now time.Time) (months int, ok bool) {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return 0, false
	}
	year, err := strconv.Atoi(parts[0])
	month, wrong := strconv.Atoi(parts[1])
	if err != nil || wrong != nil || year < 2000 || year > 9999 || month < 1 || month > 12 {
		return 0, false
	}
	return (now.Year()-year)*12 + int(now.Month()) - month, true
}
