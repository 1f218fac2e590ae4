import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { api, bodyOf } from "../../api/client";
import { asProblem } from "../../api/errors";
import { showAnswer } from "../../api/showAnswer";
import type { Ownership } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { moved } from "../../lib/moved";
import { severityWord } from "../../lib/severity";
import { useSend } from "../../lib/useSend";
import { AskBeforeLeaving } from "../../ui/AskBeforeLeaving";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { teamsQuery } from "../access/queries";
import { ownershipQuery } from "./queries";
import { RuleFields } from "./RuleFields";
import { DUE, daysOf, ownershipOf, PARTS, type Row, rowOf } from "./rules";
import { NoRule, Said } from "./Said";

/** The rules and the days, to change. What was typed stays until it is saved, whatever others save meanwhile. */
export function OwnershipForm({ now }: { now: Ownership }) {
  const client = useQueryClient();
  const { data: teams = [] } = useQuery(teamsQuery);
  const sending = useSend();
  const [read, setRead] = useState(now);
  const [rows, setRows] = useState(() => now.rules.map(rowOf));
  const [days, setDays] = useState(() => daysOf(now.sla));
  /** The rows as they were sent, which is how a problem counts them; absent when no problem is left. */
  const [sent, setSent] = useState<readonly Row[]>();
  const [saved, setSaved] = useState(false);
  const error = sent && sending.error;
  const list = useRef<HTMLOListElement>(null);
  const adder = useRef<HTMLButtonElement>(null);
  const owners = useId();

  const load = (there: Ownership) => {
    setRead(there);
    setRows(there.rules.map(rowOf));
    setDays(daysOf(there.sla));
    setSent(undefined);
  };
  const chosen = ownershipOf(rows, days);
  const changed = JSON.stringify(chosen) !== JSON.stringify(ownershipOf(read.rules.map(rowOf), daysOf(read.sla)));
  const overtaken = now.revision > read.revision;
  if (overtaken && !changed) load(now);

  const save = (event: FormEvent) => {
    event.preventDefault();
    setSent(rows);
    sending.send(async () => {
      try {
        const body = { ...chosen, revision: read.revision };
        const there = await bodyOf(api.PUT("/api/ownership", { body }));
        showAnswer(client, ownershipQuery.queryKey, there);
        setRead(there);
        setSent(undefined);
        setSaved(true);
        await client.invalidateQueries({ queryKey: ["issues"] });
      } catch (failed) {
        if (asProblem(failed).status === 409) await client.invalidateQueries(ownershipQuery);
        throw failed;
      }
    });
  };
  const add = () => {
    flushSync(() => setRows([...rows, rowOf({ owner: "" })]));
    list.current?.lastElementChild?.querySelector("input")?.focus();
  };
  const remove = (at: number) => {
    flushSync(() => setRows(rows.toSpliced(at, 1)));
    adder.current?.focus();
  };
  const fields = [
    ...(sent ?? []).flatMap((_, i) => PARTS.map((part) => `rules[${i}].${part}`)),
    ...DUE.map((severity) => `sla.${severity}`),
  ];
  const rest = problemElsewhere(error, fields);
  const adding = (
    <Button ref={adder} onClick={add}>
      Add a rule
    </Button>
  );
  return (
    <form className={form.form} onSubmit={save} autoComplete="off">
      <datalist id={owners}>
        {teams.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
      {rows.length === 0 ? (
        <NoRule action={adding} />
      ) : (
        <>
          <ol ref={list} className={form.form} aria-label="Rules in their order">
            {rows.map((row, i) => (
              <li key={row.key}>
                <Panel
                  title={`Rule ${i + 1}`}
                  aside={
                    <div className={form.actions}>
                      {/* Disabled ones would lose the focus at the ends of the list. */}
                      <Button
                        aria-label={`Move rule ${i + 1} up`}
                        aria-disabled={i === 0}
                        onClick={() => setRows(moved(rows, i, i - 1))}
                      >
                        Up
                      </Button>
                      <Button
                        aria-label={`Move rule ${i + 1} down`}
                        aria-disabled={i === rows.length - 1}
                        onClick={() => setRows(moved(rows, i, i + 1))}
                      >
                        Down
                      </Button>
                      <Button look="quiet" aria-label={`Remove rule ${i + 1}`} onClick={() => remove(i)}>
                        Remove
                      </Button>
                    </div>
                  }
                >
                  <RuleFields
                    row={row}
                    owners={owners}
                    problem={(part) =>
                      problemAt(error, `rules[${sent?.findIndex(({ key }) => key === row.key)}].${part}`)
                    }
                    onChange={(next) => setRows(rows.with(i, next))}
                  />
                </Panel>
              </li>
            ))}
          </ol>
          <div className={form.actions}>{adding}</div>
        </>
      )}
      <Panel title="Days until issues are due">
        <p className={form.hint}>Counted from the day the issue began. 0: never due.</p>
        <div className={form.grid}>
          {DUE.map((severity) => (
            <Field
              key={severity}
              label={severityWord(severity)}
              name={severity}
              error={problemAt(error, `sla.${severity}`)}
            >
              {(control) => (
                <input
                  {...control}
                  type="number"
                  required
                  min={0}
                  max={3650}
                  value={days[severity]}
                  onChange={({ target }) => setDays({ ...days, [severity]: target.value })}
                />
              )}
            </Field>
          ))}
        </div>
      </Panel>
      {rest && <ErrorPanel error={rest} what="The rules were not saved." />}
      {overtaken && changed && (
        <Panel title="What somebody else saved meanwhile">
          <Said ownership={now} />
          <div className={form.actions}>
            <Button onClick={() => load(now)}>Load it instead of mine</Button>
            <Button
              onClick={() => {
                setRead(now);
                setSent(undefined);
              }}
            >
              Keep mine, to save over it
            </Button>
          </div>
        </Panel>
      )}
      <div className={form.actions}>
        <Button type="submit" look="primary" disabled={!changed || sending.pending}>
          Save
        </Button>
        {changed && <Button onClick={() => load(now)}>Discard</Button>}
        <span role="status">{changed ? "Not saved yet." : saved && "Saved."}</span>
      </div>
      <AskBeforeLeaving when={() => changed}>The changed rules and days would be lost.</AskBeforeLeaving>
    </form>
  );
}
