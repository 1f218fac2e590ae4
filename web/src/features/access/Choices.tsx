import { useState } from "react";
import { toggled } from "../../lib/toggled";
import { visible } from "../../lib/visible";
import form from "../../ui/Form.module.css";
import styles from "./Access.module.css";

interface Props {
  legend: string;
  /** What can be chosen; what is chosen and not among it shows its id, so that it can be taken out. */
  options: readonly { id: string; name: string }[];
  chosen: readonly string[];
  onChoose: (chosen: string[]) => void;
  none: string;
}

/** From so many on they are searched. */
const MANY = 8;

/** Any number of things of a list. */
export function Choices({ legend, options, chosen, onChoose, none }: Props) {
  const [sought, setSought] = useState("");
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
      {all.length === 0 && <p className={form.hint}>{none}</p>}
    </fieldset>
  );
}
