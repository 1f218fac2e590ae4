package simcloud

import "maps"

const (
	permZaraz         = "Zone: Zaraz Read"
	canaryZarazDebug  = "leakcanary-zaraz-debug-key"
	canaryZarazValue  = "leakcanary-zaraz-value"
	canaryZarazConfig = "leakcanary-zaraz-settings"
)

// makeZaraz configures tools on paid plans; a zone that never opened the product
// has the default configuration, see
// https://developers.cloudflare.com/api/resources/zaraz/subresources/config/.
func (z *zone) makeZaraz() {
	z.zaraz = obj{
		"zarazVersion": 60, "debugKey": canaryZarazDebug, "dataLayer": true, "historyChange": false, "tools": obj{}, "variables": obj{},
		"triggers": obj{"Pageview": obj{"name": "Pageview", "system": "pageload", "loadRules": []obj{}, "excludeRules": []obj{}}},
		"settings": obj{"autoInjectScript": true}, "consent": obj{"enabled": false, "purposes": obj{}},
	}
	if z.plan == "free" || z.acct.spec.Plain {
		return
	}
	z.zaraz["consent"] = obj{
		"enabled": true, "purposes": obj{"stat": obj{"name": "Statistics", "description": "Counts visits"}},
		"consentModalIntroHTML": "We count visits.", "hideModal": false,
	}
	z.addTool("analytics", obj{"name": "Analytics", "component": "google-analytics_v4"})
	off := z.addTool("retired", obj{"name": "Old snippet", "component": "html"})
	off["enabled"] = false // a disabled tool is not assessed
	z.addVariable("region", "string", canaryZarazValue)
	z.addVariable("signing", "secret", plantedSecrets()[2].value)
}

func (z *zone) addTool(id string, members obj) obj {
	tool := obj{
		"name": id, "enabled": true, "type": "component", "component": id, "defaultPurpose": "stat", "permissions": []string{"access_client_kv",
			"server_network_requests"},
		"settings": obj{"token": canaryZarazConfig}, "defaultFields": obj{}, "actions": obj{}, "blockingTriggers": []string{},
	}
	maps.Copy(tool, members)
	tools, _ := z.zaraz["tools"].(obj)
	tools[id] = tool
	return tool
}

func (z *zone) addVariable(id, kind, value string) {
	variables, _ := z.zaraz["variables"].(obj)
	variables[id] = obj{"name": id, "type": kind, "value": value}
}

func readZaraz(c *call) answer { return ok(c.zone.zaraz) }
