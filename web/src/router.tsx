import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import {
  Bell,
  ClipboardCheck,
  FileText,
  FlaskConical,
  GitCompareArrows,
  Inbox,
  LayoutDashboard,
  type LucideIcon,
  Network,
  Route,
  Waypoints,
  Wrench,
} from "lucide-react";
import { pageCode } from "./api/pageCode";
import { AccountPage } from "./features/account/AccountPage";
import { accountOf, accountsQuery, addressOf, movedTo } from "./features/account/queries";
import { assessmentQuery, newestAssessments } from "./features/assessment/queries";
import { assessmentsSearch } from "./features/assessment/search";
import { catalogueSearch } from "./features/catalogue/search";
import { complianceSearch } from "./features/compliance/search";
import { deliverySearch, notificationsSearch } from "./features/delivery/search";
import { driftSearch } from "./features/drift/search";
import { exceptionsSearch } from "./features/exceptions/search";
import { explainSearch } from "./features/explain/search";
import { acrossSearch } from "./features/findings/across";
import { findingsSearch } from "./features/findings/search";
import { fleetSearch } from "./features/fleet/order";
import { inboxSearch } from "./features/inbox/search";
import { issuesPages } from "./features/issues/queries";
import { issuesQuery, issuesSearch } from "./features/issues/search";
import { jobsSearch } from "./features/jobs/search";
import { mapSearch } from "./features/map/search";
import { pathsSearch } from "./features/paths/search";
import { backupsSearch, remediationSearch } from "./features/remediation/search";
import { activeJobs } from "./features/runs/queries";
import { schedulesSearch } from "./features/schedules/search";
import { auditSearch } from "./features/service/search";
import type { Role } from "./features/session/may";
import { sessionQuery } from "./features/session/queries";
import type { Menu } from "./features/shell/menu";
import { Shell } from "./features/shell/Shell";
import { NoSuchPage, PageFailed } from "./features/shell/Trouble";
import { whatIfSearch } from "./features/whatif/search";
import { parseSearch, stringifySearch } from "./lib/url";
import { queryClient } from "./queryClient";

const page: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(pageCode(load), name);

/*
 * Every page has an address of its own: the account and the assessment are in the
 * path, what is filtered, chosen and open is in the search parameters. $a is the
 * provider's id of an account or the id it is registered by, $r the id of an
 * assessment or "latest".
 */
const root = createRootRoute({
  // Who is there decides which controls are, so it is known first where it can be.
  loader: () => soon([queryClient.prefetchQuery(sessionQuery)]),
  component: Shell,
  notFoundComponent: NoSuchPage,
});

const fleet = createRoute({
  getParentRoute: () => root,
  path: "/",
  staticData: { menu: ["accounts", "Accounts"] },
  validateSearch: fleetSearch,
  component: page(() => import("./features/fleet/FleetPage"), "FleetPage"),
});

const assessments = createRoute({
  getParentRoute: () => root,
  path: "/assessments",
  staticData: { menu: ["accounts", "Assessments"] },
  validateSearch: assessmentsSearch,
  component: page(() => import("./features/assessment/AssessmentsPage"), "AssessmentsPage"),
});

/** Addresses that messages and older links carry: they lead to the account's page of the findings. */
const oldAssessment = createRoute({
  getParentRoute: () => root,
  path: "/assessments/$id",
  validateSearch: findingsSearch,
  component: page(() => import("./features/assessment/MovedPage"), "MovedPage"),
});

/** Waits for answers that are usually there before a page could be drawn twice, never so long that anybody sees nothing. */
function soon(answers: Promise<unknown>[]): Promise<unknown> {
  return Promise.race([Promise.allSettled(answers), new Promise((done) => setTimeout(done, 100))]);
}

/** The word for an account that no other has. */
const PROVIDER_ID = /^[0-9a-f]{32}$/;

