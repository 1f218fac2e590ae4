import { useRouter, useRouterState } from "@tanstack/react-router";
import { type RefObject, useEffect, useRef } from "react";

const entryOf = ({ state }: { state: { __TSR_key?: string } }) => state.__TSR_key ?? "";

/** A new page is announced by moving the focus to it, as a full load would; one that is gone back to, by the link that led away. */
export function usePageFocus(main: RefObject<HTMLElement | null>): void {
  const router = useRouter();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path, main]);

  useEffect(() => {
    /** By entry of the browser's history. */
    const left = new Map<string, string>();
    const leaving = router.subscribe("onBeforeNavigate", ({ fromLocation }) => {
      const href = document.activeElement?.getAttribute("href");
      if (fromLocation && href) left.set(entryOf(fromLocation), href);
    });
    const rendered = router.subscribe("onRendered", ({ toLocation }) => {
      const href = left.get(entryOf(toLocation));
      if (href === undefined || document.activeElement !== main.current) return;
      const links = [...(main.current?.querySelectorAll("a") ?? [])];
      const link = links.find((one) => one.getAttribute("href") === href && one.checkVisibility());
      link?.focus({ preventScroll: true });
    });
    return () => {
      leaving();
      rendered();
    };
  }, [router, main]);
}
