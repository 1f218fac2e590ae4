import { Link } from "@tanstack/react-router";
import type { Exception } from "../../api/types";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { At } from "../../ui/At";
import type { Column } from "../../ui/column";
import table from "../../ui/DataTable.module.css";
import { Until } from "../../ui/Until";
import { hiddenBy } from "./filter";
import { matchWords } from "./match";
import { Revoke } from "./Revoke";

/** The columns of a list of exceptions. */
export function exceptionColumns(accountName: (id: string) => string): Column<Exception>[] {
  return [
    { id: "state", name: "State", cell: ({ state }) => state },
    {
      id: "about",
      name: "Is about",
      fixed: "anywhere",
      cell: ({ match, account }) => (
        <>
          {matchWords(match)}
          <div className="muted">{account ? visible(accountName(account)) : "all accounts"}</div>
        </>
      ),
      className: table.text,
    },
    { id: "hides", name: "Hides now", cell: (exception) => <Hides exception={exception} />, sorts: { desc: "hides" } },
    {
      id: "reason",
      name: "Reason and owner",
      cell: ({ reason, owner }) => (
        <>
          {visible(reason)}
          <div className="muted">{visible(owner)}</div>
        </>
      ),
      className: table.text,
    },
    { id: "made", name: "Made", shown: false, cell: ({ createdAt }) => <At at={createdAt} /> },
    { id: "ends", name: "Ends", cell: (exception) => <Ends exception={exception} />, sorts: { asc: "ends" } },
    { id: "revoke", name: "Revoke", fixed: "last", cell: (exception) => <Revoke exception={exception} /> },
  ];
}

function Hides({ exception }: { exception: Exception }) {
  const { hides } = exception;
  const hidden = hides > 0 ? hiddenBy(exception) : undefined;
  if (!hidden) return plural(hides, "finding");
  return (
    <Link to="/findings" search={hidden}>
      {plural(hides, "finding")}
    </Link>
  );
}

function Ends({ exception: { state, expiresAt, revokedAt } }: { exception: Exception }) {
  if (revokedAt) {
    return (
      <>
        revoked <At at={revokedAt} />
      </>
    );
  }
  if (!expiresAt) return "never";
  if (state !== "expired") return <Until at={expiresAt} />;
  return (
    <>
      ended <At at={expiresAt} />
    </>
  );
}
