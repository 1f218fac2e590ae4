package planner

import (
	"errors"
	"fmt"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

// NewClient returns a client for one model host; base holds what SERVICE_OUTBOUND_ALLOW permits. A
// host from the environment, including the default, is set by the operator of the service, so that
// host and port may be reached even on this machine or in a private network. A host that was saved
// through the settings API is only reached if it is public or in base, because whoever may change
// settings must not gain access to the network. Only this client has the extra permission. It must
// be closed. The error does not repeat any part of the address.
func NewClient(base outbound.Options, host string, fromEnvironment bool) (*outbound.Client, error) {
	base.MaxBody = MaxAnswer
	if fromEnvironment {
		origin, err := outbound.Origin(host)
		if err != nil {
			if denied, ok := errors.AsType[*outbound.DeniedError](err); ok {
				return nil, fmt.Errorf("the address of the model host is not usable: %s; use for example %s", denied.Reason,
					setting.DefaultLocalModelHost)
			}
			return nil, fmt.Errorf("read the address of the model host: %w", err)
		}
		_, hostPort, _ := strings.Cut(origin, "://")
		_, pairs, err := outbound.ParseAllow(hostPort)
		if err != nil {
			return nil, fmt.Errorf("permit the model host of the environment: %w", err)
		}
		base.AllowPairs = append(append([]outbound.Pair(nil), base.AllowPairs...), pairs...)
	}
	return outbound.New(base), nil
}

// FromSettings returns the planner for the given settings. base is the configuration for other
// messages. The planner must be closed. If something is wrong with the settings, the note of its
// advice says so.
func FromSettings(v setting.Values, base outbound.Options) *Planner {
	text := func(k setting.Key) string { value, _ := v.Value(k); return value.Reveal() }
	o := Options{Provider: text(setting.AIProvider), Model: text(setting.AIModel)}
	key := func(k setting.Key) secret.Text { value, _ := v.Value(k); return value }
	var environment bool
	switch o.Provider {
	case hostedA:
		o.Key = key(setting.HostedAAPIKey)
	case hostedB:
		o.Key = key(setting.HostedBAPIKey)
	case local:
		o.Host, environment = hostOf(v)
	default:
		return New(o)
	}
	client, err := NewClient(base, o.Host, environment)
	if err != nil { // without a Doer, every advice has a note about it
		return New(o)
	}
	o.Doer = client
	p := New(o)
	p.close = client.Close
	return p
}

// hostOf returns the local model server, and whether the environment named it, which includes the default.
func hostOf(v setting.Values) (host string, fromEnvironment bool) {
	value, source := v.Value(setting.LocalModelHost)
	if source == setting.FromNone {
		return setting.DefaultLocalModelHost, true
	}
	return value.Reveal(), source == setting.FromEnv
}
