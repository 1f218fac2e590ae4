package simcloud

import "slices"

// bucketRules are the settings of a bucket other than its domains.
type bucketRules struct {
	cors, lifecycle, locks []obj
}

// newRules returns rules that expire objects after a year; the first one is what every new bucket has.
func newRules() bucketRules {
	return bucketRules{lifecycle: []obj{
		{"id": "Default Multipart Abort Rule", "enabled": true, "conditions": obj{},
			"abortMultipartUploadsTransition": obj{"condition": obj{"type": "Age", "maxAge": 604800}}},
		expireRule("", 365),
	}}
}

func expireRule(prefix string, days int) obj {
	return obj{
		"id": "Expire " + prefix, "enabled": true, "conditions": obj{"prefix": prefix},
		"deleteObjectsTransition": obj{"condition": obj{"type": "Age", "maxAge": days * 86400}}, "storageClassTransitions": []obj{},
	}
}

func lockRule(prefix string, days int) obj {
	return obj{"id": "Keep " + prefix, "enabled": true, "prefix": prefix, "condition": obj{"type": "Age", "maxAgeSeconds": days * 86400}}
}

func corsRule(origin string, methods ...string) obj {
	return obj{"id": "Rule for " + origin, "allowed": obj{"origins": []string{origin}, "methods": methods,
		"headers": []string{"content-type"}}, "maxAgeSeconds": 3600}
}

const logBucket = "log-archive"

// makeBuckets adds a bucket for logs and puts public buckets behind Access, see
// https://developers.cloudflare.com/api/resources/r2/subresources/buckets/.
func (a *account) makeBuckets() {
	if !a.r2Enabled {
		return
	}
	a.addBucket(logBucket, defaultJurisdiction).locks = []obj{lockRule("", 90)}
	for i, b := range a.buckets {
		if i == 0 {
			b.cors = []obj{corsRule("https://"+a.zoneName(0), "GET", "PUT")}
		}
		for _, d := range b.custom {
			if a.org == nil {
				d["enabled"] = false
				continue
			}
			a.addApp("Files", "self_hosted", asText(d["domain"]))
		}
	}
}

// publish adds a custom domain to a bucket; guarded puts it behind Access.
func (a *account) publish(b *bucket, label, minTLS string, guarded bool) obj {
	d := obj{
		"domain": label + "." + a.zoneName(0), "enabled": true, "ciphers": []string{}, "zoneId": a.zoneID(0), "zoneName": a.zoneName(0),
		"status": obj{"ownership": "active", "ssl": "active"},
	}
	if minTLS != "" {
		d["minTLS"] = minTLS
	}
	b.custom = append(b.custom, d)
	if guarded {
		a.addApp("Files of "+b.name, "self_hosted", asText(d["domain"]))
	}
	return d
}

// ofBucket returns a handler for one kind of rules of the bucket in the path.
func ofBucket(part func(*bucket) []obj) func(*call) answer {
	return func(c *call) answer {
		b := c.bucket()
		if b == nil {
			return noBucket()
		}
		rules := part(b)
		if rules == nil {
			rules = []obj{}
		}
		return ok(obj{"rules": rules})
	}
}

// readCORS returns not found while a bucket has no rule.
func readCORS(c *call) answer {
	if b := c.bucket(); b != nil && len(b.cors) == 0 {
		return refuse(404, 10059, "The CORS configuration does not exist.")
	}
	return ofBucket(func(b *bucket) []obj { return b.cors })(c)
}

// writeLocks replaces the lock rules of a bucket, see
// https://developers.cloudflare.com/api/resources/r2/subresources/buckets/subresources/locks/.
func writeLocks(c *call) answer {
	b := c.bucket()
	if b == nil {
		return noBucket()
	}
	sent, valid := c.sent()
	list, isList := sent["rules"].([]any)
	if !valid || (sent["rules"] != nil && !isList) {
		return badBody()
	}
	rules, seen := objects(list), map[string]bool{}
	if len(rules) != len(list) {
		return badBody()
	}
	for _, r := range rules {
		condition, _ := r["condition"].(obj)
		age := condition["type"] == "Age" && number(condition["maxAgeSeconds"]) > 0
		dated := condition["type"] == "Date" && asText(condition["date"]) != ""
		_, isSwitch := r["enabled"].(bool)
		if id := asText(r["id"]); id == "" || seen[id] || !isSwitch || !(age || dated || condition["type"] == "Indefinite") {
			return refuse(400, 10040, "Each rule needs an id of its own, enabled, and a condition.")
		}
		seen[asText(r["id"])] = true
	}
	b.locks = rules
	return ok(obj{})
}

func noDomain() answer { return refuse(404, 10060, "The custom domain does not exist.") }

func (b *bucket) domain(host string) int { return byKey(b.custom, "domain", host) }

func readCustomDomain(c *call) answer {
	b := c.bucket()
	if b == nil {
		return noBucket()
	}
	if i := b.domain(c.id("domain")); i >= 0 {
		return ok(b.custom[i])
	}
	return noDomain()
}

// writeCustomDomain changes a custom domain of a bucket. Without minTLS the minimum of the zone
// applies; enabled keeps its value when it is missing.
func writeCustomDomain(c *call) answer {
	b := c.bucket()
	if b == nil {
		return noBucket()
	}
	i := b.domain(c.id("domain"))
	if i < 0 {
		return noDomain()
	}
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	sent = pick(sent, b.custom[i], "minTLS", "ciphers")
	version, given := sent["minTLS"]
	if !fits(b.custom[i], sent) || version != nil && !slices.Contains([]any{"1.0", "1.1", "1.2", "1.3"}, version) {
		return refuse(400, 10062, "minTLS must be a version of TLS, enabled a switch and ciphers a list.")
	}
	changed := merged(b.custom[i], sent, "domain", "zoneId", "zoneName", "status")
	if !given || version == nil {
		delete(changed, "minTLS")
	}
	b.custom[i] = changed
	return ok(changed)
}
