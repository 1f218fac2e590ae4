package simcloud

import (
	"net/http"
	"time"
)

const canaryInsight = "leakcanary-insight-payload"

// makeInsights generates resolved or dismissed issues, see
// https://developers.cloudflare.com/api/resources/security_center/subresources/insights/.
func (a *account) makeInsights() {
	a.addInsight("exposed_infrastructure", "a_record_dangling", "Critical", 40*day)["status"] = "resolved"
	a.addInsight("insecure_configuration", "always_use_https_not_enabled", "Moderate", 50*day)["status"] = "resolved"
	aside := a.addInsight("weak_authentication", "users_without_mfa", "Moderate", 60*day)
	aside["dismissed"], aside["user_classification"] = true, "false_positive"
	a.addInsight("configuration_suggestion", "unassigned_access_seats", "Low", 20*day)["dismissed"] = true
}

// addInsight appends an open issue of the given age.
func (a *account) addInsight(kind, class, severity string, age time.Duration) obj {
	i := obj{
		"id": a.next("insight").uuid(), "issue_type": kind, "issue_class": class, "severity": severity, "status": "active", "dismissed": false,
		"since": a.cloud.ago(age), "timestamp": a.cloud.ago(time.Hour), "subject": "www." + a.zoneName(0), "user_classification": nil,
		"resolve_link": "https://dash.test/" + canaryInsight, "resolve_text": "Review the setting", "has_extended_context": false,
		"payload": obj{"zone_tag": a.zoneID(0), "detection_method": "External scan", "detail": canaryInsight},
	}
	a.insights = append(a.insights, i)
	return i
}

// listInsights returns the paging part inside the result. Unless asked for, dismissed issues are left out.
func listInsights(c *call) answer {
	wanted := c.query.Get("dismissed") == "true"
	var out []obj
	for _, i := range c.acct.insights {
		if i["dismissed"] == wanted {
			out = append(out, i)
		}
	}
	p := pages(25, 1000)
	w, bad := p.parseWindow(c.query)
	if bad != nil {
		return answer{status: http.StatusBadRequest, err: bad}
	}
	lo, hi, _ := p.cut(len(out), w)
	return ok(obj{"count": len(out), "page": w.page, "per_page": w.perPage, "issues": append([]obj{}, out[lo:hi]...)})
}
