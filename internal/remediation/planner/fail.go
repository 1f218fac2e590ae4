package planner

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// Completions of "… because <provider> " for answers that are of no use.
const (
	notForm  = "gave an answer of another form than was asked for; try again, or choose another model with SERVICE_AI_MODEL or aiModel"
	notWhole = "stopped before its answer was whole; choose a model with room for longer answers with SERVICE_AI_MODEL or aiModel"
	declined = "declined to answer; try again, or choose another model with SERVICE_AI_MODEL or aiModel"
	nothing  = "named no item of the plan; try again, or choose another model with SERVICE_AI_MODEL or aiModel"
)

// trouble describes why a question got no answer. It only repeats the reasons of the outbound
// client; any other error may hold an address or text from the other side.
func trouble(ctx context.Context, err error) string {
	var denied *outbound.DeniedError
	var failed *outbound.FailedError
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return "was given up on before it answered"
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "did not answer in time; try again, or choose a faster model with SERVICE_AI_MODEL or aiModel"
	case errors.As(err, &denied) && denied.Private:
		return "may not be reached, for " + denied.Reason + "; if it is meant, list its host and port in SERVICE_OUTBOUND_ALLOW"
	case errors.As(err, &denied):
		return "has an address that is refused, for " + denied.Reason + "; correct LOCAL_MODEL_HOST or localModelHost"
	case errors.As(err, &failed):
		return "gave no answer, for " + failed.Reason
	}
	return "gave no answer; check that it works and try again"
}

// refused describes an answer with a status other than 200. Its body is ignored: it is meant for
// the provider's customer and does not belong in a plan.
func (p *Planner) refused(status int) string {
	say := func(what, do string) string { return fmt.Sprintf("answered %d, %s; %s", status, what, do) }
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		if keys := p.protocol.keys(); keys != "" {
			return say("so the key is not accepted", "make a new one there and set "+keys)
		}
		return say("so it wants a login", "check LOCAL_MODEL_HOST or localModelHost")
	case status == http.StatusNotFound:
		return say("so it does not have the model or is no such server", "check SERVICE_AI_MODEL or aiModel, and the address")
	case status == http.StatusTooManyRequests:
		return say("too many requests", "try again later")
	case status >= 300 && status < 400:
		return say("a redirect, which is not followed", "set the final address")
	case status >= 500:
		return say("which may pass", "try again later")
	case status >= 400:
		return say("so it does not take the question", "choose another model with SERVICE_AI_MODEL or aiModel")
	}
	return say("which is no answer", "check what answers at the address")
}
