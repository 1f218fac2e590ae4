package simcloud

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

func listRecords(c *call) answer {
	kind, name, content := c.query.Get("type"), c.query.Get("name"), c.query.Get("content")
	if kind == "" && name == "" && content == "" {
		return listOf(c, c.zone.records)
	}
	var out []record
	for _, r := range c.zone.records {
		if (kind == "" || kind == r.Type) && (name == "" || name == r.Name) && (content == "" || content == r.Content) {
			out = append(out, r)
		}
	}
	return listOf(c, out)
}

func (z *zone) recordIndex(id string) int {
	return slices.IndexFunc(z.records, func(r record) bool { return r.ID == id })
}

func noRecord() answer {
	return refuse(http.StatusNotFound, 81044, "Record does not exist.")
}

func readRecord(c *call) answer {
	if i := c.zone.recordIndex(c.id("record_id")); i >= 0 {
		return ok(c.zone.records[i])
	}
	return noRecord()
}

// validRecord runs the checks the API runs first and completes the record.
func (z *zone) validRecord(r *record) *answer {
	bad := func(code int, message string) *answer {
		a := refuse(http.StatusBadRequest, code, message)
		return &a
	}
	r.Name = strings.ToLower(r.Name)
	if r.Name == "@" {
		r.Name = z.name
	}
	if r.Name != z.name && !strings.HasSuffix(r.Name, "."+z.name) {
		r.Name += "." + z.name
	}
	addr, err := netip.ParseAddr(r.Content)
	switch {
	case r.Type == "" || (r.Content == "" && r.Data == nil):
		return bad(9005, "Content for the record is missing.")
	case r.Type == "A" && (err != nil || !addr.Is4()):
		return bad(9005, "Content for A record must be a valid IPv4 address.")
	case r.Type == "AAAA" && (err != nil || !addr.Is6()):
		return bad(9006, "Content for AAAA record must be a valid IPv6 address.")
	case r.TTL != 0 && r.TTL != 1 && (r.TTL < z.shortestTTL() || r.TTL > 86400):
		return bad(9021, "TTL must be 1 for automatic or between "+num(z.shortestTTL())+" and 86400 seconds.")
	case r.Type == "MX" && r.Priority == nil:
		return bad(9101, "priority is a required data field.")
	case z.occupied(r):
		return bad(81053, "An A, AAAA, or CNAME record with that host already exists.")
	}
	r.Proxiable = r.Type == "CNAME" || (r.Type == "A" || r.Type == "AAAA") && !addr.IsPrivate()
	if r.Proxied && !r.Proxiable {
		return bad(9004, "This record type cannot be proxied.")
	}
	if r.TTL == 0 || r.Proxied {
		r.TTL = 1
	}
	if r.Settings == nil {
		r.Settings = obj{}
	}
	if r.Tags == nil {
		r.Tags = []string{}
	}
	r.Meta = obj{}
	return nil
}

// shortestTTL returns the minimum TTL of the zone's records in seconds, see
// https://developers.cloudflare.com/dns/manage-dns-records/reference/ttl/.
func (z *zone) shortestTTL() int {
	if z.plan == "enterprise" {
		return 30
	}
	return 60
}

// occupied reports whether a CNAME would coexist with an address record or another CNAME of the same name.
func (z *zone) occupied(r *record) bool {
	return slices.ContainsFunc(z.records, func(o record) bool {
		hosts := []string{"A", "AAAA", "CNAME"}
		return o.ID != r.ID && o.Name == r.Name && (r.Type == "CNAME" || o.Type == "CNAME") && slices.Contains(hosts, r.Type) &&
			slices.Contains(hosts, o.Type)
	})
}

// same reports whether two records have the same type, name and content.
func (r record) same(o record) bool {
	return r.Type == o.Type && r.Name == o.Name && r.Content == o.Content && bytes.Equal(mustJSON(r.Data), mustJSON(o.Data)) &&
		bytes.Equal(mustJSON(r.Priority), mustJSON(o.Priority))
}

// edit applies one change to the zone. method POST creates, PUT replaces,
// PATCH merges and DELETE removes.
func (c *call) edit(method, id string, body json.RawMessage) answer {
	z := c.zone
	i := z.recordIndex(id)
	if method != http.MethodPost && i < 0 {
		return noRecord()
	}
	if method == http.MethodDelete {
		z.records = slices.Delete(z.records, i, i+1)
		return ok(obj{"id": id})
	}
	r := record{ID: id, CreatedOn: stamp(c.now)}
	if method == http.MethodPost {
		r.ID = z.next("written").hex32()
	} else {
		r.CreatedOn = z.records[i].CreatedOn
	}
	if method == http.MethodPatch {
		r = z.records[i]
	}
	keepID, keepCreated := r.ID, r.CreatedOn
	if json.Unmarshal(body, &r) != nil {
		return badBody()
	}
	r.ID, r.CreatedOn, r.ModifiedOn = keepID, keepCreated, stamp(c.now)
	if data, sent := r.Data.(map[string]any); sent { // the API derives the content from the data
		switch r.Type {
		case "CAA":
			r.Content = fmt.Sprintf("%v %v %q", data["flags"], data["tag"], data["value"])
		case "DNSKEY":
			r.Content = fmt.Sprintf("%v %v %v %v", data["flags"], data["protocol"], data["algorithm"], data["public_key"])
		}
	}
	if bad := z.validRecord(&r); bad != nil {
		return *bad
	}
	if slices.ContainsFunc(z.records, func(o record) bool { return o.ID != r.ID && o.same(r) }) {
		return refuse(http.StatusBadRequest, 81058, "An identical record already exists.")
	}
	if method == http.MethodPost {
		z.records = append(z.records, r)
	} else {
		z.records[i] = r
	}
	return ok(r)
}

func createRecord(c *call) answer { return c.edit(http.MethodPost, "", c.body) }
func patchRecord(c *call) answer  { return c.edit(http.MethodPatch, c.id("record_id"), c.body) }
func putRecord(c *call) answer    { return c.edit(http.MethodPut, c.id("record_id"), c.body) }
func deleteRecord(c *call) answer { return c.edit(http.MethodDelete, c.id("record_id"), nil) }

// batchRecords runs deletes, patches, puts and posts in this order, all or none, see
// https://developers.cloudflare.com/dns/manage-dns-records/how-to/batch-record-changes/.
func batchRecords(c *call) answer {
	var body map[string][]json.RawMessage
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	before := slices.Clone(c.zone.records)
	result := obj{}
	steps := []struct{ key, method string }{
		{"deletes", http.MethodDelete}, {"patches", http.MethodPatch}, {"puts", http.MethodPut}, {"posts", http.MethodPost},
	}
	for _, step := range steps {
		done := []any{}
		for _, raw := range body[step.key] {
			var target struct {
				ID string `json:"id"`
			}
			if json.Unmarshal(raw, &target) != nil {
				c.zone.records = before
				return badBody()
			}
			a := c.edit(step.method, target.ID, raw)
			if a.err != nil {
				c.zone.records = before
				return a
			}
			done = append(done, a.result)
		}
		result[step.key] = done
	}
	return ok(result)
}
