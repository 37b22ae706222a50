import { isIPv4, isIPv6 } from 'node:net';

/** The network of an address: an IPv4 address itself, or the /64 of an IPv6 address, because a caller with one address has all of them. */
export function networkOf(address: string | null | undefined): string {
  if (address === null || address === undefined) return 'unknown';
  if (isIPv4(address)) return `${address}/32`;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return 'unknown';
  const groups = groupsOf(plain);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
    return `${bytes.join('.')}/32`;
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The wider network of an address: the /24 of an IPv4 address, the /48 of an IPv6 address, as a rented server or a carrier has. */
export function wideNetworkOf(address: string | null | undefined): string {
  const network = networkOf(address);
  if (network.endsWith('/32')) return `${network.split('.').slice(0, 3).join('.')}.0/24`;
  return network.endsWith('/64') ? `${network.split(':').slice(0, 3).join(':')}::/48` : network;
}

function groupsOf(address: string): number[] {
  const { hostname } = new URL(`http://[${address}]`);
  const [left = '', right] = hostname.slice(1, -1).split('::');
  const read = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [before, after] = [read(left), read(right ?? '')];
  return [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
}
