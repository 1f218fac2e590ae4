package check

import "github.com/edgeposture/edgeposture/internal/snapshot"

// goodDelivery adds what serves and shapes traffic.
func goodDelivery(_ *snapshot.Builder) {}
