import { severityWord } from "../../lib/severity";
import type { FilterField } from "../../ui/FilterChips";
import { oneOf, onlyTakenOff } from "../../ui/oneOf";
import type { PathsSearch } from "./search";
import { kindWord, type NodeOf } from "./words";

const SEVERITIES = Object.fromEntries(["critical", "high"].map((severity) => [severity, severityWord(severity)]));

/** What the attack paths of a run are filtered by. */
export function pathFields(
  search: PathsSearch,
  kinds: readonly string[],
  node: NodeOf,
  onChange: (part: PathsSearch) => void,
): FilterField[] {
  const words = Object.fromEntries(kinds.map((kind) => [kind, kindWord(kind)]));
  return [
    oneOf("Severity", SEVERITIES, search.severity, undefined, (severity) => onChange({ severity })),
    oneOf("Kind", words, search.kind, undefined, (kind) => onChange({ kind })),
    onlyTakenOff("Through", search.node, search.node === undefined ? "" : node(search.node).label, () =>
      onChange({ node: undefined }),
    ),
    onlyTakenOff(
      "Broken by",
      search.change ?? search.breaks,
      search.change ?? (search.breaks === undefined ? "" : `a change of ${node(search.breaks).label}`),
      () => onChange({ breaks: undefined, change: undefined }),
    ),
  ];
}
