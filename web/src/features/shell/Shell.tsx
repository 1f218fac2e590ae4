import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useRef, useState, useSyncExternalStore } from "react";
import { keyRing } from "../../api/client";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { onDemand } from "../../ui/onDemand";
import { RunTray } from "../runs/RunTray";
import { useRunEnds } from "../runs/useRunEnds";
import { signInProblem } from "../session/problem";
import { useOtherTabs } from "../session/useOtherTabs";
import { useShortcuts } from "../shortcuts/useShortcuts";
import { Crumbs } from "./Crumbs";
import { HealthMark } from "./HealthMark";
import { Mark } from "./Mark";
import styles from "./Shell.module.css";
import { Sidebar } from "./Sidebar";
import { ThemeSwitch } from "./ThemeSwitch";
import { TimeNote } from "./TimeNote";
import { useKeptFocus } from "./useKeptFocus";
import { useOpenOnPaper } from "./useOpenOnPaper";
import { usePageFocus } from "./usePageFocus";
import { WhoMenu } from "./WhoMenu";

// Most installations ask nobody to sign in, so the dialog is not part of the first load.
const SignInDialog = onDemand(() => import("./SignInDialog").then((m) => m.SignInDialog));

// What is opened by a key press can wait for it.
const Palette = onDemand(() => import("../palette/Palette").then((m) => m.Palette));
const ShortcutsDialog = onDemand(() => import("../shortcuts/ShortcutsDialog").then((m) => m.ShortcutsDialog));

/** Who is invited has nothing to sign in with so far. */
const WELCOME = "/welcome";

export function Shell() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const prompt = useSyncExternalStore(keyRing.subscribe, keyRing.prompt);
  const [open, setOpen] = useState<"palette" | "help">();
  const [problem, setProblem] = useState(signInProblem);
  useShortcuts(open !== undefined, setOpen);
  const ended = useRunEnds();
  useOtherTabs();
  useOpenOnPaper();
  usePageFocus(main);
  useKeptFocus();

  return (
    <>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.brand}>
          <Mark />
          <span className={styles.word}>Edgeposture</span>
        </Link>
        {/* Before what is pressed, which would move when a run begins. */}
        <RunTray />
        <Button onClick={() => setOpen("palette")} aria-keyshortcuts="Control+K Meta+K" aria-haspopup="dialog">
          <Search aria-hidden />
          <span className={styles.word}>Search</span> <kbd className={styles.keys}>Ctrl K</kbd>
        </Button>
        <HealthMark />
        <ThemeSwitch />
        <WhoMenu />
      </header>
      <div className={styles.columns}>
        <Sidebar />
        <main id="main" ref={main} tabIndex={-1} className={styles.main}>
          {problem !== "" && !prompt.open && (
            <Banner title="Sign-in failed:" actions={<Button onClick={() => setProblem("")}>Dismiss</Button>}>
              {visible(problem)}
            </Banner>
          )}
          <Crumbs />
          <Outlet />
        </main>
      </div>
      <TimeNote />
      <p role="status" className="visually-hidden">
        {ended}
      </p>
      {open === "palette" && <Palette onClose={() => setOpen(undefined)} onHelp={() => setOpen("help")} />}
      {open === "help" && <ShortcutsDialog onClose={() => setOpen(undefined)} />}
      {prompt.open && path !== WELCOME && (
        <SignInDialog problem={problem} onSignedIn={() => setProblem("")} onClose={() => keyRing.dismiss()} />
      )}
    </>
  );
}
