package siem

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// bulkItem is the answer about one document.
type bulkItem struct {
	ID     string          `json:"_id"`
	Status int             `json:"status"`
	Error  json.RawMessage `json:"error"`
}

// items holds the readable items of an answer. whole is false when the answer ended early; the items
// before that point are valid.
type items struct {
	list  []bulkItem
	whole bool
}

var errNoItems = errors.New("the answer is not that of a bulk request")

// readItems reads the items of an answer one by one, ignoring all other members.
func readItems(body []byte) (items, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := expect(dec, json.Delim('{')); err != nil {
		return items{}, errNoItems
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return items{}, errNoItems
		}
		if key != "items" {
			var skipped json.RawMessage
			if err := dec.Decode(&skipped); err != nil {
				return items{}, errNoItems
			}
			continue
		}
		if err := expect(dec, json.Delim('[')); err != nil {
			return items{}, errNoItems
		}
		return listItems(dec)
	}
	return items{}, errNoItems
}

func listItems(dec *json.Decoder) (items, error) {
	var out items
	for dec.More() {
		var entry map[string]bulkItem
		err := dec.Decode(&entry)
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil || len(entry) != 1 {
			return items{}, errNoItems
		}
		for _, item := range entry {
			out.list = append(out.list, item)
		}
	}
	out.whole = expect(dec, json.Delim(']')) == nil
	return out, nil
}

func expect(dec *json.Decoder, want json.Delim) error {
	got, err := dec.Token()
	if err != nil {
		return fmt.Errorf("read the next token: %w", err)
	}
	if got != want {
		return errNoItems
	}
	return nil
}

// judgeItems judges every item. An answer without ids is matched by position, which is only sound when
// it has as many items as were sent, or ends early; otherwise the batch is split until the documents
// without an answer are alone.
func (b *bulk) judgeItems(batch []batchItem, answer *outbound.Response) judgement {
	got, err := readItems(answer.Body)
	silent := verdict{fate: fateLater, reason: "The search index answered without saying what became of it.",
		wait: retryAfter(answer.Header, b.pace.Now())}
	if err != nil || len(got.list) > len(batch) {
		return all(len(batch), silent)
	}
	if places := byID(batch, got.list); places != nil {
		j := all(len(batch), b.missing(got, silent))
		for i, item := range got.list {
			j.verdicts[places[i]] = b.item(batch[places[i]], item, answer)
		}
		return j
	}
	if displaced(batch, got.list) {
		return all(len(batch), silent)
	}
	if got.whole && len(got.list) > 0 && len(got.list) < len(batch) {
		return all(len(batch), verdict{fate: fateApart, reason: silent.reason})
	}
	j := all(len(batch), b.missing(got, silent))
	for i, item := range got.list {
		j.verdicts[i] = b.item(batch[i], item, answer)
	}
	return j
}

// missing is the verdict for documents that a useful answer leaves out: after a truncated answer they
// are sent again at once, after a complete one they must wait.
func (b *bulk) missing(got items, silent verdict) verdict {
	if !got.whole && len(got.list) > 0 {
		return verdict{fate: fateAgain}
	}
	return silent
}

// byID gives the position of each item in the batch, or nil when the items do not name their documents
// exactly once each.
func byID(batch []batchItem, list []bulkItem) []int {
	if len(list) == 0 || list[0].ID == "" {
		return nil
	}
	at := make(map[string]int, len(batch))
	for i, p := range batch {
		at[p.id] = i
	}
	out := make([]int, 0, len(list))
	for _, item := range list {
		place, known := at[item.ID]
		if !known {
			return nil
		}
		delete(at, item.ID)
		out = append(out, place)
	}
	return out
}

// displaced reports whether an item names a document of the batch that is not the one at its position: matching by position would then
// give a document the verdict of another.
func displaced(batch []batchItem, list []bulkItem) bool {
	known := make(map[string]bool, len(batch))
	for _, p := range batch {
		known[p.id] = true
	}
	for i, item := range list {
		if known[item.ID] && item.ID != batch[i].id {
			return true
		}
	}
	return false
}

func (b *bulk) item(p batchItem, item bulkItem, answer *outbound.Response) verdict {
	faulty := len(item.Error) > 0 && !bytes.Equal(item.Error, []byte("null"))
	said := errorText(item.Error)
	if said == "" {
		said = "it gave no reason we know"
	}
	switch s := item.Status; {
	case (s == http.StatusOK || s == http.StatusCreated) && !faulty:
		return verdict{fate: fateSent}
	case s == http.StatusConflict && p.keep: // an earlier attempt arrived
		return verdict{fate: fateSent}
	case s >= 400 && s < 500 && s != http.StatusTooManyRequests:
		return verdict{fate: fateFailed, reason: fmt.Sprintf("The search index refused the document (%d): %s.", s, said)}
	default:
		return verdict{fate: fateLater, reason: fmt.Sprintf("The search index could not take the document (%d): %s.", s, said),
			wait: retryAfter(answer.Header, b.pace.Now())}
	}
}

// bulkError returns the error of a whole request.
func bulkError(body []byte) string {
	var answer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	return errorText(answer.Error)
}

// knownErrors are the error types whose names are passed on (Elasticsearch, REST API error responses).
// Nothing else from a receiver is passed on, because it may contain anything.
func knownErrors() []string {
	return []string{"circuit_breaking_exception", "cluster_block_exception", "document_parsing_exception", "es_rejected_execution_exception",
		"illegal_argument_exception", "illegal_state_exception", "index_closed_exception", "index_not_found_exception",
		"invalid_index_name_exception", "mapper_parsing_exception", "parsing_exception",
		"process_cluster_event_timeout_exception", "security_exception", "strict_dynamic_mapping_exception", "unavailable_shards_exception",
		"validation_exception",
		"version_conflict_engine_exception", "x_content_parse_exception"}
}

// errorText returns the type of an error if it is a known one.
func errorText(raw json.RawMessage) string {
	var full struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(raw, &full) != nil || !slices.Contains(knownErrors(), full.Type) {
		return ""
	}
	return full.Type
}
