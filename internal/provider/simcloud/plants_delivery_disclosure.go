package simcloud

func plantsSecurityTxt() []Plant {
	const slot = "security-txt"
	return []Plant{
		zonal("CFL-SEC-001", "never-set-up", failed, slot, func(z *zone) { z.securityTxt = nil }),
		zonal("CFL-SEC-001", "disabled", failed, slot, func(z *zone) { z.securityTxt["enabled"] = false }),
		zonal("CFL-SEC-001", "no-contact", failed, slot, func(z *zone) { z.securityTxt["contact"] = []string{} }),
		zonal("CFL-SEC-002", "expired", failed, slot, func(z *zone) { z.securityTxt["expires"] = z.acct.cloud.ago(3 * day) }),
		zonal("CFL-SEC-002", "no-date", failed, slot, func(z *zone) { delete(z.securityTxt, "expires") }),
		zonal("CFL-SEC-002", "no-address", failed, slot, func(z *zone) { z.securityTxt["contact"] = []string{"security at " + z.name} }),
		zonal("CFL-SEC-002", "soon", warning, slot, func(z *zone) { z.securityTxt["expires"] = z.acct.cloud.ahead(12 * day) }),
		zonal("CFL-SEC-002", "far-ahead", warning, slot, func(z *zone) { z.securityTxt["expires"] = z.acct.cloud.ahead(900 * day) }),
	}
}
