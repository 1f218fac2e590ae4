import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { accountsQuery, labelsOf } from "../account/queries";
import { ROLES, roleDoes } from "../session/may";
import styles from "./Access.module.css";
import { Choices } from "./Choices";
import { BLANK, type Draft, grantOf } from "./grant";

interface Props {
  draft: Draft;
  /** Somebody tried to send it, so what it lacks is said. */
  tried: boolean;
  onChange: (draft: Draft) => void;
}

/** A role, for all accounts or for some. */
export function GrantFields({ draft, tried, onChange }: Props) {
  const accounts = useQuery(accountsQuery);
  const labels = labelsOf(accounts.data ?? []);
  return (
    <>
      <Field label="Role" name="role" hint={`The ${draft.role} ${roleDoes(draft.role)}.`}>
        {(control) => (
          <select
            {...control}
            value={draft.role}
            onChange={({ target }) => onChange({ ...draft, role: target.value as Draft["role"] })}
          >
            {ROLES.map((role) => (
              <option key={role} value={role}>
                {role}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Accounts" name="where">
        {(control) => (
          <select
            {...control}
            value={draft.everywhere ? "all" : "some"}
            onChange={({ target }) => onChange({ ...draft, everywhere: target.value === "all" })}
          >
            <option value="all">All accounts, including future ones</option>
            <option value="some">Selected accounts or labels</option>
          </select>
        )}
      </Field>
      {!draft.everywhere && (
        <>
          <Choices
            legend="Chosen accounts"
            what="accounts"
            of={accounts}
            chosen={draft.accounts}
            onChoose={(chosen) => onChange({ ...draft, accounts: chosen })}
            none="No account is registered."
          />
          <Field
            label="Labels"
            name="labels"
            hint={`Comma-separated. Every account with one of them is included${labels.length > 0 ? `; in use: ${labels.join(", ")}` : ""}.`}
            error={tried && !grantOf(draft) ? "Choose an account or type a label." : undefined}
          >
            {(control) => (
              <input
                {...control}
                autoComplete="off"
                spellCheck={false}
                value={draft.labels}
                onChange={({ target }) => onChange({ ...draft, labels: target.value })}
              />
            )}
          </Field>
        </>
      )}
    </>
  );
}

/** The roles of a person: one or more, each with its accounts. */
export function GrantsFields({
  drafts,
  onChange,
  tried,
}: Pick<Props, "tried"> & { drafts: readonly Draft[]; onChange: (drafts: Draft[]) => void }) {
  return (
    <>
      {drafts.map((draft, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no names, and are controlled
        <fieldset key={i} className={`${styles.grant} ${form.form}`}>
          <legend>{drafts.length === 1 ? "May do" : `May do, ${i + 1} of ${drafts.length}`}</legend>
          <GrantFields tried={tried} draft={draft} onChange={(next) => onChange(drafts.with(i, next))} />
          {drafts.length > 1 && (
            <div className={form.actions}>
              <Button look="quiet" onClick={() => onChange(drafts.toSpliced(i, 1))}>
                Take this role out
              </Button>
            </div>
          )}
        </fieldset>
      ))}
      <div className={form.actions}>
        <Button onClick={() => onChange([...drafts, BLANK])}>Add another role</Button>
      </div>
    </>
  );
}
