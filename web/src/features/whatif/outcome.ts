import type { WhatIf } from "../../api/types";
import { integer, plural } from "../../lib/number";

/** What follows from changes, in two or three sentences. */
export function outcomeWords({ findings, paths, score }: WhatIf): string {
  const worse = findings.appear.length + findings.worsen.length;
  const better = findings.resolve.length + findings.improve.length;
  const said = [
    worse + paths.appear.length === 0
      ? "Nothing gets worse."
      : sentence(worse, paths.appear.length, "opens or gets worse", "open or get worse"),
    findings.improve.length === 0
      ? sentence(better, paths.break.length, "is closed", "are closed")
      : sentence(better, paths.break.length, "is closed or gets better", "are closed or get better"),
  ];
  const [before, after] = [integer(score.before.value), integer(score.after.value)];
  return [
    ...(worse + better + paths.appear.length + paths.break.length === 0
      ? ["No finding and no attack path changes."]
      : said.filter((each) => each !== "")),
    before === after ? `The score stays at ${after}.` : `The score goes from ${before} to ${after}.`,
  ].join(" ");
}

function sentence(findings: number, paths: number, one: string, many: string): string {
  const subjects = [
    ...(findings > 0 ? [plural(findings, "finding")] : []),
    ...(paths > 0 ? [plural(paths, "attack path")] : []),
  ];
  return subjects.length === 0 ? "" : `${subjects.join(" and ")} ${findings + paths === 1 ? one : many}.`;
}
