import type { Table } from "@tanstack/react-table";
import { ArrowDown, ArrowUp, Columns3 } from "lucide-react";
import { moved } from "../lib/moved";
import { Button } from "./Button";
import form from "./Form.module.css";
import { ToolPanel } from "./ToolMenu";

/** Which columns a table has, and in which order. */
export function ColumnsTool<T>({ table, onReset }: { table: Table<T>; onReset: () => void }) {
  const all = table.getAllLeafColumns().filter(({ columnDef }) => {
    const fixed = columnDef.meta?.of.fixed;
    return fixed === undefined || fixed === "anywhere";
  });
  const order = table.getState().columnOrder;
  const sorted = [...all].sort((x, y) => order.indexOf(x.id) - order.indexOf(y.id));
  const shown = sorted.filter((column) => column.getIsVisible());
  const move = (id: string, by: 1 | -1) => {
    const ids = shown.map((column) => column.id);
    const at = ids.indexOf(id);
    table.setColumnOrder([...moved(ids, at, at + by), ...order.filter((other) => !ids.includes(other))]);
  };
  return (
    <ToolPanel
      label="Columns"
      icon={<Columns3 aria-hidden />}
      panel={() => (
        <>
          <ul aria-label="Columns in their order">
            {sorted.map((column) => {
              const name = String(column.columnDef.header);
              const at = shown.indexOf(column);
              return (
                <li key={column.id}>
                  <label>
                    <input
                      type="checkbox"
                      checked={column.getIsVisible()}
                      disabled={!column.getCanHide()}
                      onChange={column.getToggleVisibilityHandler()}
                    />
                    {name}
                  </label>
                  {at >= 0 && (
                    <>
                      <Button
                        look="quiet"
                        aria-label={`Move ${name} forward`}
                        disabled={at === 0}
                        onClick={() => move(column.id, -1)}
                      >
                        <ArrowUp aria-hidden width={14} height={14} />
                      </Button>
                      <Button
                        look="quiet"
                        aria-label={`Move ${name} back`}
                        disabled={at === shown.length - 1}
                        onClick={() => move(column.id, 1)}
                      >
                        <ArrowDown aria-hidden width={14} height={14} />
                      </Button>
                    </>
                  )}
                </li>
              );
            })}
          </ul>
          <p className={form.hint}>The address keeps them, so a link and a saved view have them too.</p>
          <Button onClick={onReset}>Usual columns</Button>
        </>
      )}
    />
  );
}
