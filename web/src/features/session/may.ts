import type { Account, Grant, Identity } from "../../api/types";

export type Role = Grant["role"];

/** Each includes those before it. */
export const ROLES: readonly Role[] = ["viewer", "analyst", "operator", "remediator", "administrator"];

const COMES_TO: Record<Role, string> = {
  viewer: "reads findings, reports and deliveries, but not the audit log, people or settings",
  analyst: "reads, and accepts risks",
  operator: "runs, schedules and delivers too, and looks after accounts",
  remediator: "plans, applies and rolls back changes too",
  administrator: "does everything, and says who may do what",
};

export const roleDoes = (role: Role): string => COMES_TO[role];

/** Some account, every account, or one of them. */
export type Where = "some" | "all" | Pick<Account, "id" | "labels">;

/** Whether somebody may do what a role may. As long as nobody is known, the service says no where it must. */
export function may(who: Identity | undefined, role: Role, where: Where): boolean {
  if (!who || who.kind === "root") return true;
  return who.grants.some((grant) => ROLES.indexOf(grant.role) >= ROLES.indexOf(role) && covers(grant, where));
}

function covers({ accounts = [], labels = [] }: Grant, where: Where): boolean {
  if (where === "some" || accounts.length + labels.length === 0) return true;
  if (where === "all") return false;
  return accounts.includes(where.id) || where.labels.some((label) => labels.includes(label));
}
