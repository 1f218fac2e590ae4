package app

import (
	"net"
	"net/http"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/api/toolserver"
	"github.com/edgeposture/edgeposture/internal/core/clock"
)

// newTools builds the tool server of this process. Its tools call the API in memory with the key of
// their caller, so a tool may do exactly what its caller may.
func (a *App) newTools() (http.Handler, error) {
	api, err := client.New(client.Options{URL: "http://" + reachable(a.listener.Addr()), Own: true, HTTP: ownAPI{a}, Pause: clock.Sleep})
	if err != nil {
		return nil, err
	}
	return toolserver.Handler(toolserver.Options{Version: a.o.Version, Tokens: toolserver.FromHeaders,
		Client: func(h http.Header) *client.Client {
			return api.WithKey(httpapi.Credential(h))
		}}), nil
}

// ownAPI calls the server of this process, which is created after its tools.
type ownAPI struct{ *App }

// Do implements client.Doer.
func (o ownAPI) Do(req *http.Request) (*http.Response, error) { return o.server.Do(req) }

// reachable returns the address of a listener, with the loopback address in place of an unspecified one.
func reachable(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	ip := net.ParseIP(host)
	switch {
	case ip == nil || !ip.IsUnspecified():
		return addr.String()
	case ip.To4() != nil:
		return net.JoinHostPort("127.0.0.1", port)
	default:
		return net.JoinHostPort("::1", port)
	}
}
