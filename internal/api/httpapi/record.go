package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/store"
)

const callKey = "call"

// Actors of the audit log without a credential.
const (
	anonymous = "anonymous"
	local     = "local" // no API key is required
)

// other is the action of a call that no row of the route table handles.
const other audit.Action = "other"

// called is what is known about a request while it is served. Handlers add what the path does not
// tell; bodies, queries and headers are never stored here.
type called struct {
	entry audit.Entry
	row   *Route // the row that handles it; nil when none does
	// object is the last path parameter, as sent.
	object string
	fenced bool   // refused before any of it was processed
	caller string // whose share of the service the call uses
	conn   net.Conn
	// admitted is the JWT that admitted a change at the gate.
	admitted gate.Token

	principal  access.Principal
	credential string            // fingerprint of the API key of the call
	secretHash []byte            // of the session of the call, which may have ended
	session    *store.SessionRow // the session that the call used or created
	entering   *entering         // the person whom the call signs in
	cookies    []string          // cookies to set, when there are several
	bodyHash   string            // of the body as sent, when the call has an idempotency key
}

// callOf returns the call of a request. Outside a recorded request it returns a new one that is discarded.
func callOf(ctx context.Context) *called {
	if n, ok := ctx.Value(callKey).(*called); ok {
		return n
	}
	return &called{}
}

// route returns the path of the row with the object's id, which idempotency keys are bound to.
func (n *called) route() string {
	return strings.Replace(n.row.Path, "{id}", strings.ToLower(n.object), 1)
}

func callIn(c *fiber.Ctx) *called {
	if n, ok := c.Locals(callKey).(*called); ok {
		return n
	}
	return &called{}
}

// about sets the audit target of a call, once the handler knows that it exists.
func about(ctx context.Context, kind, id string) {
	callOf(ctx).entry.Target = audit.Target{Type: kind, ID: id}
}

// granted records which roles a call gave to whom, because the stored object may have changed by
// the time somebody looks.
func granted(ctx context.Context, to string, roles ...access.Grant) {
	said := make([]string, len(roles))
	for i, g := range roles {
		said[i] = g.String()
	}
	detail(ctx, to, cmp.Or(strings.Join(said, "; "), "no role"))
}

// labelled records the labels of an account, because roles are granted by label.
func labelled(ctx context.Context, a posture.Account) {
	detail(ctx, a.Name, cmp.Or(strings.Join(a.Labels, ", "), "no label"))
}

func detail(ctx context.Context, to, what string) { callOf(ctx).entry.Detail = to + ": " + what }

// aboutID is about for an id that the caller sent: it is recorded only if it has the form of an id.
func aboutID(ctx context.Context, kind, id string) {
	if !objectID.MatchString(id) {
		id = ""
	}
	about(ctx, kind, id)
}

// neighbors returns what limits go by: an address, or the first half of one of IPv6, because everybody there
// has all addresses of that half (RFC 6177).
func neighbors(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil || a.Is4() {
		return address
	}
	return netip.PrefixFrom(a.WithZone(""), 64).Masked().String()
}

