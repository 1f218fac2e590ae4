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

// Brought holds the addresses and credentials that a caller sent with a request. They are sealed on the
// job and deleted when it ends.
type Brought map[setting.Key]secret.Text

// Seal returns the sealed form, nil when there is nothing to seal.
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

// brought opens what was sealed on a job.
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

// with adds a value that is not secret and was sent in plain text, unless it is "".
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

// address returns the address for a key: the caller's, or the configured one.
func (b Brought) address(v setting.Values, k setting.Key) secret.Text {
	if own := b[k]; !own.IsZero() {
		return own
	}
	value, _ := v.Value(k)
	return value
}

// credential returns the credential for a key and an address: the caller's, or the saved one if it was
// saved for that address.
func (b Brought) credential(v setting.Values, k setting.Key, forURL secret.Text) (secret.Text, error) {
	if own := b[k]; !own.IsZero() {
		return own, nil
	}
	return v.Credential(k, forURL.Reveal())
}

// origin is the part of an address that the delivery ledger shows.
func origin(address secret.Text) string {
	o, err := outbound.Origin(address.Reveal())
	if err != nil {
		return ""
	}
	return o
}

// guarded sends through the outbound guard and turns refusals into problems.
type guarded struct{ client outbound.Doer }

// Do implements outbound.Doer.
func (g guarded) Do(req *http.Request) (*outbound.Response, error) {
	resp, err := g.client.Do(req)
	return resp, refusal(err)
}

// refusal turns the error of a forbidden address into a problem: it is final, and its text may be
// shown.
func refusal(err error) error {
	if denied, ok := errors.AsType[*outbound.DeniedError](err); ok {
		return posture.Problemf(posture.CodeOutboundDenied, "%s.", denied)
	}
	return err
}
