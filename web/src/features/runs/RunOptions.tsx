import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { toggled } from "../../lib/toggled";
import { Button } from "../../ui/Button";
import type { RunForm } from "./form";
import { runCategories } from "./queries";
import styles from "./RunOptions.module.css";

interface Props {
  form: RunForm;
  onChange: (form: RunForm) => void;
}

export function RunOptions({ form, onChange }: Props) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const set = (part: Partial<RunForm>) => onChange({ ...form, ...part });
  return (
    <>
      <Button look="quiet" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        <span aria-hidden="true">{open ? "▾" : "▸"}</span> Options
      </Button>
      <div id={id} className={styles.fields} hidden={!open}>
        <label className={styles.field}>
          Zones
          <input
            value={form.zones}
            onChange={(event) => set({ zones: event.target.value })}
            placeholder="all; or shop.example, *.example"
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <label className={styles.field}>
          Profile
          <select
            value={form.profile}
            onChange={(event) => set({ profile: event.target.value === "core" ? "core" : "full" })}
          >
            <option value="full">Full: every check</option>
            <option value="core">Core: critical and high checks, attack paths</option>
          </select>
        </label>
        <label className={styles.field}>
          Note
          <input
            value={form.note}
            onChange={(event) => set({ note: event.target.value })}
            maxLength={1000}
            autoComplete="off"
          />
        </label>
        {open && <Categories chosen={form.categories} onChange={(categories) => set({ categories })} />}
      </div>
    </>
  );
}

function Categories({ chosen, onChange }: { chosen: string[]; onChange: (chosen: string[]) => void }) {
  const { data, isError } = useQuery(runCategories);
  if (isError) return <p>The categories could not be loaded; the run takes all of them.</p>;
  const toggle = (name: string) => onChange(toggled(chosen, name).sort());
  return (
    <fieldset className={styles.categories}>
      <legend>Categories {chosen.length === 0 ? "(all)" : `(${chosen.length} chosen)`}</legend>
      {data?.map((name) => (
        <label key={name} className={styles.category}>
          <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} /> {name}
        </label>
      ))}
    </fieldset>
  );
}
