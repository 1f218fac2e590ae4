package simcloud

// mailAccount is what an account holds of mail.
type mailAccount struct{}

// mailZone is what a zone holds of it.
type mailZone struct{}

// makeMail fills in a good configuration.
func (a *account) makeMail() {}

// makeMail fills in a good configuration.
func (z *zone) makeMail() {}

// mailCanaries are values no client may keep.
func mailCanaries() []string { return nil }
