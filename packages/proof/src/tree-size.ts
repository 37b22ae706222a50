/** The largest tree this package handles: the largest whole number that a JavaScript number holds exactly. */
export const MAX_TREE_SIZE = Number.MAX_SAFE_INTEGER;

export function isTreeSize(size: number): boolean {
  return Number.isSafeInteger(size) && size >= 0;
}
