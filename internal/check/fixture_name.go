package check

import "github.com/edgeposture/edgeposture/internal/snapshot"

// goodName adds names, certificates and mail.
func goodName(_ *snapshot.Builder) {}
