/** The verifier's check of signed updates: that the records of Pyth in the fixes shown are what Pyth signed. */
import {
  hasRecord,
  type JudgedRecord,
  PYTH_SOURCE,
  type PythRules,
  type SourceRecord,
} from '@fairtick/trading';
import { fromBase64 } from '../encoding.ts';
import type { FixEntry } from '../entry.ts';
import { isKnownPyth } from '../pyth/pyth-keys.ts';
import { isPythRecord, type PythStatement, readPythStatement } from '../pyth/pyth-record.ts';
import { type Finding, fault } from './log-steps.ts';
import type { Case } from './parsed-receipt.ts';
import type { ReceiptUpdate } from './receipt.ts';

interface Wanted {
  readonly index: number;
  readonly entry: FixEntry;
  readonly part: JudgedRecord;
  readonly pyth: PythRules;
}

interface Found {
  readonly signers: number;
  readonly routers: number;
  readonly isKnown: boolean;
}

/**
 * Checks each signed update that the receipt shows. Whatever one contradicts makes the receipt wrong; that one is missing does not.
 * @returns `finding` null: none is shown; `isUnsigned`: one is missing
 */
export function checkUpdates(subject: Case): { finding: Finding | null; isUnsigned: boolean } {
  const wanted = wantedOf(subject);
  const shown = subject.receipt.updates ?? [];
  const found: Found[] = [];
  for (const one of shown) {
    const place = wanted.find(({ index }) => index === one.index);
    const answer = place ? judge(one, place) : 'is shown for an entry without a record of Pyth';
    if (typeof answer === 'string')
      return {
        finding: fault(`the signed update of the entry at ${one.index} ${answer}`),
        isUnsigned: false,
      };
    found.push(answer);
  }
  const isUnsigned = found.length < wanted.length;
  if (found.length === 0) return { finding: null, isUnsigned };
  const values = {
    count: found.length,
    wanted: wanted.length,
    signers: Math.min(...found.map(({ signers }) => signers)),
    routers: Math.max(...found.map(({ routers }) => routers)),
    known: found.filter(({ isKnown }) => isKnown).length,
    followed: shown.filter(({ next }) => next !== null).length,
  };
  return { finding: { values }, isUnsigned };
}

function wantedOf({ opening, settling, rules }: Case): Wanted[] {
  return [...opening, ...settling].flatMap(({ index, entry }) => {
    const pyth = rules.find(({ hash }) => hash === entry.rulesHash)?.rules.pyth;
    const part = entry.records.find(({ source }) => source === PYTH_SOURCE);
    return pyth && part && hasRecord(part) ? [{ index, entry, part, pyth }] : [];
  });
}

/** @returns a text that is the fault */
function judge({ update, next }: ReceiptUpdate, wanted: Wanted): Found | string {
  const { entry, part, pyth } = wanted;
  const { last, closing } = part;
  const own = statementOf(update, wanted, last);
  if (typeof own === 'string') return own;
  if ((next !== null) !== (closing.by === 'next'))
    return 'has a next one where the entry has none, or the other way round';
  const later = next !== null && closing.by === 'next' ? statementOf(next, wanted, closing.next) : null;
  if (typeof later === 'string') return `has a next one that ${later}`;
  if (later && later.price.previousPublishTime > Number(last.number))
    return 'has a next one that does not follow it';
  const { keys, signers, time } = own.update;
  const of = { timeMs: time * 1000, symbol: entry.symbol, feed: pyth.feed };
  return { signers, routers: keys.routers.length, isKnown: isKnownPyth(keys, of) };
}

/** The statement of an update, which has to be this record. @returns a text that is the fault */
function statementOf(text: string, { entry, pyth }: Wanted, record: SourceRecord): PythStatement | string {
  const bytes = fromBase64(text);
  const statement = bytes === null ? 'is no base64' : readPythStatement(bytes, pyth);
  if (typeof statement === 'string') return statement;
  return isPythRecord(statement, record, entry.decimals) ? statement : 'is not the record of the entry';
}
