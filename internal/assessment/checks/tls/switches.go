package tls

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

func switchNeeds(settings ...snapshot.Named) []snapshot.Named {
	return append(settings, snapshot.ZoneDNSRecords, snapshot.ZoneList)
}
