package simcloud

import (
	"net/http"
	"slices"
)

// Write is one request that may change something.
type Write struct {
	Method string
	// Path as it was asked, with [BasePath] and without the query.
	Path string
	// Status the operation ended with, also when its answer was lost.
	Status int
}

// Writes returns the requests other than reads that reached an operation with a
// valid token, accepted and refused ones, in the order they were carried out.
// A request that an injected failure answered before it was handled is not
// among them.
func (cl *Cloud) Writes() []Write {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	return slices.Clone(cl.writes)
}

// ResetWrites forgets the requests of [Cloud.Writes].
func (cl *Cloud) ResetWrites() {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	cl.writes = nil
}

// changes tells whether a request is no read.
func changes(method string) bool { return method != http.MethodGet && method != http.MethodHead }

// note adds a request to the list of writes. It is called under the lock of the
// account where there is one, so that the list has the order of the changes.
func (c *call) note(status int) {
	if !changes(c.r.Method) {
		return
	}
	c.cloud.mu.Lock()
	defer c.cloud.mu.Unlock()
	c.cloud.writes = append(c.cloud.writes, Write{Method: c.r.Method, Path: c.r.URL.Path, Status: status})
}

// carryOut runs the operation. An ignored write is carried out and taken back,
// so its answer is that of one that worked.
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
