import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, deletion } from "../../api/client";
import type { Exception } from "../../api/types";
import { plural } from "../../lib/number";
import { useSend } from "../../lib/useSend";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Confirm";
import { useMay } from "../session/queries";
import { matchWords } from "./match";
import { exceptionsChanged } from "./queries";

/** Ends an exception that is active, for those who may. */
export function Revoke({ exception }: { exception: Exception }) {
  const client = useQueryClient();
  const may = useMay();
  const { pending, error, send } = useSend();
  const [asking, setAsking] = useState(false);
  const { id, match, state, hides } = exception;
  return (
    <>
      {state === "active" && may("analyst", exception.account || "all") && (
        <Button onClick={() => setAsking(true)} aria-label={`Revoke the exception for ${matchWords(match)}`}>
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
              await deletion(api.DELETE("/api/exceptions/{id}", { params: { path: { id } } }));
              setAsking(false);
              await exceptionsChanged(client);
            })
          }
        >
          {hides > 0
            ? `${plural(hides, "finding that it hides now is", "findings that it hides now are")} back in the lists at once, unless another exception is about ${hides === 1 ? "it" : "them"}.`
            : "It hides no finding now."}{" "}
          Its row stays.
        </Confirm>
      )}
    </>
  );
}
