import { create } from 'zustand';
import { onSessionEnd } from '../state/session-lifecycle.ts';

/**
 * What this device holds of an order: `waiting`: its acceptance; `logged`: also the proof that it is in the public log, checked
 * here; `wrong`: an answer about the log that does not hold.
 */
export type EvidenceState = 'waiting' | 'logged' | 'wrong';

interface EvidenceStore {
  readonly isRead: boolean;
  readonly states: ReadonlyMap<string, EvidenceState>;
}

const NOTHING: EvidenceStore = { isRead: false, states: new Map() };

export const useEvidence = create<EvidenceStore>()(() => NOTHING);
// The evidence itself stays on the device.
onSessionEnd(() => useEvidence.setState(NOTHING));

/** An order that was refused although the public log carries it. */
export interface RefusedOrder {
  /** The key of its request. */
  readonly key: string;
  /** What was asked for, and the log's entry that names it. */
  readonly held: object;
  readonly shown: object;
}

export const useRefused = create<{ readonly refused: RefusedOrder | null }>()(() => ({ refused: null }));
onSessionEnd(() => useRefused.setState({ refused: null }));

/** Takes the states of some orders. `logged` stays. */
export function setEvidence(news: Iterable<readonly [orderId: string, state: EvidenceState]>): void {
  const states = new Map(useEvidence.getState().states);
  for (const [orderId, state] of news) {
    if (states.get(orderId) !== 'logged') states.set(orderId, state);
  }
  useEvidence.setState({ isRead: true, states });
}
