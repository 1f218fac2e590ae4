import type { components } from "./schema";

type Schemas = components["schemas"];

export type AssessRequest = Schemas["AssessInputBody"];
export type Assessment = Schemas["Assessment"];
export type AssessmentSummary = Schemas["AssessmentSummary"];
export type CheckInfo = Schemas["CheckInfo"];
export type Coverage = Schemas["Coverage"];
export type Evidence = Schemas["Evidence"];
export type Finding = Schemas["Finding"];
export type FindingsPage = Schemas["ListFindingsOutputBody"];
export type Health = Schemas["Health"];
export type Job = Schemas["Job"];
export type ProblemDetails = Schemas["ProblemDetails"];
export type Progress = Schemas["Progress"];
export type TokenInfo = Schemas["TokenInfo"];
