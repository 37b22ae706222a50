/** Parts of a secret from this length on are hidden, also where the sender cut the secret off. */
const SHORTEST_PART = 8;
const HIDDEN = '***';
const MOST_CHARS = 200;
/** Longer texts are cut off before they are read. */
const MOST_READ = 2_000;

/**
 * Makes the texts of a source's faults, all in one place: a text may repeat what the source or the network said, so parts of the secrets
 * are hidden, signs that steer a terminal are taken out, and the rest is cut to a line.
 * @param secrets the operator's key and account at the source; empty ones don't count
 */
export function faultTexts(secrets: readonly string[]): (said: string) => string {
  const parts = new Set(secrets.flatMap(writtenForms).flatMap(partsOf));
  const lengths = [...new Set([...parts].map((part) => part.length))];
  return (said) => {
    const text = decoded(said.slice(0, MOST_READ)).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
    const folded = fold(text);
    const isHidden = new Uint8Array(text.length);
    for (const length of lengths)
      for (let at = 0; at + length <= text.length; at += 1)
        if (parts.has(folded.slice(at, at + length))) isHidden.fill(1, at, at + length);
    let shown = '';
    for (let at = 0; at < text.length; at += 1) {
      if (!isHidden[at]) shown += text[at];
      else if (!isHidden[at - 1]) shown += HIDDEN;
    }
    return shown.slice(0, MOST_CHARS);
  };
}

const ESCAPED = /\\u([\da-f]{4})|%([\da-f]{2})|&#x([\da-f]{2,4});|&#(\d{2,4});/gi;

/** The text with the escapes of JSON, URLs and HTML taken out. */
const decoded = (text: string): string =>
  text.replace(ESCAPED, (said, json?: string, url?: string, html?: string, decimal?: string) => {
    const hex = json ?? url ?? html;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code < 0x80 ? String.fromCharCode(code) : said;
  });

/** A secret as sources may repeat it: as it is, in hexadecimal, and in Base64 from each of the three places where a group may begin. */
function writtenForms(secret: string): string[] {
  if (secret === '') return [];
  const groups = [0, 1, 2].flatMap((ahead) => {
    const bytes = Buffer.from(`${'-'.repeat(ahead)}${secret}`);
    // The signs that hold bytes of what stands beside the secret are not its own.
    const own = (text: string) => text.slice(Math.ceil((ahead * 4) / 3)).replace(/.?={0,2}$/, '');
    return [own(bytes.toString('base64')), own(bytes.toString('base64url'))];
  });
  return [secret, Buffer.from(secret).toString('hex'), ...groups];
}

/** All parts of a secret of the shortest length that is hidden; the secret itself if it is shorter. */
function partsOf(secret: string): string[] {
  const length = Math.min(secret.length, SHORTEST_PART);
  if (length === 0) return [];
  return Array.from({ length: secret.length - length + 1 }, (_, at) => fold(secret.slice(at, at + length)));
}

/** Lower case of Latin letters alone, so that no place moves. */
const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
