/** VS Code's settings as the server takes them: those that a person has set, under the names of its own config. */

import { workspace } from 'vscode';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Which program serves is not the server's business. */
const OURS = 'command';

/** Gives what is set; whatever has no value is left to the server's own config. */
export function serverSettings(): Record<string, Json> {
  const settings = JSON.parse(JSON.stringify(workspace.getConfiguration('twospeed'))) as Record<string, Json>;
  return withoutNothing(Object.fromEntries(Object.entries(settings).filter(([key]) => key !== OURS)));
}

/** Leaves out what nobody has set: `null`, and lists and tables with nothing in them. */
function withoutNothing(table: Record<string, Json>): Record<string, Json> {
  const entries = Object.entries(table).map(([key, value]): [string, Json] => [
    key,
    isTable(value) ? withoutNothing(value) : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => !isNothing(value)));
}

const isTable = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNothing = (value: Json) =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);
