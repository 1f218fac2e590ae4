package simcloud

import (
	"fmt"
	"slices"
)

const canaryProduct = "leakcanary-product"

// hold appends an object of a product whose list is returned as stored. of is the source that lists
// it, followed by the parent's id if there is one list per parent.
func (a *account) hold(of string, o obj) obj {
	if a.held == nil {
		a.held = map[string][]obj{}
	}
	a.held[of] = append(a.held[of], o)
	return o
}

// makeProducts adds one good object of each product that is assessed once per account.
func (a *account) makeProducts() {
	if a.spec.Workers < 0 || a.spec.Plain {
		return
	}
	a.addStream("clicks")
	a.hold("account/pipeline_sinks", obj{"id": a.next("sink").hex32(), "name": "lake", "type": "r2",
		"config": obj{"account_id": a.id, "bucket": "events", "path": canaryProduct}, "format": obj{"type": "json"}})
	a.addSecret("PAYMENT_KEY")
	a.hold("account/image_variants", obj{"id": "hero", "neverRequireSignedURLs": false,
		"options": obj{"fit": "scale-down", "metadata": "none", "width": 1366, "height": 768}})
	a.addVideo(true)
	a.addKey("account/stream_keys", "", 30)
	a.addKey("account/turn_keys", "video", 30)
	a.hold("account/dispatch_namespaces", obj{"namespace_id": a.next("dispatch").uuid(), "namespace_name": "customers",
		"trusted_workers": false, "script_count": 12})
	a.addContainer("encoder")
	a.hold("account/ai_search_namespaces", obj{"name": "default", "description": canaryProduct, "public_endpoint_params": nil})
	a.addIndex("handbook", obj{"enabled": false, "default_domain_enabled": true})
	if slices.Contains(a.plans, "enterprise") {
		a.addPrefix("203.0.113.0/24")
	}
	if slices.Contains(a.plans, "enterprise") || slices.Contains(a.plans, "business") {
		a.addRoom("checkout")
	}
}

func (a *account) addStream(name string) obj {
	id := a.next("stream").hex32()
	return a.hold("account/pipeline_streams", obj{"id": id, "name": name, "version": 1, "endpoint": "https://" + id + ".ingest.cloudflare.com",
		"http":           obj{"enabled": true, "authentication": true, "cors": obj{"origins": []string{"https://" + a.zoneName(0)}}},
		"worker_binding": obj{"enabled": true}, "schema": obj{"fields": []obj{{"type": "string", "name": canaryProduct}}}})
}

const secretStore = "account/secret_stores"

// addSecret appends a secret to the account's secrets store.
func (a *account) addSecret(name string) obj {
	if len(a.held[secretStore]) == 0 {
		a.hold(secretStore, obj{"id": a.next("store").hex32(), "name": "default",
			"created": a.cloud.ago(90 * day), "modified": a.cloud.ago(90 * day)})
	}
	store := asText(a.held[secretStore][0]["id"])
	return a.hold("secretstore/secrets/"+store, obj{"id": a.next("secret").hex32(), "name": name, "status": "active", "store_id": store,
		"comment": canaryProduct, "scopes": []string{"workers"}, "created": a.cloud.ago(60 * day), "modified": a.cloud.ago(60 * day)})
}

func (a *account) addVideo(signed bool) obj {
	return a.hold("account/stream_videos", obj{"uid": a.next("video").hex32(), "requireSignedURLs": signed, "allowedOrigins": []string{},
		"meta": obj{"name": canaryProduct}, "readyToStream": true})
}

func (a *account) addKey(of, name string, days int) obj {
	id := a.next("media-key").hex32()
	k := obj{"uid": id, "name": name, "created": a.cloud.ago(since(days)), "modified": a.cloud.ago(since(days))}
	if name == "" {
		k = obj{"id": id, "created": a.cloud.ago(since(days))}
	}
	return a.hold(of, k)
}

func (a *account) addContainer(name string) obj {
	return a.hold("account/containers", obj{"id": a.next("container").uuid(), "name": name, "instances": 1, "version": 1,
		"configuration": obj{"image": "registry.cloudflare.com/" + a.id + "/" + name + ":1",
			"environment_variables": []obj{{"name": "REGION_LABEL", "value": canaryProduct}}, "wrangler_ssh": obj{"enabled": true}}})
}

// addIndex appends an AI Search instance to the default namespace, under another id when there is one with it.
func (a *account) addIndex(id string, endpoint obj) obj {
	if have := a.held["aisearch/instances/default"]; byKey(have, "id", id) >= 0 {
		id = fmt.Sprintf("%s-%d", id, len(have))
	}
	return a.hold("aisearch/instances/default", obj{"id": id, "type": "r2", "source": canaryProduct, "namespace": "default",
		"public_endpoint_params": endpoint, "system_prompt_ai_search": canaryProduct})
}

func (a *account) addPrefix(cidr string) obj {
	return a.hold("account/ip_prefixes", obj{"id": a.next("prefix").hex32(), "cidr": cidr, "asn": 64500, "approved": "V",
		"irr_validation_state": "valid", "rpki_validation_state": "valid", "ownership_validation_state": "valid",
		"ownership_validation_token": canaryProduct})
}

func (a *account) addRoom(name string) obj {
	return a.hold("account/waiting_rooms", obj{"id": a.next("room").hex32(), "name": name, "host": a.zoneName(0), "path": "/" + name,
		"suspended": false, "queueing_method": "fifo", "cookie_attributes": obj{"samesite": "auto", "secure": "always"},
		"turnstile_mode": "invisible", "turnstile_action": "infinite_queue", "custom_page_html": canaryProduct})
}

// listHeld returns a handler for a product's list.
func listHeld(of string) func(*call) answer {
	return func(c *call) answer { return listOf(c, c.acct.held[of]) }
}

// listHeldOf returns a handler for a list that belongs to a parent object.
func listHeldOf(of, item string) func(*call) answer {
	return func(c *call) answer { return listOf(c, c.acct.held[of+"/"+c.id(item)]) }
}

// listVariants returns the variants keyed by name.
func listVariants(c *call) answer {
	all := obj{}
	for _, v := range c.acct.held["account/image_variants"] {
		all[asText(v["id"])] = v
	}
	return ok(obj{"variants": all})
}

// patchStream replaces the HTTP endpoint of a stream.
func patchStream(c *call) answer {
	i := byKey(c.acct.held["account/pipeline_streams"], "id", c.id("stream_id"))
	if i < 0 {
		return notFound("stream")
	}
	sent, valid := c.sent()
	http, isObject := sent["http"].(obj)
	if !valid || !isObject {
		return badBody()
	}
	c.acct.held["account/pipeline_streams"][i]["http"] = http
	return ok(c.acct.held["account/pipeline_streams"][i])
}
