import type { Assessment } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { duration } from "../../lib/time";
import { At } from "../../ui/At";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";

/** By what, when and how, for those who must be able to repeat it. */
export function Measured({ assessment }: { assessment: Assessment }) {
  const { completedAt, durationMs, requests, carried, checks, catalogueVersion, id, snapshotDigest } = assessment;
  return (
    <Panel title="How it was measured">
      <dl className={form.facts}>
        <dt>Method</dt>
        <dd>
          {assessment.demo ? "A simulated account was read" : "The account was read through Cloudflare's API"} with{" "}
          {plural(requests, "request")}; nothing was changed. {plural(checks.length, "check")} judged what was read.
          Whatever could not be read is reported as not assessed, never as passed.
          {carried &&
            ` ${integer(carried.sections)} of ${plural(carried.of, "read")} were carried forward from the run before.`}
        </dd>
        <dt>Score</dt>
        <dd>
          The share of what passes, weighed by severity; what could not be read counts as failed. An open critical
          finding holds the grade, and below 80 % of the weight there is none.
        </dd>
        <dt>Sensitivity</dt>
        <dd>{assessment.sensitivity}, which weighs the risk of each finding</dd>
        <dt>Time</dt>
        <dd>
          <At at={completedAt} />, after {duration(durationMs)}
        </dd>
        <dt>Catalogue</dt>
        <dd>{catalogueVersion}</dd>
        <dt>Assessment</dt>
        <dd>
          <code>{id}</code>, snapshot <code>{snapshotDigest}</code>
        </dd>
      </dl>
    </Panel>
  );
}
