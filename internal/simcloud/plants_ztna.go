package simcloud

// plantsZtna misconfigure Zero Trust and private networks.
func plantsZtna() []Plant {
	return nil
}
