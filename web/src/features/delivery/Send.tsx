import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import type { Job } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { JobWatch } from "../jobs/JobWatch";
import { useMay } from "../session/queries";

interface Props {
  title: string;
  fields: readonly string[];
  /** Makes the job; a dry run sends nothing and answers what would be sent. */
  submit: (values: FormData, dryRun: boolean) => Promise<Job>;
  children: (problem: (name: string) => string | undefined) => ReactNode;
  /** What a finished job tells, in a sentence. */
  told: (result: unknown) => string;
}

/** Looking at the exact payload comes first: the dry run is what Enter does. */
export function Send({ title, fields, submit, children, told }: Props) {
  const client = useQueryClient();
  const may = useMay();
  const { pending, error, send } = useSend();
  const [job, setJob] = useState<{ id: string; dry: boolean }>();
  const [result, setResult] = useState<unknown>();
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const submitter = (event.nativeEvent as SubmitEvent).submitter;
    const dry = submitter?.getAttribute("value") !== "send";
    const values = new FormData(event.currentTarget);
    setResult(undefined);
    setJob(undefined);
    send(async () => setJob({ id: (await submit(values, dry)).id, dry }));
  };
  if (!may("operator", "some")) return null;
  const rest = problemElsewhere(error, fields);
  return (
    <Panel title={title}>
      <form className={form.form} onSubmit={onSubmit}>
        {children((name) => problemAt(error, name))}
        {rest && <ErrorPanel error={rest} what="Nothing was sent." />}
        <div className={form.actions}>
          <Button type="submit" look="primary" value="dry" disabled={pending}>
            Dry run: show the payload
          </Button>
          <Button type="submit" value="send" disabled={pending}>
            Send now
          </Button>
        </div>
      </form>
      {job && (
        <JobWatch
          key={job.id}
          id={job.id}
          what={job.dry ? "Dry run" : "Sending"}
          onSucceeded={(ended) => {
            setResult(ended.result ?? null);
            void client.invalidateQueries({ queryKey: ["deliveries"] });
          }}
        />
      )}
      {result !== undefined && job && (
        <>
          <p role="status">{job.dry ? `Nothing was sent. ${told(result)}` : told(result)}</p>
          <section aria-label={job.dry ? "What would be sent" : "Result"}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
            <pre className={form.code} tabIndex={0}>
              {visible(JSON.stringify(result, null, 2))}
            </pre>
          </section>
        </>
      )}
    </Panel>
  );
}
