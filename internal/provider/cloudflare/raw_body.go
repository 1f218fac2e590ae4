package cloudflare

import (
	"encoding/json"
	"net/http"
)

// acceptFiles asks for files instead of an envelope. A request that carries it
// gets its answer enclosed, so that it passes the same checks, retries and
// decoding as every other read.
const acceptFiles = "application/javascript, multipart/form-data"

// rawBody is an answer that is no envelope.
type rawBody struct {
	ContentType string `json:"content_type"`
	Body        []byte `json:"body"`
}

func wantsFiles(req *http.Request) bool { return req.Header.Get("Accept") == acceptFiles }

// enclose puts a body as it came into an envelope.
func enclose(contentType string, body []byte) ([]byte, error) {
	return json.Marshal(struct {
		Result  rawBody `json:"result"`
		Success bool    `json:"success"`
	}{rawBody{contentType, body}, true})
}
