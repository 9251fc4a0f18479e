/** Warnings about results of edits: what the text does not show. */

import type { EditResult, PlaceResult } from '../protocol';

/** The warning about places that failed or keep typed lines; `null` if the text shows all. */
export function warningForPlaces(places: readonly PlaceResult[]): string | null {
  const failed = places.filter(({ reason }) => reason !== null);
  const [first] = failed;
  if (first?.reason) {
    const line = String(first.range.start.line + 1);
    return `${String(failed.length)} of ${String(places.length)} places ${first.outcome}; line ${line}: ${first.reason.message}`;
  }
  const hasConflicts = places.some(({ conflicts }) => conflicts.length > 0);
  return hasConflicts ? 'lines that you changed while the edit ran stay as you typed them' : null;
}

/** The warning about a result; `null` if the text shows it completely. */
export function warningFor({ outcome, reason, conflicts, message }: EditResult): string | null {
  const modelMessage = message === null ? '' : `; the model says: ${message}`;
  if (outcome === 'cancelled') return null;
  if (outcome === 'unchanged') return `the answer changes nothing${modelMessage}`;
  if (conflicts.length > 0) return 'lines that you changed while the edit ran stay as you typed them';
  return reason && `${outcome}: ${reason.message}${modelMessage}`;
}
