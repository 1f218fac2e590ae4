package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Brought are the addresses and credentials a caller sent with a request. They
// are sealed on the job and forgotten when it ends.
type Brought map[setting.Key]secret.Text

// Seal gives the sealed form, nil when nothing was brought.
func (b Brought) Seal(k secret.Key, jobID string, random io.Reader) ([]byte, error) {
	plain := map[setting.Key]string{}
	for key, value := range b {
		if !value.IsZero() {
			plain[key] = value.Reveal()
		}
	}
	if len(plain) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(plain)
	if err != nil {
		return nil, fmt.Errorf("write the credentials of a request: %w", err)
	}
	sealed, err := k.Seal(secret.New(string(raw)), JobSeal(jobID), random)
	if err != nil {
		return nil, fmt.Errorf("seal the credentials of a request: %w", err)
	}
	return sealed, nil
}

// brought opens what a job was given.
func brought(k secret.Key, row store.JobRow) (Brought, error) {
	out := Brought{}
	if len(row.SealedToken) == 0 {
		return out, nil
	}
	opened, err := k.Open(row.SealedToken, JobSeal(row.ID))
	if err != nil {
		return nil, sealProblem(err, "the credentials of the job")
	}
	plain := map[setting.Key]string{}
	if err := json.Unmarshal([]byte(opened.Reveal()), &plain); err != nil {
		return nil, errors.New("read the credentials of the job: they are not what was sealed")
	}
	for key, value := range plain {
		out[key] = secret.New(value)
	}
	return out, nil
}

// with adds a value that is no secret and came in the open, when there is one.
func (b Brought) with(k setting.Key, value string) Brought {
	if value == "" {
		return b
	}
	out := maps.Clone(b)
	if out == nil {
		out = Brought{}
	}
	out[k] = secret.New(value)
	return out
}

// address gives the address of a key: the caller's, or the configured one.
func (b Brought) address(v setting.Values, k setting.Key) secret.Text {
	if own := b[k]; !own.IsZero() {
		return own
	}
	value, _ := v.Value(k)
	return value
}

// credential gives the credential of a key for an address: the caller's, or the
// saved one if it was saved for that address.
func (b Brought) credential(v setting.Values, k setting.Key, forURL secret.Text) (secret.Text, error) {
	if own := b[k]; !own.IsZero() {
		return own, nil
	}
	return v.Credential(k, forURL.Reveal())
}

// origin is what a ledger shows of an address.
func origin(address secret.Text) string {
	o, err := outbound.Origin(address.Reveal())
	if err != nil {
		return ""
	}
	return o
}

// guarded sends through the outbound guard and says in a problem what it refused.
type guarded struct{ client outbound.Doer }

// Do implements outbound.Doer.
func (g guarded) Do(req *http.Request) (*outbound.Response, error) {
	resp, err := g.client.Do(req)
	return resp, refusal(err)
}

// refusal makes a problem of an address that may not be reached: it is final,
// and its sentence may be shown.
func refusal(err error) error {
	if denied, ok := errors.AsType[*outbound.DeniedError](err); ok {
		return posture.Problemf(posture.CodeOutboundDenied, "%s.", denied)
	}
	return err
}
