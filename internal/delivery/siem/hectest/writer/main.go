// The writer posts the documents of a bulk file on its input to the search index at the address in its
// first argument, with Elasticsearch's own client, and prints how many the client reports as indexed
// and as failed.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/elastic/go-elasticsearch/v8"
	"github.com/elastic/go-elasticsearch/v8/esutil"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: writer <address>")
	}
	client, err := elasticsearch.NewClient(elasticsearch.Config{Addresses: args})
	if err != nil {
		return fmt.Errorf("make the client: %w", err)
	}
	indexer, err := esutil.NewBulkIndexer(esutil.BulkIndexerConfig{Client: client, NumWorkers: 2, FlushBytes: 1 << 20})
	if err != nil {
		return fmt.Errorf("make the indexer: %w", err)
	}
	lines := bufio.NewReader(in)
	for {
		action, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		body, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("read a document: %w", err)
		}
		var named map[string]struct {
			Index string `json:"_index"`
			ID    string `json:"_id"`
		}
		if err := json.Unmarshal(action, &named); err != nil {
			return fmt.Errorf("read an action: %w", err)
		}
		for name, target := range named {
			item := esutil.BulkIndexerItem{Action: name, Index: target.Index, DocumentID: target.ID,
				Body: bytes.NewReader(bytes.TrimSuffix(body, []byte("\n")))}
			if err := indexer.Add(ctx, item); err != nil {
				return fmt.Errorf("add a document: %w", err)
			}
		}
	}
	if err := indexer.Close(ctx); err != nil {
		return fmt.Errorf("finish the indexer: %w", err)
	}
	s := indexer.Stats()
	_, err = fmt.Fprintf(out, "%d %d\n", s.NumIndexed+s.NumCreated, s.NumFailed)
	return err
}
