/** Direction from the current price to a typed one; null while either is unknown, or if they are equal. */
export function wayTo(typed: string, price: string | null): 'up' | 'down' | null {
  if (price === null || typed === '') return null;
  const difference = Number(typed) - Number(price);
  return difference > 0 ? 'up' : difference < 0 && Number(typed) > 0 ? 'down' : null;
}
