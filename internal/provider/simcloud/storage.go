package simcloud

import (
	"encoding/json"
	"net/http"
)

// bucket is one R2 bucket with its two kinds of public domains.
type bucket struct {
	name, jurisdiction, id string
	public                 bool
	custom                 []obj
	bucketRules
}

const defaultJurisdiction = "default"

// makeStorage generates R2 buckets, KV namespaces, D1 databases and queues;
// see https://developers.cloudflare.com/api/resources/r2/subresources/buckets/.
func (a *account) makeStorage() {
	a.r2Enabled = a.spec.Buckets >= 0
	for i := range count(a.spec.Buckets, 2) {
		place := defaultJurisdiction
		if i%4 == 3 {
			place = "eu"
		}
		b := a.addBucket("assets-"+num(i+1), place)
		if i == 0 {
			b.custom = []obj{{
				"domain": "files." + a.zoneName(0), "enabled": true, "minTLS": "1.2", "ciphers": []string{}, "zoneId": a.zoneID(0),
				"zoneName": a.zoneName(0), "status": obj{"ownership": "active", "ssl": "active"},
			}}
		}
	}
	s := a.next("storage")
	for i := range count(a.spec.Namespaces, 1) {
		a.namespaces = append(a.namespaces, obj{"id": s.hex32(), "title": "sessions-" + num(i+1), "supports_url_encoding": true})
	}
	for i := range count(a.spec.Databases, 1) {
		a.databases = append(a.databases, obj{
			"uuid": s.uuid(), "name": "orders-" + num(i+1), "version": "production", "created_at": a.cloud.ago(60 * day),
			"jurisdiction": nil,
		})
	}
	for i := range count(a.spec.Queues, 1) {
		a.queues = append(a.queues, obj{
			"queue_id": s.hex32(), "queue_name": "mail-" + num(i+1), "created_on": a.cloud.ago(60 * day), "modified_on": a.cloud.ago(60 * day),
			"producers_total_count": 0, "producers": []obj{}, "consumers_total_count": 0, "consumers": []obj{},
		})
	}
}

func (a *account) addBucket(name, jurisdiction string) *bucket {
	b := &bucket{name: name, jurisdiction: jurisdiction, id: a.next("bucket").hex32(), bucketRules: newRules()}
	a.buckets = append(a.buckets, b)
	return b
}

// jurisdiction returns the jurisdiction selected by the request header.
func (c *call) jurisdiction() string {
	if j := c.r.Header.Get("Cf-R2-Jurisdiction"); j != "" {
		return j
	}
	return defaultJurisdiction
}

func r2Disabled() answer {
	return refuse(http.StatusForbidden, 10042, "Please enable R2 through the Cloudflare Dashboard.")
}

func listBuckets(c *call) answer {
	if !c.acct.r2Enabled {
		return r2Disabled()
	}
	var out []obj
	for _, b := range c.acct.buckets {
		if b.jurisdiction == c.jurisdiction() {
			out = append(out, obj{
				"name": b.name, "jurisdiction": b.jurisdiction, "location": "weur", "storage_class": "Standard", "creation_date": c.cloud.ago(80 * day),
			})
		}
	}
	got := listOf(c, out)
	if got.err == nil {
		got.result = obj{"buckets": got.result}
	}
	return got
}

func (c *call) bucket() *bucket {
	for _, b := range c.acct.buckets {
		if b.name == c.id("bucket_name") && b.jurisdiction == c.jurisdiction() {
			return b
		}
	}
	return nil
}

func (b *bucket) managed() obj {
	return obj{"bucketId": b.id, "domain": "pub-" + b.id + ".r2.dev", "enabled": b.public}
}

func noBucket() answer {
	return refuse(http.StatusNotFound, 10006, "The specified bucket does not exist.")
}

func readManagedDomain(c *call) answer {
	if b := c.bucket(); b != nil {
		return ok(b.managed())
	}
	return noBucket()
}

func writeManagedDomain(c *call) answer {
	b := c.bucket()
	if b == nil {
		return noBucket()
	}
	var body struct {
		Enabled *bool `json:"enabled"`
	}
	if json.Unmarshal(c.body, &body) != nil || body.Enabled == nil {
		return badBody()
	}
	b.public = *body.Enabled
	return ok(b.managed())
}

func readCustomDomains(c *call) answer {
	b := c.bucket()
	if b == nil {
		return noBucket()
	}
	domains := b.custom
	if domains == nil {
		domains = []obj{}
	}
	return ok(obj{"domains": domains})
}

func listNamespaces(c *call) answer { return listOf(c, c.acct.namespaces) }
func listDatabases(c *call) answer  { return listOf(c, c.acct.databases) }
func listQueues(c *call) answer     { return listOf(c, c.acct.queues) }
