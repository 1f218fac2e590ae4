import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Building2, SlidersHorizontal } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { useKeptError } from "../../api/useKeptError";
import { integer } from "../../lib/number";
import { Button } from "../../ui/Button";
import { accountsQuery } from "../account/queries";
import { unreadQuery } from "../inbox/queries";
import { sessionQuery } from "../session/queries";
import { type MenuPage, useMenu, usePage } from "./menu";
import styles from "./Sidebar.module.css";
import { usePlace } from "./usePlace";

const ofAccount = ({ to }: MenuPage) => to.startsWith("/a/");
const notTab = ({ tabOf }: MenuPage) => tabOf === undefined;

/** Where one can go: what people come for first, then what is set up once. */
export function Sidebar() {
  const id = useId();
  const [open, setOpen] = useState(false);
  const { a, r, framework } = usePlace();
  const { isSuccess, isPending } = useKeptError(useQuery(accountsQuery));
  const account = useMenu("account").filter(notTab);
  const settings = useMenu("settings").filter(notTab);
  // The pages of the usual account have their place before it is known: what is below would move under the pointer.
  const beside = a === undefined && !isPending ? (page: MenuPage) => !ofAccount(page) : () => true;
  return (
    <div className={styles.sidebar}>
      <Button className={styles.toggle} aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        Menu
      </Button>
      {/* A chosen page closes the menu where it covers the page. */}
      <nav
        id={id}
        className={open ? styles.open : styles.nav}
        aria-label="Main"
        onClickCapture={({ target }) => {
          if ((target as Element).closest("a")) setOpen(false);
        }}
      >
        {(a !== undefined || isPending) && (
          <ul>
            <Links pages={account} params={{ a, r, framework }} />
          </ul>
        )}
        <ul>
          <Links pages={useMenu("reader")} beside={<Unread />} />
        </ul>
        <Group
          name="All accounts"
          icon={<Building2 aria-hidden />}
          pages={useMenu("accounts")}
          opened={isSuccess && a === undefined}
        />
        <Group name="Settings" icon={<SlidersHorizontal aria-hidden />} pages={settings.filter(beside)} params={{ a }}>
          <li>
            <a href="/api-docs">API</a>
          </li>
        </Group>
      </nav>
    </div>
  );
}

type PlaceParams = Partial<ReturnType<typeof usePlace>>;

interface GroupProps {
  name: string;
  icon: ReactNode;
  pages: MenuPage[];
  params?: PlaceParams;
  opened?: boolean;
  children?: ReactNode;
}

/**
 * Opens by itself where the reader is on one of its pages, and closes only by hand: what is below would move under the
 * pointer.
 */
function Group({ name, icon, pages, params, opened = false, children }: GroupProps) {
  const id = useId();
  const here = usePage();
  const wanted = opened || pages.some((page) => isAt(here, page));
  const [was, setWas] = useState(wanted);
  const [open, setOpen] = useState(wanted);
  if (was !== wanted) {
    setWas(wanted);
    setOpen(open || wanted);
  }
  return (
    <div>
      <button
        type="button"
        className={styles.group}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {icon}
        {name}
      </button>
      <ul id={id} hidden={!open} className={styles.pages}>
        <Links pages={pages} params={params} />
        {children}
      </ul>
    </div>
  );
}

/** Whether the reader is on a page or on one of its tabs. */
function isAt(here: ReturnType<typeof usePage>, { to }: MenuPage): boolean {
  return here?.to === to || (here?.tabs.some((tab) => tab.to === to) ?? false);
}

interface LinksProps {
  pages: MenuPage[];
  params?: PlaceParams | undefined;
  /** What stands beside each name. */
  beside?: ReactNode;
}

function Links({ pages, params = {}, beside }: LinksProps) {
  const here = usePage();
  return pages.map((page) => {
    const { to, name, icon: Icon } = page;
    return (
      <li key={to} className={ofAccount(page) && params.a === undefined ? styles.coming : undefined}>
        <Link
          to={to}
          params={params}
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={isAt(here, page) ? "page" : undefined}
        >
          {Icon && <Icon aria-hidden />}
          {name}
          {beside}
        </Link>
      </li>
    );
  });
}

/** How much is unread, asked of nobody before somebody is signed in. */
function Unread() {
  const { isSuccess } = useQuery(sessionQuery);
  const { data = 0 } = useQuery({ ...unreadQuery, enabled: isSuccess });
  if (data === 0) return null;
  return (
    <span className={styles.count}>
      {integer(data)}
      <span className="visually-hidden"> unread</span>
    </span>
  );
}
