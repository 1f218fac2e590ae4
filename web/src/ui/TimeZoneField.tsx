import { Field } from "./Field";

const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

/** A time zone by its name in the IANA database, also one that the browser does not know. */
export function TimeZoneField({ value, error }: { value: string; error: string | undefined }) {
  return (
    <Field label="Time zone" name="timeZone" error={error}>
      {(control) => (
        <select {...control} defaultValue={value}>
          {[...new Set([value, ...ZONES])].map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
