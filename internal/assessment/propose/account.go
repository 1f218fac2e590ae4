package propose

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// OwnZones returns the zones of the account.
func (c *Case) OwnZones() ([]map[string]any, error) {
	return c.List(c.Path("/zones?account.id={account_id}"))
}

// OwnZoneOf returns the account's zone that contains a hostname, or nil. Of nested zones the
// longest name wins.
func (c *Case) OwnZoneOf(host string) (map[string]any, error) {
	zones, err := c.OwnZones()
	if err != nil {
		return nil, err
	}
	var found map[string]any
	for _, z := range zones {
		if name := Text(z, "name"); name != "" && exposure.Within(host, name) && len(name) > len(Text(found, "name")) {
			found = z
		}
	}
	return found, nil
}

// mailAddress allows only letters, digits and a few other characters, so that an address has no
// other meaning inside a DNS record or an address list.
func mailAddress() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$`)
}

// Records returns the DNS records of a zone of one type, "" for any, at one name, ""
// for any.
func (c *Case) Records(zoneID, kind, name string) ([]map[string]any, error) {
	all, err := c.List(RecordsPath(zoneID, kind, name))
	if err != nil {
		return nil, err
	}
	var out []map[string]any
	for _, r := range all {
		if (kind == "" || Text(r, "type") == kind) && (name == "" || exposure.Same(Text(r, "name"), name)) {
			out = append(out, r)
		}
	}
	return out, nil
}

// RecordsPath returns the path that Records reads.
func RecordsPath(zoneID, kind, name string) string {
	query := url.Values{}
	if kind != "" {
		query.Set("type", kind)
	}
	if name != "" {
		query.Set("name", strings.ToLower(snapshot.ASCII(name)))
	}
	path := "/zones/" + zoneID + "/dns_records"
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// OfBucket returns the object at a path below the bucket of the finding. A bucket of another
// jurisdiction is returned only with its header, see
// https://developers.cloudflare.com/r2/reference/data-location/. A finding names it only where another
// one has a bucket of that name.
func (c *Case) OfBucket(below string) (change.Place, map[string]any, error) {
	places, name := append([]string{""}, snapshot.R2Jurisdictions()...), c.Finding.Resource.ID
	if jurisdiction, own, told := strings.Cut(name, "_"); told {
		places, name = []string{jurisdiction}, own
	}
	var at change.Place
	var found map[string]any
	var waiting error // all jurisdictions are requested at once
	for _, jurisdiction := range places {
		place := change.Place{Path: c.Path("/accounts/{account_id}/r2/buckets/") + url.PathEscape(name) + below}
		if jurisdiction != "" {
			place.Header = map[string]string{snapshot.R2JurisdictionHeader: jurisdiction}
		}
		live, err := c.Locate(place)
		switch {
		case Waits(err):
			waiting = err
		case err != nil:
			return at, nil, err
		case live == nil, found != nil && at.Header == nil:
		case found != nil:
			return at, nil, Refuse("Two buckets of different jurisdictions have the name %s, and the finding does not tell which one it means.",
				c.Finding.Resource.Name)
		default:
			at, found = place, live
		}
	}
	return at, found, waiting
}

// Blanked reports whether the provider masked a string in a decoded value, for example
// with asterisks: such an object cannot be sent back.
func Blanked(v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) >= 3 && (strings.Trim(v, "*•.") == "" || strings.Contains(v, "****") || strings.EqualFold(strings.Trim(v, "[]<>()"),
			"redacted"))
	case map[string]any:
		for _, member := range v {
			if Blanked(member) {
				return true
			}
		}
	case []any:
		if slices.ContainsFunc(v, Blanked) {
			return true
		}
	}
	return false
}

// Texts returns the strings of a decoded list.
func Texts(v any) []string {
	list, _ := v.([]any)
	out := make([]string, 0, len(list))
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// Moment returns a time member of a decoded object, zero when it is missing.
func Moment(object map[string]any, name string) snapshot.Time {
	var t snapshot.Time
	if t.UnmarshalJSON(change.Encode(Text(object, name))) != nil {
		return snapshot.Time{}
	}
	return t
}
