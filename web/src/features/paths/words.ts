import type { PathsPage } from "../../api/types";
import { unknownNode } from "../graph/words";

export type PathNode = PathsPage["nodes"][number];
export type NodeOf = (id: string) => PathNode;

/** "exposed-origin" as words. */
export function kindWord(kind: string): string {
  const words = kind.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is known of the nodes of paths, by id. One that is not known is shown by its id. */
export function nodesOf(nodes: readonly PathNode[]): NodeOf {
  const known = new Map(nodes.map((node) => [node.id, node]));
  return (id) => known.get(id) ?? unknownNode(id);
}
