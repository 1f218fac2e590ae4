package siemtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Envelope is one event of a request.
type Envelope struct {
	ID   string
	Body []byte
}

// Batch is one request to a collector. Number counts from 1.
type Batch struct {
	Number int
	Events []Envelope
	Bytes  int
}

// Word controls the answer to a batch. The zero value accepts everything.
type Word struct {
	Hang   bool
	Status int // 200 when 0; anything other than 200 stores nothing
	Header map[string]string
	Code   int
	// Invalid is the index of the blamed event, when not nil.
	Invalid *int
	// Body replaces the usual answer; with status 200 everything is stored.
	Body string
}

// Collector is an HTTP event collector below any path.
type Collector struct {
	kept
	Token string
	// Word decides about each batch; nil accepts everything.
	Word func(Batch) Word
}

func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := body(r)
	switch {
	case r.Header.Get("Authorization") != "Splunk "+c.Token:
		reply(w, Word{Status: http.StatusForbidden, Code: 4})
		return
	case err != nil || r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/services/collector/event"):
		reply(w, Word{Status: http.StatusNotFound, Body: "not found"})
		return
	}
	list, err := envelopes(raw)
	if err != nil {
		reply(w, Word{Status: http.StatusBadRequest, Code: 6})
		return
	}
	request := Request{Path: r.URL.Path, Header: r.Header.Clone(), Bytes: len(raw)}
	for _, e := range list {
		request.IDs = append(request.IDs, e.ID)
	}
	number := c.begin(request)
	defer c.end()
	var word Word
	if c.Word != nil {
		word = c.Word(Batch{Number: number, Events: list, Bytes: len(raw)})
	}
	if word.Hang {
		hang(r)
		return
	}
	if word.Status == 0 || word.Status == http.StatusOK {
		for _, e := range list {
			c.take(e.ID, e.Body)
		}
	}
	reply(w, word)
}

func reply(w http.ResponseWriter, word Word) {
	for name, value := range word.Header {
		w.Header().Set(name, value)
	}
	if word.Status != 0 {
		w.WriteHeader(word.Status)
	}
	if word.Body != "" {
		_, _ = io.WriteString(w, word.Body)
		return
	}
	answer := map[string]any{"text": "an answer", "code": word.Code}
	if word.Invalid != nil {
		answer["invalid-event-number"] = *word.Invalid
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func envelopes(raw []byte) ([]Envelope, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	var out []Envelope
	for {
		var body json.RawMessage
		if err := dec.Decode(&body); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("read an envelope: %w", err)
		}
		var e struct {
			Event struct {
				ID string `json:"id"`
			} `json:"event"`
		}
		if err := json.Unmarshal(body, &e); err != nil {
			return nil, fmt.Errorf("read an event: %w", err)
		}
		out = append(out, Envelope{ID: e.Event.ID, Body: body})
	}
}
