import { posix } from "node:path";
import { defineConfig } from "vitepress";

// The documentation as a site that works without a network, search included. Pages are those of docs/; a link that leads nowhere ends
// the build, and so does a page that is in no menu.
const page = (link, text) => ({ link: `/${link}`, text });

const sidebar = [
  {
    text: "Start",
    items: [
      page("tutorials/first-account", "Your first account"),
      page("tutorials/pipeline", "In a pipeline"),
      page("tutorials/cluster", "In a cluster"),
      page("tutorials/team", "In a team"),
    ],
  },
  {
    text: "How to",
    items: [
      page("pipelines", "Fail a pipeline on what is new"),
      page("what-if", "Try a change or a Terraform plan"),
      page("schedules", "Repeat runs"),
      page("delivery", "Tell people and stores"),
      page("siem", "Search and dashboards"),
      page("remediation", "Change things safely"),
      page("planner", "Let a model order a plan"),
      page("tools", "Give tools to a model"),
      page("evidence", "Hand out evidence"),
      page("record", "Hand in a case"),
      page("deploy", "Deploy"),
      page("sign-in", "Sign in with an identity provider"),
      page("issues", "Work on issues"),
      page("tickets", "Make tickets of issues"),
      page("alerts", "Be told about issues"),
      page("gitops", "Keep decisions in a repository"),
      page("audit", "For auditors"),
      page("upgrade", "Upgrade"),
      page("backup", "Back up and restore"),
      page("observe", "Observe"),
      page("sizing", "Size"),
      page("benchmarks", "Benchmark"),
    ],
  },
  {
    text: "Reference",
    items: [
      page("cli", "Command line"),
      page("configuration", "Configuration"),
      page("checks", "Checks"),
      page("permissions", "Permissions"),
      page("exports", "Exports"),
      page("compliance", "Compliance"),
      page("attack-paths", "Attack paths"),
      page("coverage", "Coverage"),
      page("limits", "Limits"),
    ],
  },
  {
    text: "Explanations",
    items: [
      page("traffic", "What happens to a request"),
      page("findings", "Findings"),
      page("score", "Score"),
      page("incremental", "Incremental runs"),
      page("outages", "When something is away"),
      page("verdicts", "Verdicts of the review"),
      page("changed-verdicts", "Verdicts that changed"),
    ],
  },
  {
    text: "Contribute",
    items: [
      page("architecture", "Architecture"),
      page("decisions", "Decisions"),
      page("design", "Design of the dashboard"),
      page("style", "How findings are written"),
    ],
  },
];

const listed = new Set(sidebar.flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`)));

// What stands beside docs/, and the pictures of all pages, are in the repository and not on the site: links lead there.
function beside({ tokens, env }) {
  for (const link of tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === "link_open")) {
    const to = link.attrGet("href");
    const file = posix.join("docs", posix.dirname(env.relativePath), to);
    if (/^(?!\w+:|[#/])/.test(to) && !/^docs\/(?!pictures\/)/.test(file))
      link.attrSet("href", `https://github.com/edgeposture/edgeposture/blob/main/${file}`);
  }
}

export default defineConfig({
  srcDir: "pages",
  outDir: "../../site",
  cacheDir: "node_modules/.vitepress",
  srcExclude: ["progress.md", "pictures/**"],
  title: "Edgeposture",
  description: "How exposed a Cloudflare account is, why, and how to close it safely",
  lastUpdated: false,
  markdown: {
    config: (md) => {
      md.set({ html: false });
      md.core.ruler.push("beside", beside);
    },
  },
  themeConfig: {
    sidebar,
    outline: "deep",
    search: { provider: "local" },
  },
  buildEnd({ pages }) {
    const missing = pages.filter((name) => name !== "index.md" && !listed.has(name));
    if (missing.length > 0) throw new Error(`in no menu: ${missing.join(", ")}`);
  },
});