/** Everything below asks by the word in the address, so a name or another id gives way before anything is asked. */
const account = createRoute({
  getParentRoute: () => root,
  path: "/a/$a",
  beforeLoad: async ({ params: { a }, location }) => {
    if (PROVIDER_ID.test(a)) return;
    const known = () => accountOf(queryClient.getQueryData(accountsQuery.queryKey), a);
    if (!known()) await soon([queryClient.prefetchQuery(accountsQuery)]);
    const named = known();
    if (named && addressOf(named) !== a)
      throw redirect({ href: movedTo(location.href, addressOf(named)), replace: true });
  },
});

/** In the entry, and asked for at once: what people open first. */
const overview = createRoute({
  getParentRoute: () => account,
  path: "/",
  staticData: { menu: ["account", "Overview"], icon: LayoutDashboard },
  loader: ({ params }) =>
    soon([
      queryClient.prefetchQuery(accountsQuery),
      queryClient.prefetchQuery(activeJobs),
      queryClient.prefetchQuery(newestAssessments(params.a)),
    ]),
  component: AccountPage,
});

const accountRuns = createRoute({
  getParentRoute: () => account,
  path: "/runs",
  staticData: { menu: ["account", "Runs"], tabOf: "/a/$a/drift" },
  validateSearch: assessmentsSearch,
  component: page(() => import("./features/assessment/AssessmentsPage"), "AccountAssessmentsPage"),
});

/** Asks for what a page of an assessment shows while its code is loaded; the page asks again for what did not come, and says so. */
function ahead({ a, r }: { a: string; r: string }, ask: (id: string) => Promise<unknown>): Promise<unknown> {
  const id = r === "latest" ? queryClient.ensureQueryData(newestAssessments(a)).then(([newest]) => newest?.id) : r;
  return soon([Promise.resolve(id).then((id) => id && ask(id))]);
}

const assessment = createRoute({
  getParentRoute: () => account,
  path: "/r/$r",
  loader: ({ params }) => ahead(params, (id) => queryClient.prefetchQuery(assessmentQuery(id))),
  component: page(() => import("./features/assessment/AssessmentLayout"), "AssessmentLayout"),
});

const issues = createRoute({
  getParentRoute: () => assessment,
  path: "/issues",
  staticData: { menu: ["account", "Issues"], icon: Inbox },
  validateSearch: issuesSearch,
  loaderDeps: ({ search }) => issuesQuery(search),
  loader: ({ params, deps }) => ahead(params, (id) => queryClient.prefetchInfiniteQuery(issuesPages(id, deps))),
  component: page(() => import("./features/issues/IssuesPage"), "IssuesPage"),
});

const issue = createRoute({
  getParentRoute: () => assessment,
  path: "/issues/$check",
  component: page(() => import("./features/issues/IssuePage"), "IssuePage"),
});

const findings = createRoute({
  getParentRoute: () => assessment,
  path: "/findings",
  staticData: { menu: ["account", "Findings"], tabOf: "/a/$a/r/$r/issues" },
  validateSearch: findingsSearch,
  component: page(() => import("./features/findings/FindingsPage"), "FindingsPage"),
});

const finding = createRoute({
  getParentRoute: () => assessment,
  path: "/findings/$id",
  component: page(() => import("./features/findings/FindingPage"), "FindingPage"),
});

const allFindings = createRoute({
  getParentRoute: () => root,
  path: "/findings",
  staticData: { menu: ["accounts", "All findings"] },
  validateSearch: acrossSearch,
  component: page(() => import("./features/findings/AcrossPage"), "AcrossPage"),
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: "/inbox",
  staticData: { menu: ["reader", "Inbox"], icon: Bell },
  validateSearch: inboxSearch,
  component: page(() => import("./features/inbox/InboxPage"), "InboxPage"),
});

const exceptions = createRoute({
  getParentRoute: () => root,
  path: "/exceptions",
  staticData: { menu: ["accounts", "Exceptions"] },
  validateSearch: exceptionsSearch,
  component: page(() => import("./features/exceptions/ExceptionsPage"), "ExceptionsPage"),
});

