package check

import (
	"net/url"
	"strings"
)

// ServiceName keeps scheme and host of a service: a path or user may be a
// secret.
func ServiceName(service string) string {
	scheme, _, ok := strings.Cut(service, "://")
	if !ok {
		name, _, _ := strings.Cut(service, ":")
		return name
	}
	u, err := url.Parse(service)
	if err != nil {
		return scheme
	}
	return scheme + "://" + u.Host
}
