package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// dns determines what answers for the host.
func (w *walk) dns() (PhaseStep, Served) {
	s := PhaseStep{Phase: "dns", Title: "DNS", sources: traffic.ServedNeeds()}
	host := w.query.Host()
	_, unread := w.kept.Served(w.snap, w.zone)
	found := w.kept.ServedAs(w.snap, w.zone, host)
	switch {
	case found == nil && unread != nil:
		return w.doubtful(s, *unread), Undecided
	case found == nil:
		s.Outcome, s.Detail = Passed, fmt.Sprintf("No record of %s answers for %s.", w.zone.Name, host)
		if direct := w.direct(host); direct != "" {
			s.Detail = fmt.Sprintf("%s is not proxied, so the request goes to the server itself and not through Cloudflare.", direct)
		}
		return s, No
	case w.zone.Paused:
		s.Outcome, s.Detail = Passed, "The zone is paused, so requests go to the servers themselves and not through Cloudflare."
		return s, No
	case w.zone.Status != "active":
		s.Outcome, s.Detail = Passed, "The zone is "+w.zone.Status+", so Cloudflare does not serve it yet."
		return s, No
	case !slices.Contains(ports(w.query.secure()), w.query.port()):
		s.Outcome, s.Detail = Passed, fmt.Sprintf("Cloudflare does not proxy requests over %s to port %d.",
			strings.ToUpper(w.query.URL.Scheme), w.query.port())
		return s, No
	}
	w.host = *found
	s.Values = map[string]string{"kind": string(w.host.Kind), "name": w.host.Name}
	s.By = byOf(w.servedBy())
	s.Outcome, s.Detail = Applied, fmt.Sprintf("The edge answers for %s; behind it is %s.", host, behind(w.host.Kind))
	w.host.Name = host
	return s, Yes
}

// servedBy is the record, load balancer or custom hostname that defines the host.
func (w *walk) servedBy() traffic.By {
	by := traffic.By{Source: snapshot.ZoneDNSRecords, Pointer: "/" + w.host.Record, Rule: w.host.Record, Name: "the record " + w.host.Name}
	if w.host.Kind == traffic.Balancer {
		by.Source, by.Name = snapshot.ZoneLoadBalancers, "the load balancer "+w.host.Name
	}
	if c := w.customer(); c != nil {
		by.Source, by.Name = snapshot.ZoneCustomHostnames, "the custom hostname "+c.Hostname
	}
	return by
}

// customer is the custom hostname that defines the host, or nil.
func (w *walk) customer() *snapshot.CustomHostname {
	customers, _ := read(w, snapshot.ZoneCustomHostnames)
	if i := slices.IndexFunc(customers, func(c snapshot.CustomHostname) bool { return c.ID == w.host.Record }); i >= 0 {
		return &customers[i]
	}
	return nil
}

// ports lists the ports on which Cloudflare proxies requests
// (developers.cloudflare.com/fundamentals/reference/network-ports/).
func ports(secure bool) []int {
	if secure {
		return []int{443, 2053, 2083, 2087, 2096, 8443}
	}
	return []int{80, 8080, 8880, 2052, 2082, 2086, 2095}
}

// direct names what answers for a host with the address of the server itself, or is empty.
func (w *walk) direct(host string) string {
	balancers, _ := read(w, snapshot.ZoneLoadBalancers)
	for _, b := range balancers {
		if b.Enabled && !b.Proxied && strings.EqualFold(b.Name, host) {
			return "The load balancer of " + host
		}
	}
	records, _ := read(w, snapshot.ZoneDNSRecords)
	for _, r := range records {
		if strings.EqualFold(strings.TrimSuffix(r.Name, "."), host) && slices.Contains([]string{"A", "AAAA", "CNAME"}, r.Type) {
			return "The record of " + host
		}
	}
	return ""
}

