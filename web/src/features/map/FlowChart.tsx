import { curveBumpX, link } from "d3-shape";
import { useMemo } from "react";
import { visible } from "../../lib/visible";
import { SeverityShape } from "../../ui/Shape";
import { useSize } from "../../ui/useSize";
import type { PostureGraph } from "../graph/columns";
import { nodeWord } from "../graph/words";
import { ChangeMark } from "./ChangeMark";
import type { Changes } from "./changes";
import styles from "./FlowChart.module.css";
import { type Card, COLUMNS, type Flow, foundWords, HEIGHT, PROXY, placesOf } from "./flow";
import { titleOf } from "./title";

interface Props {
  graph: PostureGraph;
  flow: Flow;
  changes: Changes | undefined;
  /** The card that is open beside the chart. */
  opened: string | undefined;
  summary: string;
  onOpen: (card: Card) => void;
}

const HEAD = 28;
/** Columns share the width there is, between these. */
const NARROWEST = { card: 172, gap: 36 };
const WIDEST = { card: 216, gap: 64 };

const wayOf = link<unknown, { x: number; y: number }>(curveBumpX)
  .x(({ x }) => x)
  .y(({ y }) => y);

/** Cards from left to right, and lines from what leads to what. */
export function FlowChart({ graph, flow, changes, opened, summary, onOpen }: Props) {
  const [box, { width: room }] = useSize<HTMLElement>();
  const columns = new Set(flow.cards.map(({ column }) => column)).size;
  const part = room / Math.max(1, columns);
  const card = clamp(part * 0.78, NARROWEST.card, WIDEST.card);
  const gap = clamp((room - columns * card) / Math.max(1, columns - 1), NARROWEST.gap, WIDEST.gap);
  const topOf = ({ id }: Card) => places.get(id)?.y ?? 0;
  const places = useMemo(() => placesOf(flow, card + gap), [flow, card, gap]);
  // They are read, and reached by Tab, column by column and from the top.
  const cards = flow.cards.toSorted((a, b) => a.column - b.column || topOf(a) - topOf(b));
  const heads = new Map(flow.cards.map(({ id, column }) => [column, places.get(id)?.x ?? 0]));
  const all = [...places.values()];
  const width = Math.max(0, ...all.map(({ x }) => x)) + card;
  const height = Math.max(0, ...all.map(({ y }) => y)) + HEIGHT + HEAD;
  return (
    <section className={styles.scroll} ref={box} aria-label={summary}>
      <div className={styles.chart} style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true">
          {flow.lines.map(({ from, to, direct, onPath }) => {
            const [a, b] = [places.get(from), places.get(to)];
            if (!a || !b) return null;
            const y = HEAD + HEIGHT / 2;
            // A service binding leads from a Worker to another in the same column.
            const source = { x: a.x === b.x ? a.x : a.x + card, y: a.y + y };
            return (
              <path
                key={`${from} ${to}`}
                className={onPath ? styles.onPath : direct ? styles.direct : styles.line}
                d={wayOf({ source, target: { x: b.x, y: b.y + y } }) ?? ""}
              />
            );
          })}
        </svg>
        {[...heads].map(([column, x]) => (
          <span key={column} className={styles.head} style={{ left: x }}>
            {COLUMNS[column]}
          </span>
        ))}
        {cards.map((one) => {
          const { x, y } = places.get(one.id) ?? { x: 0, y: 0 };
          return (
            <CardButton
              key={one.id}
              card={one}
              title={visible(titleOf(graph, one))}
              changes={changes}
              opened={one.id === opened}
              style={{ left: x, top: y + HEAD, width: card, height: HEIGHT }}
              onOpen={onOpen}
            />
          );
        })}
      </div>
    </section>
  );
}

/** What the lines mean. */
export function Legend({ path }: { path: boolean }) {
  const lines = [
    ["leads to", styles.line],
    ["past Cloudflare", styles.direct],
    ...(path ? [["attack path", styles.onPath]] : []),
  ];
  return (
    <ul className={styles.legend} aria-label="Lines">
      {lines.map(([words, look]) => (
        <li key={words}>
          <svg width="26" height="8" aria-hidden="true">
            <path d="M0 4h26" className={look} />
          </svg>
          {words}
        </li>
      ))}
    </ul>
  );
}

interface CardProps {
  card: Card;
  title: string;
  changes: Changes | undefined;
  opened: boolean;
  style: { left: number; top: number; width: number; height: number };
  onOpen: (card: Card) => void;
}

function CardButton({ card, title, changes, opened, style, onOpen }: CardProps) {
  const sum = (counts: Uint32Array | undefined) => card.nodes.reduce((n, i) => n + (counts?.[i] ?? 0), 0);
  const [worse, fixed] = [sum(changes?.worse), sum(changes?.fixed)];
  return (
    <button
      type="button"
      className={`${styles.card} printed ${card.onPath ? styles.pathCard : ""}`}
      style={style}
      aria-pressed={opened}
      disabled={card.nodes.length === 0}
      title={title}
      onClick={() => onOpen(card)}
    >
      {card.severity !== "none" && <SeverityShape severity={card.severity} />}
      <span className={styles.text}>
        <b>{title}</b>
        <span>{metaOf(card)}</span>
      </span>
      {worse > 0 && <ChangeMark kind="worse" />}
      {worse === 0 && fixed > 0 && <ChangeMark kind="fixed" />}
    </button>
  );
}

function metaOf({ id, type, label, severity, findings, unknown }: Card): string {
  if (id === PROXY) return "WAF, rate limits, rules";
  if (label === "") return severity === "none" ? "without findings" : "choose to list them";
  if (type === "internet") return "anyone";
  const found = findings + unknown > 0 ? foundWords(findings, unknown) : "";
  return [nodeWord(type ?? ""), found].filter(Boolean).join(", ");
}

function clamp(value: number, least: number, most: number): number {
  return Math.floor(Math.min(most, Math.max(least, value)));
}