// address returns where a call comes from: behind trusted proxies the last hop of X-Forwarded-For
// that is none of them, because what stands before it is what the caller wrote.
func (s *Server) address(c *fiber.Ctx) string {
	at, err := netip.ParseAddr(c.IP())
	if err != nil {
		return c.IP()
	}
	var hops []string
	for _, line := range c.Request().Header.PeekAll("X-Forwarded-For") {
		hops = append(hops, strings.Split(string(line), ",")...)
	}
	trusted := func(a netip.Addr) bool {
		return slices.ContainsFunc(s.o.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	for at = at.Unmap(); trusted(at) && len(hops) > 0; hops = hops[:len(hops)-1] {
		hop := strings.TrimSpace(hops[len(hops)-1])
		before, err := netip.ParseAddr(hop)
		if pair, withPort := netip.ParseAddrPort(hop); withPort == nil {
			before, err = pair.Addr(), nil
		}
		if err != nil {
			break
		}
		at = before.Unmap()
	}
	return at.String()
}

// record writes every call that changes something or hands out data to the audit log, whatever its
// outcome. New rows of the route table are covered automatically.
func (s *Server) record(c *fiber.Ctx) error {
	n := callIn(c)
	n.conn, n.entry = c.Context().Conn(), audit.Entry{At: s.o.Now(), Actor: anonymous, Address: s.address(c), Method: c.Method(),
		RequestID: requestID(c)}
	if n.row != nil {
		n.entry.Action = n.row.Action
	}
	c.Locals(callKey, n)
	ended := func(int) {}
	if s.o.Begin != nil {
		r := Request{ID: n.entry.RequestID, Traceparent: c.Get("Traceparent")}
		r.Method, r.Route = n.labels()
		var ctx context.Context
		ctx, ended = s.o.Begin(c.UserContext(), r)
		c.SetUserContext(ctx)
	}
	if err := c.Next(); err != nil {
		if err := s.fiberError(c, err); err != nil {
			return err
		}
	}
	for _, cookie := range n.cookies {
		c.Response().Header.Add(fiber.HeaderSetCookie, cookie)
	}
	ended(c.Response().StatusCode())
	s.written(c, n)
	return nil
}

// labels returns the method and the path pattern of a call for telemetry, both from closed lists.
func (n *called) labels() (method, route string) {
	if n.row == nil || n.tool() {
		return "other", "other"
	}
	return n.row.Method, n.row.Path
}

// written records the outcome of a call in the audit log.
func (s *Server) written(c *fiber.Ctx, n *called) {
	e, status := n.entry, c.Response().StatusCode()
	e.Status, e.At = status, s.o.Now()
	e.Outcome = outcomeOf(status)
	if status == http.StatusSeeOther && e.Code != "" { // a failed sign-in redirects to a page that shows the reason
		e.Outcome = audit.Refused
	}
	switch {
	case n.fenced:
		s.o.AuditLog.Refused(c.Context(), fencedEntry(c, n, e))
	case n.tool():
		for _, name := range toolsOf(c.BodyRaw()) {
			e.Action, e.Target = audit.Tool, audit.Target{Type: "tool", ID: name}
			if e.Outcome == audit.Succeeded {
				e.Outcome = audit.Admitted // the API calls of the tool record the outcome
			}
			s.o.AuditLog.Note(c.Context(), e)
		}
	case n.row == nil || n.row.Action == "" || n.row.Method == http.MethodGet && status != http.StatusOK && status != http.StatusSeeOther:
	default:
		s.complete(c, n, &e)
		// Whoever has not signed in may only write as many entries as they may guess.
		if e.Actor == anonymous && status != http.StatusUnauthorized && (e.Outcome == audit.Refused || e.Outcome == audit.Failed) {
			s.o.AuditLog.Refused(c.Context(), e)
			return
		}
		s.o.AuditLog.Note(c.Context(), e)
	}
}

// complete sets the target from the path unless the handler did, and the id of the job or the new
// object from the Location header.
func (s *Server) complete(c *fiber.Ctx, n *called, e *audit.Entry) {
	if e.Target.Type == "" {
		e.Target = n.target(e.Status < http.StatusBadRequest)
	}
	location := string(c.Response().Header.Peek("Location"))
	if id, ok := strings.CutPrefix(location, "/api/jobs/"); ok {
		e.JobID = id
	} else if i := strings.LastIndexByte(location, '/'); strings.HasPrefix(location, "/api/") && e.Target.ID == "" {
		e.Target.ID = location[i+1:]
	}
}

// fencedEntry reduces a refused call to an entry that is counted together with similar ones. A read
// has only its action, as has a call that no row handles, because the caller is unknown.
func fencedEntry(c *fiber.Ctx, n *called, e audit.Entry) audit.Entry {
	switch {
	case c.Method() == http.MethodGet || c.Method() == http.MethodHead || c.Method() == http.MethodOptions:
		e.Action, e.Method = audit.Read, ""
	case n.row == nil:
		e.Action, e.Method = other, ""
	}
	return e
}

func outcomeOf(status int) audit.Ending {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests:
		return audit.Refused
	case status == http.StatusAccepted:
		return audit.Admitted
	case status < http.StatusBadRequest:
		return audit.Succeeded
	default:
		return audit.Failed
	}
}

// tool reports whether the call goes to the tool server.
func (n *called) tool() bool { return n.row != nil && n.row.Action == audit.Tool }

var toolName = regexp.MustCompile(`^[a-z]+(_[a-z]+){0,4}$`)

// toolsOf returns the names of the tools that a JSON-RPC body calls, at most 16.
func toolsOf(body []byte) []string {
	type message struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	var all []message
	if body = bytes.TrimSpace(body); bytes.HasPrefix(body, []byte("[")) {
		_ = json.Unmarshal(body, &all) // a body that is not such an array calls no tool
	} else {
		var one message
		_ = json.Unmarshal(body, &one)
		all = append(all, one)
	}
	var names []string
	for _, m := range all {
		if m.Method != "tools/call" || len(names) == 16 {
			continue
		}
		if len(m.Params.Name) > 40 || !toolName.MatchString(m.Params.Name) {
			m.Params.Name = "unknown"
		}
		names = append(names, m.Params.Name)
	}
	return names
}

var (
	objectID  = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}$`)
	findingID = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

// target returns the object of a call, from its path. Unless the object is known to exist, its id
// is recorded only if it has the form of an id, because people paste all kinds of things into
// addresses.
func (n *called) target(exists bool) audit.Target {
	t := audit.Target{Type: n.row.Object}
	if exists || objectID.MatchString(n.object) {
		t.ID = n.object
	}
	return t
}

// rotate is the action of a change that replaces a token.
const rotate audit.Action = "accounts.rotate"

// Actions returns every action that the audit log can contain, sorted.
func Actions() []audit.Action {
	out := append(audit.Actions(), other, rotate)
	for _, r := range Routes() {
		if r.Action != "" {
			out = append(out, r.Action)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
