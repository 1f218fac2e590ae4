/** Pages of the service, by address and name. */
export const SERVICE_PAGES = [
  ["/schedules", "Schedules"],
  ["/jobs", "Jobs"],
  ["/siem", "SIEM"],
  ["/notifications", "Notifications"],
  ["/audit", "Audit log"],
  ["/settings", "Settings"],
  ["/about", "About"],
] as const;

/** Pages of one account. */
export const ACCOUNT_PAGES = [
  ["/a/$a", "Overview"],
  ["/a/$a/r/$r/findings", "Findings"],
  ["/a/$a/r/$r/paths", "Attack paths"],
  ["/a/$a/r/$r/map", "Map"],
  ["/a/$a/r/$r/compliance/$framework", "Compliance"],
  ["/a/$a/drift", "Drift"],
  ["/a/$a/r/$r/remediation", "Remediation"],
  ["/a/$a/r/$r/exports", "Exports"],
  ["/a/$a/runs", "Runs"],
  ["/a/$a/backups", "Backups"],
  ["/a/$a/settings", "Account settings"],
] as const;

export type AccountPage = (typeof ACCOUNT_PAGES)[number][0];
