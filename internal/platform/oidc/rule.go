package oidc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/access"
)

// Everybody is the group of everyone who signs in at a provider.
const Everybody = "*"

// Rule gives a group a grant, whose accounts are named by id or name. The group is exactly one
// value of the role claim, or Everybody.
type Rule struct {
	Group string
	Grant access.Grant
}

const ruleForm = "write group=role or group=role:account,label:production, with ; between entries"

// parseRules parses a role map: entries group=role or group=role:scope, separated by ; or line
// breaks, where scope is a comma-separated list of accounts and label:x. A group may contain = and
// :, as names in directories do, because the last = of an entry ends it; an account whose name
// contains = ; or , must be given by its id. The error continues a sentence that starts with the
// name of the variable.
func parseRules(text string) ([]Rule, error) {
	var out []Rule
	for entry := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == '\n' || r == '\r' }) {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		rule, err := parseRule(entry)
		if err != nil {
			return nil, fmt.Errorf("has the entry %s, %w", show(entry), err)
		}
		out = append(out, rule)
	}
	if len(out) == 0 {
		return nil, errors.New("has no entry; " + ruleForm)
	}
	return out, nil
}

func parseRule(entry string) (Rule, error) {
	at := strings.LastIndexByte(entry, '=')
	if at < 0 {
		return Rule{}, errors.New("which has no =; " + ruleForm)
	}
	rule := Rule{Group: strings.TrimSpace(entry[:at])}
	role, scope, scoped := strings.Cut(entry[at+1:], ":")
	rule.Grant.Role = access.Role(strings.TrimSpace(role))
	if !plain(rule.Group) {
		return rule, fmt.Errorf("whose group is missing, longer than %d characters or does not show; %s", maxText, ruleForm)
	}
	if !slices.Contains(access.Roles(), rule.Grant.Role) {
		return rule, errors.New("whose role is not known; use viewer, analyst, operator, remediator or administrator")
	}
	if !scoped {
		return rule, nil
	}
	for item := range strings.SplitSeq(scope, ",") {
		item = strings.TrimSpace(item)
		label, labelled := strings.CutPrefix(item, "label:")
		if labelled {
			item = strings.TrimSpace(label)
		}
		switch { // a blank item must not widen the grant to all accounts
		case !plain(item):
			return rule, fmt.Errorf("where an account or label is missing, longer than %d characters or does not show; %s", maxText, ruleForm)
		case labelled:
			rule.Grant.Labels = append(rule.Grant.Labels, item)
		default:
			rule.Grant.Accounts = append(rule.Grant.Accounts, item)
		}
	}
	return rule, nil
}
