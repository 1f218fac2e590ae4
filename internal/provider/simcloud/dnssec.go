package simcloud

import (
	"encoding/json"
	"net/http"
)

func (z *zone) makeDNSSEC() {
	digest := z.next("dnssec").hex32() + z.next("dnssec").hex32()
	z.dnssec = obj{
		"status": "active", "flags": 257, "algorithm": "13", "key_type": "ECDSAP256SHA256", "digest_type": "2",
		"digest_algorithm": "SHA256", "digest": digest, "ds": z.name + ". 3600 IN DS 2371 13 2 " + digest, "key_tag": 2371,
		"public_key": digest, "modified_on": z.acct.cloud.ago(200 * day), "dnssec_multi_signer": false, "dnssec_presigned": false,
	}
}

func readDNSSEC(c *call) answer { return ok(c.zone.dnssec) }

// writeDNSSEC follows
// https://developers.cloudflare.com/api/resources/dns/subresources/dnssec/methods/edit/:
// signing stays pending until the registrar publishes the DS record (see
// [Cloud.PublishDS]).
func writeDNSSEC(c *call) answer {
	var body struct {
		Status string `json:"status"`
	}
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	d := c.zone.dnssec
	was, _ := d["status"].(string)
	switch {
	case body.Status == statusActive && (was == "disabled" || was == "pending-disabled" || was == "error"):
		d["status"] = "pending"
	case body.Status == "disabled" && was == statusActive:
		d["status"] = "pending-disabled"
	case body.Status == "disabled":
		d["status"] = "disabled"
	case body.Status != statusActive:
		return refuse(http.StatusBadRequest, 1004, "status must be active or disabled")
	}
	d["modified_on"] = stamp(c.now)
	return ok(d)
}
