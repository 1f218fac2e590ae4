import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import type { Ownership } from "../../api/types";
import { severityWord } from "../../lib/severity";
import { Empty } from "../../ui/Empty";
import form from "../../ui/Form.module.css";
import { accountsQuery } from "../account/queries";
import { DUE, dueWords, ruleWords } from "./rules";
import styles from "./Said.module.css";

/** The rules and the days, to read. */
export function Said({ ownership: { rules, sla } }: { ownership: Ownership }) {
  const { data: accounts } = useQuery(accountsQuery);
  return (
    <>
      {rules.length === 0 ? (
        <NoRule />
      ) : (
        <ol className={styles.rules} aria-label="Rules in their order">
          {rules.map((rule, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they have no names, and are only read
            <li key={i}>{ruleWords(rule, accounts)}</li>
          ))}
        </ol>
      )}
      <dl className={form.facts}>
        {DUE.map((severity) => (
          <Fragment key={severity}>
            <dt>{severityWord(severity)} issues are due</dt>
            <dd>{dueWords(sla[severity])}</dd>
          </Fragment>
        ))}
      </dl>
    </>
  );
}

const EXAMPLE = { owner: "Web team", category: "dns", severity: "critical", zone: "*.shop.example" } as const;

export function NoRule({ action }: { action?: ReactNode }) {
  return (
    <Empty title="No rule yet" action={action}>
      Issues have the owner that people choose. A rule gives one to every issue that it fits, also to those that later
      runs find. For example: “{ruleWords(EXAMPLE)}”
    </Empty>
  );
}
