import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { Exception } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { At } from "../../ui/At";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Confirm";
import table from "../../ui/DataTable.module.css";
import { Until } from "../../ui/Until";
import { useMay } from "../session/queries";
import { hiddenBy } from "./filter";
import { matchWords } from "./match";
import { exceptionsChanged } from "./queries";

interface Props {
  exception: Exception;
  /** The name of its account; undefined for one that is about all. */
  account: string | undefined;
}

export function ExceptionRow({ exception, account }: Props) {
  const client = useQueryClient();
  const may = useMay();
  const { pending, error, send } = useSend();
  const [asking, setAsking] = useState(false);
  const { id, match, reason, owner, state, hides, expiresAt, revokedAt } = exception;
  const words = matchWords(match);
  const hidden = hides > 0 ? hiddenBy(exception) : undefined;
  return (
    <tr>
      <td data-label="State">{state}</td>
      <td data-label="Is about" className={table.text}>
        {words}
        <div className={table.muted}>{account ? visible(account) : "all accounts"}</div>
      </td>
      <td data-label="Hides now">
        {hidden ? (
          <Link to="/findings" search={hidden}>
            {plural(hides, "finding")}
          </Link>
        ) : (
          plural(hides, "finding")
        )}
      </td>
      <td data-label="Reason, owner" className={table.text}>
        {visible(reason)}
        <div className={table.muted}>{visible(owner)}</div>
      </td>
      <td data-label="Ends">
        {revokedAt && (
          <>
            revoked <At at={revokedAt} />
          </>
        )}
        {!revokedAt &&
          expiresAt &&
          (state === "expired" ? (
            <>
              ended <At at={expiresAt} />
            </>
          ) : (
            <Until at={expiresAt} />
          ))}
        {!revokedAt && !expiresAt && "never"}
      </td>
      <td data-label="Revoke">
        {state === "active" && may("analyst", exception.account || "all") && (
          <Button onClick={() => setAsking(true)} aria-label={`Revoke the exception for ${words}`}>
            Revoke…
          </Button>
        )}
        {asking && (
          <Confirm
            title="Revoke the exception?"
            action="Revoke the exception"
            pending={pending}
            error={error}
            onClose={() => setAsking(false)}
            onConfirm={() =>
              send(async () => {
                await bodyOf(api.DELETE("/api/exceptions/{id}", { params: { path: { id } } }));
                setAsking(false);
                await exceptionsChanged(client);
              })
            }
          >
            {hides > 0
              ? `The ${integer(hides)} findings it hides now are back in the lists at once, unless another exception is about them.`
              : "It hides no finding now."}{" "}
            Its row stays.
          </Confirm>
        )}
      </td>
    </tr>
  );
}
