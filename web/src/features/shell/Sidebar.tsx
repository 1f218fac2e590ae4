import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useId, useState } from "react";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { accountOf, accountsQuery } from "../account/queries";
import { type Menu, useMenu } from "./menu";
import styles from "./Sidebar.module.css";

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
          <Links menu="accounts" />
        </ul>
        {a !== undefined && <AccountPages a={a} r={r} />}
        <ul>
          <Links menu="service" />
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
  const { framework = "cis" } = useParams({ strict: false });
  const accounts = useQuery(accountsQuery);
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={styles.account}>
        {visible(accountOf(accounts.data, a)?.name ?? a)}
      </h2>
      <ul>
        <Links menu="account" params={{ a, r, framework }} />
      </ul>
    </section>
  );
}

function Links({ menu, params = {} }: { menu: Menu; params?: object }) {
  return useMenu(menu).map(([to, name], n) => (
    <li key={to}>
      {/* The first page of a menu is the one that the addresses of others begin with. */}
      <Link to={to} params={params} activeOptions={{ exact: n === 0, includeSearch: false }}>
        {name}
      </Link>
    </li>
  ));
}
