import { integer } from "../../lib/number";
import { visible } from "../../lib/visible";
import styles from "./Filters.module.css";

interface Props {
  name: string;
  every: string;
  value: string | undefined;
  options: readonly string[];
  /** How many each option would list; what is absent has none. Not known when undefined. */
  counts: Record<string, number> | undefined;
  word?: (option: string) => string;
  onChange: (value: string | undefined) => void;
}

export function Choice({ name, every, value, options, counts, word = (option) => option, onChange }: Props) {
  // A link may name something this assessment does not have; it must still be visible as the filter.
  const all = value === undefined || options.includes(value) ? options : [value, ...options];
  const count = (option: string) => (counts && options.includes(option) ? ` (${integer(counts[option] ?? 0)})` : "");
  return (
    <select
      className={styles.choice}
      aria-label={name}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">{every}</option>
      {all.map((option) => (
        <option key={option} value={option}>
          {visible(options.includes(option) ? word(option) : option.replaceAll("-", "not ").replaceAll(",", ", "))}
          {count(option)}
        </option>
      ))}
    </select>
  );
}
