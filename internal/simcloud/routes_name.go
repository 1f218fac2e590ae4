package simcloud

// nameRoutes are the operations of names, certificates and mail.
func nameRoutes() []Route {
	return []Route{}
}
