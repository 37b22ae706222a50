import { hash } from 'node:crypto';
import type { Sha256 } from '@fairtick/proof';

/**
 * SHA-256 by OpenSSL, which the server passes to the portable code of `packages/proof`. Reading the digest as a string is several
 * times faster than a Buffer, whose memory is allocated outside the JavaScript heap.
 */
export const nativeSha256: Sha256 = (data) => {
  const digest = hash('sha256', data, 'binary');
  const bytes = new Uint8Array(32);
  for (let place = 0; place < 32; place += 1) bytes[place] = digest.charCodeAt(place);
  return bytes;
};
