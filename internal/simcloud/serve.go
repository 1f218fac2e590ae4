package simcloud

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxBody limits request bodies, in bytes.
const maxBody = 4 << 20

// call is one authenticated request on its way through a handler. While a
// handler runs, the lock of acct (when there is one) is held.
type call struct {
	cloud *Cloud
	r     *http.Request
	route *Route
	query url.Values
	token *Token
	acct  *account
	zone  *zone
	body  []byte
	now   time.Time
}

func (c *call) id(name string) string { return c.r.PathValue(name) }

// newMux registers the routes table. Unknown paths get the API's own 404.
func (cl *Cloud) newMux() *http.ServeMux {
	mux := http.NewServeMux()
	routes := Routes()
	for i := range routes {
		route := &routes[i]
		mux.HandleFunc(route.Method+" "+BasePath+route.Pattern, func(w http.ResponseWriter, r *http.Request) {
			cl.serve(w, r, route)
		})
	}
	// A plain "/" pattern would turn a wrong method into 405; the API answers
	// 404 or 405 with an envelope, so everything else ends here.
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { cl.serve(w, r, nil) })
	return mux
}

// ServeHTTP implements http.Handler.
func (cl *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) { cl.mux.ServeHTTP(w, r) }

// serve counts the request and lets injected failures come first.
func (cl *Cloud) serve(w http.ResponseWriter, r *http.Request, route *Route) {
	pattern := "unrouted"
	if route != nil {
		pattern = route.Method + " " + route.Pattern
	}
	cl.countStart(r, pattern)
	status := 0
	defer func() { cl.countEnd(status) }()
	if cl.opts.OnRequest != nil {
		cl.opts.OnRequest(r.Method, r.URL.Path)
	}
	cl.waitAtGate(r)
	cl.delay(r)
	kind, faults, outage := cl.drawFault(r)
	if outage {
		status = http.StatusServiceUnavailable
		write(w, refuse(status, 1101, "Service temporarily unavailable"))
		return
	}
	switch kind {
	case fault429:
		status = http.StatusTooManyRequests
		w.Header().Set("Retry-After", num(max(1, seconds(faults.RetryAfter))))
		write(w, tooMany())
		return
	case fault500:
		status = http.StatusInternalServerError
		write(w, refuse(status, 10002, "Internal server error"))
		return
	case fault502:
		status = http.StatusBadGateway
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<html><head><title>502 Bad Gateway</title></head></html>")
		return
	case faultHang:
		hang(r, faults.HangFor)
		panic(http.ErrAbortHandler)
	case faultReset:
		reset(w)
		return
	}
	body := cl.handle(w, r, route, &status)
	send(w, status, body, kind == faultTruncate)
}

// handle authenticates, charges the request limit, resolves account and zone,
// checks the permission and runs the handler.
func (cl *Cloud) handle(w http.ResponseWriter, r *http.Request, route *Route, status *int) []byte {
	finish := func(a answer) []byte {
		*status = a.status
		if a.file != nil {
			w.Header().Set("Content-Type", a.fileType)
		}
		return a.encode()
	}
	verifying := route != nil && strings.HasSuffix(route.Pattern, "/tokens/verify")
	token, bad := cl.authenticate(r, verifying)
	if token == nil {
		return finish(bad)
	}
	if !cl.charge(token, w.Header()) {
		return finish(tooMany())
	}
	if route == nil {
		return finish(unrouted(strings.TrimPrefix(r.URL.Path, BasePath)))
	}
	c := &call{cloud: cl, r: r, route: route, query: r.URL.Query(), token: token, now: cl.now()}
	if r.Body != nil && r.Method != http.MethodGet {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
		if err != nil {
			return finish(refuse(http.StatusBadRequest, 9207, "Request body could not be read"))
		}
		c.body = body
	}
	index, problem := c.resolve()
	if problem != nil {
		return finish(*problem)
	}
	if !cl.permits(token, route.Permission) {
		return finish(noPermission())
	}
	if c.acct == nil {
		return finish(route.handle(c))
	}
	c.acct.mu.Lock()
	defer c.acct.mu.Unlock()
	if index >= 0 {
		c.zone = c.acct.zone(index)
	}
	a := route.handle(c)
	if r.Method != http.MethodGet && a.status == http.StatusOK {
		c.record(a)
	}
	return finish(a)
}

// resolve finds the account and the index of the zone a path names; the index
// is -1 without a zone.
func (c *call) resolve() (int, *answer) {
	zoneID, accountID := c.id("zone_id"), c.id("account_id")
	if c.route.Pattern == "/certificates" {
		if zoneID = c.query.Get("zone_id"); zoneID == "" {
			a := refuse(http.StatusBadRequest, 1001, "zone_id is required")
			return -1, &a
		}
	}
	switch {
	case zoneID != "":
		ref, known := c.cloud.zones[zoneID]
		if !known {
			a := unrouted("/zones/" + zoneID)
			return -1, &a
		}
		c.acct = ref.acct
		if !c.token.mayUse(ref.acct.id) {
			a := noAccess()
			return -1, &a
		}
		return ref.index, nil
	case accountID != "":
		if c.acct = c.cloud.byID[accountID]; c.acct == nil {
			a := unrouted("/accounts/" + accountID)
			return -1, &a
		}
		if !c.token.mayUse(accountID) {
			a := noAccess()
			return -1, &a
		}
	}
	return -1, nil
}

// delay waits for the configured latency, or until the client left.
func (cl *Cloud) delay(r *http.Request) {
	wait := cl.opts.Latency
	if cl.opts.Jitter > 0 {
		s := newStream(cl.opts.Seed, "jitter", r.Method, r.URL.Path, r.URL.RawQuery)
		wait += time.Duration(s.share() * float64(cl.opts.Jitter))
	}
	if wait > 0 {
		hang(r, wait)
	}
}

func write(w http.ResponseWriter, a answer) { send(w, a.status, a.encode(), false) }

// send writes a JSON body, or half of it when the connection shall break.
func send(w http.ResponseWriter, status int, body []byte, truncate bool) {
	h := w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	h.Set("Content-Length", num(len(body)))
	w.WriteHeader(status)
	if truncate {
		_, _ = w.Write(body[:len(body)/2])
		if f, canFlush := w.(http.Flusher); canFlush {
			f.Flush()
		}
		panic(http.ErrAbortHandler)
	}
	// A failed write means the client left; there is nobody to tell.
	_, _ = w.Write(body)
}
