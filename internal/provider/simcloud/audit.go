package simcloud

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const canaryAuditRaw = "leakcanary-audit-request"

// makeAuditLog generates entries of the second version of the audit log, see
// https://developers.cloudflare.com/api/resources/accounts/subresources/logs/subresources/audit/.
func (a *account) makeAuditLog() {
	a.addAudit("dash", "update", "success", 3*day)
	a.addAudit("api_token", "create", "success", 5*day)
	a.addAudit("oauth", "delete", "failure", 9*day)
	// A global API key last used before the window is not a finding.
	a.addAudit("api_key", "update", "success", 60*day)
}

// addAudit appends an entry of the given age, made with a kind of credential.
func (a *account) addAudit(context, action, result string, age time.Duration) obj {
	s := a.next("audit")
	e := obj{
		"id": s.hex32(), "account": obj{"id": a.id, "name": a.name},
		"action": obj{"description": action + " settings", "type": action, "result": result, "time": a.cloud.ago(age)},
		"actor": obj{
			"id": s.hex32(), "context": context, "type": "user", "email": a.mail(canaryMailLocal)["id"], "ip_address": "185.220.20.9",
			"token_id": "", "token_name": "",
		},
		"raw": obj{"cf_ray_id": s.hex32()[:16], "method": "PUT", "status_code": 200, "uri": "/client/v4/" + canaryAuditRaw,
			"user_agent": canaryAuditRaw},
		"resource": obj{
			"id": s.hex32(), "product": "zone_settings", "type": "setting", "scope": "zones",
			"request": obj{"note": canaryAuditRaw}, "response": obj{"note": canaryAuditRaw},
		},
	}
	a.audit = append(a.audit, e)
	return e
}

// record appends the entry of a successful write. Product and resource are the collection and the
// last identifier of the path, or the id of the created object.
func (c *call) record(a answer) {
	action := map[string]string{http.MethodPost: "create", http.MethodDelete: "delete"}[c.r.Method]
	if action == "" {
		action = "update"
	}
	parts := strings.Split(strings.Trim(strings.TrimPrefix(c.r.URL.Path, BasePath), "/"), "/")
	product, id := parts[min(2, len(parts)-1)], parts[len(parts)-1]
	if c.r.Method == http.MethodPost {
		var made struct {
			ID string `json:"id"`
		}
		if raw, err := json.Marshal(a.result); err == nil && json.Unmarshal(raw, &made) == nil {
			id = made.ID
		}
	}
	if product == "settings" {
		product = "zone_settings"
	}
	e := c.acct.addAudit("api_token", action, "success", 0)
	e["action"] = obj{"description": action, "type": action, "result": "success", "time": stamp(c.now)}
	e["actor"] = obj{"id": c.token.ID, "context": "api_token", "type": "user", "email": c.acct.mail(canaryMailLocal)["id"],
		"token_id": c.token.ID, "token_name": c.token.Name}
	e["resource"] = obj{"id": id, "product": product, "type": product, "request": obj{"note": canaryAuditRaw}}
	if c.zone != nil {
		e["zone"] = obj{"id": c.zone.id, "name": c.zone.name}
	}
}

// listAudit requires both ends of the window. Its actor_context filter can only exclude, as in the API.
func listAudit(c *call) answer {
	since, sinceErr := time.Parse(time.RFC3339, c.query.Get("since"))
	before, beforeErr := time.Parse(time.RFC3339, c.query.Get("before"))
	if sinceErr != nil || beforeErr != nil {
		return refuse(http.StatusBadRequest, 1004, "since and before are required")
	}
	var out []obj
	for _, e := range c.acct.audit {
		action, _ := e["action"].(obj)
		actor, _ := e["actor"].(obj)
		at, _ := time.Parse(time.RFC3339Nano, asText(action["time"]))
		if at.Before(since) || !at.Before(before) || slices.Contains(c.query["actor_context.not"], asText(actor["context"])) ||
			slices.Contains(c.query["action_type.not"], asText(action["type"])) || slices.Contains(c.query["action_result.not"],
			asText(action["result"])) {
			continue
		}
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(x, y obj) int {
		first, _ := x["action"].(obj)
		second, _ := y["action"].(obj)
		return strings.Compare(asText(second["time"]), asText(first["time"]))
	})
	if c.query.Get("direction") == "asc" {
		slices.Reverse(out)
	}
	// This endpoint names the page size limit.
	p := paging{kind: pageCursor, def: 100, max: 1000}
	w, bad := p.parseWindow(url.Values{"per_page": c.query["limit"], "cursor": c.query["cursor"]})
	if bad != nil {
		return answer{status: http.StatusBadRequest, err: bad}
	}
	lo, hi, info := p.cut(len(out), w)
	return answer{status: http.StatusOK, result: append([]obj{}, out[lo:hi]...), info: info}
}
