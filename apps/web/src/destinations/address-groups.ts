/** An address in groups of four, which are easier to compare. */
export function groupsOf(address: string): readonly string[] {
  return address.match(/.{1,4}/g) ?? [];
}
