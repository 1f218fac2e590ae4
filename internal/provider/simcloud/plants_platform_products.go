package simcloud

import (
	"slices"
	"time"
)

func since(days int) time.Duration { return time.Duration(days) * day }

func usesProducts(a *account) bool { return len(a.held) > 0 }

// product returns a plant of a product that is assessed once per account.
func product(check, variant, result string, change func(*account)) Plant {
	return accountWide(check, variant, result, check+"/"+variant, change).when(usesProducts)
}

func plantsProducts() []Plant {
	return slices.Concat(plantsPipelines(), plantsMedia(), plantsContainers(), plantsAddresses())
}

func plantsPipelines() []Plant {
	stream := func(check, variant, result string, http obj) Plant {
		return product(check, variant, result, func(a *account) {
			s := a.addStream(variant)
			if http["cors"] == nil {
				http["cors"] = obj{"origins": []string{}}
			}
			s["http"] = http
		})
	}
	scopes := func(variant, result string, scopes ...string) Plant {
		return product("CFL-SECRET-001", variant, result, func(a *account) { a.addSecret("WIDE_" + variant)["scopes"] = scopes })
	}
	unchanged := func(variant, result string, days int) Plant {
		return product("CFL-SECRET-002", variant, result, func(a *account) {
			s := a.addSecret("OLD_" + variant)
			s["created"], s["modified"] = a.cloud.ago(since(days)), a.cloud.ago(since(days))
		})
	}
	everyone := obj{"origins": []string{"*"}}
	return []Plant{
		stream("CFL-PIPE-001", "open", failed, obj{"enabled": true, "authentication": false}),
		stream("CFL-PIPE-002", "any-origin", warning, obj{"enabled": true, "authentication": true, "cors": everyone}),
		product("CFL-PIPE-002", "open-any-origin", failed, nil).applying(func(s *Scene) []Planted {
			s.account.addStream("open-any-origin")["http"] = obj{"enabled": true, "authentication": false, "cors": everyone}
			return append(one("CFL-PIPE-002", "account", s.account.id, failed), one("CFL-PIPE-001", "account", s.account.id, failed)...)
		}),
		product("CFL-PIPE-003", "foreign", failed, func(a *account) {
			a.hold("account/pipeline_sinks", obj{"id": a.next("sink").hex32(), "name": "foreign", "type": "r2",
				"config": obj{"account_id": hexID(0, "another account"), "bucket": "events"}})
		}),
		scopes("two", warning, "workers", "ai_gateway"), scopes("all", failed, "workers", "ai_gateway", "access", "containers"),
		unchanged("old", warning, 400), unchanged("very-old", failed, 1200),
	}
}

func plantsMedia() []Plant {
	variant := func(check, name string, open bool, metadata string) Plant {
		return product(check, name, failed, func(a *account) {
			a.hold("account/image_variants", obj{"id": name, "neverRequireSignedURLs": open,
				"options": obj{"fit": "contain", "metadata": metadata, "width": 1920, "height": 1080}})
		})
	}
	key := func(check, of, variant, name, result string, days int) Plant {
		return product(check, variant, result, func(a *account) { a.addKey(of, name, days) })
	}
	return []Plant{
		variant("CFL-IMAGES-001", "full", true, "none"), variant("CFL-IMAGES-002", "raw", false, "keep"),
		product("CFL-STREAM-001", "one-open", failed, func(a *account) { a.addVideo(false) }).sharing("videos"),
		product("CFL-STREAM-001", "all-open", warning, func(a *account) {
			a.held["account/stream_videos"] = nil
			a.addVideo(false)
		}).sharing("videos"),
		key("CFL-STREAM-002", "account/stream_keys", "old", "", warning, 500),
		key("CFL-STREAM-002", "account/stream_keys", "very-old", "", failed, 1500),
		key("CFL-CALLS-001", "account/turn_keys", "old", "old", warning, 500),
		key("CFL-CALLS-001", "account/turn_keys", "very-old", "very-old", failed, 1500),
		product("CFL-AISEARCH-001", "public", failed, func(a *account) {
			a.addIndex("public", obj{"enabled": true, "default_domain_enabled": true, "authorized_hosts": []string{a.zoneName(0)}})
		}),
		product("CFL-AISEARCH-001", "public-by-default", failed, func(a *account) { a.addIndex("docs", obj{"enabled": true}) }),
		product("CFL-AISEARCH-001", "website", warning, func(a *account) {
			a.addIndex("website", obj{"enabled": true, "default_domain_enabled": true})["type"] = "web-crawler"
		}),
		product("CFL-AISEARCH-001", "namespace", failed, func(a *account) {
			a.held["account/ai_search_namespaces"][0]["public_endpoint_params"] = obj{"enabled": true, "default_domain_enabled": true}
		}),
	}
}

