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

// call is one authenticated request. While a handler runs, the lock of acct (if there is one) is held.
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
	// Without a catch-all, ServeMux would answer unknown paths and wrong methods itself; the API
	// answers 404 or 405 with an envelope.
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { cl.serve(w, r, nil) })
	return mux
}

// ServeHTTP implements [http.Handler].
func (cl *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) { cl.mux.ServeHTTP(w, r) }

// serve counts the request and applies injected failures first.
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
	var body []byte
	status, body = cl.handle(w, r, route, kind)
	if cl.opts.OnAnswer != nil {
		cl.opts.OnAnswer(r.Method, r.URL.Path)
	}
	if kind == faultLose {
		status = 0
		reset(w)
		return
	}
	send(w, status, body, kind == faultTruncate)
}

// handle authenticates, charges the request limit, resolves account and zone,
// checks the permission and runs the handler.
func (cl *Cloud) handle(w http.ResponseWriter, r *http.Request, route *Route, kind faultKind) (int, []byte) {
	verifying := route != nil && strings.HasSuffix(route.Pattern, "/tokens/verify")
	token, bad := cl.authenticate(r, verifying)
	if token == nil {
		return bad.status, bad.encode()
	}
	charged := cl.charge(token, w.Header())
	if route == nil {
		bad = unrouted(strings.TrimPrefix(r.URL.Path, BasePath))
		if !charged {
			bad = tooMany()
		}
		return bad.status, bad.encode()
	}
	c := &call{cloud: cl, r: r, route: route, query: r.URL.Query(), token: token, now: cl.now()}
	index := -1
	if charged {
		index, bad = c.prepare()
	} else {
		bad = tooMany()
	}
	switch {
	case bad.err != nil:
		c.note(bad.status)
		return bad.status, bad.encode()
	case c.acct == nil:
		a := route.handle(c)
		c.note(a.status)
		return a.status, a.encode()
	}
	c.acct.mu.Lock()
	defer c.acct.mu.Unlock()
	a, body := c.carryOut(index, kind)
	if a.file != nil {
		w.Header().Set("Content-Type", a.fileType)
	}
	c.note(a.status)
	return a.status, body
}

// prepare reads the body, finds account and zone and checks the permission. The zone index is -1
// without a zone.
func (c *call) prepare() (int, answer) {
	if c.r.Body != nil && changes(c.r.Method) {
		body, err := io.ReadAll(io.LimitReader(c.r.Body, maxBody))
		if err != nil {
			return -1, refuse(http.StatusBadRequest, 9207, "Request body could not be read")
		}
		c.body = body
	}
	if c.token.Kind == AccountToken {
		if a := unsupported(c.r.URL.Path); a != nil {
			return -1, *a
		}
	}
	index, problem := c.resolve()
	if problem != nil {
		return -1, *problem
	}
	if !c.cloud.permits(c.token, c.route.Permission) {
		return -1, noPermission()
	}
	return index, answer{}
}

// resolve finds the account and the index of the zone in the path; the index is -1 without a zone.
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

// delay waits for the configured latency, or until the client disconnects.
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

// send writes a JSON body, or half of it if the connection is meant to break.
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
	// A failed write means that the client has disconnected.
	_, _ = w.Write(body)
}
