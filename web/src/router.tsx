import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { findingsSearch } from "./features/findings/search";
import { OverviewPage } from "./features/overview/OverviewPage";
import { Shell } from "./features/shell/Shell";
import { NoSuchPage, PageFailed } from "./features/shell/Trouble";
import { parseSearch, stringifySearch } from "./lib/url";

const root = createRootRoute({ component: Shell, notFoundComponent: NoSuchPage });

const overview = createRoute({ getParentRoute: () => root, path: "/", component: OverviewPage });

const assessments = createRoute({
  getParentRoute: () => root,
  path: "/assessments",
  component: lazyRouteComponent(() => import("./features/assessments/AssessmentsPage"), "AssessmentsPage"),
});

const findings = createRoute({
  getParentRoute: () => root,
  path: "/assessments/$id",
  validateSearch: findingsSearch,
  component: lazyRouteComponent(() => import("./features/findings/FindingsPage"), "FindingsPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([overview, assessments, findings]),
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultErrorComponent: PageFailed,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
