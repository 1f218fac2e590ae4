package httpapi

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

// Settings is the settings overlay in API responses: each value and its origin, never a secret.
// Remediation is included because people look for it here; only the environment of the service can
// change it.
type Settings struct {
	Settings    map[setting.Key]SettingInfo `json:"settings" doc:"Every key there is."`
	Remediation string                      `json:"remediation" enum:"enabled,disabled"`
}

// SettingInfo is one setting.
type SettingInfo setting.Info

// SettingsChange is a partial flat object of settings. It keeps the raw body, because
// setting.Overlay.Change validates each key by its own rules, which a schema validator would have
// to duplicate.
type SettingsChange struct{ body []byte }

// UnmarshalJSON keeps any JSON.
func (c *SettingsChange) UnmarshalJSON(b []byte) error {
	c.body = append([]byte(nil), b...)
	return nil
}

// MarshalJSON returns null, because a change may hold secrets.
func (c SettingsChange) MarshalJSON() ([]byte, error) { return json.Marshal(nil) }

// Schema returns the OpenAPI schema with a property for each key.
func (c SettingsChange) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: false,
		Description: `What to change. A text sets its key, "" clears it, a key that is left out stays. All or nothing.`}
	for _, d := range setting.Definitions() {
		s.Properties[string(d.Key)] = &huma.Schema{Type: huma.TypeString, Description: d.Doc, WriteOnly: d.Secret}
	}
	return s
}

func (s *Server) settings(v setting.Values) *answer[Settings] {
	out := &answer[Settings]{Settings{Settings: map[setting.Key]SettingInfo{}, Remediation: s.remediation()}}
	for k, e := range v.Entries() {
		out.Body.Settings[k] = SettingInfo(e)
	}
	return out
}

func getSettings(s *Server, ctx context.Context, _ *struct{}) (*answer[Settings], error) {
	v, err := s.o.Settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	return s.settings(v), nil
}

// named lists the keys that a change names, without their values.
func named(body []byte) string {
	var change map[setting.Key]json.RawMessage
	_ = json.Unmarshal(body, &change) // a body that is not an object names no keys
	var keys []string
	for _, d := range setting.Definitions() {
		if _, ok := change[d.Key]; ok {
			keys = append(keys, string(d.Key))
		}
	}
	return strings.Join(keys, ",")
}

type putSettingsInput struct{ Body SettingsChange }

func putSettings(s *Server, ctx context.Context, in *putSettingsInput) (*answer[Settings], error) {
	about(ctx, "settings", named(in.Body.body))
	v, err := s.o.Settings.Change(ctx, in.Body.body)
	if err != nil {
		return nil, err
	}
	return s.settings(v), nil
}
