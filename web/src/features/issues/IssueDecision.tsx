import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, bodyOf } from "../../api/client";
import { asProblem } from "../../api/errors";
import { showAnswer } from "../../api/showAnswer";
import type { IssueDetail } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { typedSince } from "../../lib/typedSince";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { AskBeforeLeaving } from "../../ui/AskBeforeLeaving";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { type Control, Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { useMay } from "../session/queries";
import { issueNow } from "./queries";
import { stateWord, waits } from "./words";

const NAMES = ["state", "owner", "assignee", "due"] as const;
type Name = (typeof NAMES)[number];

/** What people chose: what follows from rules is none of it. */
const chosen = (issue: IssueDetail): Record<Name, string> => ({
  state: issue.state,
  owner: issue.ownerBy === "person" ? (issue.owner ?? "") : "",
  assignee: issue.assignee ?? "",
  due: issue.dueBy === "person" ? (issue.due ?? "") : "",
});

/** State, owner, assignee and the day it is due. What was typed stays until it is saved, whatever others change meanwhile. */
export function IssueDecision({ issue, able }: { issue: IssueDetail; able: boolean }) {
  const client = useQueryClient();
  const may = useMay();
  const [draft, setDraft] = useState<Partial<Record<Name, string>>>({});
  /** What was read when somebody began to type: what others change later is a conflict, also when it is shown by now. */
  const [began, setBegan] = useState<number>();
  const { pending, error, send } = useSend();
  const { queryKey } = issueNow(issue.id);
  const is = chosen(issue);
  const now = { ...is, ...draft };
  const changed = NAMES.filter((name) => now[name] !== is[name]);
  const clear = () => {
    setDraft({});
    setBegan(undefined);
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (changed.length === 0) return;
    const body = Object.fromEntries(changed.map((name) => [name, name === "due" ? now.due || null : now[name]]));
    const { id } = issue;
    const revision = began ?? issue.revision;
    send(async () => {
      try {
        const call = api.PATCH("/api/issues/{id}", { params: { path: { id } }, body: { ...body, revision } });
        showAnswer(client, queryKey, await bodyOf(call));
        setDraft((later) => typedSince(later, draft));
        setBegan(undefined);
        await client.invalidateQueries({ queryKey: ["issues"] });
      } catch (failed) {
        if (asProblem(failed).status === 409) {
          await client.invalidateQueries({ queryKey });
          setBegan(undefined);
        }
        throw failed;
      }
    });
  };
  const rest = problemElsewhere(error, NAMES);
  const edit = (control: Control, name: Name) => ({
    ...control,
    disabled: !able,
    value: now[name],
    onChange: ({ target }: { target: { value: string } }) => {
      setDraft((before) => ({ ...before, [name]: target.value }));
      setBegan((before) => before ?? issue.revision);
    },
  });
  return (
    <Panel title="Who and when">
      <form className={form.form} onSubmit={save}>
        {waits(issue.state) ? (
          <Field label="State" name="state" error={problemAt(error, "state")}>
            {(control) => (
              <select {...edit(control, "state")}>
                {["open", "acknowledged", "in_progress"].map((state) => (
                  <option key={state} value={state}>
                    {stateWord(state)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ) : (
          <p>
            <strong>{stateWord(issue.state)}.</strong>{" "}
            {issue.state === "resolved"
              ? "A run found nothing of it any more; it is open again when one does."
              : "Exceptions accept the risk of everything it hits."}
          </p>
        )}
        <Field
          label="Owner"
          name="owner"
          hint={
            issue.ownerBy === "rule" && issue.owner ? (
              <>
                By {may("viewer", "all") ? <Link to="/ownership">rule</Link> : "rule"}: {visible(issue.owner)}
              </>
            ) : undefined
          }
          error={problemAt(error, "owner")}
        >
          {(control) => <input {...edit(control, "owner")} maxLength={200} autoComplete="off" />}
        </Field>
        <Field label="Assignee" name="assignee" error={problemAt(error, "assignee")}>
          {(control) => <input {...edit(control, "assignee")} maxLength={200} autoComplete="off" />}
        </Field>
        <Field
          label="Due"
          name="due"
          hint={[issue.dueBy === "rule" && `By severity: ${issue.due}.`, issue.overdue && "Overdue."]
            .filter(Boolean)
            .join(" ")}
          error={problemAt(error, "due")}
        >
          {(control) => <input {...edit(control, "due")} type="date" />}
        </Field>
        {rest && <ErrorPanel error={rest} what="The issue was not changed." />}
        {rest?.status === 409 && (
          <p>What you chose is kept, and the rest is shown as it is now. Look at it, then save again.</p>
        )}
        {able && (
          <div className={form.actions}>
            <Button type="submit" look="primary" disabled={pending || changed.length === 0}>
              Save
            </Button>
            {changed.length > 0 && (
              <Button look="quiet" onClick={clear}>
                Undo
              </Button>
            )}
          </div>
        )}
        <AskBeforeLeaving when={() => changed.length > 0}>What you chose would be lost.</AskBeforeLeaving>
      </form>
    </Panel>
  );
}
