package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Imported is an assessment read back from its JSON format, completely in memory.
type Imported struct {
	ServiceVersion string
	Assessment     posture.AssessmentSummary
	Checks         []posture.CheckTally
	Findings       []posture.Finding
	Paths          []posture.AttackPath
	Graph          graph.Graph
}

// Document converts it to the form that exporters take.
func (i Imported) Document() Document {
	return Document{
		Assessment: i.Assessment, Checks: i.Checks, Paths: Listed(i.Paths), Graph: i.Graph, Version: i.ServiceVersion,
		Findings: func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
			return func(yield func(posture.Finding, error) bool) {
				for _, f := range i.Findings {
					if (len(results) == 0 || slices.Contains(results, f.Result)) && !yield(f, nil) {
						return
					}
				}
			}
		},
	}
}

// Listed converts what is in memory, such as paths, to the form that a document has.
func Listed[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, one := range all {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// jsonFile is the JSON format. Required parts are pointers: a missing part must not pass for an empty
// one.
type jsonFile struct {
	Format         string                     `json:"format"`
	Version        int                        `json:"version"`
	ServiceVersion string                     `json:"serviceVersion"`
	Notice         string                     `json:"notice"`
	Assessment     *posture.AssessmentSummary `json:"assessment"`
	Checks         *[]posture.CheckTally      `json:"checks"`
	Findings       *[]posture.Finding         `json:"findings"`
	Paths          *[]posture.AttackPath      `json:"attackPaths"`
	Graph          *graph.Graph               `json:"graph"`
}

// Two bytes of a list, as in [0,0], make an object that takes almost a thousand in memory. Values of exports have 35 on average.
const (
	valueBytes = 12
	fewValues  = 10_000
)

// ReadJSON reads the output of the JSON format. It holds the whole file in memory: the caller bounds r.
// Another format or version, an unknown member, a missing part, an unknown result, severity or status,
// and a duplicate finding are errors that say so.
func ReadJSON(r io.Reader) (Imported, error) {
	in, err := readJSON(r)
	if err != nil {
		return Imported{}, fmt.Errorf("read the assessment file: %w", err)
	}
	return in, nil
}

func readJSON(r io.Reader) (Imported, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return Imported{}, err
	}
	if bytes.Count(raw, []byte(",")) > fewValues+len(raw)/valueBytes {
		return Imported{}, errors.New("it has far more values than an export of its size")
	}
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return Imported{}, err
	}
	if head.Format != jsonFormat {
		return Imported{}, fmt.Errorf("its format is %.40q, not %q", head.Format, jsonFormat)
	}
	if head.Version != jsonVersion {
		return Imported{}, fmt.Errorf("its version is %d and this service reads version %d", head.Version, jsonVersion)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var file jsonFile
	if err := dec.Decode(&file); err != nil {
		return Imported{}, err
	}
	if err := file.complete(); err != nil {
		return Imported{}, err
	}
	in := Imported{ServiceVersion: file.ServiceVersion, Assessment: *file.Assessment, Checks: *file.Checks, Findings: *file.Findings,
		Paths: *file.Paths, Graph: *file.Graph}
	return in, in.check()
}

func (f jsonFile) complete() error {
	for _, part := range []struct {
		name    string
		missing bool
	}{
		{"assessment", f.Assessment == nil}, {"checks", f.Checks == nil}, {"findings", f.Findings == nil},
		{"attackPaths", f.Paths == nil}, {"graph", f.Graph == nil},
	} {
		if part.missing {
			return fmt.Errorf("it has no %s", part.name)
		}
	}
	return nil
}

// check refuses values that the rest of the service cannot handle.
func (i Imported) check() error {
	if i.Assessment.ID == "" {
		return errors.New("its assessment has no id")
	}
	ids := make(map[string]bool, len(i.Findings))
	for n, f := range i.Findings {
		if err := known(f); err != nil {
			return fmt.Errorf("finding %d: %w", n+1, err)
		}
		if ids[f.ID] {
			return fmt.Errorf("finding %d: the id %.64q comes twice", n+1, f.ID)
		}
		ids[f.ID] = true
	}
	for n, t := range i.Checks {
		if t.CheckID == "" || !slices.Contains(posture.Severities(), t.Severity) {
			return fmt.Errorf("check %d: it has no id, or its severity %.40q is not known", n+1, t.Severity)
		}
	}
	for n, p := range i.Paths {
		if p.ID == "" || !slices.Contains(posture.Severities(), p.Severity) {
			return fmt.Errorf("attack path %d: it has no id, or its severity %.40q is not known", n+1, p.Severity)
		}
	}
	return nil
}

func known(f posture.Finding) error {
	switch {
	case f.ID == "" || f.CheckID == "":
		return errors.New("its id or check id is empty")
	case !slices.Contains(posture.Results(), f.Result):
		return fmt.Errorf("its result %.40q is not known", f.Result)
	case !slices.Contains(posture.Severities(), f.Severity):
		return fmt.Errorf("its severity %.40q is not known", f.Severity)
	case !slices.Contains([]posture.FindingStatus{posture.StatusOpen, posture.StatusResolved, posture.StatusReopened}, f.Status):
		return fmt.Errorf("its status %.40q is not known", f.Status)
	}
	return nil
}
