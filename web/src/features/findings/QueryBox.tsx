import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { visible } from "../../lib/visible";
import form from "../../ui/Form.module.css";
import menu from "../../ui/Menu.module.css";
import styles from "../../ui/Tools.module.css";
import { checksQuery } from "../catalogue/queries";
import { FIELDS, formatQuery, parseQuery, type Vocabulary } from "./query";
import type { Filters } from "./search";
import { suggestions } from "./suggest";

const TYPING = 250;

interface Props {
  value: Filters;
  vocabulary: Vocabulary;
  onChange: (filters: Filters) => void;
}

/**
 * All filters as one line of text, with what may be meant below it. It follows the typing with
 * a short delay, and the address when that changes by itself. Nothing is applied while a term is
 * not understood: a list of what was left of a query would pass for the whole.
 */
export function QueryBox({ value, vocabulary, onChange }: Props) {
  const id = useId();
  const written = formatQuery(value);
  const [text, setText] = useState(written);
  const [problems, setProblems] = useState<string[]>([]);
  /** The suggestion that Enter takes; none is shown when undefined. */
  const [place, setPlace] = useState<number>();
  const sent = useRef(written);
  const typed = useRef(false);
  const latest = useRef({ vocabulary, onChange });
  latest.current = { vocabulary, onChange };

  useEffect(() => {
    if (written === sent.current) return;
    sent.current = written;
    typed.current = false;
    setText(written);
    setProblems([]);
  }, [written]);

  useEffect(() => {
    if (!typed.current) return;
    const timer = setTimeout(() => {
      const { filters, problems } = parseQuery(text, latest.current.vocabulary);
      setProblems(problems);
      const next = formatQuery(filters);
      if (problems.length > 0 || next === sent.current) return;
      sent.current = next;
      latest.current.onChange(filters);
    }, TYPING);
    return () => clearTimeout(timer);
  }, [text]);

  // The catalogue is asked for when somebody types, for the titles of checks.
  const { data: checks } = useQuery({ ...checksQuery, enabled: place !== undefined });
  const titles = useMemo(() => new Map(checks?.map(({ id, title }) => [id, title])), [checks]);
  const offered = place === undefined ? [] : suggestions(text, vocabulary, titles);
  const type = (next: string) => {
    typed.current = true;
    setText(next);
    setPlace(-1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && place === undefined) setPlace(-1);
    else if (step !== undefined && place !== undefined && offered.length > 0) {
      const ways = offered.length + 1; // one of them is what was typed
      setPlace(((place + 1 + step + ways) % ways) - 1);
    } else if (event.key === "Enter" && place !== undefined && offered[place]) type(offered[place].text);
    else if (event.key === "Escape" && offered.length > 0) setPlace(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <div className={styles.box}>
        <input
          type="search"
          role="combobox"
          aria-label="Fields and text to filter by"
          aria-describedby={`${id}-problem`}
          aria-invalid={problems.length > 0}
          aria-expanded={offered.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={place !== undefined && offered[place] ? `${id}-${place}` : undefined}
          placeholder="sev:critical,high zone:shop -cat:dns text"
          title={`Fields: ${Object.keys(FIELDS).join(", ")}. A minus leaves out, quotation marks make text.`}
          maxLength={2000}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => type(target.value)}
          onKeyDown={onKeyDown}
          onBlur={() => setPlace(undefined)}
        />
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label="Suggestions"
          tabIndex={-1}
          className={menu.list}
          hidden={offered.length === 0}
        >
          {offered.map(({ word, text: whole, means }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the box handles the keys
            <div
              key={word}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === place}
              className={menu.entry}
              // The box keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => type(whole)}
            >
              <span className={menu.word}>{visible(word)}</span>
              {means !== undefined && <span className={menu.end}>{visible(means)}</span>}
            </div>
          ))}
        </div>
      </div>
      <p id={`${id}-problem`} className={form.error} role="alert" hidden={problems.length === 0}>
        Not applied yet. {problems.map(visible).join(" ")}
      </p>
    </>
  );
}
