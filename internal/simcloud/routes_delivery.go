package simcloud

// deliveryRoutes are the operations of what serves and shapes traffic.
func deliveryRoutes() []Route {
	return []Route{}
}
