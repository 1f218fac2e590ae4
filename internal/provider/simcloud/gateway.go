package simcloud

import (
	"net/http"
	"time"
)

const (
	permZeroTrust       = "Account: Zero Trust Read"
	canaryGatewayHeader = "leakcanary-gateway-header"
	canaryBlockPage     = "leakcanary-block-page"
	canaryDLPPattern    = "leakcanary-dlp-pattern"
	canaryCASBInstance  = "leakcanary-casb-permission"
)

// makeGateway generates rules of every filter and the objects they refer to, see
// https://developers.cloudflare.com/api/resources/zero_trust/subresources/gateway/.
func (a *account) makeGateway() {
	a.gwDNS = a.addGatewayRule("Security threats", "block", "dns", 1000,
		"any(dns.security_category[*] in {68 80 83 117 131 134 151 153 175 176 178})")
	a.gwPosture = a.addGatewayRule("Healthy devices", "allow", "l4", 4000, "net.dst.ip in {10.20.0.0/16}")
	a.gwPosture["device_posture"] = `any(device_posture.checks.passed[*] in {"` + asText(a.posture[0]["id"]) + `"})`
	a.gwFinal = a.addGatewayRule("Everything else", "block", "l4", 9000, "net.dst.ip in {0.0.0.0/0 ::/0}")
	update := a.addGatewayRule("Vendor updates", "off", "http", 500, `http.conn.hostname == "updates.vendor.test"`)
	update["rule_settings"] = obj{"add_headers": obj{"X-Vendor-Key": []string{canaryGatewayHeader}}}
	a.gateway = obj{
		"tls_decrypt": obj{"enabled": true}, "activity_log": obj{"enabled": true}, "protocol_detection": obj{"enabled": true},
		"fips":              obj{"tls": false},
		"antivirus":         obj{"enabled_download_phase": true, "enabled_upload_phase": true, "fail_closed": true},
		"browser_isolation": nil, "certificate": obj{"id": a.next("gateway").uuid()}, "sandbox": obj{"enabled": false},
		"inspection": obj{"mode": "dynamic"},
		"block_page": obj{"enabled": true, "mailto_address": canaryBlockPage, "header_text": "Blocked"},
	}
	a.makeGatewayDoors(a.gateway["certificate"].(obj)["id"])
	depth := func() obj { return obj{"log_all": false, "log_blocks": true} }
	a.gatewayLog = obj{"redact_pii": true, "settings_by_rule_type": obj{"dns": depth(), "http": depth(), "l4": depth()}}
	if advanced(a) {
		a.makeDataProtection()
	}
}

// advanced reports whether the account has Zero Trust products beyond the free ones.
func advanced(a *account) bool { return a.org != nil && a.bestPlan() != "free" }

// makeDataProtection generates browser isolation, data loss prevention and CASB integrations.
func (a *account) makeDataProtection() {
	a.gateway["browser_isolation"] = obj{"url_browser_isolation_enabled": true, "non_identity_enabled": false}
	a.gwIsolate = a.addGatewayRule("Risky sites", "isolate", "http", 3000, "any(http.request.uri.security_category[*] in {32 169 177})")
	a.gwIsolate["rule_settings"] = obj{"biso_admin_controls": obj{"version": "v2", "copy": "remote_only", "download": "disabled",
		"upload": "disabled", "printing": "enabled"}}
	for _, name := range []string{"Financial information", "Credentials and secrets"} {
		a.dlp = append(a.dlp, obj{
			"id": a.next("dlp").uuid(), "name": name, "type": "predefined", "allowed_match_count": 0, "ocr_enabled": false, "open_access": true,
			"entries": []obj{{"id": a.next("dlp-entry").uuid(), "name": "Number", "enabled": true, "pattern": obj{"regex": canaryDLPPattern,
				"validation": "luhn"}}},
		})
	}
	a.gwDLP = a.addGatewayRule("Card numbers", "block", "http", 2000, `any(dlp.profiles[*] in {"`+asText(a.dlp[0]["id"])+`"})`)
	a.addIntegration("Office suite")
	a.addIntegration("Code hosting")
	a.addCASBFinding("Office suite", "Old public link", "Low", 20)
	ignored := a.addCASBFinding("Code hosting", "Repository without owner", "High", 40)
	ignored["ignored"] = true
}

