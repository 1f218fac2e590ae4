import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { TrendPoint } from "../../api/types";
import { At } from "../../ui/At";
import table from "../account/Table.module.css";
import { hollowOf } from "./line";

interface Props {
  caption: string;
  account: string;
  points: readonly TrendPoint[];
  /** Heading and figure of each column. */
  columns: readonly [string, (point: TrendPoint) => ReactNode][];
}

/** The figures behind a chart of runs, newest first. */
export function RunTable({ caption, account, points, columns }: Props) {
  return (
    <div className={table.scroll}>
      <table className={table.table}>
        <caption className="visually-hidden">{caption}, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Run</th>
            {columns.map(([head]) => (
              <th key={head} scope="col" className={table.number}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr key={point.assessmentId}>
              <td>
                <Link to="/a/$a/r/$r/findings" params={{ a: account, r: point.assessmentId }}>
                  <At at={point.at} />
                </Link>
                {hollowOf(point) && ` (${hollowOf(point)})`}
              </td>
              {columns.map(([head, figure]) => (
                <td key={head} className={table.number}>
                  {figure(point)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What hollow means, where there is one. */
export function HollowNote({ points }: { points: readonly TrendPoint[] }) {
  const reasons = new Set(points.map(hollowOf).filter((reason) => reason !== undefined));
  if (reasons.size === 0) return null;
  return <p className="muted">Hollow: a run that does not compare ({[...reasons].join(", or ")}).</p>;
}
