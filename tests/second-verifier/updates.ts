import { named } from './checks.ts';
import type { Receipt, Update } from './document.ts';
import type { PythRules, Quote, Rules, Tick } from './entries.ts';
import { fail, must, readBase64 } from './ground.ts';
import { addressOf, keccak256 } from './secp256k1.ts';

/** Check 12: what Pyth signed is what the deciding ticks say of it. */
interface Wanted {
  readonly tick: Tick;
  readonly quote: Quote;
  readonly pyth: PythRules;
}
interface Statement {
  readonly price: bigint;
  readonly expo: number;
  readonly publish: bigint;
  readonly slot: bigint;
}

const wrong = (why: string): never => fail('updates', why);

/** @returns whether an update is wanted and not shown */
export function checkUpdates(receipt: Receipt): boolean {
  const wanted = wantedOf(receipt);
  for (const update of receipt.updates)
    check(update, wanted.get(update.index) ?? wrong('of no tick that wants it'));
  return receipt.updates.length < wanted.size;
}

function wantedOf({ form, opening, settling, rules }: Receipt): Map<number, Wanted> {
  const wanted = new Map<number, Wanted>();
  if (form !== 'opened') return wanted;
  const deciding = [...opening.slice(-1), ...(settling.length === 1 ? settling : [])];
  for (const { index, entry } of deciding) {
    const pyth = (named(rules, entry.rulesHash)?.entry as Rules | undefined)?.pyth;
    const quote = entry.quotes.find(({ source }) => source === 'pyth');
    if (entry.type === 'tick' && pyth && quote && quote.use !== 'none')
      wanted.set(index, { tick: entry, quote: quote as Quote, pyth });
  }
  return wanted;
}

function check({ update, next }: Update, { tick, quote, pyth }: Wanted): void {
  const own = readStatement(update, pyth);
  const places = BigInt(tick.decimals ?? 0) + BigInt(own.expo);
  must(places >= -36n && places <= 36n, 'updates', 'an exponent beyond all');
  const units = places < 0n ? own.price / 10n ** -places : own.price * 10n ** places;
  must(units > 0n && units === quote.price, 'updates', 'another price than the quote');
  const second = own.publish * 1000n;
  const timeMs = own.slot / 20n === own.publish ? own.slot * 50n : second;
  const isTime = BigInt(quote.sourceMs) >= second && BigInt(quote.sourceMs) <= timeMs;
  must(isTime, 'updates', 'another time than the quote');
  if (next !== null)
    must(readStatement(next, pyth).slot > own.slot, 'updates', 'a next one that is not later');
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
    slot: body.readBigUInt64BE(56),
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
