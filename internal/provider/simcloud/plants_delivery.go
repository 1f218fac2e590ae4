package simcloud

import "slices"

// plantsDelivery misconfigure the products that deliver and shape traffic.
func plantsDelivery() []Plant {
	return slices.Concat(plantsCrawlers(), plantsCache(), plantsSecurityTxt(), plantsPageShield(), plantsTurnstile(), plantsZaraz(),
		plantsSnippets(), plantsAPI(), plantsBalancing(), plantsSpectrum(), plantsHostnames(), plantsMutualTLS())
}

func plantsCrawlers() []Plant {
	return []Plant{
		zonal("CFL-BOT-003", "disabled", failed, "ai-bots", func(z *zone) {
			z.bots["ai_bots_protection"], z.bots["crawler_protection"] = "disabled", "disabled"
		}),
		zonal("CFL-BOT-003", "absent", failed, "ai-bots", func(z *zone) {
			delete(z.bots, "ai_bots_protection")
			delete(z.bots, "crawler_protection")
		}),
		zonal("CFL-BOT-004", "allow", failed, "likely-bots", func(z *zone) { z.bots["sbfm_likely_automated"] = "allow" }).on("business",
			"enterprise"),
	}
}
