package simcloud

// nameAccount is what an account holds of names, certificates and mail.
type nameAccount struct {
	world map[string]outsideName // names outside that plants registered
}

// nameZone is what a zone holds of them.
type nameZone struct{}

// makeName fills in a good configuration.
func (a *account) makeName() {}

// makeName fills in a good configuration.
func (z *zone) makeName() {}

// nameCanaries are values no client may keep.
func nameCanaries() []string { return nil }

// outside tells what plants said about a name of the world.
func (a *account) outside(name string) (outsideName, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o, known := a.world[name]
	return o, known
}
