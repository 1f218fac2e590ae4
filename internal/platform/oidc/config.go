package oidc

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agext/levenshtein"

	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// prefix starts the variables of all providers.
const prefix = "SERVICE_OIDC_"

// Suffixes of the variables of one provider.
const (
	issuerSuffix       = "_ISSUER"
	clientIDSuffix     = "_CLIENT_ID"
	clientSecretSuffix = "_CLIENT_SECRET"
	scopesSuffix       = "_SCOPES"
	roleClaimSuffix    = "_ROLE_CLAIM"
	roleMapSuffix      = "_ROLE_MAP"
)

func suffixes() []string {
	return []string{issuerSuffix, clientIDSuffix, clientSecretSuffix, scopesSuffix, roleClaimSuffix, roleMapSuffix}
}

// longestName is the maximum length of a provider's name, in characters.
const longestName = 32

// Config configures one provider.
type Config struct {
	// Name is what people choose the provider by: <NAME> of its variables in lower case, with - for _.
	Name string
	// Issuer is the issuer identifier (OpenID Connect Discovery 1.0, section 3), exactly as the
	// provider publishes it.
	Issuer       string
	ClientID     string
	ClientSecret secret.Text
	// Scopes are the requested scopes, which include openid.
	Scopes []string
	// RoleClaim names the claim that the rules match: a claim, or a path with dots between its parts.
	RoleClaim string
	Rules     []Rule
}

// Configs reads the providers from environ, which has the form of os.Environ, sorted by name. A
// blank variable counts as unset. The error is one sentence that names the variable, what is wrong
// with it and what to use instead; it holds no secret.
func Configs(environ []string) ([]Config, error) {
	providers := map[string]map[string]string{}
	for _, kv := range environ {
		key, value, _ := strings.Cut(kv, "=")
		rest, ours := strings.CutPrefix(key, prefix)
		value = strings.TrimSpace(value) // secret files end with a line break
		if !ours || value == "" {
			continue
		}
		name, suffix, err := split(rest)
		if err != nil {
			return nil, err
		}
		if providers[name] == nil {
			providers[name] = map[string]string{}
		}
		providers[name][suffix] = value
	}
	var out []Config
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		c, err := configOf(name, providers[name])
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

var nameForm = regexp.MustCompile(`^[A-Z0-9]([A-Z0-9_]*[A-Z0-9])?$`)

// split splits what follows the prefix into the name of a provider and a suffix.
func split(rest string) (name, suffix string, err error) {
	for _, s := range suffixes() {
		name, found := strings.CutSuffix(rest, s)
		if !found {
			continue
		}
		if !nameForm.MatchString(name) || len(name) > longestName {
			return "", "", fmt.Errorf("%s names no provider; use 1 to %d of A-Z, 0-9 and _ between %s and %s, for example %sOKTA%s",
				show(prefix+rest), longestName, prefix, s, prefix, s)
		}
		return name, s, nil
	}
	return "", "", fmt.Errorf("%s is not known; use %s", show(prefix+rest), nearest(rest))
}

// nearest returns the known variable whose suffix is most similar to that of an unknown one.
func nearest(rest string) string {
	best, least := prefix+"OKTA"+issuerSuffix, len(clientSecretSuffix)
	for at, r := range rest {
		if r != '_' || at > longestName || len(rest)-at > 2*len(clientSecretSuffix) || !nameForm.MatchString(rest[:at]) {
			continue
		}
		for _, s := range suffixes() {
			d := levenshtein.Distance(rest[at:], s, nil)
			if strings.HasSuffix(s, rest[at:]) {
				d = 1 // _SECRET must suggest _CLIENT_SECRET, not _SCOPES
			}
			if d < least {
				best, least = prefix+rest[:at]+s, d
			}
		}
	}
	return best
}

func configOf(name string, vars map[string]string) (Config, error) {
	at := prefix + name
	c := Config{Name: strings.ToLower(strings.ReplaceAll(name, "_", "-")), Issuer: vars[issuerSuffix], ClientID: vars[clientIDSuffix],
		ClientSecret: secret.New(vars[clientSecretSuffix]), RoleClaim: vars[roleClaimSuffix]}
	for _, needed := range []struct{ suffix, how string }{
		{issuerSuffix, "set it to the provider's issuer, for example https://login.example.com"},
		{clientIDSuffix, "set it to the client ID that the provider gave this service"},
		{clientSecretSuffix, "set it to the client secret that the provider gave this service"},
		{roleMapSuffix, "so nobody could sign in; set it to who gets which role, for example admins=administrator;*=viewer"},
	} {
		if vars[needed.suffix] == "" {
			return c, fmt.Errorf("%s%s is unset and another variable of %s is set; %s", at, needed.suffix, c.Name, needed.how)
		}
	}
	if err := checkIssuer(c.Issuer); err != nil {
		return c, fmt.Errorf("%s%s %w", at, issuerSuffix, err)
	}
	for _, v := range []struct{ suffix, value string }{{clientIDSuffix, c.ClientID}, {roleClaimSuffix, c.RoleClaim}} {
		if v.value != "" && !plain(v.value) {
			return c, fmt.Errorf("%s%s is longer than %d characters or has some that do not show; use it as the provider writes it", at,
				v.suffix, maxText)
		}
	}
	if c.RoleClaim == "" {
		c.RoleClaim = "groups"
	}
	var err error
	if c.Scopes, err = parseScopes(vars[scopesSuffix]); err != nil {
		return c, fmt.Errorf("%s%s %w", at, scopesSuffix, err)
	}
	if c.Rules, err = parseRules(vars[roleMapSuffix]); err != nil {
		return c, fmt.Errorf("%s%s %w", at, roleMapSuffix, err)
	}
	return c, nil
}

// variable returns the name of a variable of the provider.
func (c Config) variable(suffix string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(c.Name, "-", "_")) + suffix
}

func checkIssuer(issuer string) error {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !plain(issuer) {
		return errors.New("is not a plain https address; use the provider's issuer, for example https://login.example.com")
	}
	if !secure(u) {
		return errors.New("does not begin with https://, so whoever is between could sign in as anybody; use https (http only to this machine)")
	}
	return nil
}

// secure reports whether data sent to an address is protected from eavesdroppers.
func secure(u *url.URL) bool {
	if u.Scheme == "https" {
		return u.Host != ""
	}
	a, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && a.IsLoopback())
}

// scopeForm is scope-token of RFC 6749, section 3.3.
var scopeForm = regexp.MustCompile(`^[\x21\x23-\x5B\x5D-\x7E]{1,200}$`)

// parseScopes parses scopes separated by blanks or commas, adds openid, and removes duplicates.
func parseScopes(text string) ([]string, error) {
	if text == "" {
		text = "profile email"
	}
	out := []string{"openid"}
	for _, s := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		if !scopeForm.MatchString(s) {
			return nil, fmt.Errorf("has the scope %s, which no provider can have; use names with blanks between them, for example "+
				"openid profile email groups", show(s))
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, nil
}

// maxText is the maximum length of a name, a group or a text of the provider, in characters.
const maxText = 200

// plain reports whether a text is not empty, short and printable.
func plain(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxText && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// clean makes any text plain: it removes unprintable characters and truncates long text.
func clean(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > maxText {
		s = string(runes[:maxText])
	}
	return s
}

// show quotes a part of a variable for a sentence.
func show(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
