package config

import (
	"fmt"
	"net/netip"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

// settingsOf reads the variables that are defaults of settings. They are validated like settings,
// so that a bad one fails the start of the process and not a delivery.
func settingsOf(vars map[string]string) (setting.Environment, error) {
	out := setting.Environment{}
	for _, d := range setting.Definitions() {
		raw, set := vars[d.Env]
		if !set {
			continue
		}
		value, err := d.Check(raw)
		if err != nil {
			return nil, fmt.Errorf("%s %w", d.Env, err)
		}
		out[d.Key] = secret.New(value)
	}
	return out, nil
}

// Outbound returns the networks and hosts that messages may reach although they are not public.
func (c Config) Outbound() ([]netip.Prefix, []outbound.Pair, error) {
	prefixes, pairs, err := outbound.ParseAllow(c.OutboundAllow)
	if err != nil {
		return nil, nil, fmt.Errorf("SERVICE_OUTBOUND_ALLOW %w", err)
	}
	return prefixes, pairs, nil
}

func checkOutbound(c Config) error {
	_, _, err := c.Outbound()
	return err
}
