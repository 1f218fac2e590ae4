package simcloud

// platformAccount is what an account holds of the account, its credentials and the developer platform.
type platformAccount struct{}

// platformZone is what a zone holds of them.
type platformZone struct{}

// makePlatform fills in a good configuration.
func (a *account) makePlatform() {}

// makePlatform fills in a good configuration.
func (z *zone) makePlatform() {}

// platformCanaries are values no client may keep.
func platformCanaries() []string { return nil }
