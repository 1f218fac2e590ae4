package simcloud

// plantsDelivery misconfigure what serves and shapes traffic.
func plantsDelivery() []Plant {
	return nil
}
