package config

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// toolPrefix starts the variables of the command line.
const toolPrefix = "EDGEPOSTURE_"

// Tool is the configuration of the command line from the environment. Tokens and keys come from
// here or from files, never from arguments, which others can see.
type Tool struct {
	APIKey    secret.Text // EDGEPOSTURE_API_KEY, or the first key of SERVICE_API_KEY
	EditToken secret.Text // EDGEPOSTURE_EDIT_TOKEN
	NoColor   bool        // NO_COLOR, see no-color.org
	Desktop   bool        // DISPLAY or WAYLAND_DISPLAY: can open a browser (unset on macOS and Windows)
	vars      map[string]string
}

// LoadTool reads the variables of environ, which has the form of os.Environ.
func LoadTool(environ []string) Tool {
	t := Tool{vars: map[string]string{}}
	var service string
	for _, kv := range environ {
		k, v, ok := strings.Cut(kv, "=")
		switch {
		case !ok || v == "":
		case k == "DISPLAY" || k == "WAYLAND_DISPLAY":
			t.Desktop = true
		case k == toolPrefix+"API_KEY":
			t.APIKey = secret.New(strings.TrimSpace(v))
		case k == toolPrefix+"EDIT_TOKEN":
			t.EditToken = secret.New(strings.TrimSpace(v))
		case k == "SERVICE_API_KEY":
			first, _, _ := strings.Cut(v, ",")
			service = strings.TrimSpace(first)
		case k == "NO_COLOR":
			t.NoColor = true
		case strings.HasPrefix(k, toolPrefix):
			t.vars[k] = v
		}
	}
	if t.APIKey.IsZero() {
		t.APIKey = secret.New(service)
	}
	return t
}

// Flag returns the environment's value for a flag; see FlagVariable.
func (t Tool) Flag(name string) (string, bool) {
	v, ok := t.vars[FlagVariable(name)]
	return v, ok
}

// FlagVariable returns the variable of a flag: EDGEPOSTURE_ and its name in capitals, with _ for -.
func FlagVariable(name string) string {
	return toolPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}
