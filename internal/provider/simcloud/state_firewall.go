package simcloud

// firewallZone is the zone state of the firewall settings outside rulesets.
type firewallZone struct {
	leaked          bool
	scan            string
	normalization   obj
	requestHeaders  map[string]bool
	responseHeaders map[string]bool
	hold            obj
}

// managedHeaderIDs returns the ids of the managed transforms the API lists, see
// https://developers.cloudflare.com/rules/transform/managed-transforms/reference/.
func managedHeaderIDs() (request, response []string) {
	return []string{"add_client_certificate_headers", "add_true_client_ip_headers", "add_visitor_location_headers",
		"add_waf_credential_check_status_header", "remove_visitor_ip_headers"}, []string{"add_security_headers", "remove_x-powered-by_header"}
}

// makeFirewall deploys one ruleset on every enterprise zone of the account; it checks for leaked
// passwords and so replaces no rule of a zone.
func (a *account) makeFirewall() {
	s, updated := a.next("shared-rules"), a.cloud.ago(45*day)
	if bulk := entrypointOf(a.rulesets, "root", "http_request_redirect"); bulk != nil {
		r := newRule(s, updated, "redirect", "http.request.full_uri in $old_addresses", "Old addresses")
		r["action_parameters"] = obj{"from_list": obj{"name": "old_addresses", "key": "http.request.full_uri"}}
		bulk.Rules = []obj{r}
		a.addList("old_addresses", 0)
		moves := a.lists[len(a.lists)-1]
		moves["kind"], moves["num_items"], moves["num_referencing_filters"] = "redirect", 1, 1
		a.items[asText(moves["id"])] = []obj{{"id": s.hex32(), "created_on": updated, "modified_on": updated, "comment": "Moved",
			"redirect": obj{"source_url": "old.retired.test/start", "target_url": "https://www." + a.zoneName(0) + "/", "status_code": 301}}}
	}
	if a.bestPlan() == "enterprise" {
		a.rulesets = append(a.rulesets, &ruleset{ID: s.hex32(), Kind: "root", Phase: phaseManaged, Name: "default", Version: "1",
			Updated: updated, Rules: []obj{executeRule(s, updated, `(cf.zone.plan eq "ENT")`, leakedRuleset)}})
	}
}

// makeFirewall generates a good configuration. The origin acts on leaked passwords, told by a
// request header, so that no rule is needed.
func (z *zone) makeFirewall() {
	z.leaked, z.normalization = true, obj{"type": "cloudflare", "scope": "incoming"}
	z.requestHeaders = map[string]bool{"add_waf_credential_check_status_header": true}
	z.responseHeaders = map[string]bool{"add_security_headers": true, "remove_x-powered-by_header": true}
	z.settings["hotlink_protection"] = "on"
	z.hold = obj{"hold": z.plan == "enterprise", "hold_after": "", "include_subdomains": "true"}
	if z.plan == "pro" {
		managed := z.entrypoint(phaseManaged)
		managed.Rules = append(managed.Rules, executeRule(z.next("owasp"), z.acct.cloud.ago(45*day), "true", owaspRuleset))
	}
	if z.plan == "enterprise" {
		z.scan = "enabled"
		z.entrypoint(phaseCustom).Rules = append(z.entrypoint(phaseCustom).Rules,
			newRule(z.next("scan"), z.acct.cloud.ago(45*day), "block", "(cf.waf.content_scan.has_malicious_obj)", "Block malicious uploads"))
	}
}
