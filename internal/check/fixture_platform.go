package check

import "github.com/edgeposture/edgeposture/internal/snapshot"

// goodPlatform adds the account, its credentials and the developer platform.
func goodPlatform(_ *snapshot.Builder) {}
