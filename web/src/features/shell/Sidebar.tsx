import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useId, useState } from "react";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { accountOf, accountsQuery } from "../account/queries";
import styles from "./Sidebar.module.css";

const SERVICE = [
  ["/schedules", "Schedules"],
  ["/jobs", "Jobs"],
  ["/siem", "SIEM"],
  ["/notifications", "Notifications"],
  ["/audit", "Audit log"],
  ["/settings", "Settings"],
  ["/about", "About"],
] as const;

/** Where one can go: the pages of the account that is looked at, and those of the service. */
export function Sidebar() {
  const id = useId();
  const [open, setOpen] = useState(false);
  const { a, r = "latest" } = useParams({ strict: false });
  return (
    <div className={styles.sidebar}>
      <Button className={styles.toggle} aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        Menu
      </Button>
      {/* A chosen page closes the menu where it covers the page. */}
      <nav id={id} className={open ? styles.open : styles.nav} aria-label="Main" onClickCapture={() => setOpen(false)}>
        <ul>
          <li>
            <Link to="/" activeOptions={{ exact: true }}>
              Accounts
            </Link>
          </li>
          <li>
            <Link to="/assessments">Assessments</Link>
          </li>
          <li>
            <Link to="/findings" activeOptions={{ includeSearch: false }}>
              All findings
            </Link>
          </li>
          <li>
            <Link to="/exceptions" activeOptions={{ includeSearch: false }}>
              Exceptions
            </Link>
          </li>
        </ul>
        {a !== undefined && <AccountPages a={a} r={r} />}
        <ul>
          {SERVICE.map(([to, name]) => (
            <li key={to}>
              <Link to={to} activeOptions={{ includeSearch: false }}>
                {name}
              </Link>
            </li>
          ))}
          <li>
            <a href="/api-docs">API</a>
          </li>
        </ul>
      </nav>
    </div>
  );
}

function AccountPages({ a, r }: { a: string; r: string }) {
  const id = useId();
  const { framework } = useParams({ strict: false });
  const accounts = useQuery(accountsQuery);
  const exact = { exact: true, includeSearch: false };
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={styles.account}>
        {visible(accountOf(accounts.data, a)?.name ?? a)}
      </h2>
      <ul>
        <li>
          <Link to="/a/$a" params={{ a }} activeOptions={exact}>
            Overview
          </Link>
        </li>
        <li>
          <Link to="/a/$a/r/$r/findings" params={{ a, r }} activeOptions={{ includeSearch: false }}>
            Findings
          </Link>
        </li>
        <li>
          <Link to="/a/$a/r/$r/paths" params={{ a, r }} activeOptions={{ includeSearch: false }}>
            Attack paths
          </Link>
        </li>
        <li>
          <Link to="/a/$a/r/$r/map" params={{ a, r }} activeOptions={{ includeSearch: false }}>
            Map
          </Link>
        </li>
        <li>
          <Link
            to="/a/$a/r/$r/compliance/$framework"
            params={{ a, r, framework: framework ?? "cis" }}
            activeOptions={{ includeSearch: false }}
          >
            Compliance
          </Link>
        </li>
        <li>
          <Link to="/a/$a/drift" params={{ a }} activeOptions={exact}>
            Drift
          </Link>
        </li>
        <li>
          <Link to="/a/$a/r/$r/remediation" params={{ a, r }} activeOptions={{ includeSearch: false }}>
            Remediation
          </Link>
        </li>
        <li>
          <Link to="/a/$a/r/$r/exports" params={{ a, r }}>
            Exports
          </Link>
        </li>
        <li>
          <Link to="/a/$a/runs" params={{ a }} activeOptions={exact}>
            Runs
          </Link>
        </li>
        <li>
          <Link to="/a/$a/backups" params={{ a }} activeOptions={{ includeSearch: false }}>
            Backups
          </Link>
        </li>
        <li>
          <Link to="/a/$a/settings" params={{ a }}>
            Account settings
          </Link>
        </li>
      </ul>
    </section>
  );
}
