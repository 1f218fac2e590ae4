import { plural } from "../../lib/number";
import { Button } from "../../ui/Button";
import type { PostureGraph } from "../graph/columns";
import type { Card } from "./flow";
import styles from "./Map.module.css";
import { NodeLink } from "./NodeLink";
import type { MapSearch } from "./search";
import { titleOf } from "./title";

const LISTED = 200;

interface Props {
  graph: PostureGraph;
  card: Card;
  /** What of the address shows a resource. */
  partOf: (node: number) => MapSearch;
  onClose: () => void;
}

/** The resources that a card stands for, each once by its name. */
export function SumPanel({ graph, card, partOf, onClose }: Props) {
  const names = new Map(card.nodes.map((i) => [graph.labels[i] ?? "", i]));
  const shown = [...names].slice(0, LISTED);
  return (
    <>
      <div className={styles.panelHead}>
        <h2>{titleOf(graph, card)}</h2>
        <Button look="quiet" onClick={onClose} aria-label="Close the list">
          ✕
        </Button>
      </div>
      <ul className={styles.list}>
        {shown.map(([name, node]) => (
          <li key={node}>
            <NodeLink label={name} part={partOf(node)} />
          </li>
        ))}
      </ul>
      {names.size > LISTED && (
        <p className="muted">{plural(names.size - LISTED, "more")}: search for a name to see it.</p>
      )}
    </>
  );
}
