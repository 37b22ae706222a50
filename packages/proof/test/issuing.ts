/**
 * A small log with one order, made from fixed keys, and its receipt. A test plays a fraud by giving other entries, or by changing the
 * result.
 */
import {
  type Acceptance,
  formatAcceptance,
  formatCheckpoint,
  formatEntry,
  hashAsked,
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
import { ACCEPTANCES_KEY, AT, BATCH, LOG_KEY, NONCE, ORIGIN, signer, TERMS, WITNESSES } from './entries.ts';
import { consistencyProof, inclusionProof } from './rfc-proofs.ts';

/** A story; entries of the log are texts, and `ORDERS` stands for the entry that carries the batch. */
export interface Story {
  readonly log: readonly string[];
  /** Which entry is shown in which role, by its index in `log`. */
  readonly shown: readonly (readonly [ReceiptRole, number])[];
  readonly outcome: ReceiptOutcome;
  readonly terms?: Partial<Acceptance>;
  readonly loggedMs?: number;
  /** What the same entry names in the open; the order, by default. */
  readonly asked?: readonly string[];
  /** Acceptance times of the first and the last batch of the same entry; those that fit, by default. */
  readonly batchesMs?: { readonly firstMs?: number; readonly lastMs?: number };
  /** Number of other acceptances before this one in the batch, and of other batches before this one in the same entry. */
  readonly neighbours?: number;
  /** Number of batches after this one in the same entry. */
  readonly followers?: number;
  /** The first checkpoint over the entry that carries the batch: its size and time, and when witnesses cosigned it. */
  readonly held?: {
    readonly size?: number;
    readonly timeMs?: number;
    readonly cosignedMs?: readonly number[];
    readonly key?: string;
    /** Another log than the one that goes on. */
    readonly log?: readonly string[];
  };
  /** Signed updates that the receipt shows. */
  readonly updates?: Receipt['updates'];
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
  const { log, neighbours = 2, followers = 0 } = story;
  const logSize = story.terms?.logSize ?? TERMS.logSize;
  const before = log.slice(0, logSize).map((text) => leafHash(text));
  const seenSize = story.terms?.seenSize === undefined ? TERMS.seenSize : story.terms.seenSize;
  const named = { ...TERMS, ...story.terms };
  const terms: Acceptance = {
    ...TERMS,
    asked: toHex(hashAsked({ ...named, nonce: NONCE })),
    logRoot: toHex(rootOf(before)),
    seenRoot: seenSize === null ? null : toHex(rootOf(before.slice(0, seenSize))),
    ...story.terms,
  };
  const text = formatAcceptance(terms);
  const others = Array.from({ length: neighbours }, (_, place) => leafHash(`another acceptance ${place}`));
  const batchLeaves = [...others, leafHash(text)];
  const after = Array.from({ length: followers }, (_, place) => leafHash(`a later batch ${place}`));
  const roots = [...others, rootOf(batchLeaves), ...after].map((root) => leafHash(root));
  const timeMs = story.loggedMs ?? AT.logged;
  const orders = formatEntry({
    kind: 'orders',
    timeMs,
    firstBatch: BATCH - neighbours,
    lastBatch: BATCH + followers,
    firstMs: terms.acceptedAt - (neighbours > 0 ? 40 : 0),
    lastMs: terms.acceptedAt + (followers > 0 ? 40 : 0),
    root: toHex(rootOf(roots)),
    asked: story.asked ?? (terms.asked === null ? [] : [terms.asked.slice(0, 32)]),
    ...story.batchesMs,
  });
  const texts = log.map((entry) => (entry === ORDERS ? orders : entry));
  const heldSize = story.held?.size ?? texts.lastIndexOf(orders) + 1;
  const heldMs = story.held?.timeMs ?? timeMs + 200;
  return { texts, terms, text, before, batchLeaves, roots, orders, heldSize, heldMs };
}

/** The receipt that an operator would issue for this log. */
export function receiptOf(story: Story): Receipt {
  const { neighbours = 2, extensions = [timeExtension(SIGNED_MS)], cosignedMs = [] } = story;
  const { texts, terms, text, before, batchLeaves, roots, heldSize } = logOf(story);
  const accepting = story.acceptancesKey ?? ACCEPTANCES_KEY.signerKey;
  const batchNote = {
    origin: `${ORIGIN}/acceptances`,
    size: batchLeaves.length,
    root: rootOf(batchLeaves),
  };
  const leaves = texts.map((entry) => leafHash(entry));
  const head = { origin: ORIGIN, size: leaves.length, root: rootOf(leaves), extensions };
  const growth = (fromSize: number, fromRoot: string, all: readonly Uint8Array[]) => ({
    fromSize,
    fromRoot,
    // An operator that names an older log than the customer saw has no proof to give.
    proof: fromSize > all.length ? [] : hexes(consistencyProof(all, fromSize)),
  });
  return {
    version: 4,
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
      ...cosignersAt(cosignedMs),
    ),
    consistency: growth(terms.logSize, terms.logRoot, leaves),
    seen: terms.seenSize === null ? null : growth(terms.seenSize, terms.seenRoot ?? '', before),
    held: {
      checkpoint: heldOf(story),
      proof: heldSize > leaves.length ? [] : hexes(consistencyProof(leaves, heldSize)),
    },
    ...(story.updates ? { updates: story.updates } : {}),
    outcome: story.outcome,
  };
}

const cosignersAt = (times: readonly number[]): NoteSigner[] =>
  times.map((ms, at) => witnessSigner(WITNESSES[at]?.signerKey ?? '', ms) as NoteSigner);

/** The first checkpoint over the entry that carries the batch. */
function heldOf(story: Story): string {
  const { texts, heldSize, heldMs } = logOf(story);
  const { cosignedMs = [], key, log = texts } = story.held ?? {};
  const root = rootOf(log.slice(0, heldSize).map((text) => leafHash(text)));
  const head = { origin: ORIGIN, size: heldSize, root, extensions: [timeExtension(heldMs)] };
  const signing = key ?? story.checkpointKey ?? LOG_KEY.signerKey;
  return signNote(formatCheckpoint(head), signer(signing), ...cosignersAt(cosignedMs));
}

/** What the server answers about the order. */
export function loggedOf(story: Story): LoggedAnswer {
  const { neighbours = 2 } = story;
  const { texts, terms, roots, orders, heldSize } = logOf(story);
  const leaves = texts.slice(0, heldSize).map((text) => leafHash(text));
  const proved = (index: number) => ({
    index,
    entry: texts[index] as string,
    proof: index < heldSize ? hexes(inclusionProof(leaves, index)) : [],
  });
  const { proof: entryProof, ...entry } = proved(texts.lastIndexOf(orders));
  const named = texts.findIndex((text) => toHex(leafHash(text)) === terms.rulesHash);
  return {
    ...entry,
    entryProof,
    batch: terms.batch,
    batchProof: hexes(inclusionProof(roots, neighbours)),
    rules: proved(named),
    beforeAccept: proved(terms.logSize - 1),
    consistency: {
      fromSize: terms.logSize,
      fromRoot: terms.logRoot,
      proof: hexes(consistencyProof(leaves, terms.logSize)),
    },
    checkpoint: heldOf(story),
    keys: story.shown.filter(([role, at]) => role === 'key' && at < heldSize).map(([, at]) => proved(at)),
  };
}

const hexes = (hashes: readonly Uint8Array[]) => hashes.map(toHex);
