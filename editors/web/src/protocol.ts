/** The messages of twospeed's protocol, and the part of LSP that this page uses; ../../../protocol/README.md explains them. */

import type {
  DecideParams,
  EditChanged,
  EditsPart,
  Hunk,
  Mode,
  ModeChoice,
  ModeState,
  Range,
  ReasoningPart,
  StartedPart,
  VariationParams,
} from '../../../protocol/messages';

export type * from '../../../protocol/messages';
export type Action = DecideParams['action'];
/** The messages that report what is left to decide of an edit. */
export type Undecided = Pick<EditChanged, 'version' | 'hunks' | 'alsoChanged' | 'offer'>;
/** 1 is the next one, -1 the previous one. */
export type Step = VariationParams['step'];
export type PartialResult = StartedPart | ReasoningPart | EditsPart;

/** The hunks of a message: those of the scope, and those of the import block. */
export const allHunks = ({ hunks, alsoChanged }: Pick<EditChanged, 'hunks' | 'alsoChanged'>): Hunk[] => [
  ...hunks,
  ...alsoChanged.flatMap((place) => place.hunks),
];

/** The id that names all places of an edit; places have it and a number, such as `c7.2`. */
export const groupOf = (editId: string): string => editId.replace(/(.)\.\d+$/, '$1');

export interface Diagnostic {
  range: Range;
  severity?: number;
  source?: string;
  message: string;
}

/** With the emoji selector: some fonts have a monochrome ⚡. */
export const ICONS: Record<ModeChoice, string> = { lightning: '⚡\ufe0f', deep: '🧠', both: '⚡\ufe0f🧠' };
export const LABELS: Record<ModeChoice, string> = { lightning: 'Lightning', deep: 'Deep', both: 'Both' };
export const other = (mode: Mode): Mode => (mode === 'deep' ? 'lightning' : 'deep');
/** The mode of the answer that is applied at once. */
export const draftModeOf = (mode: ModeChoice): Mode => (mode === 'both' ? 'lightning' : mode);
/** The models that serve the mode. */
export const modelsOf = (state: ModeState) =>
  state.mode === 'both' ? [state.lightning, state.deep] : [state[state.mode]];
