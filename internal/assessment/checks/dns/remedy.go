package dns

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const recordPath = "/zones/{zone_id}/dns_records/{id}"

// record returns the live record of the finding and where it is read.
func record(c *propose.Case) (change.Place, map[string]any, error) {
	place, live, err := c.At(recordPath)
	return place, live, err
}

// deletion deletes a record. Undo creates it again with everything that can be sent; for a type
// whose content the API builds from data, only data is sent, see
// https://developers.cloudflare.com/api/resources/dns/subresources/records/methods/create/.
func deletion(c *propose.Case, place change.Place, live map[string]any) ([]change.Edit, error) {
	if meta, _ := live["meta"].(map[string]any); propose.Flag(meta, "read_only") {
		return nil, propose.Refuse("The record is managed by another product of Cloudflare and is removed there.")
	}
	members := map[string]any{}
	for _, name := range []string{"type", "name", "content", "data", "priority", "ttl", "proxied", "settings", "comment", "tags"} {
		if live[name] != nil && (name != "content" || live["data"] == nil) {
			members[name] = live[name]
		}
	}
	collection := c.Path("/zones/{zone_id}/dns_records")
	again := change.Place{Path: propose.RecordsPath(c.Finding.Resource.ZoneID, propose.Text(live, "type"), propose.Text(live, "name")),
		Match: map[string]any{"type": live["type"], "name": live["name"], "content": live["content"]}}
	return []change.Edit{propose.Delete(place, again, place.Path, collection, live, members)}, nil
}

// mustStayDirect returns why a record must answer without the proxy, "" when nothing speaks against
// the proxy.
func mustStayDirect(c *propose.Case, live map[string]any) (string, error) {
	r := snapshot.DNSRecord{Name: propose.Text(live, "name"), Type: propose.Text(live, "type"), Content: propose.Text(live, "content")}
	own := true
	if r.Type == "CNAME" && !slices.ContainsFunc(c.Policy.OwnHosts, func(d string) bool { return exposure.Within(r.Content, d) }) {
		zone, err := c.OwnZoneOf(r.Content)
		if err != nil {
			return "", err
		}
		own = zone != nil
	}
	var others []snapshot.DNSRecord
	var waiting error
	for _, kind := range []string{"MX", "NS", "SRV", "TXT"} {
		all, err := c.Records(c.Finding.Resource.ZoneID, kind, "")
		if propose.Waits(err) {
			waiting = err
			continue
		}
		if err != nil {
			return "", err
		}
		for _, o := range all {
			others = append(others, snapshot.DNSRecord{Name: propose.Text(o, "name"), Type: kind, Content: propose.Text(o, "content")})
		}
	}
	d, _ := exposure.DirectRecord(r, exposure.DirectTargets(others), own)
	if d.Why != "" {
		return d.Why, nil
	}
	return "", waiting
}
