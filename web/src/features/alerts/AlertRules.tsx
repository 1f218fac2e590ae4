import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, bodyOf, deletion } from "../../api/client";
import type { AlertResult, AlertRule } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Confirm";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";
import { Tag } from "../../ui/Tag";
import { useOpened } from "../../ui/useOpened";
import { When } from "../../ui/When";
import { accountOf, accountsQuery } from "../account/queries";
import { JobWatch } from "../jobs/JobWatch";
import { ASYNC, jobOf } from "../remediation/queries";
import { useMay } from "../session/queries";
import { AlertRuleEditor } from "./AlertRuleEditor";
import styles from "./Alerts.module.css";
import { alertRulesQuery } from "./queries";
import { ruleWords, testedWords } from "./words";

const CSV: CsvColumn<AlertRule>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["paused", ({ paused }) => String(paused)],
  ["severity", ({ severity }) => severity],
  ["events", ({ events }) => events.join(" ")],
  ["accounts", ({ accounts }) => accounts.join(" ")],
  ["owners", ({ owners }) => owners.join(", ")],
  ["channel", ({ channel }) => channel],
  ["own_address", ({ ownAddress }) => String(ownAddress)],
  ["daily", ({ daily }) => daily ?? ""],
  ["quiet_from", ({ quiet }) => quiet?.from ?? ""],
  ["quiet_to", ({ quiet }) => quiet?.to ?? ""],
  ["quiet_weekends", ({ quiet }) => String(quiet?.weekends ?? false)],
  ["time_zone", ({ timeZone }) => timeZone],
  ["last_sent", ({ lastSentAt }) => lastSentAt ?? ""],
  ["problem", ({ problem }) => problem ?? ""],
];

/** Of which issues which channel is told, and when. */
export function AlertRules({ edit }: { edit: string | undefined }) {
  const writes = useMay()("operator", "all");
  const rules = useKeptError(useQuery(alertRulesQuery));
  const accounts = useQuery(accountsQuery);
  const edited = useOpened(edit, rules.data);
  const add = (words: string) =>
    writes && (
      <Link to="/notifications" search={{ edit: "new" }}>
        {words}
      </Link>
    );
  return (
    <>
      {writes && rules.data && (edit === "new" || edited) && <AlertRuleEditor key={edit} rule={edited} />}
      <Panel
        title="Alert rules"
        aside={
          rules.data &&
          rules.data.length > 0 && (
            <div className={form.actions}>
              <CsvButton name="alert-rules" columns={CSV} rows={() => rules.data} />
              {add("Add an alert rule")}
            </div>
          )
        }
      >
        <QueryStatus query={rules} of="alert rules" rows={3} />
        {edit !== undefined && edit !== "new" && rules.data && !rules.data.some(({ id }) => id === edit) && (
          <Empty title="This alert rule is not here" action={<Link to="/notifications">All alert rules</Link>}>
            There is no alert rule <code>{visible(edit)}</code> on this service.
          </Empty>
        )}
        {rules.data?.length === 0 && edit === undefined && (
          <Empty title="No alert rule yet" action={add("Add the first one")}>
            An alert rule tells a chat or a webhook when a run finds an issue that is new or more severe than before,
            when the exception of one expired, or when one is overdue. Each event is sent once.
          </Empty>
        )}
        {rules.data && rules.data.length > 0 && (
          <ul className={styles.list} aria-label="Alert rules">
            {rules.data.map((rule) => (
              <One
                key={rule.id}
                rule={rule}
                words={ruleWords(rule, (id) => accountOf(accounts.data, id)?.name ?? id)}
                writes={writes}
              />
            ))}
          </ul>
        )}
      </Panel>
    </>
  );
}

function One({ rule, words, writes }: { rule: AlertRule; words: string; writes: boolean }) {
  const client = useQueryClient();
  const { pending, error, send } = useSend();
  const [deleting, setDeleting] = useState(false);
  const [test, setTest] = useState<{ job: string; told?: AlertResult }>();
  const { id, paused, problem, lastSentAt } = rule;
  const params = { path: { id } };
  const name = visible(rule.name);
  const act = (work: () => Promise<unknown>) =>
    send(async () => {
      await work();
      await client.invalidateQueries(alertRulesQuery);
    });
  return (
    <li>
      <h3>
        {name}
        {paused && <Tag>paused</Tag>}
      </h3>
      <p>{words}</p>
      <p className={form.hint}>
        {lastSentAt ? (
          <>
            Last sent <When at={lastSentAt} />
          </>
        ) : (
          "Nothing sent yet"
        )}
      </p>
      {problem && (
        <Banner title="The last message was not delivered.">
          {visible(problem)}
          <p>
            {!paused && "It is tried again by itself. "}Correct the address, of the rule or{" "}
            <Link to="/integrations">under Integrations</Link>, then test the rule.
          </p>
        </Banner>
      )}
      {Boolean(error) && !deleting && <ErrorPanel error={error} what="It was not done." />}
      {writes && (
        <div className={form.actions}>
          <Button
            disabled={pending}
            aria-label={`Test ${name}`}
            onClick={() =>
              act(async () => {
                setTest(undefined);
                const call = api.POST("/api/alert-rules/{id}/test", { params: { ...params, header: ASYNC } });
                setTest({ job: (await jobOf(bodyOf(call))).id });
              })
            }
          >
            Test
          </Button>
          <Button
            disabled={pending}
            aria-label={`${paused ? "Resume" : "Pause"} ${name}`}
            onClick={() => act(() => bodyOf(api.PATCH("/api/alert-rules/{id}", { params, body: { paused: !paused } })))}
          >
            {paused ? "Resume" : "Pause"}
          </Button>
          <Link to="/notifications" search={{ edit: id }} aria-label={`Edit ${name}`}>
            Edit
          </Link>
          <Button look="quiet" aria-label={`Delete ${name}`} onClick={() => setDeleting(true)}>
            Delete…
          </Button>
        </div>
      )}
      {test && (
        <JobWatch
          key={test.job}
          id={test.job}
          what={`Test of ${name}`}
          onSucceeded={({ result }) => {
            setTest({ ...test, told: result as AlertResult });
            void client.invalidateQueries({ queryKey: ["deliveries"] });
          }}
        />
      )}
      {test?.told && <p role="status">{testedWords(test.told)}</p>}
      {deleting && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete the alert rule"
          pending={pending}
          error={error}
          onClose={() => setDeleting(false)}
          onConfirm={() => act(() => deletion(api.DELETE("/api/alert-rules/{id}", { params })))}
        >
          The channel is told nothing more by this rule. To stop it for a while, pause it.
        </Confirm>
      )}
    </li>
  );
}
