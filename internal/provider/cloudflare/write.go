package cloudflare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
)

// Write sends one change. It is the only way to change anything at the provider, and requires a
// Grant, which only the gate creates. A write is sent once and waits for nothing longer than a few
// seconds: after a *HeldBackError or a *GateError nothing happened, after any other failure only a
// read can tell whether it took effect.
func (c *Client) Write(ctx context.Context, grant gate.Grant, call change.Call) (json.RawMessage, error) {
	if err := grant.Valid(); err != nil {
		return nil, err
	}
	// A process that was frozen since may no longer have the job.
	if c.now().Sub(grant.From()) > latest {
		return nil, &HeldBackError{errLate}
	}
	if call.Method == http.MethodGet {
		return nil, fmt.Errorf("send the change to %s: a read is no change", bare(call.Path))
	}
	if !change.Clean(call.Path) {
		return nil, fmt.Errorf("send the change to %s: an id or a name in it leads elsewhere", bare(call.Path))
	}
	// A request must not be sent after the grant has ended.
	ctx, cancel := context.WithTimeout(ctx, grant.Until().Sub(c.now()))
	defer cancel()
	var body any
	if len(call.Body) > 0 {
		body = call.Body
	}
	e, err := c.call(ctx, call.Method, call.Path, body, headers(call.Header))
	if errors.Is(err, errLate) {
		return nil, &HeldBackError{errLate}
	}
	if err != nil {
		return nil, err
	}
	return e.Result, nil
}
