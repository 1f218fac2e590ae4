package simcloud

import (
	"maps"
	"slices"
	"time"
)

const (
	permAPI            = "Zone: API Gateway Read"
	canarySchemaSource = "leakcanary-schema-source"
)

// apiShield is the API Shield state of one zone.
type apiShield struct {
	operations, discovered, labels, schemas, tokenRules, tokenConfigs []obj
	configuration, settings                                           obj
}

// makeAPIShield adds API Shield to business and enterprise zones; zones on lower plans have nothing
// saved, see https://developers.cloudflare.com/api/resources/api_gateway/.
func (z *zone) makeAPIShield() {
	z.shielded = apiShield{
		configuration: obj{"auth_id_characteristics": []obj{}},
		settings:      obj{"validation_default_mitigation_action": "none", "validation_override_mitigation_action": nil},
	}
	if rank(z.plan) < 2 || z.acct.spec.Plain {
		return
	}
	z.addOperation("GET", "/v1/orders")
	z.addOperation("POST", "/v1/orders")
	z.addSchema("orders", true)
	z.addSchema("retired", false)
	z.shielded.settings["validation_default_mitigation_action"] = "block"
	if z.plan != "enterprise" {
		return
	}
	z.shielded.configuration["auth_id_characteristics"] = []obj{{"name": "authorization", "type": "header"}}
	z.addDiscovered("/v1/orders", "saved")
	z.addDiscovered("/health", "ignored")
	for _, name := range []string{"cf-log-in", "cf-risk-missing-auth", "cf-risk-mixed-auth", "cf-risk-sensitive", "cf-risk-missing-schema"} {
		z.addLabel(name, "managed", 0)
	}
	z.addLabel("payments", "user", 2)
	z.addTokenRule("block", true)
}

func (z *zone) addOperation(method, endpoint string) {
	z.shielded.operations = append(z.shielded.operations, obj{
		"operation_id": z.next("operation").uuid(), "method": method, "host": "api." + z.name, "endpoint": endpoint,
		"last_updated": z.acct.cloud.ago(60 * day),
		"features": obj{"schema_info": obj{"active_schema": obj{"id": z.next("operation-schema").uuid(), "name": "orders",
			"created_at": z.acct.cloud.ago(60 * day)}, "mitigation_action": nil}},
	})
}

func (z *zone) addDiscovered(endpoint, state string) {
	z.shielded.discovered = append(z.shielded.discovered, obj{
		"id": z.next("discovered").uuid(), "method": "GET", "host": "api." + z.name, "endpoint": endpoint, "state": state,
		"origin":       []string{"ML"},
		"last_updated": z.acct.cloud.ago(5 * day), "features": obj{"traffic_stats": obj{"requests": 1987, "period_seconds": 3600}},
	})
}

func (z *zone) addSchema(name string, on bool) {
	z.shielded.schemas = append(z.shielded.schemas, obj{
		"schema_id": z.next("schema").uuid(), "name": name, "kind": "openapi_v3", "validation_enabled": on,
		"created_at": z.acct.cloud.ago(60 * day),
		"source":     canarySchemaSource,
	})
}

func (z *zone) addLabel(name, source string, operations int) {
	z.shielded.labels = append(z.shielded.labels, obj{
		"name": name, "source": source, "description": "Label of endpoints", "metadata": obj{}, "created_at": z.acct.cloud.ago(60 * day),
		"last_updated": z.acct.cloud.ago(5 * day), "mapped_resources": obj{"operations": operations},
	})
}

func (z *zone) addTokenRule(action string, enabled bool) {
	z.shielded.tokenRules = append(z.shielded.tokenRules, obj{
		"id": z.next("token-rule").uuid(), "title": "Session tokens", "description": "Tokens of the shop", "action": action, "enabled": enabled,
		"expression": `is_jwt_valid("shop")`, "selector": obj{"include": []obj{{"host": []string{"api." + z.name}}}, "exclude": []obj{}},
		"created_at": z.acct.cloud.ago(60 * day), "last_updated": z.acct.cloud.ago(60 * day),
	})
}

