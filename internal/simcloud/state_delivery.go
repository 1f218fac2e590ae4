package simcloud

// deliveryAccount is what an account holds of what serves and shapes traffic.
type deliveryAccount struct{}

// deliveryZone is what a zone holds of them.
type deliveryZone struct{}

// makeDelivery fills in a good configuration.
func (a *account) makeDelivery() {}

// makeDelivery fills in a good configuration.
func (z *zone) makeDelivery() {}

// deliveryCanaries are values no client may keep.
func deliveryCanaries() []string { return nil }
