package snapshot

// AcceptFiles asks for files instead of an envelope. A request that carries it
// gets its answer enclosed, so that it passes the same checks, retries and
// decoding as every other read.
const AcceptFiles = "application/javascript, multipart/form-data"

// RawBody is an answer that is no envelope.
type RawBody struct {
	ContentType string `json:"content_type"`
	Body        []byte `json:"body"`
}
