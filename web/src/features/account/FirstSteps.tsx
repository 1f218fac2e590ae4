import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import type { Account } from "../../api/types";
import { visible } from "../../lib/visible";
import { Panel } from "../../ui/Panel";
import { schedulesQuery } from "../fleet/queries";
import styles from "./FirstSteps.module.css";
import { addressOf } from "./queries";

interface Props {
  title: string;
  account: Account;
  run: "none" | "running";
  /** The page has the button that runs it. */
  here?: boolean;
}

/** What it takes from an account to a habit: connect, run, schedule, be told. */
export function FirstSteps({ title, account, run, here = false }: Props) {
  const schedules = useQuery(schedulesQuery);
  const a = addressOf(account);
  const steps: [name: string, done: boolean, rest: ReactNode][] = [
    ["Connect the account", true, `The token of ${visible(account.name)} is stored encrypted and only used to read.`],
    [
      "Run the first assessment",
      false,
      run === "running" ? (
        "It is running. You may leave this page; the result is kept."
      ) : here ? (
        "Press Run assessment. Reading changes nothing."
      ) : (
        <>
          <Link to="/a/$a" params={{ a }}>
            Run it from the overview
          </Link>
          . Reading changes nothing.
        </>
      ),
    ],
    [
      "Repeat it on a schedule",
      schedules.data?.some((schedule) => schedule.account === account.id) ?? false,
      <>
        <Link to="/schedules" search={{ edit: "new", account: account.id }}>
          Add a schedule
        </Link>
        , so that you see what changes.
      </>,
    ],
    [
      "Be told what is new",
      (account.afterRun?.notify?.length ?? 0) > 0,
      <>
        <Link to="/a/$a/settings" params={{ a }}>
          Choose who is told
        </Link>{" "}
        after each run: Slack, Microsoft Teams or a webhook.
      </>,
    ],
  ];
  const next = steps.findIndex(([, done]) => !done);
  return (
    <Panel title={title}>
      <ol className={styles.steps}>
        {steps.map(([name, done, rest], i) => (
          <li key={name} className={styles.step} aria-current={i === next ? "step" : undefined}>
            <span className={styles.mark} data-done={done}>
              {done ? <Check aria-hidden /> : i + 1}
            </span>
            <span>
              <strong>{name}</strong>
              {done && <span className="visually-hidden"> (done)</span>}
              <span className={styles.rest}>{rest}</span>
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
