import { named } from './checks.ts';
import type { Receipt, Update } from './document.ts';
import { type After, isRecord, type PythRules, type SourceRecord } from './entries.ts';
import { decimalsOf, fail, must, readBase64 } from './ground.ts';
import { addressOf, keccak256 } from './secp256k1.ts';

/** Check 12: what Pyth signed is what the shown fixes say of it. */
interface Wanted {
  readonly record: SourceRecord;
  readonly decimals: number;
  readonly pyth: PythRules;
}
interface Statement {
  readonly price: bigint;
  readonly expo: number;
  readonly publish: bigint;
  readonly previous: bigint;
}

const wrong = (why: string): never => fail('updates', why);

/** @returns whether an update is wanted and not shown */
export function checkUpdates(receipt: Receipt): boolean {
  const wanted = wantedOf(receipt);
  for (const update of receipt.updates)
    check(update, wanted.get(update.index) ?? wrong('of no entry that wants it'));
  return receipt.updates.length < wanted.size;
}

function wantedOf({ opening, settling, rules }: Receipt): Map<number, Wanted> {
  const wanted = new Map<number, Wanted>();
  for (const { index, entry } of [...opening, ...settling]) {
    const pyth = named(rules, entry.rulesHash)?.entry.pyth;
    const part = entry.parts.find(({ source }) => source === 'pyth');
    if (pyth && part && isRecord(part))
      wanted.set(index, { record: part, decimals: decimalsOf(entry.price), pyth });
  }
  return wanted;
}

function check({ update, next }: Update, { record, decimals, pyth }: Wanted): void {
  const { closing } = record;
  const after = typeof closing === 'string' ? null : closing;
  checkRecord(readStatement(update, pyth), record, decimals);
  must(
    (next === null) === (after === null),
    'updates',
    'a next one, and no record after, or the other way round',
  );
  if (next === null || after === null) return;
  const following = readStatement(next, pyth);
  checkRecord(following, after, decimals);
  must(following.previous <= record.number, 'updates', 'something was signed between the two');
}

/** The first update of its second is this record. */
function checkRecord(own: Statement, record: After, decimals: number): void {
  const places = BigInt(decimals) + BigInt(own.expo);
  must(places >= -36n && places <= 36n, 'updates', 'an exponent beyond all');
  const units = places < 0n ? own.price / 10n ** -places : own.price * 10n ** places;
  must(own.price > 0n && units === record.price, 'updates', 'another price than the record');
  const isNumber = own.publish === record.number && own.publish * 1000n === BigInt(record.timeMs);
  must(isNumber, 'updates', 'another second than the record');
  must(own.previous < own.publish, 'updates', 'not the first of its second');
}

const bytesOf = (text: string): Buffer => readBase64(text) ?? wrong('no base64');

function readStatement(text: string, { feed, keys }: PythRules): Statement {
  const bytes = bytesOf(text);
  const take = taker(bytes);
  must(take(8).toString('hex') === '504e415501000000', 'updates', 'no update');
  const vaa = taker(take(take(2).readUInt16BE()));
  must(take(3).toString('hex') === '010055', 'updates', 'not one message');
  const message = take(85);
  const path = Array.from({ length: most(take(1).readUInt8(), 16) }, () => take(20));
  take(0, true);

  must(vaa(1).readUInt8() === 1, 'updates', 'another version');
  vaa(4);
  const signatures = Array.from({ length: most(vaa(1).readUInt8(), 19) }, () => vaa(66));
  const body = vaa(88);
  vaa(0, true);
  must(body.subarray(51, 56).toString('hex') === '4155575600', 'updates', 'another kind of root');

  must(message[0] === 0 && message.subarray(1, 33).toString('hex') === feed, 'updates', 'another feed');
  const [publish, previous] = [message.readBigInt64BE(53), message.readBigInt64BE(61)];
  for (const time of [publish, previous]) must(time >= 0n && time < 2n ** 53n, 'updates', 'no time');
  const timeMs = body.readUInt32BE(0) * 1000;
  const sets = keys.filter(
    ({ fromMs, untilMs }) => fromMs <= timeMs && (untilMs === null || timeMs < untilMs),
  );
  const [own = wrong('no keys of its time')] = sets;
  must(sets.length === 1, 'updates', 'two sets of keys of its time');
  const place = [body.readUInt16BE(8), body.subarray(10, 42).toString('hex')].join();
  must(place === [own.chain, own.emitter].join(), 'updates', 'from another place');
  checkSignatures(signatures, body, own);
  must(rootOf(message, path).equals(body.subarray(68)), 'updates', 'not under the root');
  return {
    price: message.readBigInt64BE(33),
    expo: message.readInt32BE(49),
    publish,
    previous,
  };
}

function checkSignatures(
  signatures: readonly Buffer[],
  body: Buffer,
  { quorum, routers }: PythRules['keys'][number],
): void {
  must(signatures.length >= quorum, 'updates', 'too few signatures');
  const hash = keccak256(keccak256(body));
  signatures.forEach((signature, at) => {
    const router = signature[0] as number;
    must(
      at === 0 || router > ((signatures[at - 1] as Buffer)[0] as number),
      'updates',
      'routers that do not rise',
    );
    must(addressOf(hash, signature.subarray(1)) === routers[router], 'updates', 'a signature of another key');
  });
}

function rootOf(message: Buffer, path: readonly Buffer[]): Buffer {
  const leaf = keccak256(Buffer.of(0), message).subarray(0, 20);
  return path.reduce(
    (node, other) => keccak256(Buffer.of(1), ...[node, other].sort(Buffer.compare)).subarray(0, 20),
    leaf,
  );
}

const most = (count: number, limit: number): number => (count <= limit ? count : wrong('too many'));

/** Takes so many bytes after the last ones; at the end, none may be left. */
function taker(bytes: Buffer): (length: number, isEnd?: boolean) => Buffer {
  let at = 0;
  return (length, isEnd = false) => {
    must(at + length <= bytes.length && (!isEnd || at === bytes.length), 'updates', 'another length');
    at += length;
    return bytes.subarray(at - length, at);
  };
}
