package siem

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// templatePattern is the index pattern of the template for the default index.
const templatePattern = "edgeposture-*"

// longestKeyword is how many characters of a keyword are indexed, as in ECS; the source keeps the whole
// value.
const longestKeyword = 1024

// fields lists every field of a document: the object that contains it ("-" for the document), the index
// type, the names. Types of ECS fields are those of ECS 8.11.0.
//
//nolint:dupword // the field ip has the type ip
const fields = `
- date @timestamp
ecs keyword version
- match_only_text message
- keyword tags
labels keyword assessment_id simulated_account notice
event keyword kind category type outcome id code action dataset module provider reason
event long severity duration
event float risk_score
event date created start end
rule keyword id uuid name description category ruleset version
cloud keyword provider
cloud.account keyword id name
cloud.service keyword name
organization keyword id name
observer keyword vendor product type version
related ip ip
related keyword hosts
threat nested enrichments
threat.enrichments.indicator keyword type name description provider confidence
threat.enrichments.matched keyword atomic field id index type
threat.enrichments.matched date occurred
edgeposture keyword document
edgeposture boolean truncated
edgeposture.assessment keyword id status profile
edgeposture.assessment boolean simulated_account only_changes
edgeposture.finding keyword id check_id result severity status missing_permission
edgeposture.finding float risk
edgeposture.finding date first_seen last_seen
edgeposture.finding boolean remediable excepted
edgeposture.finding match_only_text remediation exception
edgeposture.finding long judged
edgeposture.resource keyword id type name zone_id zone
edgeposture.node keyword id type label severity
edgeposture nested attack_paths evidence
edgeposture.attack_paths keyword id kind title severity entry_node_id target_node_id
edgeposture.attack_paths long hop_count
edgeposture long attack_path_count
edgeposture.evidence keyword source pointer observed expected
edgeposture.controls keyword cis soc2 pci nist
edgeposture.path keyword id kind title severity entry_node_id target_node_id nodes finding_ids check_ids
edgeposture.path long hop_count
edgeposture.path match_only_text steps breaks
edgeposture.path boolean remediable
edgeposture.summary long score attack_paths zones requests
edgeposture.summary keyword grade grade_note sensitivity snapshot_digest
edgeposture.summary float coverage_percent
edgeposture.summary.findings long total pass fail warning unknown not_applicable
edgeposture.summary.open_by_severity long critical high medium low informational
edgeposture.summary match_only_text note
edgeposture.summary nested missing_permissions
edgeposture.summary.missing_permissions keyword permission check_ids
`

// Template is a composable index template (Elasticsearch, "Create or update index template") for
// documents in the ECS form, as JSON: PUT it to _index_template/edgeposture before the first delivery.
// index is the index in use, empty for the default. Fields it does not list are stored and not indexed,
// so that no document of a newer service is refused.
func Template(index string) ([]byte, error) {
	if err := (Options{Index: index}).Check(); err != nil {
		return nil, err
	}
	patterns := []string{templatePattern}
	if index != "" && index != DefaultIndex {
		patterns = []string{index, index + "-*"}
	}
	b, err := json.MarshalIndent(map[string]any{
		"index_patterns": patterns,
		"priority":       250,
		"_meta":          map[string]any{"description": "Posture assessments of Edgeposture.", "ecs_version": ecsVersion},
		"template": map[string]any{
			"settings": map[string]any{"index": map[string]any{"codec": "best_compression",
				"mapping": map[string]any{"total_fields": map[string]any{"limit": 1000}}}},
			"mappings": map[string]any{"dynamic": false, "date_detection": false, "_meta": map[string]any{"ecs_version": ecsVersion},
				"properties": mappings(fields)},
		},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the index template: %w", err)
	}
	return append(b, '\n'), nil
}

// mappings turns the table into nested properties.
func mappings(table string) map[string]any {
	root := map[string]any{}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		words := strings.Fields(line)
		at := root
		if words[0] != "-" {
			for name := range strings.SplitSeq(words[0], ".") {
				at = inside(at, name)
			}
		}
		for _, name := range words[2:] {
			maps.Copy(object(at, name), mapping(words[1]))
		}
	}
	return root
}

// object returns the mapping of a name within properties, creating it if needed.
func object(properties map[string]any, name string) map[string]any {
	m, ok := properties[name].(map[string]any)
	if !ok {
		m = map[string]any{}
		properties[name] = m
	}
	return m
}

func inside(properties map[string]any, name string) map[string]any {
	return object(object(properties, name), "properties")
}

func mapping(kind string) map[string]any {
	if kind == "keyword" {
		return map[string]any{"type": kind, "ignore_above": longestKeyword}
	}
	return map[string]any{"type": kind}
}
