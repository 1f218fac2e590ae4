import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useSyncExternalStore } from "react";
import { keyRing } from "../../api/client";
import { RunTray } from "../runs/RunTray";
import { useRunEnds } from "../runs/useRunEnds";
import { HealthMark } from "./HealthMark";
import styles from "./Shell.module.css";
import { Sidebar } from "./Sidebar";
import { ThemeSwitch } from "./ThemeSwitch";

// Most installations never ask for a key, so its dialog is not part of the first load.
const KeyDialog = lazy(() => import("./KeyDialog").then((m) => ({ default: m.KeyDialog })));

export function Shell() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const shownPath = useRef(path);
  const prompt = useSyncExternalStore(keyRing.subscribe, keyRing.prompt);
  useRunEnds();

  // A new page is announced by moving focus to it, as a full load would.
  useEffect(() => {
    if (shownPath.current === path) return;
    shownPath.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path]);

  return (
    <>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.brand}>
          Edgeposture
        </Link>
        <RunTray />
        <HealthMark />
        <ThemeSwitch />
      </header>
      <div className={styles.columns}>
        <Sidebar />
        <main id="main" ref={main} tabIndex={-1} className={styles.main}>
          <Outlet />
        </main>
      </div>
      {prompt.open && (
        <Suspense>
          <KeyDialog refused={prompt.refused} />
        </Suspense>
      )}
    </>
  );
}
