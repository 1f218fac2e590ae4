package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"regexp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/credential"
)

// SnippetContent holds the kinds and line numbers of credentials in the code of a snippet.
const SnippetContent Key[SnippetScan] = "snippet/content" // scope: zone id/snippet name

// SnippetScan is what was found in the code of a snippet while it was read; the code itself is
// never stored.
type SnippetScan struct {
	Hits []SnippetHit `json:"hits"`
}

// SnippetHit is a line that holds a credential of a known shape, or, with an
// empty Kind, a long literal under the name of a secret.
type SnippetHit struct {
	Kind string `json:"credential_kind,omitempty"`
	Line int    `json:"line"`
}

// snippetContent reads the code of a snippet, looks for credentials and discards the code: only
// kinds and line numbers are kept
// (developers.cloudflare.com/api/resources/snippets/subresources/content/methods/get/).
func snippetContent() Source {
	scan := newScanner(credential.New())
	s := object(SnippetContent, Source{
		Path: "/zones/{zone_id}/snippets/{item}/content", Permission: permissionSnippets, Plans: []string{"pro", "business", "enterprise"},
		Parent: ZoneSnippets.Source(),
		Items:  idsOf(ZoneSnippets, nil),
		Headers: func(*Known, SourceScope) []map[string][]string {
			return []map[string][]string{{"Accept": {AcceptFiles}}}
		},
		Example: `{"content_type":"application/javascript","body":"Y29uc3Qgbm90ZSA9ICJkcm9wIjsK"}`,
	}, func(RawBody) SnippetScan { return SnippetScan{} })
	s.reduce = func(page json.RawMessage) (json.RawMessage, error) {
		var w RawBody
		if err := decodeInto(page, &w, s.Name); err != nil {
			return nil, err
		}
		found, err := scan.file(w)
		if err != nil {
			return nil, err
		}
		return Canonical(found)
	}
	return s
}

// newScanner returns a scanner for known shapes, and for literals assigned to a name.
func newScanner(secrets *credential.Matcher) scanner {
	return scanner{secrets: secrets, literal: regexp.MustCompile(`([A-Za-z_$][\w$-]*)["']?\s*[:=]\s*(?:"([^"]*)"|'([^']*)'|` + "`([^`]*)`)")}
}

type scanner struct {
	secrets *credential.Matcher
	literal *regexp.Regexp
}

// file scans every part of a multipart answer, or the answer itself. Parts that cannot be parsed
// are scanned as one text, so that nothing is missed; when nothing is in them, the rest may have it.
func (s scanner) file(w RawBody) (SnippetScan, error) {
	kind, params, _ := mime.ParseMediaType(w.ContentType)
	if !strings.HasPrefix(kind, "multipart/") {
		return SnippetScan{Hits: s.text(string(w.Body))}, nil
	}
	hits, read := []SnippetHit{}, 0
	parts := multipart.NewReader(bytes.NewReader(w.Body), params["boundary"])
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) && read > 0 {
			break
		}
		read++
		var code []byte
		if err == nil {
			code, err = io.ReadAll(part)
		}
		if err != nil {
			found := SnippetScan{Hits: s.text(string(w.Body))}
			if len(found.Hits) == 0 {
				return found, fmt.Errorf("read the parts of the code: %w", err)
			}
			return found, nil
		}
		hits = append(hits, s.text(string(code))...)
	}
	slices.SortFunc(hits, func(a, b SnippetHit) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Kind, b.Kind)
	})
	return SnippetScan{Hits: hits}, nil
}

// text scans line by line. A word such as password proves nothing; a literal of more than 20
// characters assigned to such a name is reported.
func (s scanner) text(code string) []SnippetHit {
	out, number := []SnippetHit{}, 0
	for line := range strings.SplitSeq(code, "\n") {
		number++
		if kind := s.secrets.Kind(line); kind != "" {
			out = append(out, SnippetHit{Kind: kind, Line: number})
			continue
		}
		for _, m := range s.literal.FindAllStringSubmatch(line, -1) {
			if credential.SecretName(m[1]) && len(m[2]+m[3]+m[4]) > 20 {
				out = append(out, SnippetHit{Line: number})
				break
			}
		}
	}
	return out
}
