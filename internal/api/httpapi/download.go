package httpapi

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

type downloadInput struct {
	FileChoice
	Format       string `path:"format" doc:"One of the formats."`
	AWSAccountID string `query:"awsAccountId" pattern:"^[0-9]{12}$" doc:"For asff: the AWS account to import the findings; zeros when absent."`

	Summary   bool   `query:"summary" doc:"For pdf and html: at most five pages. For markdown: at most 60 kB, as for a pipeline or a comment."`
	AWSRegion string `query:"awsRegion" pattern:"^[a-z]{2,4}(-[a-z]+)+-[0-9]$" maxLength:"16" doc:"For asff: AWS region. Default us-east-1."`
}

func getDownload(s *Server, ctx context.Context, in *downloadInput) (*huma.StreamResponse, error) {
	formats := export.Formats()
	i := slices.IndexFunc(formats, func(f export.Format) bool { return f.Name == in.Format })
	if i < 0 {
		return nil, posture.Problemf(posture.CodeNotFound, "There is no format %q; choose %s.", clip(in.Format), oneOf(export.Names()))
	}
	if in.Summary && !formats[i].Summary {
		return nil, posture.Invalid("query.summary", "Only pdf, html and markdown have a summary; leave summary out.", true)
	}
	a, err := s.filed(ctx, in.FileChoice)
	if err != nil {
		return nil, err
	}
	name := fileName(a, formats[i].Name)
	if in.Summary {
		name += "-summary"
	}
	asff := export.ASFF{AccountID: in.AWSAccountID, Region: in.AWSRegion}
	return s.file(ctx, a, formats[i], asff, in.Summary, in.IfNoneMatch, map[string]string{
		"Content-Disposition": fmt.Sprintf(`attachment; filename="%s.%s"`, name, formats[i].Extension)})
}

// oneOf joins names to a choice: "a, b or c".
func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// fileName returns a name with the account and the completion time, in characters that every file
// system accepts.
func fileName(a posture.Assessment, format string) string {
	account := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(a.Account.Name), "-")
	if account = strings.Trim(account, "-"); account == "" {
		account = a.Account.ID
	}
	parts := []string{"edgeposture", account[:min(len(account), 40)], a.CompletedAt.UTC().Format("2006-01-02-1504")}
	if format == "asff" || format == "ocsf" || format == "evidence" { // their extensions do not identify the format
		parts = append(parts, format)
	}
	return strings.Join(parts, "-")
}
