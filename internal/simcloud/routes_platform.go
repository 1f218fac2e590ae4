package simcloud

// platformRoutes are the operations of the account, its credentials and the developer platform.
func platformRoutes() []Route {
	return []Route{}
}
