package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
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

// Who calls, as the audit log names them.
const (
	anonymous = "anonymous"
	local     = "local" // no key is asked for
)

// other is the action of a call that no row of the table takes.
const other audit.Action = "other"

// called is what is known of one request while it runs. Handlers add to it what the
// path does not tell; a body, a query and a header never get here.
type called struct {
	entry audit.Entry
	row   *Route // that takes it; nil: none does
	// object is the last parameter of the path, as it was sent.
	object string
	fenced bool   // refused before anything was looked at
	caller string // whose share of the service it uses
	conn   net.Conn
	// admitted is the JWT that opened the gate of changes.
	admitted gate.Token

	principal  access.Principal
	credential string            // the fingerprint of the API key it came with
	secretHash []byte            // of the session it came with, which may have ended
	session    *store.SessionRow // that it was let through by, or that it made
	cookies    []string          // that the answer sets, when there are several
}

// callOf gives the call of a request; one that nobody records takes what is said
// and forgets it.
func callOf(ctx context.Context) *called {
	if n, ok := ctx.Value(callKey).(*called); ok {
		return n
	}
	return &called{}
}

// route is the path of the row with the id of its object, which idempotency keys are bound to.
func (n *called) route() string {
	return strings.Replace(n.row.Path, "{id}", strings.ToLower(n.object), 1)
}

func callIn(c *fiber.Ctx) *called {
	if n, ok := c.Locals(callKey).(*called); ok {
		return n
	}
	return &called{}
}

// about says what a call is about, once the handler knows that it exists.
func about(ctx context.Context, kind, id string) {
	callOf(ctx).entry.Target = audit.Target{Type: kind, ID: id}
}

// granted notes whom a call gave what roles: the object may tell others when somebody looks.
func granted(ctx context.Context, to string, roles ...access.Grant) {
	said := make([]string, len(roles))
	for i, g := range roles {
		said[i] = g.String()
	}
	detail(ctx, to, cmp.Or(strings.Join(said, "; "), "no role"))
}

// labelled notes the labels of an account, by which roles are given.
func labelled(ctx context.Context, a posture.Account) {
	detail(ctx, a.Name, cmp.Or(strings.Join(a.Labels, ", "), "no label"))
}

func detail(ctx context.Context, to, what string) { callOf(ctx).entry.Detail = to + ": " + what }

// aboutID is about for what a caller names: only what has the form of an id is recorded.
func aboutID(ctx context.Context, kind, id string) {
	if !objectID.MatchString(id) {
		id = ""
	}
	about(ctx, kind, id)
}

// record writes every call that changes something or takes data out to the audit
// log, however it ended. A new row of the table is covered by being there.
func (s *Server) record(c *fiber.Ctx) error {
	n := callIn(c)
	n.conn, n.entry = c.Context().Conn(), audit.Entry{At: s.o.Now(), Actor: anonymous, Address: c.IP(), Method: c.Method(),
		RequestID: requestID(c)}
	if n.row != nil {
		n.entry.Action = n.row.Action
	}
	c.Locals(callKey, n)
	ended := func(int) {}
	if s.o.Begin != nil {
		r := Request{ID: n.entry.RequestID, Traceparent: c.Get("Traceparent")}
		r.Method, r.Route = n.told()
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

// told gives the method and the pattern of a call as they are recorded, from closed lists.
func (n *called) told() (method, route string) {
	if n.row == nil || n.tool() {
		return "other", "other"
	}
	return n.row.Method, n.row.Path
}

// written notes how a call ended.
func (s *Server) written(c *fiber.Ctx, n *called) {
	e, status := n.entry, c.Response().StatusCode()
	e.Status, e.At = status, s.o.Now()
	e.Outcome = outcomeOf(status)
	if status == http.StatusSeeOther && e.Code != "" { // a sign-in that failed ends on a page that says so
		e.Outcome = audit.Refused
	}
	switch {
	case n.fenced:
		s.o.AuditLog.Refused(c.Context(), fencedEntry(c, n, e))
	case n.tool():
		for _, name := range toolsOf(c.BodyRaw()) {
			e.Action, e.Target = audit.Tool, audit.Target{Type: "tool", ID: name}
			if e.Outcome == audit.Succeeded {
				e.Outcome = audit.Admitted // the calls the tool makes tell how it ended
			}
			s.o.AuditLog.Note(c.Context(), e)
		}
	case n.row == nil || n.row.Action == "" || n.row.Method == http.MethodGet && status != http.StatusOK && status != http.StatusSeeOther:
	default:
		s.complete(c, n, &e)
		s.o.AuditLog.Note(c.Context(), e)
	}
}

// complete names the target from the path, unless the handler did, and the job or
// the new object from the answer.
func (s *Server) complete(c *fiber.Ctx, n *called, e *audit.Entry) {
	if e.Target.Type == "" {
		e.Target = n.target(e.Status < http.StatusBadRequest)
	}
	location := string(c.Response().Header.Peek("Location"))
	if id, ok := strings.CutPrefix(location, "/api/jobs/"); ok {
		e.JobID = id
	} else if i := strings.LastIndexByte(location, '/'); i >= 0 && e.Target.ID == "" {
		e.Target.ID = location[i+1:]
	}
}

// fencedEntry is a refusal that is collected with others: a read, or something
// else, of which only the action is recorded, because the caller is unknown.
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

// tool reports whether a call is one of the tool server.
func (n *called) tool() bool { return n.row != nil && n.row.Action == audit.Tool }

var toolName = regexp.MustCompile(`^[a-z]+(_[a-z]+){0,4}$`)

// toolsOf lists the tools a JSON-RPC body calls, 16 at most.
func toolsOf(body []byte) []string {
	type message struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	var all []message
	if body = bytes.TrimSpace(body); bytes.HasPrefix(body, []byte("[")) {
		_ = json.Unmarshal(body, &all) // what is no such list calls no tool
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

// target names the object of a call by its path. What is not known to exist is recorded only when
// it has the form of an id: people paste all kinds of things into addresses.
func (n *called) target(exists bool) audit.Target {
	t := audit.Target{Type: n.row.Object}
	if id, err := url.PathUnescape(n.object); err == nil && (exists || objectID.MatchString(id)) {
		t.ID = id
	}
	return t
}

// rotate is the action of a change that replaces a token.
const rotate audit.Action = "accounts.rotate"

// Actions lists every action the audit log can have.
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
