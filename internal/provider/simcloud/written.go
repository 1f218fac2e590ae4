package simcloud

import (
	"net/http"
	"slices"
)

// Write is one request that may change something.
type Write struct {
	Method string
	// Path as requested, with [BasePath] and without the query.
	Path string
	// Status of the operation, even if its response was lost.
	Status int
}

// Writes returns the requests other than reads that reached an operation with a valid token, both
// accepted and refused, in the order they were carried out. Requests that an injected failure
// answered before handling are not included.
func (cl *Cloud) Writes() []Write {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	return slices.Clone(cl.writes)
}

// ResetWrites clears the requests of [Cloud.Writes].
func (cl *Cloud) ResetWrites() {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	cl.writes = nil
}

// changes reports whether a request is not a read.
func changes(method string) bool { return method != http.MethodGet && method != http.MethodHead }

// note adds a request to the list of writes. It is called under the account's lock (if there is an
// account), so that the list has the order of the changes.
func (c *call) note(status int) {
	if !changes(c.r.Method) {
		return
	}
	c.cloud.mu.Lock()
	defer c.cloud.mu.Unlock()
	c.cloud.writes = append(c.cloud.writes, Write{Method: c.r.Method, Path: c.r.URL.Path, Status: status})
}

// carryOut runs the operation. An ignored write is carried out and undone, so it gets the response
// of a successful one.
func (c *call) carryOut(index int, kind faultKind) (answer, []byte) {
	if index >= 0 {
		c.zone = c.acct.zone(index)
	}
	if !changes(c.r.Method) {
		a := c.route.handle(c)
		return a, a.encode()
	}
	undo := func() {}
	switch kind {
	case faultRefuse:
		a := refuse(http.StatusBadRequest, 1004, "The change was refused")
		return a, a.encode()
	case faultIgnore:
		undo = c.cloud.snapshotState(c.acct)
	default:
	}
	a := c.route.handle(c)
	body := a.encode()
	if a.status == http.StatusOK && kind != faultIgnore {
		c.record(a)
	}
	undo()
	return a, body
}
