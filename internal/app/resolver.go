package app

import (
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/provider/resolve"
)

// resolver returns a function that chooses the DNS resolver: the recording for the demo account,
// whose names do not exist, and otherwise the configured resolver. Without one, checks that need a
// look-up are UNKNOWN.
func (a *App) resolver() func(demo bool) assess.Resolver {
	var public assess.Resolver
	if a.cfg.DNSResolver != config.NoResolver {
		r, err := resolve.New(resolve.Options{Server: a.cfg.DNSResolver})
		if err != nil {
			a.o.Log.Warn("public names are not looked up", "reason", err)
		} else {
			public = r
		}
	}
	return func(demo bool) assess.Resolver {
		names := public
		if demo && a.demo != nil {
			names = a.demo.names
		}
		if a.o.Recorder != nil && names != nil {
			return a.o.Recorder.Names(names)
		}
		return names
	}
}
