import { type KeyboardEvent, useDeferredValue, useId, useMemo, useState } from "react";
import { visible } from "../../lib/visible";
import { SearchBox } from "../../ui/SearchBox";
import { SeverityShape } from "../../ui/Shape";
import type { PostureGraph } from "../graph/columns";
import { nodeWord } from "../graph/words";
import styles from "./Find.module.css";
import { bestMatches } from "./filter";

interface Props {
  graph: PostureGraph;
  value: string | undefined;
  onChange: (text: string | undefined) => void;
  onChoose: (node: number) => void;
}

/** Text that narrows the map and its table; a suggestion goes to one resource. */
export function Find({ graph, value, onChange, onChoose }: Props) {
  const id = useId();
  const text = useDeferredValue(value ?? "");
  const items = useMemo(() => bestMatches(graph, text), [graph, text]);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const shown = open ? items : [];
  const choose = (node: number) => {
    setOpen(false);
    setActive(-1);
    onChoose(node);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const chosen = shown[active];
    if (event.key === "ArrowDown" && items.length > 0) {
      setOpen(true);
      setActive((active + 1) % items.length);
    } else if (event.key === "ArrowUp" && shown.length > 0) setActive((active + shown.length - 1) % shown.length);
    else if (event.key === "Enter" && chosen !== undefined) choose(chosen);
    else if (event.key === "Escape" && shown.length > 0) setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the box in it
    <div className={styles.find} onKeyDown={onKeyDown} onBlur={() => setOpen(false)}>
      <SearchBox
        label="Search in the resources"
        placeholder="Find a host, bucket, Worker, address…"
        value={value}
        onChange={(next) => {
          setOpen(next !== undefined);
          setActive(-1);
          onChange(next);
        }}
        role="combobox"
        aria-expanded={shown.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={shown[active] === undefined ? undefined : `${id}-${active}`}
      />
      {shown.length > 0 && (
        <div id={id} role="listbox" aria-label="Resources of this name" className={styles.list}>
          {shown.map((node, i) => {
            const severity = graph.severities[graph.severity[node] ?? 0] ?? "none";
            return (
              <div
                key={node}
                id={`${id}-${i}`}
                role="option"
                tabIndex={-1}
                aria-selected={i === active}
                className={styles.option}
                onPointerDown={(event) => {
                  event.preventDefault();
                  choose(node);
                }}
              >
                {severity !== "none" && <SeverityShape severity={severity} />}
                <span className={styles.label}>{visible(graph.labels[node] ?? "")}</span>
                <span className={styles.type}>{nodeWord(graph.nodeTypes[graph.type[node] ?? 0] ?? "")}</span>
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
}
