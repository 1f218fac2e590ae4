import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSend } from "../../lib/useSend";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import filter from "../../ui/Filter.module.css";
import { type Dated, runNear } from "../trend/queries";
import styles from "./Drift.module.css";

const SPANS: [words: string, days: number][] = [
  ["Since last week", 7],
  ["Since last month", 30],
];

interface Props {
  account: string;
  /** The run that is compared. */
  current: Dated;
  onChoose: (from: string) => void;
}

/** The run of the whole account nearest to a week or a month before, in one click. */
export function Since({ account, current, onChoose }: Props) {
  const client = useQueryClient();
  const { pending, error, send } = useSend();
  const [none, setNone] = useState(false);
  const choose = (days: number) =>
    send(async () => {
      const near = await client.fetchQuery(runNear(account, current, days));
      setNone(near === null);
      if (near) onChoose(near.assessmentId);
    });
  return (
    <>
      <div className={filter.line}>
        {SPANS.map(([words, days]) => (
          <Button key={days} disabled={pending} onClick={() => choose(days)}>
            {words}
          </Button>
        ))}
        <p role="status" className={styles.muted}>
          {none && "There is no earlier run of the whole account to compare with."}
        </p>
      </div>
      {Boolean(error) && <ErrorPanel error={error} what="The earlier run could not be found." />}
    </>
  );
}
