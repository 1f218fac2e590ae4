const GROUPS = ["Pages", "Accounts", "Zones", "Checks", "Findings", "Actions"] as const;
export type Group = (typeof GROUPS)[number];

export interface Entry {
  id: string;
  group: Group;
  name: string;
  /** Said beside the name, and searched too. */
  hint?: string;
  /** The service has searched already. */
  found?: boolean;
  run: () => void;
}

export interface Matches {
  group: Group;
  entries: Entry[];
  /** Those that are not listed. */
  more: number;
}

const SHOWN = 6;
/** With nothing typed: what is worth a look without a word. Zones and checks can be thousands. */
const AT_FIRST: readonly Group[] = ["Pages", "Accounts", "Actions"];

/** What has every typed word in it, by group; where a name begins with the text it stands first. */
export function matching(entries: readonly Entry[], text: string): Matches[] {
  const typed = text.trim().toLowerCase();
  const words = typed.split(/\s+/);
  const fits = ({ group, name, hint = "", found }: Entry) => {
    if (typed === "") return AT_FIRST.includes(group);
    const all = `${name} ${hint}`.toLowerCase();
    return found || words.every((word) => all.includes(word));
  };
  const rank = ({ name }: Entry) => (name.toLowerCase().startsWith(typed) ? 0 : 1);
  return GROUPS.flatMap((group) => {
    const all = entries.filter((entry) => entry.group === group && fits(entry));
    const shown = typed === "" && group === "Pages" ? all.length : SHOWN;
    // The sort is stable, so that pages stay in the order of the menu.
    const sorted = all.sort((x, y) => rank(x) - rank(y)).slice(0, shown);
    return sorted.length === 0 ? [] : [{ group, entries: sorted, more: all.length - sorted.length }];
  });
}
