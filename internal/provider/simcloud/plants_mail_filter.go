package simcloud

import "maps"

// plantsMailFilter weaken Email Security. The finding is the account, so only one case of a check
// is planted at a time.
func plantsMailFilter() []Plant {
	filter := func(check, variant, result string, change func(*account)) Plant {
		return accountWide(check, variant, result, check, change).on("enterprise").when((*account).filtersMail)
	}
	domain := func(variant, result, field string, value any) Plant {
		return filter("CFL-EMAILSEC-001", variant, result, func(a *account) { a.addMailDomain("mail." + a.zoneName(0))[field] = value })
	}
	allow := func(variant, result, pattern, kind string, set obj) Plant {
		return filter("CFL-EMAILSEC-002", variant, result, func(a *account) {
			p := a.addMailAllow(pattern, kind)
			maps.Copy(p, set)
		})
	}
	trusted := func(variant, result, pattern string, expression bool) Plant {
		return filter("CFL-EMAILSEC-002", variant, result, func(a *account) { a.addMailTrusted(pattern)["is_regex"] = expression })
	}
	expression := obj{"is_regex": true}
	return []Plant{
		domain("failed", failed, "status", "failed"), domain("timeout", failed, "status", "timeout"),
		domain("unauthorised", failed, "authorization", obj{"authorized": false, "status_message": "consent withdrawn",
			"timestamp": "2026-01-01T00:00:00Z"}),
		domain("no-mode", failed, "allowed_delivery_modes", []string{}), domain("delivered-only", failed, "allowed_delivery_modes",
			[]string{"RETRO_SCAN"}),
		domain("pending", warning, "status", "pending"), domain("no-status", warning, "status", nil), domain("no-authorization", warning,
			"authorization", nil),
		domain("copies", warning, "allowed_delivery_modes", []string{"BCC", "JOURNAL"}), domain("delivers-malicious", warning,
			"drop_dispositions", []string{"SPAM"}),
		domain("no-tls", warning, "require_tls_inbound", false),
		allow("everybody", failed, ".*", "UNKNOWN", expression), allow("public-expression", failed, `.*@gmail\.com`, "UNKNOWN", expression),
		allow("public", failed, "outlook.com", "DOMAIN", nil), trusted("trusted-public", failed, "yahoo.com", false),
		trusted("trusted-everybody", failed, `.+\.[a-z]+`, true),
		allow("unverified", warning, canaryMailSender+"@partner-agency.test", "EMAIL", obj{"verify_sender": false}),
		filter("CFL-EMAILSEC-002", "exempt", warning, func(a *account) {
			p := a.addMailAllow(a.zoneName(0), "DOMAIN")
			p["is_exempt_recipient"], p["is_trusted_sender"] = true, false
		}),
		allow("foreign", warning, "partner-agency.test", "DOMAIN", nil), allow("range", warning, "185.220.25.0/24", "IP", nil),
		allow("expression", warning, `.*@partner-agency\.test`, "UNKNOWN", expression), trusted("trusted-expression", warning,
			`^agency-[a-z]+\.test$`, true),
	}
}
