import type { SettingInfo } from "../../api/types";
import { SEVERITIES } from "../../lib/severity";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { isSecret, settingLabel } from "./groups";

const CHOICES: Record<string, readonly string[]> = {
  notifyThreshold: SEVERITIES,
  ticketKind: ["github", "jira"],
  ticketFrom: SEVERITIES,
  ticketClose: ["true", "false"],
  aiProvider: ["none", "hosted_a", "hosted_b", "local"],
};

/** What a value that is a code is called. */
const NAMES: Record<string, string> = {
  github: "GitHub",
  jira: "Jira",
  true: "yes",
  false: "no",
  hosted_a: "Anthropic",
  hosted_b: "OpenAI",
  local: "Ollama",
};

interface Props {
  name: string;
  info: SettingInfo | undefined;
  text: string;
  cleared: boolean;
  error: string | undefined;
  onText: (text: string) => void;
  onClear: () => void;
}

const SOURCES = { settings: "saved here", env: "from the environment", none: "not set" };

/** One setting: what it is now, and what it shall be. */
export function SettingField({ name, info, text, cleared, error, onText, onClear }: Props) {
  const secret = isSecret(name);
  const choices = CHOICES[name];
  const now = info?.value ?? info?.hint ?? "";
  const shown = choices ? (NAMES[now] ?? now) : now;
  const label = settingLabel(name);
  return (
    <Field
      label={label}
      name={name}
      error={error}
      hint={
        <>
          {info ? SOURCES[info.source] : "not set"}
          {shown !== "" && (
            <>
              : <code>{visible(shown)}</code>
            </>
          )}
          {cleared && ", will be cleared"}{" "}
          {info?.source === "settings" && (
            <Button look="quiet" onClick={onClear} aria-label={`${cleared ? "Keep" : "Clear"} ${label}`}>
              {cleared ? "Keep" : "Clear"}
            </Button>
          )}
        </>
      }
    >
      {(control) =>
        choices ? (
          <select {...control} value={text} onChange={({ target }) => onText(target.value)}>
            <option value="">No change</option>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {NAMES[choice] ?? choice}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...control}
            type={secret ? "password" : "text"}
            autoComplete="off"
            spellCheck={false}
            placeholder={info?.configured ? "Replace" : ""}
            value={text}
            onChange={({ target }) => onText(target.value)}
          />
        )
      }
    </Field>
  );
}