// addGatewayRule appends an enabled rule.
func (a *account) addGatewayRule(name, action, filter string, precedence int, traffic string) obj {
	s := a.next("gateway-rule")
	r := obj{
		"id": s.uuid(), "name": name, "description": "", "action": action, "enabled": true, "filters": []string{filter}, "precedence": precedence,
		"traffic": traffic, "identity": "", "device_posture": "", "version": 1, "rule_settings": obj{}, "schedule": nil, "expiration": nil,
		"created_at": a.cloud.ago(150 * day), "updated_at": a.cloud.ago(100 * day), "deleted_at": nil, "sharable": false,
	}
	a.gatewayRules = append(a.gatewayRules, r)
	return r
}

// addIntegration adds a CASB integration.
func (a *account) addIntegration(name string) obj {
	i := obj{
		"id": a.next("integration").uuid(), "name": name, "status": "Healthy", "is_paused": false, "application": obj{"id": "suite",
			"display_name": name},
		"created": a.cloud.ago(120 * day), "updated": a.cloud.ago(2 * day),
	}
	a.integrations = append(a.integrations, i)
	return i
}

// addCASBFinding appends a CASB finding of an application, last seen the given number of days ago.
func (a *account) addCASBFinding(app, name, severity string, days int) obj {
	s := a.next("casb")
	f := obj{
		"id": s.uuid(), "active_count": 2, "archived_count": 0, "ignored": false, "severity_override": nil,
		"latest_affliction_date": a.cloud.ago(time.Duration(days) * day),
		"finding":                obj{"id": s.uuid(), "name": name, "severity": severity, "vendor": "Suite", "description": ""},
		"integration": obj{"id": s.uuid(), "name": app, "credential_health_status": "Healthy", "credentials_expiry": nil, "is_paused": false,
			"status": "Healthy", "policy": obj{"name": canaryCASBInstance}, "permissions": []string{canaryCASBInstance}},
	}
	a.casb = append(a.casb, f)
	return f
}

// gatewayOf returns the documented error while Zero Trust is not in use.
func (c *call) gatewayOf(result func() any) answer {
	if c.acct.org == nil {
		return refuse(http.StatusNotFound, 2010, "gateway account not found")
	}
	return ok(result())
}

func listGatewayRules(c *call) answer {
	return c.gatewayOf(func() any { return append([]obj{}, c.acct.gatewayRules...) })
}

func readGatewayConfig(c *call) answer {
	return c.gatewayOf(func() any {
		return obj{"settings": c.acct.gateway, "created_at": c.cloud.ago(300 * day), "updated_at": c.cloud.ago(30 * day)}
	})
}

func readGatewayLogging(c *call) answer {
	return c.gatewayOf(func() any { return c.acct.gatewayLog })
}

func listDLPProfiles(c *call) answer {
	if !advanced(c.acct) {
		return refuse(http.StatusForbidden, 1002, "the account is not entitled to data loss prevention")
	}
	return listOf(c, c.acct.dlp)
}

func listIntegrations(c *call) answer {
	if !advanced(c.acct) {
		return refuse(http.StatusForbidden, 1002, "the account is not entitled to the access security broker")
	}
	return listOf(c, c.acct.integrations)
}

func listCASBFindings(c *call) answer {
	if !advanced(c.acct) {
		return refuse(http.StatusForbidden, 1002, "the account is not entitled to the access security broker")
	}
	return listOf(c, c.acct.casb)
}
