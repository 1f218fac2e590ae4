package setting

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// Limits of values, in bytes.
const (
	maxURL    = 2048
	maxSecret = 4096
	maxName   = 200
)

// rule validates the value of a key and returns its canonical form. The error completes a sentence
// that starts with the name of the key or the variable. It never repeats the value, which may be a
// secret in the wrong place.
type rule func(value string) (string, error)

// Check validates a value and returns its canonical form. The error completes "<key> …".
func (d Definition) Check(value string) (string, error) {
	if value == "" {
		return "", errors.New("is empty")
	}
	return d.check(value)
}

// text validates any value: at most max bytes of printable UTF-8.
func text(value string, max int) error {
	switch {
	case len(value) > max:
		return fmt.Errorf("is longer than %d bytes; shorten it", max)
	case !utf8.ValidString(value), strings.ContainsRune(value, utf8.RuneError):
		return errors.New("has bytes that are not UTF-8; write it as plain text")
	case strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }):
		return errors.New("has a character that cannot be printed, such as a line break; remove it")
	}
	return nil
}

// phrase is a secret that people choose: any printable text.
func phrase(value string) (string, error) { return value, text(value, maxSecret) }

// token is a secret that a service issued: it is sent in a header, so it is ASCII without spaces.
func token(value string) (string, error) {
	if err := text(value, maxSecret); err != nil {
		return "", err
	}
	if !secret.New(value).IsToken() {
		return "", errors.New("has a space or a character outside ASCII, which no header can carry; copy it again")
	}
	return value, nil
}

func name(value string) (string, error) {
	if err := text(value, maxName); err != nil {
		return "", err
	}
	if strings.TrimSpace(value) != value {
		return "", errors.New("begins or ends with a space; remove it")
	}
	return value, nil
}

func username(value string) (string, error) {
	if strings.Contains(value, ":") {
		return "", errors.New("has a colon, which a user name must not have (RFC 7617); remove it")
	}
	return name(value)
}

func awsAccount(value string) (string, error) {
	if !regexp.MustCompile(`^[0-9]{12}$`).MatchString(value) {
		return "", errors.New("is no AWS account; use its 12 digits")
	}
	return value, nil
}

func awsRegion(value string) (string, error) {
	if len(value) > 16 || !regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-[0-9]$`).MatchString(value) {
		return "", errors.New("is no AWS region; use a name like us-east-1")
	}
	return value, nil
}

func severity(value string) (string, error) {
	s, err := posture.ParseSeverity(value)
	if err != nil {
		return "", errors.New("is no severity; use critical, high, medium, low or informational")
	}
	return string(s), nil
}

func provider(value string) (string, error) {
	return oneOf("no provider", "none", "hosted_a", "hosted_b", "local")(value)
}

// oneOf accepts one of the words; is completes the error for any other.
func oneOf(is string, words ...string) rule {
	return func(value string) (string, error) {
		if !slices.Contains(words, value) {
			last := len(words) - 1
			return "", fmt.Errorf("is %s; use %s or %s", is, strings.Join(words[:last], ", "), words[last])
		}
		return value, nil
	}
}

// repository is a GitHub repository as owner/name.
func repository(value string) (string, error) {
	owner, name, _ := strings.Cut(value, "/")
	if len(value) > 140 || !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+$`).MatchString(value) || owner == "" ||
		strings.Trim(name, ".") == "" {
		return "", errors.New("is no repository; use owner/name")
	}
	return value, nil
}

// project is the key of a Jira project, which is the prefix of its ticket keys.
func project(value string) (string, error) {
	if len(value) > 100 || !regexp.MustCompile(`^[A-Z][A-Z0-9_]+$`).MatchString(value) {
		return "", errors.New("is no key of a project; use capital letters and digits, such as SEC")
	}
	return value, nil
}

// hook is an address that is called unchanged.
func hook(value string) (string, error) {
	u, err := address(value)
	if err != nil {
		return "", err
	}
	if u.Fragment != "" {
		return "", errors.New("has a part behind #, which is never sent; remove it")
	}
	return value, nil
}

// base is an address that a path is appended to.
func base(value string) (string, error) {
	u, err := address(value)
	if err != nil {
		return "", err
	}
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", errors.New("has a part behind ? or #, where no path can be added; remove it")
	}
	return value, nil
}

func address(value string) (*url.URL, error) {
	if err := text(value, maxURL); err != nil {
		return nil, err
	}
	if _, err := outbound.Origin(value); err != nil {
		if denied, ok := errors.AsType[*outbound.DeniedError](err); ok {
			return nil, fmt.Errorf("is not a usable address: %s; use for example https://example.com/path", denied.Reason)
		}
		return nil, err
	}
	u, err := url.Parse(value)
	if err != nil {
		return nil, errors.New("is not a URL; use for example https://example.com/path") // its error repeats the value
	}
	return u, nil
}
