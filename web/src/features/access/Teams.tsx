import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, bodyOf, deletion } from "../../api/client";
import type { Person, Team } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Confirm";
import table from "../../ui/DataTable.module.css";
import { Field } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import styles from "./Access.module.css";
import { Choices } from "./Choices";
import { List } from "./List";
import { peopleQuery, teamsQuery } from "./queries";

const COLUMNS = ["Name", "Members", "Change"];

/** People who own issues together. */
export function Teams() {
  const teams = useQuery(teamsQuery);
  const { data: people = [] } = useQuery(peopleQuery);
  const [adding, setAdding] = useState(false);
  return (
    <List
      title="Teams"
      what="teams"
      add="New team"
      onAdd={() => setAdding(true)}
      list={teams}
      none="There is no team. A team is what an issue names as its owner."
      columns={COLUMNS}
      csv={[
        ["name", ({ name }) => name],
        ["members", ({ members }) => members.map((id) => people.find((one) => one.id === id)?.name ?? id).join("; ")],
      ]}
      text={({ name }) => name}
      row={(team) => <Row key={team.id} team={team} people={people} />}
    >
      {adding && (
        <TeamDialog
          onDone={async () => {
            setAdding(false);
            await teams.refetch();
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </List>
  );
}

interface DialogProps {
  /** Absent for a new one. */
  team?: Team;
  onDone: () => Promise<unknown>;
  onClose: () => void;
}

function TeamDialog({ team: now, onDone, onClose }: DialogProps) {
  // What others change while somebody types is a conflict.
  const [team] = useState(now);
  const people = useQuery(peopleQuery);
  const { pending, error, send } = useSend();
  const [members, setMembers] = useState<readonly string[]>(team?.members ?? []);
  const submit = (values: FormData) => {
    const body = { name: String(values.get("name") ?? "").trim(), members: [...members] };
    send(async () => {
      if (team) {
        const asRead = { ...body, revision: team.revision };
        await bodyOf(api.PATCH("/api/teams/{id}", { params: { path: { id: team.id } }, body: asRead }));
      } else await bodyOf(api.POST("/api/teams", { body }));
      await onDone();
    });
  };
  return (
    <FormDialog
      title={team ? `Change ${visible(team.name)}` : "New team"}
      action={team ? "Save" : "Make the team"}
      disabled={pending}
      error={problemElsewhere(error, ["name"])}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" name="name" error={problemAt(error, "name")}>
        {(control) => <input {...control} required maxLength={100} autoComplete="off" defaultValue={team?.name} />}
      </Field>
      <Choices
        legend="Members"
        what="people"
        of={people}
        chosen={members}
        onChoose={setMembers}
        none="There is nobody to choose yet."
      />
    </FormDialog>
  );
}

function Row({ team, people }: { team: Team; people: readonly Person[] }) {
  const teams = useQuery(teamsQuery);
  const { pending, error, send } = useSend();
  const [asking, setAsking] = useState<"change" | "delete">();
  const name = visible(team.name);
  const members = team.members.map((id) => visible(people.find((person) => person.id === id)?.name ?? id));
  const done = () => {
    setAsking(undefined);
    return teams.refetch();
  };
  return (
    <tr>
      <td data-label="Name" className={`${table.text} ${table.named}`}>
        {name}
      </td>
      <td data-label="Members" className={table.text}>
        {members.length > 0 ? members.join(", ") : <span className="muted">nobody</span>}
      </td>
      <td data-label="Change">
        <div className={styles.row}>
          <Button onClick={() => setAsking("change")} aria-label={`Change ${name}`}>
            Change…
          </Button>
          <Button look="quiet" onClick={() => setAsking("delete")} aria-label={`Delete ${name}`}>
            Delete…
          </Button>
        </div>
        {asking === "change" && <TeamDialog team={team} onDone={done} onClose={done} />}
        {asking === "delete" && (
          <Confirm
            title={`Delete ${name}?`}
            action="Delete the team"
            pending={pending}
            error={error}
            onClose={done}
            onConfirm={() =>
              send(async () => {
                await deletion(api.DELETE("/api/teams/{id}", { params: { path: { id: team.id } } }));
                await done();
              })
            }
          >
            Its members stay. The issues that it owns keep its name.
          </Confirm>
        )}
      </td>
    </tr>
  );
}
