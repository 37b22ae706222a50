/** An address as people compare it: in groups of four. */
export function groupsOf(address: string): readonly string[] {
  return address.match(/.{1,4}/g) ?? [];
}
