package traffic

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// HSTS is the Strict-Transport-Security header that a browser receives over HTTPS. Response header rules act on what the setting
// of the zone gives, in their order; of two headers a browser reads the first (RFC 6797, section 8.1).
func HSTS() Aspect[Value[snapshot.HSTS]] {
	return Aspect[Value[snapshot.HSTS]]{
		Name: "HSTS",
		Needs: []snapshot.Named{snapshot.ZoneList, snapshot.ZoneDNSRecords, snapshot.ZoneSetting("security_header"), snapshot.ZoneRulesets,
			snapshot.ZonePhaseResponse, snapshot.AccountLists, snapshot.AccountListItems, snapshot.AccountRulesets},
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
	rules, rulesUnread := entry(z, snapshot.ZoneRulesets, snapshot.ZonePhaseResponse)
	rulesUnread = cmp.Or(rulesUnread, accountPhase(z, "http_response_headers_transform"))
	z.only.condition = and("ssl", z.only.condition)
	var texts []string
	for _, r := range rules.Rules {
		texts = append(texts, r.Expression)
	}
	return lanesOf(z, texts, func(Kind) bool { return true }, func(s *space) []state[Value[snapshot.HSTS]] {
		lanes := []state[Value[snapshot.HSTS]]{{boxes: s.start(), value: start}}
		for _, r := range rules.Rules {
			op, sets := r.Params.Headers["strict-transport-security"]
			if !r.Enabled || !sets {
				continue
			}
			by := By{Source: snapshot.ZonePhaseResponse, Pointer: "/rules/" + r.ID, Rule: r.ID, Name: r.Name()}
			header := HeaderHSTS(op.Value)
			maybe := func(v Value[snapshot.HSTS]) Value[snapshot.HSTS] {
				return v.May(header, Doubt{Why: "whether the response header rule " + r.Name() + " applies is not known"})
			}
			lanes = apply(s, lanes, r.Expression, func(v Value[snapshot.HSTS]) Value[snapshot.HSTS] {
				switch {
				case op.Operation == "add" && v.Doubt != nil:
					return v.May(header, *v.Doubt) // a header that is there already counts
				case op.Operation == "add" && v.Is.Enabled:
					return v
				case op.Operation == "remove":
					return v.Set(snapshot.HSTS{}, by)
				case op.Dynamic:
					v = v.Set(snapshot.HSTS{}, by)
					v.Doubt = &Doubt{Why: "the response header rule " + r.Name() + " computes the header"}
					return v
				}
				return v.Set(header, by)
			}, maybe, func(v Value[snapshot.HSTS]) string { return fmt.Sprint(v.Is, v.By, v.Or, v.Doubt != nil) })
		}
		for i := range lanes {
			if rulesUnread != nil {
				lanes[i].value.Doubt, lanes[i].value.Or = rulesUnread, nil
			}
		}
		return lanes
	})
}

// HeaderHSTS reads the value of a Strict-Transport-Security header (RFC 6797, section 6.1).
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
