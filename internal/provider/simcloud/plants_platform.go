package simcloud

import "slices"

// plantsPlatform misconfigure the account, its credentials and the developer platform.
func plantsPlatform() []Plant {
	return slices.Concat(plantsToken(), plantsAccount(), plantsInsight(), plantsMoreAlerts(), plantsDeveloper(), plantsPages(),
		plantsBuckets(), plantsStorage(), plantsPlatformData(), plantsPlatformCode(), plantsProducts(), plantsExports())
}
