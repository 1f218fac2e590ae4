import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, bodyOf } from "../../api/client";
import { showAnswer } from "../../api/showAnswer";
import type { Settings } from "../../api/types";
import { problemAt } from "../../lib/fieldProblem";
import { typedSince } from "../../lib/typedSince";
import { useSend } from "../../lib/useSend";
import { changesOf, type Edits } from "./groups";
import { settingsQuery } from "./queries";

/** What is typed and cleared in a form of settings until it is saved. */
export function useSettings(settings: Settings, onSaved: () => void) {
  const client = useQueryClient();
  const { pending, error, send } = useSend();
  const [edits, setEdits] = useState<Edits>({});
  const [cleared, setCleared] = useState<readonly string[]>([]);
  const changes = changesOf(edits, cleared);
  const without = (key: string) => cleared.filter((other) => other !== key);
  const discard = () => {
    setEdits({});
    setCleared([]);
  };
  return {
    pending,
    error,
    count: Object.keys(changes).length,
    discard,
    save: () =>
      send(async () => {
        const saved = await bodyOf(api.PUT("/api/settings", { body: changes as never }));
        showAnswer(client, settingsQuery.queryKey, saved);
        setEdits((later) => typedSince(later, edits));
        setCleared((later) => later.filter((key) => !cleared.includes(key)));
        onSaved();
      }),
    /** What the field of a key shows and does. */
    field: (key: string) => ({
      name: key,
      info: settings.settings[key],
      text: edits[key] ?? "",
      cleared: cleared.includes(key),
      error: problemAt(error, key),
      onText: (text: string) => {
        setEdits({ ...edits, [key]: text });
        setCleared(without(key));
      },
      onClear: () => setCleared(cleared.includes(key) ? without(key) : [...cleared, key]),
    }),
  };
}
