import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import type { PostureGraph } from "../graph/columns";
import type { Card } from "./flow";
import styles from "./Map.module.css";
import { titleOf } from "./title";

const LISTED = 200;

interface Props {
  graph: PostureGraph;
  card: Card;
  onSelect: (node: number) => void;
  onClose: () => void;
}

/** The resources that a card stands for, each once by its name. */
export function SumPanel({ graph, card, onSelect, onClose }: Props) {
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
            <button type="button" className={styles.link} onClick={() => onSelect(node)}>
              {visible(name)}
            </button>
          </li>
        ))}
      </ul>
      {names.size > LISTED && (
        <p className={styles.muted}>{plural(names.size - LISTED, "more")}: search for a name to see it.</p>
      )}
    </>
  );
}
