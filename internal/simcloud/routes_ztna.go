package simcloud

// ztnaRoutes are the operations of Zero Trust and private networks.
func ztnaRoutes() []Route {
	return []Route{}
}
