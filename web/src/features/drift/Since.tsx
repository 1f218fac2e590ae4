import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSend } from "../../lib/useSend";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import filter from "../../ui/Filter.module.css";
import { type Dated, runNear } from "../trend/queries";

const SPANS: [span: string, days: number][] = [
  ["week", 7],
  ["month", 30],
];

interface Props {
  account: string;
  /** The run that is compared. */
  current: Dated;
  onChoose: (from: string) => void;
}

/** The run of the whole account that stands for a week or a month before, in one click. */
export function Since({ account, current, onChoose }: Props) {
  const client = useQueryClient();
  const { pending, error, send } = useSend();
  const [none, setNone] = useState("");
  const choose = (span: string, days: number) =>
    send(async () => {
      setNone("");
      const near = await client.fetchQuery(runNear(account, current, days));
      if (!near) setNone(`No run of the whole account is about a ${span} older.`);
      if (near) onChoose(near.assessmentId);
    });
  return (
    <>
      <div className={filter.line}>
        {SPANS.map(([span, days]) => (
          <Button key={days} disabled={pending} onClick={() => choose(span, days)}>
            Since last {span}
          </Button>
        ))}
        <p role="status" className="muted">
          {none}
        </p>
      </div>
      {Boolean(error) && <ErrorPanel error={error} what="The earlier run could not be found." />}
    </>
  );
}