// addTokenConfig adds keys that verify tokens, see
// https://developers.cloudflare.com/api/resources/token_validation/subresources/configuration/.
func (z *zone) addTokenConfig(title string, ago time.Duration) string {
	id := z.next("token-config").uuid()
	z.shielded.tokenConfigs = append(z.shielded.tokenConfigs, obj{
		"id": id, "title": title, "description": "Tokens of a partner", "token_type": "JWT",
		"token_sources": []string{`http.request.headers["authorization"][0]`},
		"credentials": obj{"keys": []obj{{"alg": "ES256", "kty": "EC", "kid": "1", "crv": "P-256", "x": canaryCertificate,
			"y": canaryCertificate}}},
		"created_at": z.acct.cloud.ago(ago), "last_updated": z.acct.cloud.ago(ago),
	})
	return id
}

// ofAPI returns a handler for an API Shield list; pro zones are not entitled, and some lists exist
// on enterprise only.
func ofAPI(least int, items func(*call, *apiShield) []obj) func(*call) answer {
	return func(c *call) answer {
		if c.zone.plan == "pro" || rank(c.zone.plan) < least {
			return notOnPlan()
		}
		return listOf(c, items(c, &c.zone.shielded))
	}
}

// operations includes schema information only if the query asks for it.
func operations(c *call, s *apiShield) []obj {
	if slices.Contains(c.query["feature"], "schema_info") {
		return s.operations
	}
	var out []obj
	for _, o := range s.operations {
		bare := maps.Clone(o)
		delete(bare, "features")
		out = append(out, bare)
	}
	return out
}

// discovered filters by the state in the query.
func discovered(c *call, s *apiShield) []obj {
	state := c.query.Get("state")
	var out []obj
	for _, o := range s.discovered {
		if state == "" || o["state"] == state {
			out = append(out, o)
		}
	}
	return out
}

// labelsOf omits the counters unless the query asks for them.
func labelsOf(c *call, s *apiShield) []obj {
	if c.query.Get("with_mapped_resource_counts") == "true" {
		return s.labels
	}
	return withoutMember(s.labels, "mapped_resources")
}

func schemasOf(c *call, s *apiShield) []obj {
	if c.query.Get("omit_source") == "true" {
		return withoutMember(s.schemas, "source")
	}
	return s.schemas
}

func withoutMember(all []obj, name string) []obj {
	out := []obj{}
	for _, o := range all {
		short := obj{}
		for k, v := range o {
			if k != name {
				short[k] = v
			}
		}
		out = append(out, short)
	}
	return out
}

func readAPIConfiguration(c *call) answer {
	if c.zone.plan != "enterprise" {
		return notOnPlan()
	}
	return ok(c.zone.shielded.configuration)
}

func readSchemaSettings(c *call) answer {
	if c.zone.plan == "pro" {
		return notOnPlan()
	}
	return ok(c.zone.shielded.settings)
}

// writeSchemaSettings changes only the members in the request, see
// https://developers.cloudflare.com/api/resources/schema_validation/subresources/settings/.
func writeSchemaSettings(c *call) answer {
	if c.zone.plan == "pro" {
		return notOnPlan()
	}
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	actions := map[string][]any{
		"validation_default_mitigation_action":  {"none", "log", "block"},
		"validation_override_mitigation_action": {nil, "none", "log", "block"},
	}
	for k, v := range sent {
		if !slices.Contains(actions[k], v) {
			return invalid("the action is not one of those " + k + " takes")
		}
	}
	c.zone.shielded.settings = merged(c.zone.shielded.settings, sent)
	return ok(c.zone.shielded.settings)
}

func apiRoutes(z string) []Route {
	g := z + "/api_gateway"
	lists := pages(20, 50)
	return []Route{
		list(g+"/operations", permAPI, "zone/api_operations", lists, ofAPI(0, operations)),
		list(g+"/discovery/operations", permAPI, "zone/api_discovery", lists, ofAPI(3, discovered)),
		read(g+"/configuration", permAPI, "zone/api_configuration", readAPIConfiguration),
		list(g+"/labels", permAPI, "zone/api_labels", lists, ofAPI(3, labelsOf)),
		read(z+"/schema_validation/settings", permAPI, "zone/schema_settings", readSchemaSettings),
		change("PATCH", z+"/schema_validation/settings", permAPI, writeSchemaSettings),
		list(z+"/schema_validation/schemas", permAPI, "zone/schemas", lists, ofAPI(0, schemasOf)),
		list(z+"/token_validation/config", permAPI, "zone/token_configs", lists,
			ofAPI(3, func(_ *call, s *apiShield) []obj { return s.tokenConfigs })),
		list(z+"/token_validation/rules", permAPI, "zone/token_validation_rules", lists,
			ofAPI(3, func(_ *call, s *apiShield) []obj { return s.tokenRules })),
	}
}