func plantsContainers() []Plant {
	configured := func(check, variant, result string, change func(obj)) Plant {
		return product(check, variant, result, func(a *account) {
			config, _ := a.addContainer(variant)["configuration"].(obj)
			change(config)
		})
	}
	variable := func(variant, result, name, value string) Plant {
		return configured("CFL-CONT-002", variant, result, func(c obj) { c["environment_variables"] = []obj{{"name": name, "value": value}} })
	}
	shaped, dense := plantedSecrets(), entropySecret()
	keys := []obj{{"name": "laptop", "public_key": "ssh-ed25519 " + canaryProduct}}
	return []Plant{
		configured("CFL-CONT-001", "key", failed, func(c obj) { c["authorized_keys"] = keys }),
		configured("CFL-CONT-001", "key-by-default", failed, func(c obj) {
			c["authorized_keys"] = keys
			delete(c, "wrangler_ssh")
		}),
		variable("shape", failed, shaped[1].name, shaped[1].value), variable("entropy", failed, dense.name, dense.value),
		variable("placeholder", warning, "API_TOKEN", "changeme"),
		product("CFL-WORK-014", "trusted", failed, func(a *account) {
			a.hold("account/dispatch_namespaces", obj{"namespace_name": "shops", "trusted_workers": true, "script_count": 40})
		}).sharing("namespaces"),
		product("CFL-WORK-014", "trusted-alone", warning, func(a *account) {
			a.hold("account/dispatch_namespaces", obj{"namespace_name": "shops", "trusted_workers": true, "script_count": 1})
		}).sharing("namespaces"),
	}
}

func plantsAddresses() []Plant {
	prefix := func(check, variant, result string, change func(*account, obj)) Plant {
		return product(check, variant, result, func(a *account) { change(a, a.addPrefix("198.51.100.0/24")) }).on("enterprise")
	}
	state := func(variant, result, member, word string) Plant {
		return prefix("CFL-BYOIP-001", variant, result, func(_ *account, p obj) { p[member] = word })
	}
	delegated := func(variant, result string, cidrs ...string) Plant {
		return prefix("CFL-BYOIP-002", variant, result, func(a *account, p obj) {
			for _, c := range cidrs {
				a.hold("prefix/delegations/"+asText(p["id"]), obj{"id": a.next("delegation").hex32(), "cidr": c,
					"delegated_account_id": hexID(0, "another account"), "parent_prefix_id": p["id"]})
			}
		})
	}
	room := func(check, variant string, change func(obj)) Plant {
		return product(check, variant, failed, func(a *account) { change(a.addRoom(variant)) }).on("enterprise")
	}
	return []Plant{
		state("wrong-roa", failed, "rpki_validation_state", "mismatch_asn"), state("no-route", failed, "irr_validation_state", "missing"),
		state("waiting", warning, "ownership_validation_state", "pending"),
		delegated("part", warning, "198.51.100.0/25"), delegated("whole", failed, "198.51.100.0/24"),
		delegated("halves", failed, "198.51.100.0/25", "198.51.100.128/25"),
		room("CFL-WAIT-001", "clear", func(r obj) { r["cookie_attributes"] = obj{"samesite": "auto", "secure": "never"} }),
		room("CFL-WAIT-002", "untested", func(r obj) { r["turnstile_mode"] = "off" }),
	}
}
