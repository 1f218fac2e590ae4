package simcloud

import (
	"encoding/json"
	"net/http"
)

// obj is one JSON object of a response. encoding/json writes its keys sorted, so the same state
// gives the same bytes.
type obj = map[string]any

// apiError is one entry of the errors member.
type apiError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// resultInfo is the paging part of a response. Page lists fill the counters, cursor lists one of
// the two cursor forms.
type resultInfo struct {
	Page       int      `json:"page,omitempty"`
	PerPage    int      `json:"per_page,omitempty"`
	Count      int      `json:"count"`
	TotalCount *int     `json:"total_count,omitempty"`
	TotalPages *int     `json:"total_pages,omitempty"`
	Cursors    *cursors `json:"cursors,omitempty"`
	Cursor     string   `json:"cursor,omitempty"`
}

type cursors struct {
	After string `json:"after"`
}

// answer is what a handler returns.
type answer struct {
	status int
	result any
	info   *resultInfo
	err    *apiError
	// file is sent as it is, with content type fileType, instead of an envelope.
	file     []byte
	fileType string
}

// envelope is the outer object of every response, see
// https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/.
type envelope struct {
	Result     any         `json:"result"`
	Success    bool        `json:"success"`
	Errors     []apiError  `json:"errors"`
	Messages   []apiError  `json:"messages"`
	ResultInfo *resultInfo `json:"result_info,omitempty"`
}

func ok(result any) answer { return answer{status: http.StatusOK, result: result} }

func refuse(status, code int, message string) answer {
	return answer{status: status, err: &apiError{Code: code, Message: message}}
}

func notFound(what string) answer { return refuse(http.StatusNotFound, 1551, what+" not found") }

func badBody() answer {
	return refuse(http.StatusBadRequest, 9207, "Request body is not valid JSON for this endpoint")
}

// unrouted is the error for unknown paths and identifiers.
func unrouted(path string) answer {
	return refuse(http.StatusNotFound, 7003, "Could not route to "+path+", perhaps your object identifier is invalid?")
}

// encode returns the bytes of a response. The caller holds the lock of the state the response refers to.
func (a answer) encode() []byte {
	if a.file != nil {
		return a.file
	}
	e := envelope{Result: a.result, Success: a.err == nil, Errors: []apiError{}, Messages: []apiError{}, ResultInfo: a.info}
	if a.err != nil {
		e.Errors, e.Result = []apiError{*a.err}, nil
	}
	raw, err := json.Marshal(e)
	if err != nil {
		// Only reachable if a generator puts a channel or a function into a response; failing loudly
		// beats an empty page.
		panic("simcloud: answer cannot be encoded: " + err.Error())
	}
	return raw
}
