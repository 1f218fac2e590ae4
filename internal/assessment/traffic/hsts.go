package traffic

import (
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// HSTS is the Strict-Transport-Security header that a browser receives over HTTPS. Response header
// rules act, in order, on the header that the zone setting gives; of two headers a browser reads
// the first (RFC 6797, section 8.1).
func HSTS() Aspect[Value[snapshot.HSTS]] {
	return Aspect[Value[snapshot.HSTS]]{
		Name: "HSTS",
		Needs: needs(snapshot.ZoneSetting("security_header"), snapshot.ZoneRulesets,
			snapshot.ZonePhaseResponse, snapshot.AccountLists, snapshot.AccountListItems, snapshot.AccountRulesets),
		lanes: hstsLanes,
	}
}

func hstsLanes(z *zone) []Lane[Value[snapshot.HSTS]] {
	settings, unread := z.settings("security_header")
	is, returned := settings.HSTS()
	start := Value[snapshot.HSTS]{Is: is, By: By{Source: snapshot.ZoneSettings, Pointer: "/security_header/strict_transport_security"},
		Doubt: unread}
	if !is.Enabled || is.MaxAge <= 0 {
		start.Is = snapshot.HSTS{}
	}
	if !returned && unread == nil {
		start.Doubt = &Doubt{Why: "Cloudflare did not return the setting security_header"}
	}
	z.only.condition = and("ssl", z.only.condition)
	parse := func(op snapshot.HeaderOp) (snapshot.HSTS, bool) { return HeaderHSTS(op.Value), !op.Dynamic }
	return headerLanes(z, "strict-transport-security", start, parse, func(h snapshot.HSTS) bool { return h.Enabled })
}

// HeaderHSTS parses the value of a Strict-Transport-Security header (RFC 6797, section 6.1).
func HeaderHSTS(value string) snapshot.HSTS {
	var out snapshot.HSTS
	for part := range strings.SplitSeq(value, ";") {
		k, v, _ := strings.Cut(part, "=")
		switch strings.ToLower(strings.TrimSpace(k)) {
		case "max-age":
			n, err := strconv.Atoi(strings.Trim(strings.TrimSpace(v), `"`))
			if err == nil && n > 0 {
				out.Enabled, out.MaxAge = true, n
			}
		case "includesubdomains":
			out.IncludeSubdomains = true
		case "preload":
			out.Preload = true
		}
	}
	return out
}
