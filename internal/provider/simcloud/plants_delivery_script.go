package simcloud

func plantsPageShield() []Plant {
	const slot = "page-shield"
	top := []string{"business", "enterprise"}
	return []Plant{
		zonal("CFL-PAGESHIELD-001", "off", failed, slot, func(z *zone) { z.shield.enabled = false }),
		zonal("CFL-PAGESHIELD-002", "script-domain", failed, slot, func(z *zone) {
			z.addScript("cdn.skimmer.test", "/pay.js")["domain_reported_malicious"] = true
		}).on(top...),
		zonal("CFL-PAGESHIELD-002", "script-url", failed, slot, func(z *zone) {
			z.addScript("cdn.partner.test", "/pay.js")["url_reported_malicious"] = true
		}).on(top...),
		zonal("CFL-PAGESHIELD-002", "connection", failed, slot, func(z *zone) {
			z.addConnection("drop.skimmer.test")["domain_reported_malicious"] = true
		}).on(top...),
		zonal("CFL-PAGESHIELD-002", "score", warning, slot, func(z *zone) {
			z.addScript("cdn.partner.test", "/pay.js")["magecart_score"] = 3
		}).on(top...),
		zonal("CFL-PAGESHIELD-003", "none", failed, slot, func(z *zone) { z.shield.policies = nil }).on("enterprise"),
		zonal("CFL-PAGESHIELD-003", "disabled", failed, slot, func(z *zone) {
			for _, p := range z.shield.policies {
				p["enabled"] = false
			}
		}).on("enterprise"),
		zonal("CFL-PAGESHIELD-003", "log-only", warning, slot, func(z *zone) {
			for _, p := range z.shield.policies {
				p["action"] = "log"
			}
		}).on("enterprise"),
	}
}

func plantsTurnstile() []Plant {
	const slot = "turnstile"
	return []Plant{
		accountWide("CFL-TURN-001", "none", failed, slot, func(a *account) { a.widgets = nil }).
			when(func(a *account) bool { return a.zoneCount > a.spec.Pending }),
		accountWide("CFL-TURN-002", "foreign", failed, slot, func(a *account) { a.addWidget("Partner", "forms.partner.test") }),
		accountWide("CFL-TURN-002", "any-host", failed, slot, func(a *account) { a.addWidget("Everywhere") }),
		accountWide("CFL-TURN-002", "localhost", warning, slot, func(a *account) { a.addWidget("Test", a.zoneName(0), "localhost") }),
		accountWide("CFL-TURN-002", "address", warning, slot, func(a *account) { a.addWidget("Test", "127.0.0.1") }),
	}
}

// plantsZaraz use paid zones, where consent is configured and tools are in use.
func plantsZaraz() []Plant {
	paid := []string{"pro", "business", "enterprise"}
	return []Plant{
		zonal("CFL-ZARAZ-001", "no-consent", failed, "zaraz-consent", func(z *zone) {
			if consent, isObject := z.zaraz["consent"].(obj); isObject {
				consent["enabled"] = false
			}
		}).on(paid...),
		zonal("CFL-ZARAZ-001", "no-purpose", warning, "zaraz-purpose", func(z *zone) {
			z.addTool("ads", obj{"component": "facebook-pixel", "defaultPurpose": ""})
		}).on(paid...),
		zonal("CFL-ZARAZ-002", "key", failed, "zaraz-variable", func(z *zone) {
			z.addVariable("backend", "string", plantedSecrets()[0].value)
		}).on(paid...),
		zonal("CFL-ZARAZ-003", "html", failed, "zaraz-html", func(z *zone) { z.addTool("banner", obj{"component": "html"}) }).on(paid...),
		zonal("CFL-ZARAZ-003", "own-component", warning, "zaraz-own", func(z *zone) {
			z.addTool("own", obj{"type": "custom-mc", "component": "own-mc"})
		}).on(paid...),
		zonal("CFL-ZARAZ-003", "unsafe-scripts", warning, "zaraz-unsafe", func(z *zone) {
			z.addTool("widget", obj{"permissions": []string{"execute_unsafe_scripts"}})
		}).on(paid...),
	}
}

func plantsSnippets() []Plant {
	paid := []string{"pro", "business", "enterprise"}
	return []Plant{
		zonal("CFL-ZARAZ-004", "at-once", failed, "zaraz-workflow", func(z *zone) { z.zarazAtOnce = true }).on(paid...),
		zonal("CFL-SNIPPET-002", "idle", failed, "snippet-idle", func(z *zone) {
			z.addSnippet("idle", "export default { fetch: (r) => fetch(r) };\n")
			z.snippets[len(z.snippets)-1].idle = true
		}).on(paid...),
		zonal("CFL-SNIPPET-001", "key", failed, "snippet-key", func(z *zone) {
			z.addSnippet("upload", "const uploader = {\n  id: \""+plantedSecrets()[0].value+"\",\n};\n")
		}).on(paid...),
		zonal("CFL-SNIPPET-001", "connection-string", failed, "snippet-connection", func(z *zone) {
			z.addSnippet("lookup", "const store = `"+plantedSecrets()[4].value+"`;\n")
		}).on(paid...),
		zonal("CFL-SNIPPET-001", "long-literal", warning, "snippet-literal", func(z *zone) {
			z.addSnippet("partner", "let partnerToken = \"a-value-of-more-than-twenty-characters\";\n")
		}).on(paid...),
	}
}
