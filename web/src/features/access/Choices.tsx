import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { toggled } from "../../lib/toggled";
import { visible } from "../../lib/visible";
import form from "../../ui/Form.module.css";
import { QueryStatus } from "../../ui/QueryStatus";
import styles from "./Access.module.css";

interface Named {
  id: string;
  name: string;
}

interface Props<T> {
  legend: string;
  /** What can be chosen, as in "accounts". */
  what: string;
  /** What is chosen and not among these shows its id, so that it can be taken out. */
  of: UseQueryResult<readonly T[]>;
  /** What one is chosen by. */
  idOf?: (one: T) => string;
  chosen: readonly string[];
  onChoose: (chosen: string[]) => void;
  none: string;
}

/** From so many on they are searched. */
const MANY = 8;

/** Any number of things of a list. */
export function Choices<T extends Named>({ legend, what, of, idOf = ({ id }) => id, ...rest }: Props<T>) {
  const { chosen, onChoose, none } = rest;
  const [sought, setSought] = useState("");
  const options = (of.data ?? []).map((one) => ({ id: idOf(one), name: one.name }));
  const gone = chosen.filter((id) => !options.some((option) => option.id === id));
  const all = [...options, ...gone.map((id) => ({ id, name: id }))];
  const found = all.filter(({ name }) => name.toLowerCase().includes(sought.toLowerCase()));
  return (
    <fieldset className={styles.choices}>
      <legend>
        {legend} ({chosen.length})
      </legend>
      {all.length > MANY && (
        <input
          type="search"
          aria-label={`Search ${legend.toLowerCase()}`}
          placeholder="Search"
          value={sought}
          onChange={({ target }) => setSought(target.value)}
        />
      )}
      <ul>
        {found.map(({ id, name }) => (
          <li key={id}>
            <label className={form.check}>
              <input type="checkbox" checked={chosen.includes(id)} onChange={() => onChoose(toggled(chosen, id))} />
              {visible(name)}
            </label>
          </li>
        ))}
      </ul>
      <QueryStatus query={of} of={what} rows={2} />
      {of.isSuccess && all.length === 0 && <p className={form.hint}>{none}</p>}
    </fieldset>
  );
}
