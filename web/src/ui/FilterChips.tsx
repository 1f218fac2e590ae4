import { ListFilter, X } from "lucide-react";
import { type ReactNode, type RefObject, useRef } from "react";
import { integer } from "../lib/number";
import { toggled } from "../lib/toggled";
import { visible } from "../lib/visible";
import type { Entry } from "./popup";
import { ToolMenu } from "./ToolMenu";
import styles from "./Tools.module.css";

export interface FilterOption {
  value: string;
  name: string;
  icon?: ReactNode;
}

/** One thing a list is filtered by. */
export interface FilterField {
  name: string;
  options: readonly FilterOption[];
  /** How many each option would list; what is absent has none. Not known when undefined. */
  counts?: Readonly<Record<string, number>> | undefined;
  /** One value or many. */
  many: boolean;
  chosen: readonly string[];
  /** What is chosen in words, each value apart; none while the filter is at its default. */
  says: readonly string[];
  onChoose: (values: string[]) => void;
  onClear: () => void;
}

/** As many values as a menu shows; the rest is named in the search. */
const AT_MOST = 100;
const SAID = 2;

function entriesOf(field: FilterField): Entry[] {
  const { counts, chosen, many } = field;
  const options =
    field.options.length <= AT_MOST
      ? field.options
      : [...field.options].sort((x, y) => (counts?.[y.value] ?? 0) - (counts?.[x.value] ?? 0)).slice(0, AT_MOST);
  return options.map(({ value, name, icon }) => {
    const on = chosen.includes(value);
    return {
      kind: many ? "many" : "one",
      name: visible(name),
      icon,
      on,
      ...(counts && { end: integer(counts[value] ?? 0) }),
      onTurn: () => {
        if (!many) field.onChoose(on ? [] : [value]);
        else field.onChoose(toggled(chosen, value));
      },
    };
  });
}

interface Props {
  fields: readonly FilterField[];
  trigger: RefObject<HTMLButtonElement | null>;
}

/** The menu that adds a filter. */
export function AddFilter({ fields, trigger }: Props) {
  return (
    <ToolMenu
      ref={trigger}
      label="Add filter"
      icon={<ListFilter aria-hidden />}
      entries={fields
        .filter(({ options }) => options.length > 0)
        .map((field) => ({
          kind: "more",
          name: field.name,
          ...(field.says.length > 0 && { end: integer(field.says.length) }),
          entries: entriesOf(field),
        }))}
    />
  );
}

/** What the list is filtered by, each filter with its values to change and a way to take it off. */
export function FilterChips({ fields, trigger, onClear }: Props & { onClear: () => void }) {
  const list = useRef<HTMLUListElement>(null);
  const active = fields.filter(({ says }) => says.length > 0);
  if (active.length === 0) return null;
  const after = (change: () => void) => {
    change();
    trigger.current?.focus();
  };
  return (
    <ul ref={list} className={styles.chips} aria-label="Active filters">
      {active.map((field) => {
        const words = field.says.map(visible);
        const said =
          words.length > SAID + 1
            ? `${words.slice(0, SAID).join(", ")} and ${integer(words.length - SAID)} more`
            : words.join(", ");
        const inside = (
          <>
            {field.name}: <b>{said}</b>
          </>
        );
        return (
          <li key={field.name} className={styles.chip}>
            {field.options.length > 0 ? (
              <ToolMenu label={field.name} className="" entries={entriesOf(field)}>
                {inside}
              </ToolMenu>
            ) : (
              <span>{inside}</span>
            )}
            <button
              type="button"
              aria-label={`Remove the filter ${field.name}: ${words.join(", ")}`}
              onClick={() => after(field.onClear)}
            >
              <X aria-hidden />
            </button>
          </li>
        );
      })}
      <li>
        <button type="button" className={styles.sort} onClick={() => after(onClear)}>
          Clear all
        </button>
      </li>
    </ul>
  );
}
