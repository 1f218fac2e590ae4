package origin

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// affinityCookie judges whether the session affinity cookie is sent over plain HTTP. By default
// that depends on the setting Always Use HTTPS.
func affinityCookie() check.Check {
	return check.Check{
		ID: "CFL-LB-006", Title: "Session affinity cookies are for HTTPS only",
		Category: "loadbalancing", Severity: posture.Low, Resource: posture.ResourceLoadBalancer, Scope: check.PerZone, Edge: true,
		Why: "The cookie __cflb decides which server answers a visitor. Without the attribute Secure browsers send the cookie over plain " +
			"HTTP as well.",
		Fix: "Set the attribute Secure of the session affinity cookie to Always.",
		Words: posture.Words{
			Problem:   "Load balancer {name} sends its cookie over plain HTTP",
			Impact:    "Someone on the same network can read or replace the cookie and choose the server that answers the visitor.",
			Breaks:    "Visitors over plain HTTP are no longer kept at one server.",
			Dashboard: "Traffic › Load Balancing › {name} › Edit › Session affinity › Secure: Always.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/load_balancers/{id}", From: "/zones/{zone_id}/load_balancers/{id}",
				Body: `{session_affinity_attributes: ((.result.session_affinity_attributes // {}) + {secure: "Always"})}`},
		},
		References: []string{"https://developers.cloudflare.com/load-balancing/understand-basics/session-affinity/"},
		Controls: check.Controls{
			check.Touches("cis 3.10", "The cookie names a server and no person."),
			check.Supports("soc2 CC6.7", "A cookie of the edge is not sent in clear text."),
			check.Touches("pci 4.2.1", "No card data is in this cookie."),
			check.Supports("nist PR.DS-02", "The cookie is protected on the wire."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneLoadBalancers},
		Optional: []snapshot.Named{snapshot.ZoneSetting("always_use_https")},
		Evaluate: evaluateAffinityCookie,
	}
}

func evaluateAffinityCookie(v *check.View) check.Outcome {
	j := v.Judge()
	for _, l := range check.Read(v, snapshot.ZoneLoadBalancers) {
		worst, judged := "", false
		for _, a := range l.Affinities {
			if kind := strings.ToLower(a.Kind); kind == "header" || !l.Enabled || !l.Proxied {
				continue // no cookie is set: an unproxied balancer only answers DNS queries
			}
			judged = true
			switch secure := strings.ToLower(a.Secure); {
			case secure == "always":
			case secure == "never" && a.ByRule:
				worst = "never-in-rule"
			case secure == "never":
				worst = "never"
			case secure == "" || secure == "auto":
				worst = higher(worst, "auto")
			default:
				worst = higher(worst, "odd")
			}
		}
		if judged {
			judgeCookie(v, j, l, worst)
		}
	}
	return j.Done("Every cookie of a load balancer is for HTTPS only.", "no load balancer of the zone sets a cookie")
}

// higher returns the worse of two verdicts on a cookie.
func higher(worst, next string) string {
	if strings.HasPrefix(worst, "never") || worst == "odd" && next == "auto" {
		return worst
	}
	return next
}

func judgeCookie(v *check.View, j *check.Judgement, l snapshot.LoadBalancer, worst string) {
	r := v.InZone(posture.ResourceLoadBalancer, l.ID, l.Name)
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZoneLoadBalancers, "/"+l.ID+"/affinities", observed, "Always")
	}
	switch worst {
	case "":
		j.Pass()
	case "odd":
		j.Unclear(r, "the attribute Secure of the cookie has a value that this check does not know")
	case "never", "never-in-rule":
		j.Fail(r, "The session affinity cookie of "+l.Name+" never has the attribute Secure.", seen("Never"))
		if worst == "never-in-rule" {
			j.As(posture.Words{ByHand: true, Dashboard: "Traffic › Load Balancing › {name} › Edit › Custom rules: in the rule that overrides " +
				"session affinity, set Secure to Always."})
		}
	default: // depends on the setting
		settings, known := check.ReadOptional(v, snapshot.ZoneSettings)
		always, reported := settings.Text("always_use_https")
		switch {
		case !known || !reported:
			j.Unknown(r, "the cookie has the attribute Secure only with Always Use HTTPS, and that setting is not known")
		case always == "on":
			j.Pass()
		default:
			j.Warn(r, "The session affinity cookie of "+l.Name+" has the attribute Secure only with Always Use HTTPS, which is off.", seen("Auto"))
		}
	}
}

func affinityCookieExamples() []goodtest.Example {
	lb := func(all ...snapshot.Affinity) func(*snapshot.Builder) {
		return balancers(snapshot.LoadBalancer{ID: "lb1", Name: "www." + goodtest.Domain, Enabled: true, Proxied: true,
			Pools: []string{"pool1"}, Affinities: all})
	}
	cookie := func(secure string) snapshot.Affinity { return snapshot.Affinity{Kind: "cookie", Secure: secure} }
	plain := goodtest.Setting("always_use_https", "off")
	return []goodtest.Example{
		{Name: "always", Want: posture.Pass, Resource: goodtest.Zone, Edit: goodtest.Edits(lb(cookie("Always")), plain)},
		{Name: "never", Want: posture.Fail, Resource: "lb1", Edit: lb(cookie("Never"))},
		{Name: "never, by address", Want: posture.Fail, Edit: lb(snapshot.Affinity{Kind: "ip_cookie", Secure: "never"})},
		{Name: "a rule overrides it", Want: posture.Fail, ByHand: true,
			Edit: lb(cookie("Always"), snapshot.Affinity{Kind: "cookie", Secure: "Never", ByRule: true})},
		{Name: "left to the setting, which is on", Want: posture.Pass, Edit: lb(cookie("Auto"))},
		{Name: "left to the setting, which is off", Want: posture.Warning, Resource: "lb1", Edit: goodtest.Edits(lb(cookie("Auto")), plain)},
		{Name: "the default, and the setting is off", Want: posture.Warning, Edit: goodtest.Edits(lb(cookie("")), plain)},
		{Name: "the setting is not told", Want: posture.Unknown, Edit: goodtest.Edits(lb(cookie("Auto")),
			goodtest.MissingSetting("always_use_https"))},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: lb(cookie("Sometimes"))},
		{Name: "by header", Want: posture.NotApplicable, Edit: lb(snapshot.Affinity{Kind: "header", Secure: "Never"})},
		{Name: "not proxied", Want: posture.NotApplicable, Edit: balancers(snapshot.LoadBalancer{ID: "lb1", Name: "a", Enabled: true,
			Affinities: []snapshot.Affinity{cookie("Never")}})},
		{Name: "none", Want: posture.NotApplicable, Edit: lb()},
		{Name: "the zone is not active", Want: posture.NotApplicable, Edit: goodtest.Edits(lb(cookie("Never")),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
	}
}

func affinityCookieGood(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.ZoneLoadBalancers, goodtest.Zone, func(ls *[]snapshot.LoadBalancer) {
		for i := range *ls {
			(*ls)[i].Affinities = []snapshot.Affinity{{Kind: "cookie", Secure: "Auto"}}
		}
	})
}
