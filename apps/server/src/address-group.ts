import { isIPv6 } from 'node:net';

const WHOLE = 8;
/** Whoever has one address of version 6 has all that share its first half. */
const KEPT = 4;

/** Whose an address is, as far as it shows: an IPv4 address itself, and the /64 of an IPv6 address. */
export function addressGroup(address: string | null | undefined): string {
  if (!address) return 'unknown';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  // An address of the form 64:ff9b::1.2.3.4 has its IPv4 part in the second half, which does not count.
  const [head = '', tail] = (address.split('%')[0] as string).toLowerCase().split('::');
  const parts = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const lastLength = last.length + (last.at(-1)?.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? 0 : WHOLE - parts.length - lastLength;
  const whole = [...parts, ...Array<string>(Math.max(0, zeros)).fill('0'), ...last];
  return `${whole
    .slice(0, KEPT)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(':')}::/64`;
}
