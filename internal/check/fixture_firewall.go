package check

import "github.com/edgeposture/edgeposture/internal/snapshot"

// goodFirewall adds rulesets and what they enforce.
func goodFirewall(_ *snapshot.Builder) {}
