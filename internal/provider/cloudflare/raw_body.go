package cloudflare

import (
	"encoding/json"
	"net/http"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func wantsFiles(req *http.Request) bool { return req.Header.Get("Accept") == snapshot.AcceptFiles }

// enclose wraps a raw body in an envelope.
func enclose(contentType string, body []byte) ([]byte, error) {
	return json.Marshal(struct {
		Result  snapshot.RawBody `json:"result"`
		Success bool             `json:"success"`
	}{snapshot.RawBody{ContentType: contentType, Body: body}, true})
}
