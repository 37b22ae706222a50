/** Which way the price has to go to a typed one; null while one of them is unknown, or they are the same. */
export function wayTo(typed: string, price: string | null): 'up' | 'down' | null {
  if (price === null || typed === '') return null;
  const difference = Number(typed) - Number(price);
  return difference > 0 ? 'up' : difference < 0 && Number(typed) > 0 ? 'down' : null;
}
