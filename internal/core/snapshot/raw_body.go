package snapshot

// AcceptFiles requests files instead of an envelope. The answer to a request with this value is
// wrapped in an envelope, so that it passes the same checks, retries and decoding as every other
// read.
const AcceptFiles = "application/javascript, multipart/form-data"

// RawBody is a response without an envelope.
type RawBody struct {
	ContentType string `json:"content_type"`
	Body        []byte `json:"body"`
}
