package attackpath

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// weakTransport finds zones whose traffic can be intercepted: encryption to the
// origin is off or flexible, there is no redirect to HTTPS, or old TLS is accepted.
// Only zones that serve traffic count.
func weakTransport() Kind {
	return Kind{Name: "weak-transport", Title: "Weak transport",
		Finds: "a zone with SSL off or flexible, no redirect to HTTPS, or TLS below 1.2",
		Related: []string{"CFL-CFRULE-001", "CFL-CH-002", "CFL-R2-007", "CFL-RULES-002", "CFL-SSL-001", "CFL-SSL-002", "CFL-SSL-004",
			"CFL-SSL-005", "CFL-SSL-013", "CFL-SSL-015"},
		find: func(w *world) []candidate {
			var out []candidate
			for _, z := range w.byType[graph.Zone] {
				faults, mend, service := w.transportFaults(z)
				if service == "" {
					continue
				}
				nodes, steps := w.enter(service)
				nodes, steps = extend(nodes, steps, graph.BelongsTo, z.ID)
				out = append(out, candidate{title: "Weak transport: " + z.Label,
					gains: "reads and changes what visitors of " + w.label(service) + " send",
					grave: true, needs: []string{"they sit on the way, for example in the same Wi-Fi"}, nodes: nodes, steps: steps, refs: []string{z.ID},
					explanation: "Whoever sits between visitors and " + w.label(service) +
						", or between the edge and its server, can read or change the traffic: " + strings.Join(faults, "; ") + ".",
					breaks: []posture.Break{mend}})
			}
			return out
		}}
}

// transportFaults lists the weaknesses that a host behind the rules of a zone has, the change that fixes
// all of them, as breaking the path takes, and the host with the shortest name that has the first.
func (w *world) transportFaults(z *graph.Node) (faults []string, mend posture.Break, host string) {
	var changes []string
	add := func(at func(service string) bool, fault, change, check string) {
		if first := w.firstHost(z.ID, at); first != "" {
			host = cmp.Or(host, first)
			faults, changes, mend.CheckIDs = append(faults, fault), append(changes, change), append(mend.CheckIDs, check)
		}
	}
	seen := w.clearToOrigin(z.ID)
	for _, by := range []struct {
		source        snapshot.Named
		check         string
		fault, change string // with the mode
	}{
		{snapshot.ZoneSettings, "CFL-SSL-001", "SSL/TLS is {mode}", "set SSL/TLS to Full (strict)"},
		{snapshot.ZonePhaseConfig, "CFL-CFRULE-001", "a configuration rule sets SSL/TLS to {mode}",
			"change the configuration rule that sets SSL/TLS to {mode}"},
		{snapshot.ZonePageRules, "CFL-RULES-002", "a page rule sets SSL/TLS to {mode}", "change the page rule that sets SSL/TLS to {mode}"},
	} {
		i := slices.IndexFunc(seen, func(e posture.Evidence) bool { return e.Source == by.source.Source() })
		if i < 0 {
			continue
		}
		mode, _, _ := strings.Cut(seen[i].Observed, " ")
		add(w.where(z.ID, traffic.OriginTLS().Of("", traffic.Encrypted), "off", "flexible"),
			strings.ReplaceAll(by.fault, "{mode}", mode)+", so Cloudflare talks to the server in the clear",
			strings.ReplaceAll(by.change, "{mode}", mode), by.check)
	}
	if w.text(z.ID, "alwaysUseHttps") == "off" && w.openAt(z.ID, "CFL-SSL-005") { // a rule may redirect instead
		if blocked, all := w.blocked(z.ID); all {
			passing := traffic.Except("not ssl", blocked)
			add(w.where(z.ID, traffic.PlainHTTP().Of("", passing), traffic.InClear), "requests in the clear are answered",
				"switch Always Use HTTPS on", "CFL-SSL-005")
		}
	}
	if v := w.text(z.ID, "minTlsVersion"); (v == "1.0" || v == "1.1") && w.failsAt(z.ID, "CFL-SSL-002") {
		add(w.lowest(z.ID), "clients may use TLS "+v, "raise the minimum TLS version to 1.2", "CFL-SSL-002")
	}
	mend.Change, mend.NodeID = "For "+z.Label+": "+strings.Join(changes, ", ")+".", z.ID
	return faults, mend, host
}

// clearToOrigin returns the evidence that traffic of a zone reaches its servers unencrypted. The
// verdict takes rules into account and ignores hosts without a server.
func (w *world) clearToOrigin(zone string) []posture.Evidence {
	for i := range w.on(zone) {
		if f := &w.findings[i]; f.CheckID == "CFL-SSL-001" && f.Result == posture.Fail {
			return f.Evidence
		}
	}
	return nil
}

// where selects the hosts of a zone at which an aspect certainly has one of some values.
func (w *world) where(zone string, aspect traffic.Aspect[traffic.Value[string]], values ...string) func(service string) bool {
	of := hostsWhere(w, zone, aspect, func(v traffic.Value[string]) truth.Value {
		return v.Holds(func(is string) bool { return slices.Contains(values, is) })
	})
	return func(service string) bool { return of.has(w, service) }
}

// blocked lists the conditions of custom rules of a zone that certainly block what meets them; all is false when some of its rules are
// not known.
func (w *world) blocked(zone string) (conditions []string, all bool) {
	i := slices.IndexFunc(w.snap.Zones, func(z snapshot.Zone) bool { return z.ID == strings.TrimPrefix(zone, graph.Zone+":") })
	if i < 0 {
		return nil, false
	}
	return traffic.NewKept(&w.texts).Blocked(w.snap, w.snap.Zones[i])
}

// lowest selects the hosts of a zone without a minimum TLS version of their own that is high enough.
func (w *world) lowest(zone string) func(service string) bool {
	own, _ := snapshot.Read(w.snap, snapshot.ZoneHostnameMinTLS, strings.TrimPrefix(zone, graph.Zone+":"))
	return func(service string) bool {
		return !slices.ContainsFunc(own, func(h snapshot.HostnameTLS) bool {
			return exposure.Same(h.Hostname, w.label(service)) && len(h.Values) == 1 && (h.Values[0] == "1.2" || h.Values[0] == "1.3")
		})
	}
}

// firstHost returns the host behind the rules with the shortest name among those of a zone that meant
// accepts.
func (w *world) firstHost(zone string, meant func(service string) bool) string {
	hosts := slices.DeleteFunc(w.from(zone, graph.BelongsTo), func(id string) bool {
		return w.node(id).Type != graph.Service || !meant(id) || !w.behindRules(id)
	})
	if len(hosts) == 0 {
		return ""
	}
	return slices.MinFunc(hosts, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
}
