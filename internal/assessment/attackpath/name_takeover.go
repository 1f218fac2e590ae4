package attackpath

import (
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// nameTakeover finds hostnames that point to something another party can claim. Checks decide
// whether it can be claimed.
func nameTakeover() Kind {
	return Kind{Name: "name-takeover", Title: "Name that can be taken over",
		Finds:   "a record, or a load balancer's server, whose name nobody owns any more",
		Related: []string{"CFL-DNS-006", "CFL-DNS-007", "CFL-LB-007"},
		find: func(w *world) []candidate {
			out := w.claimableServers()
			for _, record := range w.to(graph.InternetID, graph.InternetTo) {
				if w.node(record).Type != graph.DNSRecord || !w.failsAt(record, "CFL-DNS-006", "CFL-DNS-007") {
					continue
				}
				if kind := w.text(record, "recordType"); kind == "MX" || kind == "NS" {
					out = append(out, w.claimableService(record, kind))
					continue
				}
				nodes, steps := w.leads(record)
				if nodes == nil {
					continue
				}
				name, target := w.label(record), w.text(record, "content")
				check := "CFL-DNS-006"
				if !w.failsAt(record, check) {
					check = "CFL-DNS-007"
				}
				out = append(out, candidate{title: "Name that can be taken over: " + name, grave: true,
					gains: "claims what " + name + " points to and serves pages under that name", nodes: nodes, steps: steps,
					refs: []string{record}, explanation: "The record " + name + " leads to " + target +
						", which does not exist any more. Whoever claims it there serves pages and gets " +
						"certificates under " + name + ", and receives the cookies that its parent domain sets for all of its names.",
					breaks: []posture.Break{{Change: "Delete the record " + name + ".", NodeID: record, CheckIDs: []string{check}},
						{Change: "Take " + target + " back.", NodeID: record}}})
			}
			return out
		}}
}

// claimableService returns the path through a record that sends mail, or questions about names, to a server another party can
// claim.
func (w *world) claimableService(record, kind string) candidate {
	name := w.label(record)
	gains, then := "claims the mail host of "+name+" and receives its mail",
		" names a mail host that does not exist any more. Whoever claims it receives mail for "+name+", with the links by which "+
			"passwords are set anew."
	if kind == "NS" {
		gains, then = "claims the name server of "+name+" and answers for every name below it", " names a server that does not answer for it "+
			"any more. Whoever claims it there answers for "+name+" and every name below it, and gets certificates for them."
	}
	return candidate{title: "Name that can be taken over: " + name, grave: true, gains: gains, refs: []string{record},
		nodes: []string{graph.InternetID, record}, steps: []string{graph.InternetTo}, explanation: "The " + kind + " record " + name + then,
		breaks: []posture.Break{{Change: "Delete the " + kind + " record " + name + ".", NodeID: record, CheckIDs: []string{"CFL-DNS-006"}},
			{Change: "Take the server that it names back.", NodeID: record}}}
}

// claimableServers returns the paths through load balancers to servers of their pools whose names another party can claim. The
// evidence of the verdicts names the servers.
func (w *world) claimableServers() (out []candidate) {
	pools := map[string][]posture.Verdict{} // by server
	for _, f := range w.failed("CFL-LB-007") {
		for _, e := range f.Evidence {
			host := e.Pointer[strings.LastIndexByte(e.Pointer, '/')+1:]
			pools[graph.OriginID(host)] = append(pools[graph.OriginID(host)], f)
		}
	}
	for _, server := range slices.Sorted(maps.Keys(pools)) {
		var names []string
		var about []resourceKey
		for _, f := range pools[server] {
			names, about = append(names, f.Resource.Name), append(about, keyOf(*f.Resource))
		}
		for _, service := range w.from(server, graph.ResolvesTo) {
			if w.text(service, "loadBalancer") == "" {
				continue
			}
			nodes, steps := w.enter(service)
			if nodes == nil {
				continue
			}
			nodes, steps = extend(nodes, steps, graph.ResolvesTo, server)
			host, name := w.label(service), w.label(server)
			out = append(out, candidate{title: "Name that can be taken over: " + name, grave: true,
				gains: "claims " + name + ", a server behind " + host + ", and answers visitors of " + host, nodes: nodes, steps: steps,
				refs: []string{service, server}, about: about, explanation: "The load balancer " + host + " has the server " + name +
					", which does not exist any more. Whoever claims that name receives requests of its visitors, with their cookies, and " +
					"answers them, as soon as the monitor finds the server healthy.",
				breaks: []posture.Break{{Change: "Remove the server " + name + " from " + pooled(names) + ".", NodeID: server,
					CheckIDs: []string{"CFL-LB-007"}}, {Change: "Take " + name + " back.", NodeID: server}}})
		}
	}
	return out
}

// pooled names pools in a sentence.
func pooled(names []string) string {
	if len(names) == 1 {
		return "the pool " + names[0]
	}
	return "the pools " + strings.Join(names, ", ")
}

// leads follows a record to its target: directly to an origin or a host, or through its own host.
func (w *world) leads(record string) (nodes, steps []string) {
	nodes, steps = []string{graph.InternetID, record}, []string{graph.InternetTo}
	target := strings.ToLower(strings.TrimSuffix(w.text(record, "content"), "."))
	for _, end := range w.to(record, graph.ResolvesTo) {
		if w.label(end) == target || len(w.to(record, graph.Proxies)) == 0 {
			return extend(nodes, steps, graph.ResolvesTo, end)
		}
	}
	services := w.to(record, graph.Proxies)
	if len(services) == 0 {
		return nil, nil
	}
	nodes, steps = extend(nodes, steps, graph.Proxies, services[0])
	for _, end := range w.to(services[0], graph.ResolvesTo) {
		if w.label(end) == target {
			return extend(nodes, steps, graph.ResolvesTo, end)
		}
	}
	return nodes, steps
}
