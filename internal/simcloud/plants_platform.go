package simcloud

// plantsPlatform misconfigure the account, its credentials and the developer platform.
func plantsPlatform() []Plant {
	return nil
}
