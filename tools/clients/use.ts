// Uses the clients that openapi-typescript (with openapi-fetch) and hey-api generate, against a service with the demo account.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths } from "./generated/fetch.js";
import { client } from "./generated/hey/client.gen.js";
import * as api from "./generated/hey/sdk.gen.js";

const baseUrl = process.env.EDGEPOSTURE_URL;
assert(baseUrl, "EDGEPOSTURE_URL is not set");

const one = createClient<paths>({ baseUrl });
const made = await one.POST("/api/assess", { body: { categories: ["dns"] }, headers: { Prefer: "wait=300" } });
assert(made.data && "score" in made.data, "the answer is the assessment");
const id = made.data.id;
const findings = await one.GET("/api/assessments/{id}/findings", { params: { path: { id }, query: { result: "FAIL", limit: 5 } } });
assert(findings.data && findings.data.items.length > 0 && findings.data.items[0].result === "FAIL");
const wrong = await one.GET("/api/assessments/{id}", { params: { path: { id: "x" } } });
assert.equal(wrong.error?.code, "invalid_request");

client.setConfig({ baseUrl });
const same = await api.getApiAssessmentsId({ path: { id } });
assert.equal(same.data?.score.value, made.data.score.value);
const job = await api.getApiJobsId({ path: { id: made.data.jobId } });
assert.equal(job.data?.state, "succeeded");
const plan = await api.postApiRemediatePlan({ body: { assessmentId: id } });
assert(plan.data && "changes" in plan.data);
const none = await api.getApiFindingsId({ path: { id: "0".repeat(32) } });
assert.equal(none.response?.status, 404);
assert.equal(none.error?.code, "not_found");
console.log("openapi-typescript and hey-api: 7 calls answered as their types say");
