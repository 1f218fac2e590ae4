import { Link } from "@tanstack/react-router";
import type { ChangeExecution } from "../../api/types";
import { plural } from "../../lib/number";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import form from "../../ui/Form.module.css";
import { useAssessment } from "../assessment/context";
import { JobWatch } from "../jobs/JobWatch";
import { hasEnded } from "../runs/progress";
import { useJob } from "../runs/useJob";
import { stateWord } from "./plan";
import { ResultTable } from "./ResultTable";

/** What an apply did, change by change, and where its backup is. */
export function ResultStep({ job: id, onAgain }: { job: string; onAgain: () => void }) {
  const assessment = useAssessment();
  const { job } = useJob(id, undefined);
  const outcome = job?.result as ChangeExecution | undefined;
  // What the plan left out is listed with its reason, and is no change that was authorised.
  const changes = outcome?.results?.filter(({ changeId }) => changeId !== "") ?? [];
  return (
    <>
      <JobWatch id={id} what="Applying the changes" />
      {job && hasEnded(job.state) && outcome?.results && (
        <>
          <Banner
            title={`${changes.filter(({ status }) => status === "applied").length} of ${plural(changes.length, "change")} applied.`}
          >
            The backup <code>{outcome.bundleId}</code> is {stateWord(outcome.state)}.{" "}
            <Link to="/a/$a/backups" params={{ a: assessment.account.id }} search={{ backup: outcome.bundleId }}>
              {outcome.state === "applied" || outcome.state === "partial" ? "Show it or roll it back" : "Show it"}
            </Link>
          </Banner>
          <ResultTable results={outcome.results} />
          <p className={form.hint}>The findings stay open until the next assessment has read the account again.</p>
        </>
      )}
      {job && hasEnded(job.state) && !outcome?.results && (
        <Empty title="No result was left" action={<Button onClick={onAgain}>Make a new plan</Button>}>
          The job {job.state}. When it was stopped between two changes, its backup tells what was made.
        </Empty>
      )}
    </>
  );
}
