package explain

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// origin is the connection from the edge to the server behind the host.
func (w *walk) origin() PhaseStep {
	s := PhaseStep{Phase: "origin", Title: "Connection to the origin", sources: []snapshot.Named{snapshot.ZoneSetting("ssl"),
		snapshot.ZoneAOPSettings, snapshot.ZoneAOPCertificates}}
	if !w.host.Kind.HasOrigin() {
		s.Outcome, s.Detail = Passed, "The TLS mode of the zone does not matter: the request goes to "+behind(w.host.Kind)+"."
		return s
	}
	lanes := ask(w, traffic.Setting("ssl"))
	switch {
	case len(lanes) == 0:
		return unclear(s, "no request of this kind reaches the zone", "")
	case len(lanes) > 1:
		return unclear(s, "the TLS mode depends on "+depends(lanes), "")
	case lanes[0].Value.Doubt != nil:
		return w.doubtful(s, *lanes[0].Value.Doubt)
	}
	v := lanes[0].Value
	s.By, s.Overrode, s.Outcome = byOf(v.By), overrode(v.Overrode), Applied
	s.Values = map[string]string{"ssl": v.Is}
	s.Detail = map[string]string{
		"off":         "The edge speaks to the server in the clear.",
		"flexible":    "The edge speaks to the server in the clear, also for visitors who use HTTPS.",
		"full":        "The edge speaks to the server over TLS, and does not check its certificate.",
		"strict":      "The edge speaks to the server over TLS and checks its certificate.",
		"origin_pull": "The edge speaks to the server over TLS and checks its certificate.",
	}[v.Is]
	if s.Detail == "" {
		s.Detail = fmt.Sprintf("The TLS mode to the server is %s.", v.Is)
	}
	clear := v.Is == "off" || v.Is == "flexible"
	if (v.Is == "full" || v.Is == "strict") && !w.query.secure() {
		clear, s.Detail = true, "The edge speaks to the server in the clear, as the visitor does: only the mode Strict (SSL-Only Origin Pull) "+
			"encrypts that, too."
	}
	if clear {
		return s // no certificate is shown
	}
	if pull, unread := read(w, snapshot.ZoneAOPSettings); unread == nil && pull.Enabled != nil && *pull.Enabled {
		s.Values["authenticated_origin_pulls"] = "on"
	}
	return s
}

// responseHeaders describes which response headers the edge adds or removes.
func (w *walk) responseHeaders() PhaseStep {
	s := PhaseStep{Phase: "http_response_headers_transform", Title: "Response header rules",
		sources: []snapshot.Named{snapshot.ZonePhaseResponse, snapshot.ZoneSetting("security_header"), snapshot.ZoneManagedHeaders}}
	s = w.headers(s, snapshot.ZonePhaseResponse, "of the answer")
	if !w.query.secure() {
		return s
	}
	lanes := ask(w, traffic.HSTS())
	if len(lanes) != 1 || lanes[0].Value.Doubt != nil {
		return s
	}
	delete(s.Values, "strict-transport-security")
	if hsts := lanes[0].Value.Is; hsts.Enabled {
		if s.Values == nil {
			s.Values = map[string]string{}
		}
		s.Values["strict-transport-security"] = fmt.Sprintf("max-age=%d", hsts.MaxAge)
	}
	return s
}

// responseRules inspects responses, an add-on of the Enterprise plan.
func (w *walk) responseRules() PhaseStep {
	s := PhaseStep{Phase: "http_response_firewall_managed", Title: "Sensitive Data Detection",
		sources: []snapshot.Named{snapshot.ZonePhaseLeaks}}
	hits, s, done := w.entry(s, snapshot.ZonePhaseLeaks)
	if done {
		return s
	}
	s.By, s.Outcome, s.Detail = byOf(hits[0].by), Applied, fmt.Sprintf("%s %s for sensitive data in the answer.",
		sentenceStart(names(hits)), verb(hits, "looks", "look"))
	return s
}
