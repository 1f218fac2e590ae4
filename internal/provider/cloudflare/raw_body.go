package cloudflare

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func wantsFiles(req *http.Request) bool { return req.Header.Get("Accept") == snapshot.AcceptFiles }

// enclose wraps a raw body in an envelope. A page or an envelope is no file: something in between answered, or the read failed with
// a status of 200.
func enclose(contentType string, body []byte) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(contentType); err != nil || kind == "text/html" || kind == "application/json" {
		return nil, fmt.Errorf("the answer is no file but of the type %.40q", contentType)
	}
	return json.Marshal(struct {
		Result  snapshot.RawBody `json:"result"`
		Success bool             `json:"success"`
	}{snapshot.RawBody{ContentType: contentType, Body: body}, true})
}
