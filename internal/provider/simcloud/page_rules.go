package simcloud

// listPageRules returns the page rules of a zone, all or by status, see
// https://developers.cloudflare.com/api/resources/page_rules/.
func listPageRules(c *call) answer {
	status := c.query.Get("status")
	out := []obj{}
	for _, r := range c.zone.pageRules {
		if status == "" || r["status"] == status {
			out = append(out, r)
		}
	}
	return ok(out)
}

func (z *zone) addPageRule(target, action string) {
	created, modified := stampedPair(z.acct.cloud, 90*day, 90*day)
	z.pageRules = append(z.pageRules, obj{
		"id": z.next("page-rule").hex32(), "status": "active", "priority": len(z.pageRules) + 1, "created_on": created, "modified_on": modified,
		"targets": []obj{{"target": "url", "constraint": obj{"operator": "matches", "value": target}}},
		"actions": []obj{{"id": action}},
	})
}
