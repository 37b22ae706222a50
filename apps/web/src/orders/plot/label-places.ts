/**
 * Places labels near the heights that they belong to, in one column and without overlaps.
 * @param wanted middles of the labels, px, the most important first
 * @param column the first and the last middle that a label may have, and the least distance of two, px
 * @returns for each label its middle, or null for those that the column has no room for
 */
export function labelPlaces(
  wanted: readonly number[],
  { first, last, distance }: { first: number; last: number; distance: number },
): (number | null)[] {
  const room = last < first ? 0 : 1 + Math.floor((last - first) / distance);
  const places: (number | null)[] = wanted.map(() => null);
  const order = [...wanted.keys()].slice(0, room).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  let least = first;
  for (const at of order) {
    const place = Math.max(least, wanted[at] ?? 0);
    places[at] = place;
    least = place + distance;
  }
  let most = last;
  for (const at of order.reverse()) {
    const place = Math.min(most, places[at] ?? 0);
    places[at] = place;
    most = place - distance;
  }
  return places;
}