const newAccount = createRoute({
  getParentRoute: () => root,
  path: "/accounts/new",
  component: page(() => import("./features/account/NewAccountPage"), "NewAccountPage"),
});

const accountSettings = createRoute({
  getParentRoute: () => account,
  path: "/settings",
  staticData: { menu: ["settings", "Account settings"] },
  component: page(() => import("./features/account/AccountSettingsPage"), "AccountSettingsPage"),
});

const backups = createRoute({
  getParentRoute: () => account,
  path: "/backups",
  staticData: { menu: ["account", "Backups"], tabOf: "/a/$a/r/$r/remediation" },
  validateSearch: backupsSearch,
  component: page(() => import("./features/remediation/BackupsPage"), "BackupsPage"),
});

const remediation = createRoute({
  getParentRoute: () => assessment,
  path: "/remediation",
  staticData: { menu: ["account", "Remediation"], icon: Wrench },
  validateSearch: remediationSearch,
  component: page(() => import("./features/remediation/RemediationPage"), "RemediationPage"),
});

const exportsPage = createRoute({
  getParentRoute: () => assessment,
  path: "/exports",
  staticData: { menu: ["account", "Reports"], icon: FileText },
  component: page(() => import("./features/exports/ExportsPage"), "ExportsPage"),
});

const summary = createRoute({
  getParentRoute: () => assessment,
  path: "/summary",
  staticData: { menu: ["account", "Executive summary"], tabOf: "/a/$a/r/$r/exports" },
  component: page(() => import("./features/summary/SummaryPage"), "SummaryPage"),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: "/schedules",
  staticData: { menu: ["settings", "Schedules"] },
  validateSearch: schedulesSearch,
  component: page(() => import("./features/schedules/SchedulesPage"), "SchedulesPage"),
});

const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  staticData: { menu: ["settings", "Jobs"] },
  validateSearch: jobsSearch,
  component: page(() => import("./features/jobs/JobsPage"), "JobsPage"),
});

const job = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$id",
  component: page(() => import("./features/jobs/JobPage"), "JobPage"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  staticData: { menu: ["settings", "Service settings"], needs: ["operator", "some"] },
  component: page(() => import("./features/settings/SettingsPage"), "SettingsPage"),
});

const integrations = createRoute({
  getParentRoute: () => root,
  path: "/integrations",
  staticData: { menu: ["settings", "Integrations"], needs: ["operator", "some"] },
  component: page(() => import("./features/integration/IntegrationsPage"), "IntegrationsPage"),
});

const siem = createRoute({
  getParentRoute: () => root,
  path: "/siem",
  staticData: { menu: ["settings", "SIEM"], tabOf: "/integrations" },
  validateSearch: deliverySearch,
  component: page(() => import("./features/delivery/SiemPage"), "SiemPage"),
});

const notifications = createRoute({
  getParentRoute: () => root,
  path: "/notifications",
  staticData: { menu: ["settings", "Notifications"], tabOf: "/integrations" },
  validateSearch: notificationsSearch,
  component: page(() => import("./features/delivery/NotificationsPage"), "NotificationsPage"),
});

const access = createRoute({
  getParentRoute: () => root,
  path: "/access",
  staticData: { menu: ["settings", "Access"], needs: ["administrator", "all"] },
  component: page(() => import("./features/access/AccessPage"), "AccessPage"),
});

const ownership = createRoute({
  getParentRoute: () => root,
  path: "/ownership",
  staticData: { menu: ["settings", "Ownership"], needs: ["viewer", "all"] },
  component: page(() => import("./features/ownership/OwnershipPage"), "OwnershipPage"),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  staticData: { menu: ["settings", "Audit log"], needs: ["administrator", "all"] },
  validateSearch: auditSearch,
  component: page(() => import("./features/service/AuditPage"), "AuditPage"),
});

const catalogue = createRoute({
  getParentRoute: () => root,
  path: "/checks",
  staticData: { menu: ["settings", "Checks"] },
  validateSearch: catalogueSearch,
  component: page(() => import("./features/catalogue/CataloguePage"), "CataloguePage"),
});

