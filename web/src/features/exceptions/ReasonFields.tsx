import { problemAt } from "../../lib/fieldProblem";
import { serviceNow } from "../../lib/serviceClock";
import { Field } from "../../ui/Field";
import { expiryDays } from "./expiry";

/** Why, who answers for it, and until when: three uncontrolled fields of a form. */
export function ReasonFields({ error }: { error: unknown }) {
  const days = expiryDays(serviceNow());
  return (
    <>
      <Field label="Reason" name="reason" error={problemAt(error, "reason")}>
        {(control) => <textarea {...control} required rows={3} maxLength={1000} />}
      </Field>
      <Field label="Owner" name="owner" hint="Who answers for it." error={problemAt(error, "owner")}>
        {(control) => <input {...control} required maxLength={1000} autoComplete="off" />}
      </Field>
      <Field
        label="Ends on"
        name="expiresAt"
        hint="At most 400 days ahead. What it hides is back by itself then."
        error={problemAt(error, "expiresAt")}
      >
        {(control) => (
          <input {...control} type="date" required min={days.first} max={days.last} defaultValue={days.usual} />
        )}
      </Field>
    </>
  );
}
