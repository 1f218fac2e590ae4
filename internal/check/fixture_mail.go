package check

import "github.com/edgeposture/edgeposture/internal/snapshot"

// goodMail adds mail.
func goodMail(_ *snapshot.Builder) {}
