package httpapi

import (
	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"net/http"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

// Routes is the API. The OpenAPI document, the fences and the tests come from it.
func Routes() []Route {
	const get, post = http.MethodGet, http.MethodPost
	work, reads, streams := []limit.Kind{limit.Jobs, limit.Waits}, []limit.Kind{limit.Reads}, []limit.Kind{limit.Streams}
	errs := func(codes ...posture.Code) []posture.Code { return codes }
	const invalid, notFound = posture.CodeInvalid, posture.CodeNotFound
	sends := errs(invalid, notFound, posture.CodeNoAssessment, posture.CodeJobRunning, posture.CodeIdempotencyConflict,
		posture.CodeCancelled, posture.CodeDelivery, posture.CodeOutboundDenied)
	changes := errs(invalid, notFound, posture.CodeRemediationDisabled, posture.CodeEditScopeDenied, posture.CodeJobRunning,
		posture.CodeIdempotencyConflict, posture.CodeCancelled, posture.CodeProvider)
	return []Route{
		{Method: post, Path: "/api/assess", Tag: "assessments",
			Summary: "Run an assessment and answer it, or the job when it takes longer than the wait",
			Errors: errs(invalid, notFound, posture.CodeJobRunning, posture.CodeIdempotencyConflict, posture.CodeCancelled,
				posture.CodeProvider),
			Answers: map[int]any{200: posture.Assessment{}, 202: posture.Job{}},
			Action:  "assess", Object: "assess", Limits: work, mount: call(postAssess)},
		{Method: get, Path: "/api/assessment", Tag: "assessments", Summary: "The latest assessment",
			Errors: errs(invalid, posture.CodeNoAssessment), Answers: map[int]any{200: posture.Assessment{}}, mount: call(getLatest)},
		{Method: get, Path: "/api/assessments", Tag: "assessments", Summary: "All assessments, newest first", Errors: errs(invalid),
			mount: call(listAssessments)},
		{Method: get, Path: "/api/assessments/{id}", Tag: "assessments", Summary: "One assessment",
			Errors: errs(invalid, notFound), Answers: map[int]any{200: posture.Assessment{}, 304: nil}, mount: call(getAssessment)},
		{Method: get, Path: "/api/assessments/{id}/findings", Tag: "assessments", Summary: "The findings of one assessment, worst first",
			Errors: errs(invalid, notFound), Answers: map[int]any{200: ListFindingsOutputBody{}}, mount: call(listFindings)},
		{Method: get, Path: "/api/assessments/{id}/findings/groups", Tag: "assessments",
			Summary: "The findings of one assessment by check, zone or resource, worst first",
			Errors:  errs(invalid, notFound), Answers: map[int]any{200: GroupFindingsOutputBody{}}, mount: call(groupFindings)},
		{Method: get, Path: "/api/assessments/{id}/issues", Tag: "assessments",
			Summary: "The issues of one assessment: checks with everything they hit, what to do first at the top",
			Errors:  errs(invalid, notFound), Answers: map[int]any{200: IssuesBody{}}, mount: call(runIssues)},
		{Method: get, Path: "/api/assessments/{id}/paths", Tag: "assessments",
			Summary: "The attack paths of one assessment, the worst first, and the changes that break most of them",
			Errors:  errs(invalid, notFound), Answers: map[int]any{200: PathsBody{}}, mount: call(listPaths)},
		{Method: get, Path: "/api/assessments/{id}/evidence", Tag: "evidence",
			Summary: "Everything an assessment rests on as one signed file, which edgeposture verify checks offline",
			Errors:  errs(invalid, notFound), Answers: map[int]any{200: nil, 304: nil}, Media: map[string]any{"application/zip": ""},
			Action: "assessments.evidence.download", Object: "assessments", Unpacked: true, mount: call(getEvidence)},
		{Method: get, Path: "/api/trends", Tag: "assessments", Summary: "How an account developed: score, findings, paths, what came and went",
			Errors: errs(invalid, posture.CodeNoAssessment), mount: call(getTrends)},
		{Method: get, Path: "/api/evidence/key", Tag: "evidence",
			Summary: "The public key evidence is signed with, and those it was signed with before", mount: call(getEvidenceKey)},
		{Method: post, Path: "/api/evidence/key/rotate", Tag: "evidence",
			Summary: "Sign with another key from now on; what was signed before stays valid",
			Errors:  errs(invalid, posture.CodeIdempotencyConflict),
			Action:  "evidence.key.rotate", Object: "rotate", mount: call(rotateEvidenceKey)},
		{Method: get, Path: "/api/findings", Tag: "findings", Summary: "Where findings stand now, over all accounts, worst first",
			Errors: errs(invalid), mount: call(latestFindings)},
		{Method: get, Path: "/api/issues", Tag: "findings", Summary: "The issues as they stand now, over all accounts, what to do first at the top",
			Errors: errs(invalid), mount: call(listIssues)},
		{Method: get, Path: "/api/issues/{id}", Tag: "findings", Summary: "One issue as it stands now, and the first of its findings",
			Errors: errs(invalid, notFound), mount: call(getIssue)},
		{Method: get, Path: "/api/findings/{id}", Tag: "findings", Summary: "One finding, its history and the attack paths it is in",
			Errors: errs(invalid, notFound), mount: call(getFinding)},
		{Method: post, Path: "/api/diff", Tag: "assessments", Summary: "What changed between two assessments of one account",
			Errors: errs(invalid, notFound), Action: "diff", Object: "diff", mount: call(postDiff)},
		{Method: post, Path: "/api/replay", Tag: "assessments",
			Summary: "Judge what a saved run read by the checks and thresholds of today; nobody is asked, nothing is saved",
			Errors:  errs(invalid, notFound, posture.CodeNoAssessment, posture.CodeConflict),
			Action:  "replay", Object: "replay", mount: call(postReplay)},

		{Method: get, Path: "/api/explain", Tag: "posture",
			Summary: "What happens to a request, step by step: which setting or rule decides, what it overrides and what is not known",
			Errors:  errs(invalid, notFound, posture.CodeNotAssessed, posture.CodeConflict), Limits: reads, mount: call(getExplain)},
		{Method: get, Path: "/api/assessments/{id}/cut", Tag: "posture",
			Summary: "The smallest set of changes that breaks all critical attack paths, or those chosen, with the least risk",
			Errors:  errs(invalid, notFound), Answers: map[int]any{200: attackpath.Cut{}}, mount: call(getCut)},
		{Method: get, Path: "/api/assessments/{id}/editable", Tag: "posture",
			Summary: "The calls that write what a finding looks at, with what was read as their bodies: where to start from in /api/what-if",
			Errors:  errs(invalid, notFound, posture.CodeConflict), Limits: reads, mount: call(getEditable)},
		{Method: post, Path: "/api/what-if", Tag: "posture",
			Summary: "What would follow from changes: the findings and attack paths that appear and go, and the score. Nothing is sent or kept",
			Errors:  errs(invalid, notFound, posture.CodeNotAssessed, posture.CodeConflict), Action: "what-if", Object: "what-if", Limits: reads,
			mount: call(postWhatIf)},

		{Method: get, Path: "/api/compliance/{framework}", Tag: "compliance", Summary: "How the controls of a framework stand in an assessment",
			Errors:  errs(invalid, notFound, posture.CodeUnknownFramework, posture.CodeNoAssessment),
			Answers: map[int]any{200: compliance.Report{}, 304: nil}, mount: call(getCompliance)},

		{Method: get, Path: "/api/posture/graph", Tag: "posture", Summary: "The resource graph of an assessment and the attack paths on it",
			Errors: errs(invalid, notFound, posture.CodeNoAssessment), Answers: map[int]any{200: GraphAnswer{}, 304: nil},
			Media: map[string]any{graph.ColumnsType: ColumnsAnswer{}}, mount: call(getGraph)},
		{Method: get, Path: "/api/download/{format}", Tag: "exports", Summary: "An assessment as a file",
			Errors: errs(invalid, notFound, posture.CodeNoAssessment), Answers: map[int]any{200: nil}, Media: formats(),
			Action: "download", Object: "download", Parameters: map[string]string{"format": oneOf(export.Names()) + "."}, mount: call(getDownload)},
		{Method: get, Path: "/report", Tag: "exports", Summary: "The report of an assessment, to read and to print",
			Errors: errs(invalid, notFound, posture.CodeNoAssessment), Answers: map[int]any{200: nil}, Media: map[string]any{"text/html": ""},
			Action: "report.download", Object: "report", Page: true, mount: call(getReport)},

		{Method: get, Path: "/api/jobs", Tag: "jobs", Summary: "Jobs, newest first", Errors: errs(invalid), mount: call(listJobs)},
		{Method: get, Path: "/api/jobs/{id}", Tag: "jobs", Summary: "One job", Errors: errs(invalid, notFound), mount: call(getJob)},
		{Method: get, Path: "/api/jobs/{id}/events", Tag: "jobs", Summary: "The job as server-sent events, until it ends",
			Errors: errs(invalid, notFound), Answers: map[int]any{200: nil}, Media: map[string]any{"text/event-stream": ""},
			Limits: streams, Stream: jobEvents},
		{Method: get, Path: "/api/jobs/{id}/issues", Tag: "jobs",
			Summary: "The issues that a run which is still reading has found by now", Limits: reads,
			Errors: errs(invalid, notFound, posture.CodeConflict), mount: call(getSoFar)},
		{Method: post, Path: "/api/jobs/{id}/cancel", Tag: "jobs", Summary: "Cancel a job; what it has read is kept", Always: true,
			Errors: errs(invalid, notFound),
			Action: "jobs.cancel", Object: "jobs", mount: call(cancelJob)},
		{Method: post, Path: "/api/jobs/{id}/retry", Tag: "jobs", Summary: "Start a finished job again from what it had read",
			Errors:  errs(invalid, notFound, posture.CodeConflict, posture.CodeJobRunning, posture.CodeIdempotencyConflict),
			Answers: map[int]any{200: posture.Assessment{}, 202: posture.Job{}},
			Action:  "jobs.retry", Object: "jobs", Limits: work, mount: call(retryJob)},

		{Method: post, Path: "/api/notify", Tag: "delivery", Summary: "Tell chats and webhooks about an assessment", Errors: sends,
			Answers: map[int]any{200: jobs.NotifyResult{}, 202: posture.Job{}}, Action: "notify", Object: "notify", Limits: work,
			mount: call(postNotify)},
		{Method: post, Path: "/api/integrations/ship", Tag: "delivery",
			Summary: "Ship an assessment to a search index, an event collector or files", Errors: sends,
			Answers: map[int]any{200: jobs.ShipResult{}, 202: posture.Job{}},
			Action:  "integrations.ship", Object: "ship", Limits: work, mount: call(postShip)},
		{Method: get, Path: "/api/integrations/template/elastic", Tag: "delivery", Summary: "The index template of the search index",
			Errors: errs(invalid), mount: call(getTemplate)},
		{Method: get, Path: "/api/integrations/files/{name}", Tag: "delivery", Summary: "A file that was shipped to", Errors: errs(notFound),
			Answers: map[int]any{200: nil}, Media: map[string]any{"application/x-ndjson": ""},
			Action: "integrations.files.download", Object: "files", Unpacked: true, mount: call(getExport)},
		{Method: get, Path: "/api/deliveries", Tag: "delivery", Summary: "What was sent where, newest first", Errors: errs(invalid),
			mount: call(listDeliveries)},
		{Method: get, Path: "/api/deliveries/{id}", Tag: "delivery", Summary: "One delivery", Errors: errs(invalid, notFound),
			mount: call(getDelivery)},
		{Method: post, Path: "/api/deliveries/{id}/replay", Tag: "delivery",
			Summary: "Send what a failed delivery did not send, under the same ids",
			Errors:  append(errs(posture.CodeConflict), sends...), Answers: map[int]any{200: map[string]any{}, 202: posture.Job{}},
			Action: "deliveries.replay", Object: "deliveries", Limits: work, mount: call(replayDelivery)},

		{Method: post, Path: "/api/remediate/plan", Tag: "remediation", Summary: "Say what would be changed to close findings; changes nothing",
			Errors: errs(invalid, notFound, posture.CodeNoAssessment, posture.CodeIdempotencyConflict, posture.CodeCancelled,
				posture.CodeProvider),
			Answers: map[int]any{200: change.Plan{}, 202: posture.Job{}},
			Action:  "remediate.plan", Object: "plan", Limits: work, mount: call(postPlan)},
		{Method: get, Path: "/api/remediate/plans/{id}", Tag: "remediation", Summary: "A plan as it was shown, until a day after it expired",
			Errors: errs(invalid, notFound, posture.CodePlanStale), mount: call(getPlan)},
		{Method: post, Path: "/api/remediate/apply", Tag: "remediation",
			Summary: "Make changes at Cloudflare, each backed up before and verified after",
			Errors:  append(errs(posture.CodePlanStale), changes...), Answers: map[int]any{200: change.Execution{}, 202: posture.Job{}},
			Action: "remediate.apply", Object: "apply", Limits: work, mount: call(postApply)},
		{Method: post, Path: "/api/remediate/rollback", Tag: "remediation", Summary: "Take the changes of a bundle back",
			Errors:  append(errs(posture.CodeAlreadyRolledBack, posture.CodeLiveValueChanged, posture.CodeConflict), changes...),
			Answers: map[int]any{200: change.Execution{}, 202: posture.Job{}},
			Action:  "remediate.rollback", Object: "rollback", Limits: work, mount: call(postRollback)},
		{Method: get, Path: "/api/remediate/backups", Tag: "remediation", Summary: "The bundles of changes, newest first", Errors: errs(invalid),
			mount: call(listBackups)},
		{Method: get, Path: "/api/remediate/backups/{id}", Tag: "remediation", Summary: "One bundle, if its seal holds",
			Errors: errs(invalid, notFound, posture.CodeConflict), mount: call(getBackup)},

		{Method: get, Path: "/api/accounts", Tag: "accounts", Summary: "The registered accounts", mount: call(listAccounts)},
		{Method: get, Path: "/api/accounts/{id}", Tag: "accounts", Summary: "One account, by id, by name, or default", Errors: errs(notFound),
			mount: call(getAccount)},
		{Method: post, Path: "/api/accounts", Tag: "accounts", Summary: "Register an account; the token is verified, sealed and never given back",
			Errors:  errs(invalid, posture.CodeConflict, posture.CodeProvider, posture.CodeIdempotencyConflict),
			Answers: map[int]any{201: AccountInfo{}},
			Action:  "accounts.create", Object: "accounts", Limits: reads, mount: call(postAccount)},
		{Method: http.MethodPatch, Path: "/api/accounts/{id}", Tag: "accounts",
			Summary: "Change an account: name, token, zones, thresholds, what follows its runs",
			Errors:  errs(invalid, notFound, posture.CodeConflict, posture.CodeProvider),
			Action:  "accounts.change", Object: "accounts", Limits: reads, mount: call(patchAccount)},
		{Method: http.MethodDelete, Path: "/api/accounts/{id}", Tag: "accounts",
			Summary: "Forget an account, its token and its schedules; its assessments stay",
			Errors:  errs(notFound, posture.CodeConflict), Answers: map[int]any{204: nil},
			Action: "accounts.delete", Object: "accounts", mount: call(deleteAccount)},
		{Method: get, Path: "/api/accounts/{id}/permissions", Tag: "accounts",
			Summary: "What the token of the account may read, and which checks that blinds", Errors: errs(notFound, posture.CodeProvider),
			Limits: reads, mount: call(getPermissions)},
		{Method: get, Path: "/api/token-forms", Tag: "accounts",
			Summary: "Links to Cloudflare's form for a new token that may read everything an assessment reads", mount: call(getTokenForms)},

		{Method: get, Path: "/api/schedules", Tag: "schedules", Summary: "The repeated runs, newest first", Errors: errs(invalid, notFound),
			mount: call(listSchedules)},
		{Method: post, Path: "/api/schedules", Tag: "schedules", Summary: "Repeat a run at the times of a cron expression",
			Errors: errs(invalid, notFound, posture.CodeIdempotencyConflict), Answers: map[int]any{201: ScheduleInfo{}},
			Action: "schedules.create", Object: "schedules", mount: call(postSchedule)},
		{Method: get, Path: "/api/schedules/{id}", Tag: "schedules", Summary: "One schedule", Errors: errs(invalid, notFound),
			mount: call(getSchedule)},
		{Method: http.MethodPatch, Path: "/api/schedules/{id}", Tag: "schedules", Summary: "Change, pause or resume a schedule",
			Errors: errs(invalid, notFound, posture.CodeConflict),
			Action: "schedules.change", Object: "schedules", mount: call(patchSchedule)},
		{Method: http.MethodDelete, Path: "/api/schedules/{id}", Tag: "schedules", Summary: "End a schedule; its jobs and assessments stay",
			Errors: errs(invalid, notFound), Answers: map[int]any{204: nil},
			Action: "schedules.delete", Object: "schedules", mount: call(deleteSchedule)},
		{Method: post, Path: "/api/schedules/{id}/run", Tag: "schedules",
			Summary: "Start the run of a schedule now; answers the job at once unless Prefer says otherwise",
			Errors: errs(invalid, notFound, posture.CodeJobRunning, posture.CodeIdempotencyConflict, posture.CodeCancelled,
				posture.CodeProvider),
			Answers: map[int]any{200: posture.Assessment{}, 202: posture.Job{}},
			Action:  "schedules.run", Object: "schedules", Limits: work, mount: call(runSchedule)},

		{Method: get, Path: "/api/exceptions", Tag: "findings", Summary: "Accepted risks, newest first, with what each hides now",
			Errors: errs(invalid), mount: call(listExceptions)},
		{Method: post, Path: "/api/exceptions", Tag: "findings",
			Summary: "Accept a risk: findings that match are left out of lists and messages until it ends",
			Errors:  errs(invalid, posture.CodeIdempotencyConflict), Answers: map[int]any{201: ExceptionMade{}},
			Action: "exceptions.create", Object: "exceptions", mount: call(postException)},
		{Method: post, Path: "/api/exceptions/preview", Tag: "findings", Summary: "What an exception would hide; keeps nothing",
			Errors: errs(invalid), Action: "exceptions.preview", Object: "preview", mount: call(previewException)},
		{Method: post, Path: "/api/exceptions/bulk", Tag: "findings",
			Summary: "Accept the risk of every finding that a filter lists or ids name, in as many exceptions as that takes: all are made or none",
			Errors:  errs(invalid, notFound, posture.CodeIdempotencyConflict), Answers: map[int]any{201: BulkMade{}},
			Action: "exceptions.bulk", Object: "bulk", mount: call(postBulk)},
		{Method: post, Path: "/api/exceptions/bulk/preview", Tag: "findings",
			Summary: "What exceptions in bulk would hide, and what they would leave; keeps nothing",
			Errors:  errs(invalid, notFound),
			Action:  "exceptions.bulk.preview", Object: "preview", mount: call(previewBulk)},
		{Method: http.MethodDelete, Path: "/api/exceptions/{id}", Tag: "findings",
			Summary: "Revoke an exception: what it hides is back at once, its row stays", Errors: errs(invalid, notFound),
			Answers: map[int]any{204: nil},
			Action:  "exceptions.delete", Object: "exceptions", mount: call(revokeException)},

		{Method: get, Path: "/api/views", Tag: "findings", Summary: "Saved views: names for the filters of a list, for everybody",
			mount: call(listViews)},
		{Method: post, Path: "/api/views", Tag: "findings", Summary: "Save a view; the same name with the same query gives the one that is there",
			Errors: errs(invalid, posture.CodeConflict), Answers: map[int]any{201: store.View{}},
			Action: "views.create", Object: "views", mount: call(postView)},
		{Method: http.MethodDelete, Path: "/api/views/{id}", Tag: "findings", Summary: "Delete a view, for everybody",
			Errors: errs(invalid, notFound), Answers: map[int]any{204: nil},
			Action: "views.delete", Object: "views", mount: call(deleteView)},

		{Method: get, Path: "/api/checks", Tag: "checks", Summary: "Every check", mount: call(listChecks)},
		{Method: get, Path: "/api/checks/{id}", Tag: "checks", Summary: "One check", Errors: errs(notFound), mount: call(getCheck)},

		{Method: get, Path: "/api/settings", Tag: "settings", Summary: "What is configured and where it comes from; secrets are only hinted at",
			mount: call(getSettings)},
		{Method: http.MethodPut, Path: "/api/settings", Tag: "settings", Summary: "Change settings; the answer is what GET gives",
			Errors: errs(invalid), OwnRules: true,
			Action: "settings.change", Object: "settings", mount: call(putSettings)},

		{Method: get, Path: "/api/session", Tag: "sessions", Summary: "Who the caller is and what they may do", mount: call(getSession)},
		{Method: post, Path: "/api/session", Tag: "sessions",
			Summary: "Sign in with the API key: a browser gets a cookie for it, and needs the key no more", Always: true, Caller: KeyHolder,
			Action: "session.create", Object: "session", mount: call(postSession)},
		{Method: http.MethodDelete, Path: "/api/session", Tag: "sessions", Summary: "Sign out: end the session of the cookie", Always: true,
			Answers: map[int]any{204: nil},
			Action:  "session.delete", Object: "session", mount: call(deleteSession)},
		{Method: get, Path: "/api/sessions", Tag: "sessions", Summary: "The sessions that last, the one used last first",
			mount: call(listSessions)},
		{Method: http.MethodDelete, Path: "/api/sessions/{id}", Tag: "sessions",
			Summary: "Revoke a session: whoever uses it is asked for the key", Errors: errs(invalid, notFound), Answers: map[int]any{204: nil},
			Action: "sessions.delete", Object: "sessions", mount: call(revokeSession)},

		{Method: get, Path: "/api/audit", Tag: "service", Summary: "The audit log of the service, newest first; verify walks its chain",
			Errors: errs(invalid), mount: call(getAudit)},
		{Method: get, Path: "/api/health", Always: true, Tag: "service", Summary: "What works and what does not", mount: call(getHealth)},
		{Method: get, Path: "/healthz", Always: true, Caller: Anyone, Tag: "service", Summary: "The process lives", mount: call(getAlive)},
		{Method: get, Path: "/readyz", Always: true, Caller: Anyone, Tag: "service", Summary: "The process can do its work",
			Errors: errs(posture.CodeUnavailable), mount: call(getReady)},
	}
}

// formats are the media types of the exports: of JSON documents we know that
// they are objects, the others are text.
func formats() map[string]any {
	out := map[string]any{}
	for _, f := range export.Formats() {
		kind, _, _ := strings.Cut(f.ContentType, ";")
		out[kind] = ""
		if kind == "application/json" || strings.HasSuffix(kind, "+json") {
			out[kind] = map[string]any{}
		}
	}
	return out
}
