package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// Each changes every item of a list.
func Each[T any](list snapshot.Key[[]T], scope string, change func(*T)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, list, scope, func(items *[]T) {
			for i := range *items {
				change(&(*items)[i])
			}
		})
	}
}

// EditZone is an example edit of the zone, both in the snapshot's zones and in the zone list
// section.
func EditZone(change func(*snapshot.Zone)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		for i := range b.Zones {
			change(&b.Zones[i])
		}
		snapshot.Put(b, snapshot.ZoneList, Account, b.Zones)
	}
}

// EditRecords is an example edit of every record of the zone.
func EditRecords(change func(*snapshot.DNSRecord)) func(*snapshot.Builder) {
	return Each(snapshot.ZoneDNSRecords, Zone, change)
}

// EditRecord is an example edit of one record.
func EditRecord(id string, change func(*snapshot.DNSRecord)) func(*snapshot.Builder) {
	return EditRecords(func(r *snapshot.DNSRecord) {
		if r.ID == id {
			change(r)
		}
	})
}

// AddRecord is an example edit that adds a record to the zone.
func AddRecord(r snapshot.DNSRecord) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneDNSRecords, Zone, func(rs *[]snapshot.DNSRecord) { *rs = append(*rs, r) })
	}
}

// OwnHosts leaves the zone only the hosts of its own records: no custom hostnames, no load
// balancers.
func OwnHosts(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.ZoneCustomHostnames, Zone, []snapshot.CustomHostname{})
	snapshot.Put(b, snapshot.ZoneLoadBalancers, Zone, []snapshot.LoadBalancer{})
}

// NotProxied is an example edit that leaves the edge no name of the zone: no record is proxied, and
// there are no custom hostnames and no load balancers.
func NotProxied() func(*snapshot.Builder) {
	return Edits(OwnHosts, EditRecords(func(r *snapshot.DNSRecord) { r.Proxied = false }))
}

// OnlyBalancer leaves the edge one name of the zone: that of a load balancer.
func OnlyBalancer(b *snapshot.Builder) {
	NotProxied()(b)
	snapshot.Put(b, snapshot.ZoneLoadBalancers, Zone, []snapshot.LoadBalancer{{ID: "lb1", Name: "www." + Domain, Enabled: true, Proxied: true,
		Pools: []string{"pool1"}}})
}

// Plan is an example edit of the plan of the zone.
func Plan(name string) func(*snapshot.Builder) {
	return EditZone(func(z *snapshot.Zone) { z.Plan = name })
}

// Status is an example edit of the status of the zone.
func Status(name string) func(*snapshot.Builder) {
	return EditZone(func(z *snapshot.Zone) { z.Status = name })
}

// Type is an example edit of the type of the zone.
func Type(name string) func(*snapshot.Builder) {
	return EditZone(func(z *snapshot.Zone) { z.Type = name })
}

// Setting is an example edit that changes the value of one zone setting.
func Setting(id string, value any) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneSettings, Zone, func(s *snapshot.Settings) { *s = s.With(id, value) })
	}
}

// MissingSetting is an example edit that removes a zone setting, as if the provider had not
// returned it.
func MissingSetting(id string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneSettings, Zone, func(s *snapshot.Settings) { *s = s.Without(id) })
	}
}

// Unmanaged is an example edit that leaves the account without managed devices.
func Unmanaged(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.AccessApps, Account, []snapshot.AccessApp{})
	snapshot.Put(b, snapshot.DevicePolicies, Account, []snapshot.DeviceProfile{})
}

// Off disables a rule of an example.
func Off(r snapshot.Rule) snapshot.Rule {
	r.Enabled = false
	return r
}

// InDays returns the time n days after Now.
func InDays(n int) snapshot.Time { return snapshot.At(Now().AddDate(0, 0, n)) }

// Edits combines example edits.
func Edits(all ...func(*snapshot.Builder)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		for _, e := range all {
			e(b)
		}
	}
}