const commandLine = createRoute({
  getParentRoute: () => root,
  path: "/command-line",
  component: page(() => import("./features/session/CommandLinePage"), "CommandLinePage"),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: "/welcome",
  component: page(() => import("./features/session/WelcomePage"), "WelcomePage"),
});

const about = createRoute({
  getParentRoute: () => root,
  path: "/about",
  staticData: { menu: ["settings", "About"] },
  component: page(() => import("./features/service/AboutPage"), "AboutPage"),
});

const paths = createRoute({
  getParentRoute: () => assessment,
  path: "/paths",
  staticData: { menu: ["account", "Attack paths"], icon: Route },
  validateSearch: pathsSearch,
  component: page(() => import("./features/paths/PathsPage"), "PathsPage"),
});

const path = createRoute({
  getParentRoute: () => assessment,
  path: "/paths/$p",
  component: page(() => import("./features/paths/PathPage"), "PathPage"),
});

const map = createRoute({
  getParentRoute: () => assessment,
  path: "/map",
  staticData: { menu: ["account", "Inventory and map"], icon: Network },
  validateSearch: mapSearch,
  // Not waited for: the page says what the map is while the graph is on its way.
  loader: ({ params }) => {
    void ahead(params, async (id) =>
      queryClient.prefetchQuery((await import("./features/graph/queries")).graphQuery(id)),
    );
  },
  component: page(() => import("./features/map/MapPage"), "MapPage"),
});

const explain = createRoute({
  getParentRoute: () => assessment,
  path: "/explain",
  staticData: { menu: ["account", "Explain a URL"], icon: Waypoints },
  validateSearch: explainSearch,
  component: page(() => import("./features/explain/ExplainPage"), "ExplainPage"),
});

const whatIf = createRoute({
  getParentRoute: () => assessment,
  path: "/what-if",
  staticData: { menu: ["account", "What if"], icon: FlaskConical },
  validateSearch: whatIfSearch,
  component: page(() => import("./features/whatif/WhatIfPage"), "WhatIfPage"),
});

const complianceIndex = createRoute({
  getParentRoute: () => assessment,
  path: "/compliance",
  component: page(() => import("./features/compliance/CompliancePage"), "ComplianceIndex"),
});

const compliance = createRoute({
  getParentRoute: () => assessment,
  path: "/compliance/$framework",
  staticData: { menu: ["account", "Compliance"], icon: ClipboardCheck },
  validateSearch: complianceSearch,
  component: page(() => import("./features/compliance/CompliancePage"), "CompliancePage"),
});

const drift = createRoute({
  getParentRoute: () => account,
  path: "/drift",
  staticData: { menu: ["account", "Changes"], icon: GitCompareArrows },
  validateSearch: driftSearch,
  component: page(() => import("./features/drift/DriftPage"), "DriftPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    fleet,
    assessments,
    oldAssessment,
    allFindings,
    inbox,
    exceptions,
    newAccount,
    account.addChildren([
      overview,
      assessment.addChildren([
        issues,
        issue,
        findings,
        finding,
        paths,
        path,
        map,
        explain,
        whatIf,
        complianceIndex,
        compliance,
        remediation,
        exportsPage,
        summary,
      ]),
      drift,
      accountRuns,
      backups,
      accountSettings,
    ]),
    schedules,
    jobs,
    job,
    integrations,
    siem,
    notifications,
    access,
    ownership,
    audit,
    settings,
    catalogue,
    commandLine,
    welcome,
    about,
  ]),
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultErrorComponent: PageFailed,
  // A page about something else begins anew: what was typed or begun for one account must not be sent for another.
  defaultRemountDeps: ({ params }) => params,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** Its place and name in the menu and the palette. A page without it is reached from another page. */
    menu?: [Menu, string];
    icon?: LucideIcon;
    /** The role that the page is for, on "some" account or on "all". */
    needs?: [Role, "some" | "all"];
    /** The page of the menu that it is a tab of. */
    tabOf?: string;
  }
}
