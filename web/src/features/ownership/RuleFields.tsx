import { useQuery } from "@tanstack/react-query";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { visible } from "../../lib/visible";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { accountsQuery, addressOf, labelsOf } from "../account/queries";
import { runCategories } from "../runs/queries";
import type { Part, Row } from "./rules";

interface Props {
  row: Row;
  /** The list of owners to choose from. */
  owners: string;
  problem: (part: Part) => string | undefined;
  onChange: (row: Row) => void;
}

/** Who owns which issues. */
export function RuleFields({ row, owners, problem, onChange }: Props) {
  const { data: accounts = [] } = useQuery(accountsQuery);
  const { data: categories = [] } = useQuery(runCategories);
  const field = (part: Part) => ({ name: part, error: problem(part) });
  const edit = (part: Part) => ({
    value: row[part],
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...row, [part]: target.value }),
  });
  const choice = (part: Part, label: string, options: readonly (readonly [value: string, text: string])[]) => (
    <Field label={label} {...field(part)}>
      {(control) => (
        <select {...control} {...edit(part)}>
          <option value="">any</option>
          {/* What is chosen stays, though it is gone from the list. */}
          {row[part] !== "" && !options.some(([value]) => value === row[part]) && (
            <option value={row[part]}>{visible(row[part])}</option>
          )}
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
  return (
    <div className={form.grid}>
      <Field label="Owner" {...field("owner")}>
        {(control) => <input {...control} {...edit("owner")} required maxLength={200} list={owners} />}
      </Field>
      <Field label="Zone" hint="* is any text, ? one character." {...field("zone")}>
        {(control) => (
          <input
            {...control}
            {...edit("zone")}
            maxLength={300}
            spellCheck={false}
            placeholder="any, or *.shop.example"
          />
        )}
      </Field>
      {choice(
        "category",
        "Category",
        categories.map((name) => [name, name]),
      )}
      {choice(
        "account",
        "Account",
        accounts.map((account) => [addressOf(account), visible(account.name)]),
      )}
      {choice(
        "label",
        "Label of the account",
        labelsOf(accounts).map((label) => [label, visible(label)]),
      )}
      {choice(
        "severity",
        "Severity",
        SEVERITIES.map((severity) => [severity, severityWord(severity)]),
      )}
    </div>
  );
}
