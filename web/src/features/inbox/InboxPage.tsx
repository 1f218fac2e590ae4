import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { InboxItem } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { integer, plural } from "../../lib/number";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { NextPage } from "../../ui/NextPage";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { When } from "../../ui/When";
import { accountOf, accountsQuery } from "../account/queries";
import styles from "./Inbox.module.css";
import { inboxPages, markRead } from "./queries";
import { whatWords, whyWords } from "./words";

const route = getRouteApi("/inbox");

/** The issues that concern the reader, with what happened to each last. */
export function InboxPage() {
  const onlyUnread = route.useSearch().unread === "yes";
  const client = useQueryClient();
  const list = useKeptError(useInfiniteQuery(inboxPages(onlyUnread)));
  const { pending, error, send } = useSend();
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  const [first] = list.data?.pages ?? [];
  const [newest] = items;
  const markAll = () => send(() => markRead(client, { until: newest?.at ?? "" }));
  return (
    <>
      <title>Inbox · Edgeposture</title>
      <PageHead
        title="Inbox"
        actions={
          newest &&
          first &&
          first.unread > 0 && (
            <Button disabled={pending} onClick={markAll}>
              Mark all as read
            </Button>
          )
        }
      >
        {first && first.total > 0 && `${integer(first.unread)} unread of ${plural(first.total, "issue")}`}
      </PageHead>
      <nav className={form.tabs} aria-label="Filter">
        <Link to="/inbox" activeOptions={{ exact: true }}>
          All
        </Link>
        <Link to="/inbox" search={{ unread: "yes" }} activeOptions={{ exact: true }}>
          Unread
        </Link>
      </nav>
      {error !== undefined && (
        <ErrorPanel error={error} what="Nothing was marked as read." onRetry={newest && markAll} />
      )}
      <QueryStatus query={list} of="inbox" rows={6} />
      {first?.total === 0 && (
        <Empty title="Nothing concerns you yet" action={<Link to="/">All accounts</Link>}>
          Issues appear here that you or your team own, that are assigned to you, or that you changed or commented on.
        </Empty>
      )}
      {first && first.total > 0 && items.length === 0 && (
        <Empty title="Nothing unread" action={<Link to="/inbox">Show all</Link>} />
      )}
      <Items title="Unread" items={items.filter(({ unread }) => unread)} />
      <Items title="Read" items={items.filter(({ unread }) => !unread)} />
      <NextPage pages={list}>Show more</NextPage>
    </>
  );
}

function Items({ title, items }: { title: string; items: readonly InboxItem[] }) {
  const { data: accounts = [] } = useQuery(accountsQuery);
  if (items.length === 0) return null;
  return (
    <Panel title={title}>
      <ul className={styles.list} aria-label={title}>
        {items.map((item) => (
          <Item
            key={item.id}
            item={item}
            account={accounts.length > 1 ? (accountOf(accounts, item.accountId)?.name ?? item.accountId) : ""}
          />
        ))}
      </ul>
    </Panel>
  );
}

/** The name of the account is said where there are several. */
function Item({ item, account }: { item: InboxItem; account: string }) {
  const client = useQueryClient();
  const { pending, error, send } = useSend();
  const { id, accountId, checkId, at, unread } = item;
  const title = visible(item.title);
  const read = () => markRead(client, { issueIds: [id], until: at });
  return (
    <li className={unread ? styles.unread : undefined}>
      <SeverityBadge severity={item.severity} />
      <div>
        <Link
          to="/a/$a/r/$r/issues/$check"
          params={{ a: accountId, r: "latest", check: checkId }}
          onClick={() => {
            // If that fails it stays unread, which is no reason to keep anybody from the issue.
            if (unread) read().catch(() => undefined);
          }}
        >
          {title}
        </Link>
        <p className={styles.what}>{whatWords(item)}</p>
        <p className={form.hint}>
          <When at={at} /> · {whyWords(item)}
          {account && ` · ${visible(account)}`}
        </p>
        {error !== undefined && (
          <ErrorPanel error={error} what="It was not marked as read." onRetry={() => send(read)} />
        )}
      </div>
      {unread && (
        <Button
          disabled={pending}
          aria-label={`Mark as read: ${title}`}
          onClick={({ currentTarget }) => {
            const row = currentTarget.closest("li");
            const next = (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector("button");
            send(async () => {
              await read();
              next?.focus();
            });
          }}
        >
          Mark as read
        </Button>
      )}
    </li>
  );
}
