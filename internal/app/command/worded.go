package command

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

// worded rewrites an error in terms of the command line: flags instead of request fields, and
// commands instead of API paths.
func (p *program) worded(err error) string {
	text := err.Error()
	var problem *posture.Problem
	if !errors.As(err, &problem) {
		return text
	}
	for _, e := range problem.Errors {
		flag := p.flagOf(e.Location)
		if flag == "" {
			continue
		}
		_, field, _ := strings.Cut(e.Location, ".")
		text = strings.ReplaceAll(text, e.Location, flag)
		if strings.ToLower(field) != field { // not a word of the sentence
			text = strings.ReplaceAll(text, field, flag)
		}
		if !strings.Contains(text, flag) {
			text = flag + ": " + text
		}
	}
	if problem.Code == posture.CodeUnauthorized {
		text = "the service takes no key, or not this one; run edgeposture login, or give one with --api-key-file or EDGEPOSTURE_API_KEY"
	}
	text = settingsNamed(text)
	text = regexp.MustCompile(`\b(body|query|path)\.[A-Za-z.\[\]0-9]+: `).ReplaceAllString(text, "")
	call := regexp.MustCompile(`\b(GET|POST|PUT|PATCH|DELETE) /(?:api|mcp|report)[A-Za-z0-9/{}-]*(\?[a-z]+=[a-z]+)?`)
	text = call.ReplaceAllStringFunc(text, commandOf)
	return regexp.MustCompile(` ?\(HTTP [0-9]{3}\)`).ReplaceAllString(text, "")
}

// settingsNamed says where the settings that a text asks for are set: on the service.
func settingsNamed(text string) string {
	text = regexp.MustCompile(`send (\w+) with the request or save it in the settings`).ReplaceAllString(text, "set $1")
	variables := map[string]string{}
	for _, d := range setting.Definitions() {
		variables[string(d.Key)] = d.Env
	}
	one := `\b(?:` + strings.Join(slices.Collect(maps.Keys(variables)), "|") + `)\b`
	list := regexp.MustCompile(one + `(?:(?:, | or | and )` + one + `)*(?: in the settings)?`)
	return list.ReplaceAllStringFunc(text, func(names string) string {
		names = strings.TrimSuffix(names, " in the settings")
		return regexp.MustCompile(one).ReplaceAllStringFunc(names, func(key string) string { return variables[key] }) + " on the service"
	})
}

// flagOf returns the flag or argument of the current command for a location in a request, or ""
// when there is none.
func (p *program) flagOf(location string) string {
	_, name, found := strings.Cut(location, ".")
	if !found || p.ran == nil {
		return ""
	}
	if i := strings.LastIndex(name, "]."); i >= 0 { // grants[0].role
		name = name[i+2:]
	}
	name, _, _ = strings.Cut(name, "[")
	dashed := strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "$1-$2"))
	candidates := []string{dashed, strings.TrimSuffix(dashed, "s"), strings.TrimSuffix(strings.TrimSuffix(dashed, "s"), "-id")}
	for _, n := range nouns() {
		for _, v := range n.verbs {
			if n.spoken(v) != p.ran.CommandPath() {
				continue
			}
			if strings.EqualFold(v.argument, name) {
				return v.argument
			}
			for _, one := range v.params {
				if one.name == name {
					candidates = append([]string{one.flag}, candidates...)
				}
			}
		}
	}
	arguments := strings.FieldsFunc(p.ran.Use, func(r rune) bool { return !unicode.IsUpper(r) })
	if i := slices.IndexFunc(arguments, func(a string) bool { return strings.EqualFold(a, name) }); i >= 0 {
		return arguments[i]
	}
	for _, c := range candidates {
		if c == "account" && name == "accountId" {
			// --account names a registered account, whose id at Cloudflare is not known: that of the token of the environment.
			return "CLOUDFLARE_ACCOUNT_ID"
		}
		if p.ran.Flags().Lookup(c) != nil {
			return "--" + c
		}
	}
	return ""
}

// spoken returns the command of a verb as people type it.
func (n noun) spoken(v verb) string {
	if n.name == v.name {
		return "edgeposture " + n.name
	}
	return "edgeposture " + n.name + " " + v.name
}

// commandOf returns the command that does what an API call does.
func commandOf(call string) string {
	method, path, _ := strings.Cut(call, " ")
	path, query, filtered := strings.Cut(path, "?")
	flag := ""
	if filtered {
		flag = " --" + strings.Replace(query, "=", " ", 1)
	}
	if id := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).FindString(path); id != "" {
		path, flag = strings.Replace(path, id, "{id}", 1), " "+id
	}
	for _, n := range nouns() {
		for _, v := range n.verbs {
			if v.method == method && v.path == path {
				return "`" + n.spoken(v) + flag + "`"
			}
		}
	}
	if name := map[string]string{"/api/checks": "checks", "/api/remediate/backups": "backups", "/api/remediate/plan": "plan",
		"/api/assess": "assess", "/api/trends": "trends", "/api/notify": "notify", "/api/integrations/ship": "ship"}[path]; name != "" {
		return "`edgeposture " + name + "`"
	}
	return "the dashboard"
}
