package export

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// ruleSet holds every check of a document as a SARIF rule, sorted by id, and the number of results that
// follow.
type ruleSet struct {
	list    []sarifRule
	index   map[string]int
	results int
}

type sarifRule struct {
	ID                   string           `json:"id"`
	ShortDescription     sarifMultiformat `json:"shortDescription"`
	FullDescription      sarifMultiformat `json:"fullDescription"`
	Help                 sarifMultiformat `json:"help"`
	DefaultConfiguration struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
	Properties sarifRuleProperties `json:"properties"`
}

type sarifMultiformat struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

// sarifRuleProperties are the ones that GitHub reads. The severity is a number as text and is used only
// if the tags include "security".
type sarifRuleProperties struct {
	SecuritySeverity string   `json:"security-severity"`
	Precision        string   `json:"precision"`
	Tags             []string `json:"tags"`
}

// sarifTags is how many tags of a rule GitHub keeps.
const sarifTags = 10

// gatherRules reads all findings once, including those that passed, because the text of a rule is in
// its findings. Checks are few, so memory does not grow with the findings.
func gatherRules(s *sink, d Document) ruleSet {
	rules := ruleSet{list: []sarifRule{}, index: map[string]int{}}
	s.each(d, nil, func(f posture.Finding) {
		if slices.Contains(detailed(), f.Result) {
			rules.results++
		}
		if _, known := rules.index[f.CheckID]; !known {
			rules.index[f.CheckID] = len(rules.list)
			rules.list = append(rules.list, ruleOf(f))
		}
	})
	slices.SortFunc(rules.list, func(a, b sarifRule) int { return strings.Compare(a.ID, b.ID) })
	for i, r := range rules.list {
		rules.index[r.ID] = i
	}
	return rules
}

func ruleOf(f posture.Finding) sarifRule {
	title := orElse(f.CheckTitle, f.Title, f.CheckID)
	why, fix := orElse(f.Why, title), orElse(f.Fix, "There is no advice for this check.")
	r := sarifRule{
		ID:               f.CheckID,
		ShortDescription: sarifMultiformat{Text: escapedMessage(title)},
		FullDescription:  sarifMultiformat{Text: escapedMessage(why)},
		Help: sarifMultiformat{
			Text:     escapedMessage(why) + "\n\nFix: " + escapedMessage(fix),
			Markdown: braces("**Why:** " + prose(why) + "\n\n**Fix:** " + prose(fix) + "\n"),
		},
		Properties: sarifRuleProperties{SecuritySeverity: securitySeverity(f.Severity), Precision: "very-high", Tags: ruleTags(f)},
	}
	if list := controlList(f.Controls); list != "" {
		r.Help.Markdown += braces("\n**Controls:** " + list + "\n")
	}
	r.DefaultConfiguration.Level = failLevel(f.Severity)
	return r
}

// braces doubles braces: a single one would begin a placeholder in Markdown too.
func braces(s string) string { return strings.NewReplacer("{", "{{", "}", "}}").Replace(s) }

// securitySeverity maps a severity to GitHub's scale: above 9 is critical, from 7 high, from 4 medium,
// below that low.
func securitySeverity(v posture.Severity) string {
	return []string{"0.0", "2.0", "5.5", "8.0", "9.5"}[v.Rank()]
}

// ruleTags returns "security", the category and then controls, alternating between the frameworks, so
// that every framework gets its share of the few tags.
func ruleTags(f posture.Finding) []string {
	tags := []string{"security"}
	add := func(tag string) {
		if !slices.Contains(tags, tag) && len(tags) < sarifTags {
			tags = append(tags, tag)
		}
	}
	if f.Category != "" {
		add(string(f.Category))
	}
	for i := range sarifTags {
		for _, set := range frameworks(f.Controls) {
			if i < len(set.ids) {
				add("external/" + set.key + "/" + set.ids[i])
			}
		}
	}
	return tags
}
