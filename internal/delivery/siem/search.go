package siem

import (
	"context"
	"encoding/base64"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// Limits of one bulk request.
const (
	bulkDocuments = 1000
	bulkBytes     = 5 << 20
)

// Search is a search index that accepts bulk requests. APIKey takes precedence over user and password;
// it is "id:key" or the encoded key that the server issued.
type Search struct {
	URL      string
	APIKey   secret.Text
	Username string
	Password secret.Text
	// Gzip compresses requests. Some servers silently lose compressed ones, which is reported as
	// documents to retry.
	Gzip bool
}

// SearchSender sends documents to a search index. It is safe for concurrent use.
type SearchSender struct {
	sender sender
	bulk   *bulk
}

// NewSearchSender prepares a sender; an invalid target is a problem that may be shown.
func NewSearchSender(doer Doer, s Search, p Pace) (*SearchSender, error) {
	p, err := p.filled()
	if err != nil {
		return nil, err
	}
	to, err := endpoint("searchUrl", s.URL, "/_bulk")
	if err != nil {
		return nil, err
	}
	if err := header("searchApiKey", s.APIKey); err != nil {
		return nil, err
	}
	b := &bulk{to: to, search: s, pace: p}
	switch {
	case !s.APIKey.IsZero():
		key := s.APIKey.Reveal()
		if strings.Contains(key, ":") {
			key = base64.StdEncoding.EncodeToString([]byte(key))
		}
		b.authorization = secret.New("ApiKey " + key)
	case s.Username != "" || !s.Password.IsZero():
		b.authorization = secret.New("Basic " + base64.StdEncoding.EncodeToString([]byte(s.Username+":"+s.Password.Reveal())))
	}
	return &SearchSender{sender: sender{doer: doer, receiver: b, pace: p}, bulk: b}, nil
}

// Send sends documents and returns the outcome of each. The error comes from the source only; the
// receiver's answers are in the report.
func (s *SearchSender) Send(ctx context.Context, documents iter.Seq2[Document, error]) (Report, error) {
	return s.sender.send(ctx, func(yield func(batchItem, error) bool) {
		for d, err := range documents {
			p := batchItem{id: d.ID, keep: d.Create}
			if err == nil {
				p.body, err = appendBulk(nil, d)
			}
			if !yield(p, err) {
				return
			}
		}
	})
}

// PutTemplate stores the template of an index on the server.
func (s *SearchSender) PutTemplate(ctx context.Context, index string) error {
	body, err := Template(index)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.bulk.pace.Timeout)
	defer cancel()
	to := *s.bulk.to
	to.Path = strings.TrimSuffix(to.Path, "_bulk")
	to.RawPath = ""
	r, err := post(ctx, to.JoinPath("_index_template", "edgeposture"), "application/json", body, false)
	if err != nil {
		return err
	}
	r.Method = http.MethodPut
	s.bulk.authorize(r)
	answer, err := s.sender.doer.Do(r)
	if err != nil {
		return posture.Problemf(posture.CodeDelivery, "The index template could not be stored because the search index could not be reached; "+
			"check its address and try again.")
	}
	if answer.Status < 200 || answer.Status > 299 {
		return posture.Problemf(posture.CodeDelivery, "The index template could not be stored because the search index answered %d; the "+
			"credential needs the privilege manage_index_templates.", answer.Status)
	}
	return nil
}

// bulk is the protocol of bulk requests (Elasticsearch, Bulk API).
type bulk struct {
	to            *url.URL
	search        Search
	authorization secret.Text
	pace          Pace
}

func (b *bulk) name() string              { return "search index" }
func (b *bulk) limit() (items, bytes int) { return bulkDocuments, bulkBytes }
func (b *bulk) size(p batchItem) int      { return len(p.body) }

func (b *bulk) clean(text string) string {
	return scrub(text, append(forms(b.search.APIKey), append(forms(b.authorization), b.search.Password)...)...)
}

// forms returns a credential in the forms in which an answer might repeat it: unchanged, without its
// scheme, decoded, and the part after the colon.
func forms(t secret.Text) []secret.Text {
	out := []secret.Text{t}
	_, value, found := strings.Cut(t.Reveal(), " ")
	if !found {
		value = t.Reveal()
	}
	plain, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		plain = []byte(value)
	}
	_, key, _ := strings.Cut(string(plain), ":")
	return append(out, secret.New(value), secret.New(string(plain)), secret.New(key))
}

func (b *bulk) authorize(r *http.Request) {
	if !b.authorization.IsZero() {
		r.Header.Set("Authorization", b.authorization.Reveal())
	}
}

func (b *bulk) request(ctx context.Context, batch []batchItem) (*http.Request, error) {
	r, err := post(ctx, b.to, "application/x-ndjson", joined(batch, ""), b.search.Gzip)
	if err != nil {
		return nil, err
	}
	b.authorize(r)
	return r, nil
}

func (b *bulk) judge(batch []batchItem, answer *outbound.Response) judgement {
	n, status := len(batch), answer.Status
	said := "."
	if e := bulkError(answer.Body); e != "" {
		said = ": " + e + "."
	}
	switch {
	case status == http.StatusOK || status == http.StatusCreated:
		return b.judgeItems(batch, answer)
	case status == http.StatusRequestEntityTooLarge:
		return all(n, verdict{fate: fateTight, reason: "The search index takes no request as large as this one document."})
	case passing(status):
		return all(n, verdict{fate: fateLater, reason: fmt.Sprintf("The search index answered %d.", status),
			wait: retryAfter(answer.Header, b.pace.Now())})
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return refused(n, fmt.Sprintf("The search index refused the credential (HTTP %d); check the key or the user and its privileges on the "+
			"index.", status))
	case status == http.StatusBadRequest:
		if n > 1 {
			return all(n, verdict{fate: fateApart, blamed: true, reason: reasonOf("The search index could not read the request" + said)})
		}
		return all(n, verdict{fate: fateFailed, reason: reasonOf("The search index could not read the document" + said)})
	default:
		return refused(n, reasonOf(fmt.Sprintf("The search index answered %d, which no bulk request is answered with; check the address%s",
			status, said)))
	}
}
