import { useMatches, useRouter } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import type { Role } from "../session/may";
import { useMay } from "../session/queries";

/** Pages of all accounts, of the account that is looked at, of the reader, and what is set up once. */
export type Menu = "accounts" | "account" | "reader" | "settings";

/** Where a link of the menu leads; `params` of an account's page are those of usePlace. */
type To = "/jobs";

export interface MenuPage {
  to: To;
  name: string;
  icon: LucideIcon | undefined;
  tabOf: string | undefined;
  needs: [Role, "some" | "all"] | undefined;
}

/** The pages that name themselves in the route's `staticData` and are for the reader, in the order of the route tree. */
export function useMenu(menu: Menu): MenuPage[] {
  const may = useMay();
  return useNamed().filter(({ menu: own, needs }) => own === menu && (needs === undefined || may(...needs)));
}

/** The page of the menu that is shown, or that the shown page belongs to, with its tabs. */
export function usePage(): { name: string; to: string; tabs: MenuPage[]; exact: boolean } | undefined {
  const pages = useNamed();
  const at = useMatches({ select: (matches) => matches.map(({ fullPath }) => trimmed(fullPath)) }).at(-1) ?? "";
  const under = pages.filter(({ to }) => at === to || at.startsWith(`${to}/`));
  const page = under.sort((x, y) => y.to.length - x.to.length)[0];
  // The overview stands at the beginning of every address of its account.
  if (!page || (page.to === ("/a/$a" as To) && at !== page.to)) return undefined;
  const first = page.tabOf ?? page.to;
  const tabs = pages.filter(({ to, tabOf }) => to === first || tabOf === first);
  return { name: page.name, to: page.to, tabs: tabs.length > 1 ? tabs : [], exact: at === page.to };
}

const trimmed = (path: string) => (path.length > 1 ? path.replace(/\/$/, "") : path);

function useNamed(): (MenuPage & { menu: Menu })[] {
  return Object.values(useRouter().routesById).flatMap(({ options, fullPath }) => {
    const { menu: [menu, name] = [], icon, tabOf, needs } = options.staticData ?? {};
    if (menu === undefined || name === undefined) return [];
    return [{ menu, name, icon, tabOf, needs, to: trimmed(fullPath) as To }];
  });
}
