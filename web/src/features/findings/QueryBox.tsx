import { useEffect, useId, useRef, useState } from "react";
import { visible } from "../../lib/visible";
import filter from "../../ui/Filter.module.css";
import form from "../../ui/Form.module.css";
import { FIELDS, formatQuery, parseQuery, type Vocabulary } from "./query";
import type { Filters } from "./search";

const TYPING = 250;

interface Props {
  value: Filters;
  vocabulary: Vocabulary;
  onChange: (filters: Filters) => void;
}

/**
 * All filters as one line of text. It follows the typing with a short delay, and the
 * address when that changes by itself. Nothing is applied while a term is not understood:
 * a list of what was left of a query would pass for the whole.
 */
export function QueryBox({ value, vocabulary, onChange }: Props) {
  const id = useId();
  const written = formatQuery(value);
  const [text, setText] = useState(written);
  const [problems, setProblems] = useState<string[]>([]);
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

  return (
    <>
      <input
        className={filter.text}
        type="search"
        aria-label="Fields and text to filter by"
        aria-describedby={`${id}-problem`}
        aria-invalid={problems.length > 0}
        placeholder="sev:critical,high zone:shop -cat:dns text"
        title={`Fields: ${FIELDS.join(", ")}. A minus leaves out, quotation marks make text.`}
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          typed.current = true;
          setText(target.value);
        }}
      />
      <p id={`${id}-problem`} className={form.error} role="alert" hidden={problems.length === 0}>
        Not applied yet. {problems.map(visible).join(" ")}
      </p>
    </>
  );
}
