package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// EditZone is an example edit of the zone itself, in the list and in scope.
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
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneDNSRecords, Zone, func(rs *[]snapshot.DNSRecord) {
			for i := range *rs {
				change(&(*rs)[i])
			}
		})
	}
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

// Edits joins example edits.
func Edits(all ...func(*snapshot.Builder)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		for _, e := range all {
			e(b)
		}
	}
}
