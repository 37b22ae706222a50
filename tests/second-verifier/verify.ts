import {
  checkAcceptance,
  checkCheckpoint,
  checkConsistency,
  checkEntries,
  checkHeld,
  checkLogged,
  checkRules,
  checkSeen,
} from './checks.ts';
import {
  type Form,
  type Outcome,
  type Receipt,
  readAcceptance,
  readAccepted,
  readEvidence,
  readReceipt,
} from './document.ts';
import { isRecord, type Rules } from './entries.ts';
import { checkOpening, checkSettlement } from './fixes.ts';
import { must, Refused, readJson, sha256 } from './ground.ts';
import { followHandOvers, type TrustedKeys } from './keys.ts';
import { outcomeOf } from './outcome.ts';
import { checkPrices } from './prices.ts';
import { readCheckpoint, readNote, witnessesOf } from './reading.ts';
import { checkUpdates } from './updates.ts';

export type { TrustedKeys } from './keys.ts';

/**
 * A second verifier of receipts, written from docs/receipt-format.md alone. It shares no code with packages/proof or with the
 * server, so that an error must be made twice to go unnoticed.
 */
export interface Refusal {
  readonly valid: false;
  readonly refusedBy: string;
  readonly why: string;
}
interface Valid {
  readonly valid: true;
  /** How many pinned witnesses have cosigned the checkpoint that covers the orders, before the order opens. */
  readonly witnessedBefore: number;
}
export interface ValidReceipt extends Valid {
  readonly form: Form;
  readonly outcome: Outcome;
  readonly limits: readonly string[];
  /** How many pinned witnesses have cosigned the last checkpoint. */
  readonly witnesses: number;
}
export type Verdict = ValidReceipt | Refusal;

const CHARACTERS = 2_000_000;

function judged<T>(judge: () => T): T | Refusal {
  try {
    return judge();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { valid: false, refusedBy: error.check, why: error.message };
  }
}

function read<T>(text: string, reader: (value: ReturnType<typeof readJson>) => T): T {
  must([...text].length <= CHARACTERS, 'form', 'too long');
  return reader(readJson(text));
}

/**
 * @param keys of the log and of its acceptances, from any source but the receipt
 * @param nonce of what the customer asked for; null: none was kept
 */
export function verify(text: string, keys: TrustedKeys, nonce: string | null = null): Verdict {
  return judged(() => {
    const receipt = read(text, readReceipt);
    const { acceptance, form, orders } = receipt;
    must(nonce === null || agreesWithAsked(acceptance.text, nonce), 'kept', 'not what was asked for');
    const ranges = followHandOvers(keys, receipt.handOvers);
    const batch = checkAcceptance(receipt, ranges);
    checkRules(acceptance, receipt.rules);
    const log = checkCheckpoint(receipt.checkpoint, batch, ranges);
    checkEntries(receipt.all, log);
    checkConsistency(acceptance, receipt, log);
    checkSeen(receipt);
    const isInTime = checkLogged(acceptance, receipt, batch.root);
    must(isInTime === (form !== 'late'), 'logged', isInTime ? 'in time' : 'too late');
    const held = checkHeld(receipt.held, orders, log, ranges);
    checkOpening(receipt);
    checkSettlement(receipt);
    checkPrices(receipt);
    const isUnsigned = checkUpdates(receipt);
    const outcome = outcomeOf(receipt);
    const isSame = JSON.stringify(outcome) === JSON.stringify(receipt.outcome);
    must(isSame, 'outcome', `another outcome than ${JSON.stringify(outcome)}`);
    const pinned = keys.witnesses ?? [];
    const witnesses = witnessesOf(log.note, log.timeMs, pinned);
    const isWitnessed = pinned.length > 0 && witnesses >= (keys.quorum ?? pinned.length);
    const witnessedBefore = witnessesOf(held.note, held.timeMs, pinned, acceptance.opensAt);
    const limits = [
      ...(nonce === null ? ['instant'] : []),
      ...(isWitnessed ? [] : ['witnesses']),
      ...(isUnsigned ? ['updates'] : []),
      ...limitsOf(receipt),
    ];
    return { valid: true, form, outcome, limits, witnesses, witnessedBefore } as const;
  });
}

