import { sha256 } from './ground.ts';
import { rulesEntry, type Shown } from './house.ts';
import { BASE, inverse, keccak256, ORDER, times } from './secp256k1.ts';
import { OPENS, onRecord, SETTLES, START, type Story } from './story.ts';

/** Routers of Pyth whose keys the house holds here, so that they sign whatever a test likes. */
export const FEED = sha256('feed').toString('hex');
const EMITTER = sha256('emitter');
const CHAIN = 26;

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const bytesOf = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
const secretOf = (router: number): bigint => numberOf(sha256(`router ${router}`)) % ORDER;
const addressFor = (router: number): string => {
  const [x, y] = times(secretOf(router), BASE) as readonly [bigint, bigint];
  return keccak256(bytesOf(x), bytesOf(y)).subarray(12).toString('hex');
};
export const ROUTERS: readonly string[] = [0, 1, 2].map(addressFor);
const signed = new Map<string, Buffer>();

/** The router's number and its signature, r, s and v. */
function signatureOf(hash: Buffer, router: number): Buffer {
  const name = `${router} ${hash.toString('hex')}`;
  const nonce = numberOf(sha256(`nonce ${name}`)) % ORDER;
  const made = signed.get(name) ?? makeSignature(hash, router, nonce);
  signed.set(name, made);
  return made;
}
function makeSignature(hash: Buffer, router: number, nonce: bigint): Buffer {
  const [x, y] = times(nonce, BASE) as readonly [bigint, bigint];
  const s = (inverse(nonce, ORDER) * (numberOf(hash) + (x % ORDER) * secretOf(router))) % ORDER;
  return Buffer.concat([Buffer.of(router), bytesOf(x % ORDER), bytesOf(s), Buffer.of(Number(y & 1n))]);
}

export interface Said {
  readonly publish: number;
  readonly previous?: number;
  /** In units of 10^expo. */
  readonly price: number | bigint;
  readonly expo?: number;
  readonly feed?: string;
  readonly chain?: number;
  readonly routers?: readonly number[];
  readonly path?: readonly Buffer[];
  readonly root?: Buffer;
  /** Behind everything. */
  readonly more?: Buffer;
}

const whole = (value: number | bigint, bytes: number): Buffer =>
  Buffer.from(
    BigInt.asUintN(bytes * 8, BigInt(value))
      .toString(16)
      .padStart(bytes * 2, '0'),
    'hex',
  );

/** An update as Pyth signs it, cut down to one feed, in base64. */
function updateOf(said: Said): string {
  const { publish, previous = publish - 1, price, expo = -5, feed = FEED, path = [] } = said;
  const times = [whole(publish, 8), whole(previous, 8)];
  const message = Buffer.concat([
    Buffer.of(0),
    Buffer.from(feed, 'hex'),
    whole(price, 8),
    whole(3, 8),
    whole(expo, 4),
    ...times,
    whole(5, 8),
    whole(6, 8),
  ]);
  const leaf = keccak256(Buffer.of(0), message).subarray(0, 20);
  const under = path.reduce(
    (node, other) => keccak256(Buffer.of(1), ...[node, other].sort(Buffer.compare)).subarray(0, 20),
    leaf,
  );
  const body = Buffer.concat([
    whole(publish, 4),
    whole(0, 4),
    whole(said.chain ?? CHAIN, 2),
    EMITTER,
    whole(7, 8),
    Buffer.of(1),
    Buffer.from('AUWV'),
    Buffer.of(0),
    whole(publish * 20, 8),
    whole(10_000, 4),
    said.root ?? under,
  ]);
  const hash = keccak256(keccak256(body));
  const signatures = (said.routers ?? [0, 1]).map((router) => signatureOf(hash, router));
  const vaa = Buffer.concat([Buffer.of(1), whole(4, 4), Buffer.of(signatures.length), ...signatures, body]);
  const head = Buffer.concat([Buffer.from('PNAU'), Buffer.of(1, 0, 0, 0), whole(vaa.length, 2), vaa]);
  const tail = [Buffer.of(1, 0, 85), message, Buffer.of(path.length), ...path, said.more ?? Buffer.of()];
  return Buffer.concat([head, ...tail]).toString('base64');
}

export const PYTH_KEYS = {
  fromMs: START - 1_000_000,
  untilMs: null,
  chain: CHAIN,
  emitter: EMITTER.toString('hex'),
  quorum: 2,
  routers: ROUTERS,
};
/** Rules by which Pyth alone decides. */
export const pythRules = (keys: readonly object[] = [PYTH_KEYS], changes: object = {}): string =>
  rulesEntry(1, START, null, { sources: ['pyth'], quorum: 1, pyth: { feed: FEED, keys }, ...changes });

type Updates = NonNullable<Shown['updates']>;
/** What Pyth signed for both fixes of a story. */
export function updatesOf(
  story: Story,
  edit: (said: Said, fixMs: number, isNext: boolean) => Said = (said) => said,
): Updates {
  return [OPENS, SETTLES].map((fixMs) => {
    const index = story.entries.findIndex((text) => text.startsWith('fix|') && text.includes(`|${fixMs}|`));
    const { number, price, closing } = onRecord(fixMs, 'pyth', {});
    const update = updateOf(edit({ publish: number, price }, fixMs, false));
    const next = updateOf(edit({ publish: closing.number, price: closing.price }, fixMs, true));
    return { index, update, next };
  });
}
