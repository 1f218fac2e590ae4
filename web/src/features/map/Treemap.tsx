import { getRouteApi, Link } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useState } from "react";
import { integer, plural } from "../../lib/number";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { visible } from "../../lib/visible";
import severities from "../../ui/Severity.module.css";
import { SeverityShape } from "../../ui/Shape";
import { useSize } from "../../ui/useSize";
import type { Area } from "./areas";
import { ChangeMark } from "./ChangeMark";
import { foundWords } from "./flow";
import type { MapSearch } from "./search";
import styles from "./Treemap.module.css";
import { roomFor, type Tile, tilesOf } from "./tiles";

const route = getRouteApi("/a/$a/r/$r/map");

/** Zones and the account's own resources, each as large as its risk. One tab stop; the arrow keys go from tile to tile. */
export function Treemap({ areas, skip, summary }: { areas: Area[]; skip: number; summary: string }) {
  const [box, { width, height }] = useSize<HTMLElement>();
  const room = roomFor(width, height);
  const start = Math.min(skip, Math.max(0, areas.length - 1));
  const end = start + room + 1 >= areas.length ? areas.length : start + room;
  const tiles = useMemo(
    () => (width > 0 ? tilesOf(areas.slice(start, end), end < areas.length, width, height) : []),
    [areas, start, end, width, height],
  );
  const drawn = tiles.length > 0;
  useEffect(() => {
    if (drawn) performance.mark("map drawn");
  }, [drawn]);
  const [active, setActive] = useState(0);
  const current = Math.min(active, tiles.length - 1);

  const onKeyDown = (event: KeyboardEvent) => {
    const next = towards(tiles, current, event.key);
    if (next < 0) return;
    event.preventDefault();
    setActive(next);
    box.current?.querySelectorAll("a")[next]?.focus();
  };
  return (
    <nav ref={box} className={`${styles.map} printed`} aria-label={summary} onKeyDown={onKeyDown}>
      {tiles.map((tile, i) => (
        <TileLink
          key={tile.area?.label ?? ""}
          tile={tile}
          of={width}
          focusable={i === current}
          onFocus={() => setActive(i)}
          skip={end}
        >
          {tile.area ? (
            <TileText area={tile.area} small={tile.height < 64 || tile.width < 120} />
          ) : (
            <>
              <b>{plural(areas.length - end, "more area")}</b>
              <span>of less risk</span>
            </>
          )}
        </TileLink>
      ))}
    </nav>
  );
}

interface TileProps {
  tile: Tile;
  /** The width of all tiles: paper is narrower than the screen they were laid out for. */
  of: number;
  focusable: boolean;
  onFocus: () => void;
  skip: number;
  children: ReactNode;
}

function TileLink({ tile: { area, x, y, width, height }, of, focusable, onFocus, skip, children }: TileProps) {
  const part: MapSearch = area ? { zone: area.zone, group: area.type } : { skip: String(skip) };
  return (
    <Link
      from={route.id}
      to="."
      search={(before) => ({ ...before, ...part })}
      resetScroll={false}
      className={`${styles.tile} ${severities[area?.worst ?? ""] ?? ""}`}
      style={{ left: `${(100 * x) / of}%`, top: y, width: `${(100 * width) / of}%`, height }}
      title={area && `${visible(area.label)}: ${countsOf(area) || foundWords(0, area.unknown)}`}
      tabIndex={focusable ? 0 : -1}
      onFocus={onFocus}
    >
      {children}
    </Link>
  );
}

function TileText({ area, small }: { area: Area; small: boolean }) {
  return (
    <>
      <b>{visible(area.label)}</b>
      <span className={small ? styles.short : styles.counts}>
        {SEVERITIES.map((severity, level) => {
          const count = area.counts[level] ?? 0;
          return count === 0 || (small && severity !== area.worst) ? null : (
            <span key={severity} className={styles.count}>
              <SeverityShape severity={severity} />
              {integer(count)}
              <span className="visually-hidden"> {worstWords(count, severity)}; </span>
            </span>
          );
        })}
        {area.worst === "none" && <span className={styles.open}>{foundWords(0, area.unknown)}</span>}
      </span>
      {(area.worse > 0 || area.fixed > 0) && (
        <span className={styles.changed}>
          {area.worse > 0 && (
            <span className={styles.count}>
              <ChangeMark kind="worse" /> {integer(area.worse)}{" "}
              <span className="visually-hidden">new or regressed</span>
            </span>
          )}
          {area.fixed > 0 && (
            <span className={styles.count}>
              <ChangeMark kind="fixed" /> {integer(area.fixed)} <span className="visually-hidden">resolved</span>
            </span>
          )}
        </span>
      )}
      {!small && <span className={styles.resources}>{plural(area.resources, "resource")}</span>}
    </>
  );
}

function countsOf({ counts }: Area): string {
  return SEVERITIES.flatMap((severity, level) => {
    const count = counts[level] ?? 0;
    return count === 0 ? [] : [`${integer(count)} ${worstWords(count, severity)}`];
  }).join("; ");
}

/** What a number of a tile counts: resources by their worst open finding. */
function worstWords(count: number, severity: string): string {
  return `${count === 1 ? "resource" : "resources"}, worst finding ${severityWord(severity).toLowerCase()}`;
}

const DIRECTIONS: Record<string, [number, number]> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** The nearest tile in the direction of an arrow key, or -1: what lies ahead counts more than what lies beside. */
function towards(tiles: readonly Tile[], from: number, key: string): number {
  const direction = DIRECTIONS[key];
  const start = tiles[from];
  if (!direction || !start) return -1;
  const [dx, dy] = direction;
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, tile] of tiles.entries()) {
    const x = tile.x + tile.width / 2 - start.x - start.width / 2;
    const y = tile.y + tile.height / 2 - start.y - start.height / 2;
    const ahead = x * dx + y * dy;
    const distance = ahead + 2 * Math.abs(x * dy + y * dx);
    if (i !== from && ahead > 0 && distance < least) {
      best = i;
      least = distance;
    }
  }
  return best;
}
