import { integer } from "../../lib/number";
import type { PostureGraph } from "../graph/columns";
import { nodesWord } from "../graph/words";
import { type Card, PROXY } from "./flow";

/** What a card is called. Records and hosts of one name count once. */
export function titleOf({ labels }: Pick<PostureGraph, "labels">, { id, type, label, nodes, severity }: Card): string {
  if (id === PROXY) return "Cloudflare";
  if (label !== "") return label;
  const count = new Set(nodes.map((i) => labels[i])).size;
  const word = type === undefined ? "" : ` ${nodesWord(type)}`;
  return severity === "none" ? `${integer(count)}${word}` : `${integer(count)} more${word}`;
}
