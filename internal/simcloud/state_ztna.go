package simcloud

// ztnaAccount is what an account holds of Zero Trust and private networks.
type ztnaAccount struct{}

// ztnaZone is what a zone holds of them.
type ztnaZone struct{}

// makeZtna fills in a good configuration.
func (a *account) makeZtna() {}

// makeZtna fills in a good configuration.
func (z *zone) makeZtna() {}

// ztnaCanaries are values no client may keep.
func ztnaCanaries() []string { return nil }
