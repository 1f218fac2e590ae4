package propose

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Zone returns what a case knows of the zone of the finding: id, name and plan.
func (c *Case) Zone() snapshot.Zone {
	return snapshot.Zone{ID: c.Finding.Resource.ZoneID, Name: c.Finding.Resource.Zone, Plan: c.ZonePlan}
}

// Value returns the live value of a setting of the zone, nil when it has none.
func (c *Case) Value(setting string) (any, error) {
	live, err := c.Locate(change.Place{Path: c.Path("/zones/{zone_id}/settings/" + setting)})
	if err != nil {
		return nil, err
	}
	return live["value"], nil
}

// Certified reports whether an active edge certificate covers a name, or, without a name, whether
// the zone has any. A wildcard stands for exactly one label (RFC 6125, section 6.4.3).
func (c *Case) Certified(name string) (bool, error) {
	packs, err := c.List(c.Path("/zones/{zone_id}/ssl/certificate_packs?status=all"))
	if err != nil {
		return false, err
	}
	_, parent, _ := strings.Cut(name, ".")
	for _, p := range packs {
		hosts, _ := p["hosts"].([]any)
		covers := func(h any) bool {
			host, _ := h.(string)
			return exposure.Same(host, name) || parent != "" && exposure.Same(host, "*."+parent)
		}
		if c.inForce(p) && (name == "" || slices.ContainsFunc(hosts, covers)) {
			return true, nil
		}
	}
	return false, nil
}

// inForce reports whether the edge uses a certificate pack.
func (c *Case) inForce(live map[string]any) bool {
	var p snapshot.CertificatePack
	return json.Unmarshal(change.Encode(live), &p) == nil && p.InForce(c.Now)
}

// OwnDomain reports whether a domain is in a zone of the account or is a declared mail domain.
func (c *Case) OwnDomain(domain string) (bool, error) {
	within := func(own string) bool { return own != "" && exposure.Within(domain, own) }
	if within(c.Finding.Resource.Zone) || slices.ContainsFunc(c.Policy.OwnMailDomains, within) {
		return true, nil
	}
	zones, err := c.OwnZones()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(zones, func(z map[string]any) bool { return within(Text(z, "name")) }), nil
}

// OwnAddress refuses anything but a bare mail address in a domain of the organisation: alerts and
// contacts must not be sent to strangers.
func (c *Case) OwnAddress(input, address string) error {
	if !mailAddress().MatchString(address) {
		return Refuse("The input %s of %s does not look like a mail address; write it as name@domain.", input, c.Finding.CheckID)
	}
	own, err := c.OwnDomain(address[strings.LastIndexByte(address, '@')+1:])
	if err != nil {
		return err
	}
	if !own {
		return Refuse("The input %s of %s lies in %s, which is no domain of the account; use a zone of it, or add the domain to ownMailDomains.",
			input, c.Finding.CheckID, strings.ToLower(address[strings.LastIndexByte(address, '@')+1:]))
	}
	return nil
}

// Copy returns a deep copy of a decoded object.
func Copy(object map[string]any) map[string]any {
	raw, err := change.Decode(change.Encode(object))
	out, isObject := raw.(map[string]any)
	if err != nil || !isObject {
		return map[string]any{}
	}
	return out
}

// differing returns the parts of two values that differ. For objects these are the differing
// members, with null for a missing one, so that the removal of a member is visible.
func differing(x, y any) (any, any) {
	have, isObject := x.(map[string]any)
	want, both := y.(map[string]any)
	if !isObject || !both || bytes.Equal(change.Encode(x), change.Encode(y)) {
		return x, y
	}
	before, after := map[string]any{}, map[string]any{}
	all := slices.AppendSeq(slices.Collect(maps.Keys(have)), maps.Keys(want))
	for _, name := range all {
		if !bytes.Equal(change.Encode(have[name]), change.Encode(want[name])) {
			before[name], after[name] = differing(have[name], want[name])
		}
	}
	return before, after
}
