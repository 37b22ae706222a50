import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import ipaddr from 'ipaddr.js';
import { decodeMostly } from '../../platform/imports/decode-text.ts';

export class NewsFeedError extends Error {}

export interface FetchBounds {
  readonly timeMs: number;
  /** As sent, and as unpacked. */
  readonly maxBytes: number;
}

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Refuses an address outside the public internet, even when a name or a redirect leads there, so that a feed can't reach the operator's own
 * machines; the exception is an address that the setting itself names.
 * @throws NewsFeedError
 */
export async function fetchText(setting: URL, bounds: FetchBounds): Promise<string> {
  const signal = AbortSignal.timeout(bounds.timeMs);
  let url = setting;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    demandAllowed(url, setting);
    const answer = await ask(url, setting, signal);
    if (!REDIRECTS.has(answer.statusCode ?? 0)) return await readText(answer, bounds.maxBytes);
    answer.destroy();
    const next = URL.parse(answer.headers.location ?? '', url);
    if (!next) throw new NewsFeedError('redirects to nothing');
    url = next;
  }
  throw new NewsFeedError('redirects too often');
}

/** The setting names a host by its literal IP address and port; a host name that resolves to it does not count. */
const isNamed = (url: URL, setting: URL) => url.host === setting.host && isIP(bare(url.hostname)) !== 0;
const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

function demandAllowed(url: URL, setting: URL): void {
  if (!/^https?:$/.test(url.protocol)) throw new NewsFeedError(`leads to ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new NewsFeedError('leads to an address with a password');
  const host = bare(url.hostname);
  if (isIP(host) !== 0 && !isNamed(url, setting)) demandPublic(host);
}

/** Refuses loopback, private, link-local, carrier-grade NAT and all other ranges that are not plainly public. */
function demandPublic(address: string): void {
  if (!ipaddr.isValid(address) || ipaddr.process(address).range() !== 'unicast')
    throw new NewsFeedError('leads to a private address');
}

/** Resolves a name once for the check and the connection, so that the checked address is the one connected to. */
const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...(options as LookupOptions), all: true }, (error, found) => {
    if (error) return done(error, '', 4);
    const addresses = found as LookupAddress[];
    try {
      for (const { address } of addresses) demandPublic(address);
    } catch (refusal) {
      return done(refusal as Error, '', 4);
    }
    const [first] = addresses;
    if (!first) return done(new NewsFeedError('has no address'), '', 4);
    if (options.all) return done(null, addresses);
    return done(null, first.address, first.family);
  });
};

function ask(url: URL, setting: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        signal,
        agent: false,
        headers: {
          accept: 'application/rss+xml, application/atom+xml, application/xml;q=0.9',
          'accept-encoding': 'gzip, identity;q=0.5',
          'user-agent': 'Fairtick news',
        },
        ...(isNamed(url, setting) ? {} : { lookup: publicLookup }),
      },
      resolve,
    );
    sent.once('error', reject);
    sent.end();
  });
}

async function readText(answer: IncomingMessage, maxBytes: number): Promise<string> {
  try {
    if (answer.statusCode !== 200) throw new NewsFeedError(`answers ${answer.statusCode}`);
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw new NewsFeedError(`is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    const bytes = await unpack(Buffer.concat(chunks), answer.headers['content-encoding'] ?? '', maxBytes);
    return decode(bytes, answer.headers['content-type'] ?? '');
  } finally {
    answer.destroy();
  }
}

const gunzipped = promisify(gunzip);
const OTHERS = new Map([
  ['br', promisify(brotliDecompress)],
  ['deflate', promisify(inflate)],
]);

/** Some servers send gzip files without naming it. */
async function unpack(bytes: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const unpacking = isGzip ? gunzipped : OTHERS.get(encoding.trim().toLowerCase());
  if (!unpacking) return bytes;
  try {
    return await unpacking(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new NewsFeedError(isLarge ? `is larger than ${maxBytes} bytes` : 'is packed wrongly');
  }
}

function decode(bytes: Buffer, contentType: string): string {
  const prolog = bytes.subarray(0, 200).toString('latin1');
  const labels = [
    /<\?xml[^>]*encoding\s*=\s*["']([\w-]+)/i.exec(prolog)?.[1],
    /charset=["']?([\w-]+)/i.exec(contentType)?.[1],
  ];
  const decoded = decodeMostly(
    bytes,
    labels.filter((label) => label !== undefined),
  );
  if (decoded === null) throw new NewsFeedError('is not text in a known encoding');
  return decoded.text;
}
