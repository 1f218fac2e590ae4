import type { GraphColumns } from "../../api/types";
import { unknownNode } from "./words";

/** The graph of an assessment in columns: node i is entry i of every array that is as long as ids. */
export interface PostureGraph {
  ids: string[];
  labels: string[];
  type: Uint8Array;
  /** Position of the zone a node lies in, or -1. */
  zone: Int32Array;
  severity: Uint8Array;
  /** Open findings. */
  findings: Uint32Array;
  /** What was not assessed. */
  unknown: Uint32Array;
  /** Load balancers that answer with the addresses of their origins. */
  direct: ReadonlySet<number>;
  from: Uint32Array;
  to: Uint32Array;
  edgeType: Uint8Array;
  nodeTypes: readonly string[];
  edgeTypes: readonly string[];
  severities: readonly string[];
  index: ReadonlyMap<string, number>;
}

export const COLUMNS_TYPE = "application/vnd.edgeposture.columns+json";
const VERSION = 2;

function isASCII(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/** What an id shares with the one before is counted in bytes of UTF-8, not in units of JavaScript. */
function sharedPart(before: string, bytes: number): string {
  const part = before.slice(0, bytes);
  if (isASCII(part)) return part;
  return new TextDecoder().decode(new TextEncoder().encode(before).subarray(0, bytes));
}

export function decodeColumns(columns: GraphColumns): PostureGraph {
  if (columns.version !== VERSION) {
    throw new Error(`The graph has version ${columns.version}; this page reads version ${VERSION}. Reload the page.`);
  }
  const { nodes, edges } = columns;
  const count = nodes.idRest.length;
  const ids = new Array<string>(count);
  const labels = new Array<string>(count);
  let before = "";
  for (let i = 0; i < count; i++) {
    const shared = nodes.idShared[i] ?? 0;
    before = (shared === 0 ? "" : sharedPart(before, shared)) + nodes.idRest[i];
    ids[i] = before;
    const label = nodes.label[i] ?? "";
    labels[i] = label !== "" ? label : before.slice(before.indexOf(":") + 1);
  }
  const from = new Uint32Array(edges.from);
  for (let e = 1; e < from.length; e++) from[e] = (from[e - 1] ?? 0) + (from[e] ?? 0);
  let index: Map<string, number> | undefined;
  return {
    ids,
    labels,
    // Made when it is first asked for: the map is drawn without it.
    get index() {
      index ??= new Map(ids.map((id, i) => [id, i]));
      return index;
    },
    from,
    type: new Uint8Array(nodes.type),
    zone: new Int32Array(nodes.zone),
    severity: new Uint8Array(nodes.severity),
    findings: Uint32Array.from(nodes.findings, (all, i) => all - (nodes.unknown[i] ?? 0)),
    unknown: new Uint32Array(nodes.unknown),
    direct: new Set(nodes.direct),
    to: new Uint32Array(edges.to),
    edgeType: new Uint8Array(edges.type),
    nodeTypes: columns.nodeTypes,
    edgeTypes: columns.edgeTypes,
    severities: columns.severities,
  };
}

export interface NodeWords {
  id: string;
  label: string;
  type: string;
  severity: string;
  findings: number;
  unknown: number;
}

/** What is known of a node. A node that the graph does not have is shown by its id. */
export function nodeOf(graph: PostureGraph, id: string): NodeWords {
  const i = graph.index.get(id);
  if (i === undefined) return { ...unknownNode(id), findings: 0, unknown: 0 };
  return {
    id,
    label: graph.labels[i] ?? id,
    type: graph.nodeTypes[graph.type[i] ?? 0] ?? "",
    severity: graph.severities[graph.severity[i] ?? 0] ?? "none",
    findings: graph.findings[i] ?? 0,
    unknown: graph.unknown[i] ?? 0,
  };
}
