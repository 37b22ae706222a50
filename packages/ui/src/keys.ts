/** A random 128-bit idempotency key. */
export const newKey = (): string => randomHex();

/** The customer's secret of an order: it shows later which opening time was asked for. */
export const newNonce = (): string => randomHex();

/** `crypto.randomUUID` would be missing over plain HTTP. */
function randomHex(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
