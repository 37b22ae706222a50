/**
 * A small log with one order, made from fixed keys, and its receipt. A test plays a fraud by giving other entries, or by changing the
 * result.
 */
import {
  type Acceptance,
  consistencyProof,
  formatAcceptance,
  formatCheckpoint,
  formatEntry,
  inclusionProof,
  type LoggedAnswer,
  leafHash,
  type NoteSigner,
  type Receipt,
  type ReceiptOutcome,
  type ReceiptRole,
  rootOf,
  signNote,
  timeExtension,
  toHex,
  witnessSigner,
} from '../src/index.ts';
import { ACCEPTANCES_KEY, AT, BATCH, LOG_KEY, ORIGIN, signer, TERMS, WITNESSES } from './entries.ts';

/** A story; entries of the log are texts, and `ORDERS` stands for the entry that carries the batch. */
export interface Story {
  readonly log: readonly string[];
  /** Which entry is shown in which role, by its index in `log`. */
  readonly shown: readonly (readonly [ReceiptRole, number])[];
  readonly outcome: ReceiptOutcome;
  readonly terms?: Partial<Acceptance>;
  readonly loggedMs?: number;
  /** Number of other acceptances before this one in the batch, and of other batches before this one in the same entry. */
  readonly neighbours?: number;
  readonly checkpointKey?: string;
  /** Extension lines of the checkpoint; its time, by default. */
  readonly extensions?: readonly string[];
  readonly acceptancesKey?: string;
  /** Times at which the witnesses cosign, Unix ms. */
  readonly cosignedMs?: readonly number[];
}

export const ORDERS = 'the entry that carries the batch';
export const SIGNED_MS = AT.settles + 2_000;

/** The log of a story, with the entry that carries the batch, and what the acceptance's signature covers. */
export function logOf(story: Story) {
  const { log, neighbours = 2 } = story;
  const logSize = story.terms?.logSize ?? TERMS.logSize;
  const before = log.slice(0, logSize).map((text) => leafHash(text));
  const seenSize = story.terms?.seenSize === undefined ? TERMS.seenSize : story.terms.seenSize;
  const terms: Acceptance = {
    ...TERMS,
    logRoot: toHex(rootOf(before)),
    seenRoot: seenSize === null ? null : toHex(rootOf(before.slice(0, seenSize))),
    ...story.terms,
  };
  const text = formatAcceptance(terms);
  const others = Array.from({ length: neighbours }, (_, place) => leafHash(`another acceptance ${place}`));
  const batchLeaves = [...others, leafHash(text)];
  const roots = [...others, rootOf(batchLeaves)].map((root) => leafHash(root));
  const orders = formatEntry({
    kind: 'orders',
    timeMs: story.loggedMs ?? AT.logged,
    firstBatch: BATCH - neighbours,
    lastBatch: BATCH,
    root: toHex(rootOf(roots)),
  });
  const texts = log.map((entry) => (entry === ORDERS ? orders : entry));
  return { texts, terms, text, before, batchLeaves, roots, orders };
}

/** The receipt that an operator would issue for this log. */
export function receiptOf(story: Story): Receipt {
  const { neighbours = 2, extensions = [timeExtension(SIGNED_MS)], cosignedMs = [] } = story;
  const { texts, terms, text, before, batchLeaves, roots } = logOf(story);
  const accepting = story.acceptancesKey ?? ACCEPTANCES_KEY.signerKey;
  const batchNote = {
    origin: `${ORIGIN}/acceptances`,
    size: batchLeaves.length,
    root: rootOf(batchLeaves),
  };
  const leaves = texts.map((entry) => leafHash(entry));
  const head = { origin: ORIGIN, size: leaves.length, root: rootOf(leaves), extensions };
  const cosigners = cosignedMs.map(
    (ms, at) => witnessSigner(WITNESSES[at]?.signerKey ?? '', ms) as NoteSigner,
  );
  const growth = (fromSize: number, fromRoot: string, all: readonly Uint8Array[]) => ({
    fromSize,
    fromRoot,
    // An operator that names an older log than the customer saw has no proof to give.
    proof: fromSize > all.length ? [] : hexes(consistencyProof(all, fromSize)),
  });
  return {
    version: 3,
    acceptance: {
      text,
      index: neighbours,
      size: batchLeaves.length,
      proof: hexes(inclusionProof(batchLeaves, neighbours)),
      signed: signNote(formatCheckpoint(batchNote), signer(accepting)),
    },
    batch: { proof: hexes(inclusionProof(roots, neighbours)) },
    entries: story.shown.map(([role, index]) => ({
      role,
      index,
      entry: texts[index] as string,
      proof: hexes(inclusionProof(leaves, index)),
    })),
    checkpoint: signNote(
      formatCheckpoint(head),
      signer(story.checkpointKey ?? LOG_KEY.signerKey),
      ...cosigners,
    ),
    consistency: growth(terms.logSize, terms.logRoot, leaves),
    seen: terms.seenSize === null ? null : growth(terms.seenSize, terms.seenRoot ?? '', before),
    outcome: story.outcome,
  };
}

/** What the server answers about the order while its log has this many entries. */
export function loggedOf(story: Story, size: number): LoggedAnswer {
  const { neighbours = 2 } = story;
  const { texts, terms, roots, orders } = logOf(story);
  const leaves = texts.slice(0, size).map((text) => leafHash(text));
  const head = { origin: ORIGIN, size, root: rootOf(leaves), extensions: [timeExtension(SIGNED_MS)] };
  const index = texts.indexOf(orders);
  return {
    entry: orders,
    index,
    entryProof: hexes(inclusionProof(leaves, index)),
    batch: terms.batch,
    batchProof: hexes(inclusionProof(roots, neighbours)),
    checkpoint: signNote(formatCheckpoint(head), signer(LOG_KEY.signerKey)),
    keys: story.shown
      .filter(([role]) => role === 'key')
      .map(([, at]) => ({ index: at, entry: texts[at] as string, proof: hexes(inclusionProof(leaves, at)) })),
  };
}

const hexes = (hashes: readonly Uint8Array[]) => hashes.map(toHex);
