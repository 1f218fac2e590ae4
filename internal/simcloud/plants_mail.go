package simcloud

// plantsMail misconfigure mail.
func plantsMail() []Plant {
	return nil
}
