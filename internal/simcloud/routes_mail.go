package simcloud

// mailRoutes are the operations of mail.
func mailRoutes() []Route {
	return []Route{}
}