// edgeTLS is the TLS connection of the visitor.
func (w *walk) edgeTLS() PhaseStep {
	s := PhaseStep{Phase: "edge_tls", Title: "TLS of the visitor", sources: []snapshot.Named{snapshot.ZoneSetting("min_tls_version"),
		snapshot.ZoneSetting("tls_1_3"), snapshot.ZoneHostnameMinTLS, snapshot.ZoneCustomHostnames, snapshot.ZoneUniversalSSL,
		snapshot.ZoneCertificatePacks}}
	if !w.query.secure() {
		s.Outcome, s.Detail = Passed, "The request comes over plain HTTP."
		return s
	}
	settings, unread := read(w, snapshot.ZoneSettings)
	if unread != nil {
		return w.doubtful(s, *unread)
	}
	by := traffic.By{Source: snapshot.ZoneSettings, Pointer: "/min_tls_version"}
	minimum, _ := settings.Text("min_tls_version")
	hosts, unread := read(w, snapshot.ZoneHostnameMinTLS)
	if unread != nil {
		return w.doubtful(s, *unread)
	}
	if c := w.customer(); c != nil && c.MinTLS != "" && strings.EqualFold(c.Hostname, w.query.Host()) { // names below have that of the zone
		s.Overrode = overrode([]traffic.By{by})
		minimum, by = c.MinTLS, traffic.By{Source: snapshot.ZoneCustomHostnames, Pointer: "/" + c.ID, Rule: c.ID,
			Name: "the custom hostname " + c.Hostname}
	}
	for _, h := range hosts {
		if strings.EqualFold(h.Hostname, w.query.Host()) && len(h.Values) > 0 {
			s.Overrode = overrode([]traffic.By{by})
			minimum, by = h.Values[0], traffic.By{Source: snapshot.ZoneHostnameMinTLS, Pointer: "/" + h.Hostname,
				Name: "the minimum of the host name " + h.Hostname}
		}
	}
	s.By, s.Outcome = byOf(by), Applied
	s.Values = map[string]string{"min_tls_version": minimum}
	s.Detail = "Visitors need TLS " + cmp.Or(minimum, "of the provider's default") + " or newer."
	return s
}

// alwaysHTTPS is Always Use HTTPS, which acts before every rule.
func (w *walk) alwaysHTTPS() PhaseStep {
	s := PhaseStep{Phase: "always_use_https", Title: "Always Use HTTPS", sources: []snapshot.Named{snapshot.ZoneSetting("always_use_https")}}
	if w.query.secure() {
		s.Outcome, s.Detail = Passed, "The request comes over HTTPS."
		return s
	}
	settings, unread := read(w, snapshot.ZoneSettings)
	value, known := settings.Text("always_use_https")
	switch {
	case unread != nil:
		return w.doubtful(s, *unread)
	case !known:
		return unclear(s, "Cloudflare did not return the setting always_use_https", "")
	}
	s.By = byOf(traffic.By{Source: snapshot.ZoneSettings, Pointer: "/always_use_https"})
	s.Values = map[string]string{"always_use_https": value}
	if value != "on" {
		s.Outcome, s.Detail = Passed, "Always Use HTTPS is off, so the request goes on in the clear."
		return s
	}
	u := *w.query.URL
	u.Scheme = "https"
	s.Outcome, s.ends = Applied, true
	s.Detail = "The request is redirected to " + u.String() + "."
	return s
}

// ddos is the always-on DDoS protection.
func (w *walk) ddos() PhaseStep {
	s := PhaseStep{Phase: "ddos_l7", Title: "HTTP DDoS protection",
		sources: []snapshot.Named{snapshot.ZonePhaseDDoS, snapshot.AccountPhaseDDoSL7}}
	set, unread := w.kept.Entry(w.snap, w.zone, snapshot.ZonePhaseDDoS)
	if unread != nil {
		return w.doubtful(s, *unread)
	}
	s.Outcome, s.Detail = Applied, "The rules of Cloudflare look for attacks, as they are delivered."
	if all := rules(set, snapshot.ZonePhaseDDoS); len(all) > 0 {
		s.By = byOf(all[0].by)
		s.Detail = "The rules of Cloudflare look for attacks, changed by " + names(all) + "."
	}
	return s
}

// normalisation is the URL normalization that happens before rules read the URL.
func (w *walk) normalisation() PhaseStep {
	s := PhaseStep{Phase: "http_request_sanitize", Title: "URL normalization", sources: []snapshot.Named{snapshot.ZoneURLNormalization}}
	n, unread := read(w, snapshot.ZoneURLNormalization)
	if unread != nil {
		return w.doubtful(s, *unread)
	}
	s.Values = map[string]string{"type": n.Type, "scope": n.Scope}
	if n.Scope == "none" || n.Type == "" {
		s.Outcome, s.Detail = NotConfigured, "Rules read the path as it was sent."
		return s
	}
	s.By = byOf(traffic.By{Source: snapshot.ZoneURLNormalization, Pointer: "/type", Name: "URL normalization"})
	s.Outcome, s.Detail = Applied, "Rules read the path "+w.query.path()+"."
	return s
}