/** What even a valid receipt does not prove. */
const limitsOf = (receipt: Receipt): string[] => [
  ...(isOpen(receipt) ? ['open'] : []),
  ...(receipt.rules.some(({ entry }) => isLoose(entry)) ? ['rules'] : []),
  'uniqueness',
  'records',
  'clicks',
  'solvency',
];

const PUBLIC = ['binance', 'coinbase', 'kraken', 'okx'];

/** Few sources, or one that nobody else publishes, or records that count though they are old or far. */
function isLoose({ sources, pyth, quietMs, outlierBps }: Rules): boolean {
  const isPublic = (source: string): boolean =>
    PUBLIC.includes(source) || (source === 'pyth' && pyth !== null);
  const isPythAlone = pyth !== null && sources.join() === 'pyth';
  const isFew = sources.length < 3 && !isPythAlone;
  return isFew || !sources.every(isPublic) || quietMs > 10_000 || outlierBps > 200;
}

const isOpen = ({ opening, settling }: Receipt): boolean =>
  [opening.at(-1), settling.at(-1)].some((shown) =>
    shown?.entry.parts.some((part) => isRecord(part) && part.closing === 'open'),
  );

export interface ValidEvidence extends Valid {
  /** Else the order is void. */
  readonly isInTime: boolean;
}
export type EvidenceVerdict = ValidEvidence | Refusal;

/**
 * Judges what `/api/order/logged` answers.
 * @param text of the answer's `data`
 * @param accepted the acceptance that the customer holds: the member `acceptance` of a receipt
 */
export function verifyEvidence(text: string, accepted: string, keys: TrustedKeys): EvidenceVerdict {
  return judged(() => {
    const own = read(accepted, readAccepted);
    const evidence = read(text, (value) => readEvidence(value, own));
    const ranges = followHandOvers(keys, evidence.handOvers);
    const batch = checkAcceptance(own, ranges);
    checkRules(own.acceptance, evidence.rules);
    const log = checkCheckpoint(evidence.checkpoint, batch, ranges);
    checkEntries(evidence.all, log);
    checkConsistency(own.acceptance, evidence, log);
    const isInTime = checkLogged(own.acceptance, evidence, batch.root);
    const { opensAt } = own.acceptance;
    const witnessedBefore = witnessesOf(log.note, log.timeMs, keys.witnesses ?? [], opensAt);
    return { valid: true, isInTime, witnessedBefore } as const;
  });
}

/**
 * What of a receipt contradicts the evidence that a customer kept of the same order: the acceptance, the entry that carries it, the
 * checkpoint that covers it, or nothing. Each is valid by itself.
 */
export function contradiction(
  receipt: string,
  evidence: string,
  accepted: string,
): 'acceptance' | 'orders' | 'checkpoint' | null {
  const later = readReceipt(readJson(receipt));
  const own = readAccepted(readJson(accepted));
  const earlier = readEvidence(readJson(evidence), own);
  if (later.acceptance.orderId !== own.acceptance.orderId) return null;
  if (later.acceptance.text !== own.acceptance.text) return 'acceptance';
  const isSame = later.orders.index === earlier.orders.index && later.orders.text === earlier.orders.text;
  if (!isSame) return 'orders';
  const [held, first] = [later.held.checkpoint, earlier.checkpoint].map((text) =>
    readCheckpoint(readNote(text, 'form'), 'form'),
  );
  return held?.size === first?.size && held?.root.equals(first?.root ?? Buffer.of()) ? null : 'checkpoint';
}

/** Whether the acceptance names what the customer asked for, with the nonce that the customer kept. */
export function agreesWithAsked(acceptance: string, nonce: string): boolean {
  const own = readAcceptance(acceptance);
  const { symbol, direction, minutes, asset, amount, opensAt } = own;
  const lines = ['fairtick-asked/4', symbol, direction, minutes, asset, amount, opensAt, nonce];
  return /^[0-9a-f]{32}$/.test(nonce) && sha256(lines.join('\n')).toString('hex') === own.asked;
}
