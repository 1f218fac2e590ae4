import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef } from "react";
import { visible } from "../../lib/visible";
import { nodeWord } from "../graph/words";
import type { Changes } from "./changes";
import { MapEngine } from "./engine/engine";
import { listen } from "./engine/input";
import type { Scene } from "./engine/scene";
import styles from "./Map.module.css";

export interface MapHandle {
  zoom: (factor: number) => void;
  showAll: () => void;
  png: () => Promise<Blob | null>;
  svg: (title: string) => Promise<Blob | null>;
}

interface Props {
  ref: Ref<MapHandle>;
  scene: Scene;
  mask: Uint8Array;
  changes: Changes | undefined;
  selected: number;
  /** The nodes within a few hops of the chosen one, when only those are shown. */
  nearby: ArrayLike<number>;
  path: readonly number[];
  /** The zone that is shown alone, by its node. */
  zone: number | undefined;
  summary: string;
  onSelect: (node: number) => void;
  onZone: (zone: number) => void;
  onOpen: () => void;
  onSearch: () => void;
}

const DIRECTIONS: Record<string, [number, number]> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};
const ZOOMS: Record<string, number> = { "+": 1.5, "=": 1.5, "-": 1 / 1.5 };

/** The canvas and its keys. What it shows stands in the table below, too. */
export function MapCanvas({
  ref,
  scene,
  mask,
  changes,
  selected,
  nearby,
  path,
  zone,
  summary,
  onSelect,
  onZone,
  onOpen,
  onSearch,
}: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const engine = useRef<MapEngine>(null);
  const picks = useRef({ onSelect, onZone });
  useEffect(() => {
    picks.current = { onSelect, onZone };
  });

  useEffect(() => {
    const element = canvas.current;
    const frame = element?.parentElement;
    if (!element || !frame) return;
    const still = window.matchMedia("(prefers-reduced-motion: reduce)");
    let drawn = false;
    const made = new MapEngine(element, scene, {
      smooth: () => !still.matches,
      onFrame: () => {
        if (!drawn) performance.mark("map drawn");
        drawn = true;
      },
    });
    engine.current = made;
    const resize = () => made.resize(frame.clientWidth, frame.clientHeight, window.devicePixelRatio);
    const sizes = new ResizeObserver(resize);
    sizes.observe(frame);
    resize();
    const silent = listen(element, made, (picked) => {
      if (picked === undefined) picks.current.onSelect(-1);
      else if (picked.node >= 0) picks.current.onSelect(picked.node);
      else picks.current.onZone(scene.clusters[picked.cluster]?.zone ?? -1);
    });
    const recolour = () => made.readColours();
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const theme = new MutationObserver(recolour);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    dark.addEventListener("change", recolour);
    // Paper is light, and does not wait for the next frame.
    const paper = window.matchMedia("print");
    const repaint = () => {
      made.readColours();
      made.draw();
    };
    paper.addEventListener("change", repaint);
    return () => {
      made.stop();
      silent();
      sizes.disconnect();
      theme.disconnect();
      dark.removeEventListener("change", recolour);
      paper.removeEventListener("change", repaint);
      engine.current = null;
    };
  }, [scene]);

  useEffect(() => engine.current?.setMask(mask), [mask]);
  useEffect(() => engine.current?.setChanges(changes), [changes]);
  useEffect(() => {
    if (zone === undefined) return;
    const cluster = scene.clusters.find((c) => c.zone === zone);
    if (cluster) engine.current?.showBox(cluster);
  }, [zone, scene]);
  useEffect(() => {
    engine.current?.setPath(path);
    engine.current?.showNodes(path);
  }, [path]);
  useEffect(() => {
    engine.current?.select(selected);
    if (selected >= 0) engine.current?.showNodes([selected]);
  }, [selected]);
  useEffect(() => engine.current?.showNodes(nearby), [nearby]);

  useImperativeHandle(
    ref,
    () => ({
      zoom: (factor) => engine.current?.zoomBy(factor, undefined, undefined, true),
      showAll: () => engine.current?.showAll(),
      png: () =>
        new Promise((done) => {
          engine.current?.draw();
          canvas.current?.toBlob(done);
        }),
      svg: async (title) => {
        // Few save a map, so what writes it is not a part of the page.
        const { SvgPen } = await import("./engine/svg");
        const ruler = document.createElement("canvas").getContext("2d");
        if (!engine.current || !ruler) return null;
        const pen = new SvgPen(ruler);
        const size = engine.current.drawWith(pen);
        return new Blob([pen.file(size, title)], { type: "image/svg+xml" });
      },
    }),
    [],
  );

  const step = (dx: number, dy: number) => {
    const start = selected >= 0 ? selected : (path[0] ?? firstOf(mask));
    const next = selected >= 0 ? scene.towards(start, dx, dy, mask) : start;
    if (next >= 0) onSelect(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = DIRECTIONS[event.key];
    const zoom = ZOOMS[event.key];
    if (direction) step(...direction);
    else if (zoom !== undefined) engine.current?.zoomBy(zoom, undefined, undefined, true);
    else if (event.key === "0") engine.current?.showAll();
    else if (event.key === "Enter") onOpen();
    else if (event.key === "Escape") onSelect(-1);
    else if (event.key === "/") onSearch();
    else return;
    event.preventDefault();
  };

  const { graph } = scene;
  const chosen =
    selected < 0
      ? ""
      : `${nodeWord(graph.nodeTypes[graph.type[selected] ?? 0] ?? "")} ${visible(graph.labels[selected] ?? "")}`;
  return (
    <div
      className={styles.canvas}
      role="application"
      aria-label="Map. Arrow keys move between resources, Enter opens, plus and minus zoom, 0 shows all, slash searches."
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the map takes keys
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <canvas ref={canvas} role="img" aria-label={summary} />
      <span className="visually-hidden" role="status">
        {chosen}
      </span>
    </div>
  );
}

function firstOf(mask: Uint8Array): number {
  return mask.indexOf(1);
}
