/** Converts VS Code's settings to the server's, which have the same names as in its config. */

import { workspace } from 'vscode';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The only setting of the client itself. */
const CLIENT_KEY = 'command';

/** Returns the settings that the user has set. For others, the server uses its own config. */
export function serverSettings(): Record<string, Json> {
  const settings = JSON.parse(JSON.stringify(workspace.getConfiguration('twospeed'))) as Record<string, Json>;
  return withoutEmpty(Object.fromEntries(Object.entries(settings).filter(([key]) => key !== CLIENT_KEY)));
}

/** Removes unset values: `null`, empty lists and empty tables. */
function withoutEmpty(table: Record<string, Json>): Record<string, Json> {
  const entries = Object.entries(table).map(([key, value]): [string, Json] => [
    key,
    isTable(value) ? withoutEmpty(value) : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)));
}

const isTable = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: Json) =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);
