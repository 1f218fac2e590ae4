package waf

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
)

// harmless grades a condition that the client controls or that says nothing about the sender; a
// condition not known to be one of these may be anything.
func harmless(e expression.Expr) branches {
	for _, f := range expression.Fields(e) {
		if f == "ssl" || strings.HasPrefix(f, "cf.zone.") || f == "http.x_forwarded_for" || clientField(f) {
			continue
		}
		return nobodyKnows()
	}
	return exactly(unlimited)
}

func clientField(f string) bool {
	if pathField(f) || strings.HasPrefix(f, "http.request.jwt.") {
		return false
	}
	for _, p := range []string{"http.request.", "raw.http.request.", "http.host", "http.user_agent", "http.referer", "http.cookie",
		"cf.bot_management.ja3", "cf.bot_management.ja4",
		"cf.tls_client_auth.cert_presented", "cf.tls_client_auth.cert_revoked", "cf.edge.", "cf.tls_version", "cf.tls_cipher",
		"cf.bot_management.score", "cf.threat_score", "cf.waf."} {
		if strings.HasPrefix(f, p) {
			return true
		}
	}
	return false
}

func verifiedSender(f string) bool {
	return f == "cf.client.bot" || f == "cf.bot_management.verified_bot" || f == "cf.tls_client_auth.cert_verified"
}

func regions() []string {
	return []string{"ip.src.country", "ip.geoip.country", "ip.src.asnum", "ip.geoip.asnum", "ip.src.continent", "ip.geoip.continent",
		"ip.src.subdivision_1_iso_code", "ip.geoip.subdivision_1_iso_code", "ip.src.region", "ip.src.region_code", "ip.src.city"}
}

// fieldOf returns the field of an operand inside functions that do not change the meaning of the
// test.
func fieldOf(o expression.Operand) string {
	switch o := o.(type) {
	case expression.Field:
		return strings.TrimPrefix(o.Name, "raw.")
	case expression.Call:
		if len(o.Args) > 0 && (o.Name == "lower" || o.Name == "upper" || o.Name == "url_decode") {
			return fieldOf(o.Args[0])
		}
	}
	return ""
}
