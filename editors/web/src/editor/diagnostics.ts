/** Shows the findings of edits in review, which the server publishes as diagnostics. */

import { setDiagnostics, type Diagnostic as Shown } from '@codemirror/lint';

import type { Diagnostic } from '../protocol';
import type { OpenDocument } from './openDocument';

export interface PublishedDiagnostics {
  uri: string;
  version?: number;
  diagnostics: readonly Diagnostic[];
}

/** Ranges are at `version`; the user may have typed since. */
export function showDiagnostics(
  document: OpenDocument,
  { version = document.version, diagnostics }: PublishedDiagnostics,
): void {
  const shown = diagnostics.flatMap(({ range, severity, source = 'twospeed', message }): Shown[] => {
    const span = document.spanOf(range, version);
    if (!span) return [];
    const name = severity === 1 ? 'error' : severity === 2 ? 'warning' : 'info';
    const to = Math.min(span.to, document.view.state.doc.lineAt(span.from).to); // the first line only: a finding can span a function
    return [{ from: span.from, to, severity: name, source, message }];
  });
  document.view.dispatch(setDiagnostics(document.view.state, shown));
}
