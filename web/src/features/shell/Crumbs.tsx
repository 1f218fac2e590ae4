import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { useRef, useState } from "react";
import { moment } from "../../lib/time";
import { visible } from "../../lib/visible";
import { onDemand } from "../../ui/onDemand";
import { accountOf, accountsQuery, addressOf } from "../account/queries";
import { assessmentRuns } from "../assessment/queries";
import type { Choice } from "./Choices";
import styles from "./Crumbs.module.css";
import { type MenuPage, usePage } from "./menu";
import { usePlace } from "./usePlace";

// A menu opens by a press, which can wait for it.
const Choices = onDemand(() => import("./Choices").then((m) => m.Choices));

/** Which account and which run a page is about, each with the others to go to, and the tabs beside the page. */
export function Crumbs() {
  const { a, r } = useParams({ strict: false });
  const page = usePage();
  return (
    <>
      {/* A run says itself on paper which account it is of. */}
      {a !== undefined && r === undefined && <Whose a={a} />}
      {(a !== undefined || page?.exact === false) && (
        <nav className={styles.crumbs} aria-label="Where you are">
          <ol>
            <li>
              <Link to="/">Accounts</Link>
            </li>
            {a !== undefined && (
              <li>
                <AccountSwitch key={a} a={a} />
              </li>
            )}
            {a !== undefined && r !== undefined && (
              <li>
                <RunSwitch key={r} a={a} r={r} />
              </li>
            )}
            {page && !page.exact && (
              <li>
                <PageLink {...page} />
              </li>
            )}
          </ol>
        </nav>
      )}
      {page && page.tabs.length > 0 && (
        <nav className={styles.tabs} aria-label="Views of this page">
          <ul>
            {page.tabs.map((tab) => (
              <li key={tab.to}>
                <PageLink {...tab} />
              </li>
            ))}
          </ul>
        </nav>
      )}
    </>
  );
}

function PageLink({ to, name }: Pick<MenuPage, "name"> & { to: string }) {
  const { a, r, framework } = usePlace();
  return (
    <Link to={to as MenuPage["to"]} params={{ a, r, framework } as object} activeOptions={{ includeSearch: false }}>
      {name}
    </Link>
  );
}

function Whose({ a }: { a: string }) {
  const accounts = useQuery(accountsQuery);
  return <p className="on-paper">{visible(accountOf(accounts.data, a)?.name ?? a)}</p>;
}

function AccountSwitch({ a }: { a: string }) {
  const accounts = useQuery(accountsQuery);
  const navigate = useNavigate();
  const account = accountOf(accounts.data, a);
  const name = visible(account?.name ?? a);
  return (
    <Switch
      label={`Account: ${name}`}
      name={name}
      current={account && addressOf(account)}
      choices={(accounts.data ?? []).map((one) => ({ value: addressOf(one), name: visible(one.name) }))}
      onChoose={(chosen) => navigate({ to: "/a/$a", params: { a: chosen } })}
    />
  );
}

const LATEST = "latest";

function RunSwitch({ a, r }: { a: string; r: string }) {
  const [asked, setAsked] = useState(false);
  const runs = useQuery({ ...assessmentRuns(a), enabled: asked || r !== LATEST });
  const navigate = useNavigate();
  const to = usePage()?.to ?? "/a/$a/r/$r/issues";
  const { framework = "cis" } = useParams({ strict: false });
  const run = runs.data?.find(({ id }) => id === r);
  const name = r === LATEST ? "Latest run" : run ? `Run of ${moment(run.completedAt)}` : "Earlier run";
  return (
    <Switch
      label={name}
      name={name}
      current={r}
      onOpen={() => setAsked(true)}
      choices={[
        { value: LATEST, name: "Latest run" },
        ...(runs.data ?? []).map(({ id, completedAt, score }) => ({
          value: id,
          name: `${moment(completedAt)} · score ${score.value}`,
        })),
      ]}
      onChoose={(chosen) => navigate({ to: to as MenuPage["to"], params: { a, r: chosen, framework } as object })}
    />
  );
}

interface SwitchProps {
  label: string;
  name: string;
  current: string | undefined;
  choices: Choice[];
  onChoose: (value: string) => void;
  onOpen?: () => void;
}

function Switch({ label, name, onOpen, onChoose, ...rest }: SwitchProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.switch}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={`${label}. Change`}
        onClick={() => {
          onOpen?.();
          setOpen(true);
        }}
      >
        <span>{name}</span>
        <ChevronDown aria-hidden />
      </button>
      {open && (
        <Choices
          {...rest}
          label={label}
          anchor={button}
          onClose={() => setOpen(false)}
          onChoose={(value) => {
            setOpen(false);
            onChoose(value);
          }}
        />
      )}
    </>
  );
}
