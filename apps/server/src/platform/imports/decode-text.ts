import { isUtf8 } from 'node:buffer';

export interface DecodedText {
  readonly text: string;
  readonly encoding: string;
}

const BROKEN = '\uFFFD';
const SAMPLE_BYTES = 65_536;
/** From this share of frequent characters on, bytes are Chinese text whatever label they carry. */
const PLAINLY_CHINESE = 0.75;

/**
 * Decodes a file that others wrote. A byte order mark, zeros at every second place and valid UTF-8 identify themselves; then the
 * content decides between GB 18030 and Big5 by the frequency of the characters that each reading yields; a declared label counts where
 * the content is not plainly Chinese, and Windows-1252 is left for single letters among ASCII.
 * @param declared labels from the document and its transport, the best first
 * @returns null when no encoding reads every byte: the text never has a replacement character
 */
export function decodeText(bytes: Uint8Array, declared: readonly string[] = []): DecodedText | null {
  const wide = wideEncoding(bytes);
  const labels = declared.flatMap((label) => standardName(label) ?? []);
  const candidates = wide ? [wide] : byContent(bytes, labels);
  for (const encoding of candidates) {
    const text = decodeAs(encoding, bytes);
    if (text !== null) return { text, encoding };
  }
  return null;
}

/** Leaves out a few broken characters among many good ones, as where a publisher cuts a summary in a character. */
export function decodeMostly(bytes: Uint8Array, declared: readonly string[] = []): DecodedText | null {
  const whole = decodeText(bytes, declared);
  if (whole) return whole;
  const label = declared.map(standardName).find((name) => name !== null && name !== 'utf-8');
  for (const encoding of ['utf-8', ...(label ? [label] : [])]) {
    const text = new TextDecoder(encoding).decode(bytes);
    if ((isMostlyWhole(text) || isUtf8(bytes)) && !text.includes('\0'))
      return { text: text.replaceAll(BROKEN, ''), encoding };
  }
  return null;
}

function isMostlyWhole(text: string): boolean {
  const broken = text.split(BROKEN).length - 1;
  const good = text.replace(/[\0-\x7f]/g, '').length - broken;
  return broken * 20 <= good;
}

/** UTF-16, by its mark or by the zeros of its ASCII characters; null for an encoding of bytes. */
function wideEncoding(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  for (const [place, byte] of sample.entries()) if (byte === 0) (zeros[place % 2] as number)++;
  const [even, odd] = zeros as [number, number];
  const isWide = Math.max(even, odd) * 20 >= sample.length && Math.min(even, odd) * 10 <= Math.max(even, odd);
  if (!isWide || even + odd === 0) return null;
  return even > odd ? 'utf-16be' : 'utf-16le';
}

function byContent(bytes: Uint8Array, labels: readonly string[]): string[] {
  if (isPlainlyUtf8(bytes, labels)) return ['utf-8'];
  // A broken UTF-8 text must not be read as another one: its bytes are often valid in a Chinese encoding.
  const text = new TextDecoder().decode(bytes);
  if (text.includes(BROKEN) && (isUtf8(bytes) || isMostlyWhole(text))) return [];
  const gb = shareOf(bytes, isFrequentInGb);
  const big5 = hasRuns(bytes) ? shareOf(bytes, isFrequentInBig5) : 0;
  const chinese = gb >= big5 ? ['gb18030', 'big5'] : ['big5', 'gb18030'];
  const others = labels.filter((label) => label !== 'utf-8' && !isSingleByte(label));
  const isPlain = Math.max(gb, big5) >= PLAINLY_CHINESE;
  // Korean and Japanese encodings share the ranges of frequent characters, so their labels count before the content.
  const foreign = others.filter((label) => label !== 'gb18030' && label !== 'big5');
  const singles = [...labels.filter(isSingleByte), 'windows-1252'];
  if (isPlain) return [...foreign, ...chinese, ...singles];
  return [...others, ...(gb + big5 > 0.5 ? [...chinese, ...singles] : singles)];
}

/** Two-byte sequences alone may be another encoding's pairs; letters of one script among them are UTF-8. */
function isPlainlyUtf8(bytes: Uint8Array, labels: readonly string[]): boolean {
  const text = decodeAs('utf-8', bytes);
  if (text === null) return false;
  if (!/[\u0080-\uffff]/.test(text) || /[\u0800-\uffff]/.test(text)) return true;
  const isOneScript = /^[\0-\u024f]*$|^[\0-\u00ff\u0370-\u03ff]*$|^[\0-\u00ff\u0400-\u04ff]*$/.test(text);
  const label = labels.find((name) => !isSingleByte(name));
  if (isOneScript && !/[^\0-\x7f]{2}/.test(text)) return true;
  return label === undefined ? isOneScript : label === 'utf-8';
}

/** Null when a byte does not belong to the encoding, or the text has zeros: then it is no text. */
function decodeAs(encoding: string, bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') || text.includes(BROKEN) ? null : text;
  } catch {
    return null;
  }
}

/** GB 18030 contains GBK and GB 2312. Null for a label that the Encoding Standard does not know. */
function standardName(label: string): string | null {
  try {
    const name = new TextDecoder(label.replace(/^cp-?936$/i, 'gbk').replace(/^(cp-?950|ms950)$/i, 'big5'))
      .encoding;
    return name === 'gbk' ? 'gb18030' : name;
  } catch {
    return null;
  }
}

const isSingleByte = (name: string): boolean => /^(windows-|iso-8859|koi8|macintosh|x-mac|ibm866)/.test(name);

type IsFrequent = (lead: number, trail: number) => boolean;

/** Level 1 of GB 2312, the 3 755 most frequent characters, and its punctuation and full-width signs. */
const isFrequentInGb: IsFrequent = (lead, trail) =>
  trail >= 0xa1 && ((lead >= 0xb0 && lead <= 0xd7) || lead === 0xa1 || lead === 0xa3);
/** Level 1 of Big5, the 5 401 most frequent characters, and its punctuation and full-width signs. */
const isFrequentInBig5: IsFrequent = (lead, trail) =>
  ((trail >= 0x40 && trail <= 0x7e) || trail >= 0xa1) && lead >= 0xa1 && lead <= 0xc6;

/** Whether characters of two bytes follow each other, or one ends above ASCII: `Álvarez` is a pair of Big5, and no Chinese. */
function hasRuns(bytes: Uint8Array): boolean {
  for (let place = 1; place < Math.min(bytes.length, SAMPLE_BYTES); place += 1) {
    if ((bytes[place - 1] as number) < 0x80) continue;
    if ((bytes[place] as number) >= 0xa1 || (bytes[place + 1] ?? 0) >= 0x80) return true;
    place += 1;
  }
  return false;
}

function shareOf(bytes: Uint8Array, isFrequent: IsFrequent): number {
  let pairs = 0;
  let frequent = 0;
  const end = Math.min(bytes.length, SAMPLE_BYTES);
  for (let place = 0; place < end; place += 1) {
    const lead = bytes[place] as number;
    if (lead < 0x80) continue;
    pairs += 1;
    if (isFrequent(lead, bytes[place + 1] ?? 0)) frequent += 1;
    place += 1;
  }
  return pairs === 0 ? 0 : frequent / pairs;
}
