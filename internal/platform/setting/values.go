package setting

import (
	"errors"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// Source is where a value comes from; its text is used in the API.
type Source string

// The three sources, in order of precedence.
const (
	FromSettings Source = "settings"
	FromEnv      Source = "env"
	FromNone     Source = "none"
)

// Info is one setting in API responses; of a secret it has at most the last characters.
type Info struct {
	Configured bool    `json:"configured"`
	Source     Source  `json:"source" enum:"settings,env,none"`
	Hint       *string `json:"hint" doc:"Dots, with the last four characters of a value of at least twelve; null without a value."`
	Value      string  `json:"value,omitempty" doc:"Only of keys that are not secret."`
}

// Environment holds the validated, canonical values of the environment.
type Environment map[Key]secret.Text

// Values is a snapshot of all settings. A message takes everything from one snapshot, so that an
// address and its credential belong together.
type Values struct {
	saved map[Key]saved
	env   Environment
}

// find resolves a key: the saved value, then the environment, then nothing.
func (v Values) find(k Key) (secret.Text, Source) {
	if s, ok := v.saved[k]; ok {
		return s.Value, FromSettings
	}
	if e := v.env[k]; !e.IsZero() {
		return e, FromEnv
	}
	return secret.Text{}, FromNone
}

// Value returns a setting and its source. It is empty for credentials that belong to an address,
// which only Credential returns.
func (v Values) Value(k Key) (secret.Text, Source) {
	if d, ok := Define(k); !ok || d.For != "" {
		return secret.Text{}, FromNone
	}
	return v.find(k)
}

// Credential returns the credential of a key for a request to an address. It is empty when none is
// configured. It is refused (outbound_denied) when it was saved for another origin, because
// somebody who may set an address must not receive a credential that was meant for another one.
func (v Values) Credential(k Key, forURL string) (secret.Text, error) {
	d, ok := Define(k)
	if !ok || d.For == "" {
		return secret.Text{}, errors.New("read a credential that belongs to no address: " + string(k))
	}
	value, source := v.find(k)
	if source == FromNone {
		return secret.Text{}, nil
	}
	origin, err := outbound.Origin(forURL)
	if err != nil {
		return secret.Text{}, posture.Problemf(posture.CodeOutboundDenied, "%s is not given out: %v.", k, err)
	}
	if bound := v.bound(d, source); bound == origin {
		return value, nil
	}
	if source == FromEnv {
		return secret.Text{}, posture.Problemf(posture.CodeOutboundDenied,
			"%s belongs to the address in %s and this one is another; send the credential with the request, or save %s in the settings together "+
				"with %s.", d.Env, envOf(d.For), d.Key, d.For)
	}
	return secret.Text{}, posture.Problemf(posture.CodeOutboundDenied,
		"The saved %s belongs to another address than this one; send the credential with the request, or save %s again together with %s.", d.Key,
		d.Key, d.For)
}

// bound returns the origin that a credential belongs to, or "". A credential from the environment
// belongs to the address from the environment.
func (v Values) bound(d Definition, source Source) string {
	if source == FromSettings {
		return v.saved[d.Key].Origin.Reveal()
	}
	address := v.env[d.For]
	if address.IsZero() {
		address = defaultOf(d.For)
	}
	origin, err := outbound.Origin(address.Reveal())
	if err != nil {
		return ""
	}
	return origin
}

// defaultOf returns the default address of a key, "" for most.
func defaultOf(k Key) secret.Text {
	d, _ := Define(k)
	return secret.New(d.Default)
}

func envOf(k Key) string {
	d, _ := Define(k)
	return d.Env
}

// Entries returns every setting for API responses.
func (v Values) Entries() map[Key]Info {
	out := map[Key]Info{}
	for _, d := range Definitions() {
		value, source := v.find(d.Key)
		e := Info{Configured: source != FromNone, Source: source}
		if e.Configured {
			hint := value.Hint()
			e.Hint = &hint
			if !d.Secret {
				e.Value = value.Reveal()
			}
		}
		out[d.Key] = e
	}
	return out
}
